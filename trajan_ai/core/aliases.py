"""Names and import paths of release 0.3.0 that changed: they work until release 0.5.0.

Each use emits a DeprecationWarning.
"""

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from trajan_ai.core.errors import Renamed

# Below trajan_ai. A package includes all its modules.
MOVED = {
    "core.machine": "core.platform",
    "core.png": "games.drawing.png",
    "core.svg": "games.drawing.svg",
    "following": "records.following",
    "forum_trajanum": "games.forum_trajanum",
    "learning": "lab.learning",
    "playing": "bots.game_loop",
    "positions": "records.position_files",
    "reference_games": "games.reference",
    "server": "service",
    "tournaments.config": "tournaments.plan_file",
    "tournaments.simulation": "lab.simulation",
    "tournaments.tuning": "lab.tuning",
    "trajan": "games.trajan",
    "version": "core.version",
}

# Names of modules, by module below trajan_ai: the old name, and the new one as "module:name".
NAMES: dict[str, dict[str, str]] = {
    "records.following": {
        "Table": "records.following:FollowedGame",
        "load": "records.position_sources:read_followed",
        "scan_all": "records.position_sources:scan",
        "witnessed": "records.following:witness",
    },
    "records.position_files": {"observer_of": "records.position_sources:observer_of"},
}


def old_names(module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module, which knows its names of release 0.3.0."""

    def get(name: str) -> Any:
        new = NAMES[module.removeprefix("trajan_ai.")].get(name)
        if new is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, _, attribute = f"trajan_ai.{new}".partition(":")
        text = f"{module}.{name} is called {place}.{attribute}"
        warnings.warn(f"{text}; the old name works until release 0.5.0", Renamed, stacklevel=2)
        return getattr(import_module(place), attribute)

    return get


def install() -> None:
    """Make the old paths importable."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


class _Finder:
    """A finder of moved modules. It is no `importlib.abc.MetaPathFinder`, which imports slowly."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for old, new in MOVED.items():
            old_path = f"trajan_ai.{old}"
            if fullname == old_path or fullname.startswith(f"{old_path}."):
                name = f"trajan_ai.{new}{fullname.removeprefix(old_path)}"
                warnings.warn(
                    f"{fullname} has moved to {name}; the old path works until release 0.5.0",
                    DeprecationWarning,
                    stacklevel=2,
                )
                loader: Any = _Alias(name)
                return ModuleSpec(fullname, loader)
        return None


class _Alias:
    """A loader that returns the module in its new place."""

    def __init__(self, name: str) -> None:
        self._module = import_module(name)
        self._spec = self._module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system replaced it
