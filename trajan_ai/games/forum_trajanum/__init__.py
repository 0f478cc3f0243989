"""Forum Trajanum (Stefan Feld, 2018): rules core, component sets, hidden information, drawing."""

from trajan_ai.games.forum_trajanum.game import GAME

__all__ = ["GAME"]
