"""The games, and tools for writing games."""

from trajan_ai.games.registry import GAMES, game

__all__ = ["GAMES", "game"]
