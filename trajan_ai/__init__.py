"""trajan_ai: rules, search and records for Stefan Feld's Trajan and Forum Trajanum."""

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.games import GAMES, game
from trajan_ai.version import __version__

__all__ = ["GAMES", "Game", "Position", "TrajanError", "__version__", "game", "records"]
