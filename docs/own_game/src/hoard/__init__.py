"""Hoard: a small card game with secrets, as an example of a game outside trajan_ai."""

from hoard.game import GAME

__all__ = ["GAME"]
