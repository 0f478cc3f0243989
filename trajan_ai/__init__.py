"""trajan_ai: rules, search and records for Stefan Feld's Trajan and Forum Trajanum.

``trajan_ai.search`` and ``trajan_ai.play`` are functions; the packages behind them are
``trajan_ai.mcts`` and ``trajan_ai.playing``.
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
    from trajan_ai import following, positions, records
    from trajan_ai.analysis.suggest import search
    from trajan_ai.bots import build, read_bot
    from trajan_ai.games import GAMES, game
    from trajan_ai.playing import play
    from trajan_ai.table import Table

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

# Names that are loaded when first used, and the module of each: to load games and bots takes most
# of the time of an import. The imports above tell type checkers the same.
_LOADED_ON_USE = {
    "GAMES": "trajan_ai.games",
    "Table": "trajan_ai.table",
    "build": "trajan_ai.bots",
    "following": "trajan_ai",
    "game": "trajan_ai.games",
    "play": "trajan_ai.playing",
    "positions": "trajan_ai",
    "read_bot": "trajan_ai.bots",
    "records": "trajan_ai",
    "search": "trajan_ai.analysis.suggest",
}


if not TYPE_CHECKING:  # else a type checker would take any name for one of ours

    def __getattr__(name: str) -> Any:
        """Load a name of `_LOADED_ON_USE`."""
        if name not in _LOADED_ON_USE:
            raise AttributeError(f"module 'trajan_ai' has no attribute {name!r}")
        module = _LOADED_ON_USE[name]
        if module == "trajan_ai":
            value = import_module(f"trajan_ai.{name}")
        else:
            value = getattr(import_module(module), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return __all__
