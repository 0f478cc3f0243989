"""Import paths of release 0.3.0 that moved: they work until 0.5.0, with a DeprecationWarning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

# A package stands for all the modules in it.
MOVED = {
    "trajan_ai.core.machine": "trajan_ai.core.platform",
    "trajan_ai.core.png": "trajan_ai.games.drawing.png",
    "trajan_ai.core.svg": "trajan_ai.games.drawing.svg",
    "trajan_ai.following": "trajan_ai.records.following",
    "trajan_ai.forum_trajanum": "trajan_ai.games.forum_trajanum",
    "trajan_ai.learning": "trajan_ai.lab.learning",
    "trajan_ai.playing": "trajan_ai.bots.playing",
    "trajan_ai.positions": "trajan_ai.records.position_files",
    "trajan_ai.reference_games": "trajan_ai.games.reference",
    "trajan_ai.server": "trajan_ai.engine",
    "trajan_ai.tournaments.config": "trajan_ai.tournaments.plan_file",
    "trajan_ai.tournaments.simulation": "trajan_ai.lab.simulation",
    "trajan_ai.tournaments.tuning": "trajan_ai.lab.tuning",
    "trajan_ai.trajan": "trajan_ai.games.trajan",
    "trajan_ai.version": "trajan_ai.core.version",
}


def install() -> None:
    """Make the old paths importable."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        for old, new in MOVED.items():
            if fullname == old or fullname.startswith(f"{old}."):
                name = new + fullname.removeprefix(old)
                warnings.warn(
                    f"{fullname} has moved to {name}; the old path works until release 0.5.0",
                    DeprecationWarning,
                    stacklevel=2,
                )
                return spec_from_loader(fullname, _Alias(name))
        return None


class _Alias(Loader):
    def __init__(self, name: str) -> None:
        self._module = import_module(name)
        self._spec = self._module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has replaced it
