"""The game Trajan: GAME, its handle."""

from trajan_ai.games.trajan.game import GAME

__all__ = ["GAME"]
