"""The games, and tools to write games."""

from trajan_ai.games.registry import GAMES, game

__all__ = ["GAMES", "game"]
