"""The game Trajan: GAME, its handle."""

from trajan_ai.trajan.game import GAME

__all__ = ["GAME"]
