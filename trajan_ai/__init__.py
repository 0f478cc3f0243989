"""trajan_ai: rules, search and records for Stefan Feld's Trajan and Forum Trajanum.

``trajan_ai.search`` and ``trajan_ai.play`` are functions; the packages behind them are
``trajan_ai.mcts`` and ``trajan_ai.bots.game_loop``.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajan_ai.core.version import __version__

try:
    from trajan_ai.core.game import Game, Position
except ModuleNotFoundError as error:
    if error.name != "trajan_ai.core.game":
        raise
    _folder = Path(__file__).parent.parent
    raise ImportError(
        f"the sources in {_folder} are not compiled: run `python -m pip install -e .` there, "
        "or run Python in another folder to import an installed trajan_ai"
    ) from None

from trajan_ai.core.errors import TrajanError

if TYPE_CHECKING:
    from trajan_ai import positions, records
    from trajan_ai.analysis.decision.advice import search
    from trajan_ai.bots import build, read_bot
    from trajan_ai.bots.game_loop import play
    from trajan_ai.games import GAMES, game
    from trajan_ai.records import following
    from trajan_ai.records.scripted_game import Table

__all__ = [
    "GAMES",
    "Game",
    "Position",
    "Table",
    "TrajanError",
    "__version__",
    "build",
    "following",
    "game",
    "play",
    "positions",
    "read_bot",
    "records",
    "search",
]

# Names that are loaded on first use, because importing games and bots takes most of the import
# time. The value "module" is a module itself, and "module:name" is a name in a module. The imports
# above declare the same names for type checkers.
_LOADED_ON_USE = {
    "GAMES": "trajan_ai.games:GAMES",
    "Table": "trajan_ai.records.scripted_game:Table",
    "build": "trajan_ai.bots:build",
    "following": "trajan_ai.records.following",
    "game": "trajan_ai.games:game",
    "play": "trajan_ai.bots.game_loop:play",
    "positions": "trajan_ai.positions",
    "read_bot": "trajan_ai.bots:read_bot",
    "records": "trajan_ai.records",
    "search": "trajan_ai.analysis.decision.advice:search",
}


if not TYPE_CHECKING:  # otherwise a type checker accepts any name

    def __getattr__(name: str) -> Any:
        """Load a name that is listed in `_LOADED_ON_USE`."""
        if name not in _LOADED_ON_USE:
            raise AttributeError(f"module 'trajan_ai' has no attribute {name!r}")
        module, _, attribute = _LOADED_ON_USE[name].partition(":")
        value = import_module(module)
        if attribute:
            value = getattr(value, attribute)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return __all__
