"""trajan_ai: rules, search and records for Stefan Feld's Trajan and Forum Trajanum.

``trajan_ai.search`` is the function; the room of that name is imported as
``from trajan_ai.search import ...``.
"""

from trajan_ai import positions, records
from trajan_ai.analysis.suggest import search
from trajan_ai.bots import build, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.games import GAMES, game
from trajan_ai.version import __version__

__all__ = [
    "GAMES",
    "Game",
    "Position",
    "TrajanError",
    "__version__",
    "build",
    "game",
    "positions",
    "read_bot",
    "records",
    "search",
]
