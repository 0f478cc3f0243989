"""The games, and what they are made with."""

from trajan_ai.games.registry import GAMES, game

__all__ = ["GAMES", "game"]
