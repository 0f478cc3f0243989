"""Studies on disk: one JSON file each, in the user's state folder; written at once, whole."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.lru import Lru
from trajan_ai.core.plain import loads
from trajan_ai.core.whole import write_whole
from trajan_ai.page.game_tree import Study, new_id, restored

MOST_STUDIES = 500
IN_MEMORY = 30
ID = re.compile(r"[0-9a-f]{16}")


def state_folder() -> Path:
    """Return the folder for studies: below ``$XDG_STATE_HOME``, or ``~/.local/state``."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "trajan-ai" / "studies"


class Folder:
    """The studies of a folder. Those used last are kept in memory as well."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept: Lru[str, Study] = Lru(IN_MEMORY)
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise TrajanError(f"{path}: cannot be made: {error.strerror}") from None

    def find(self, id: str) -> Study:
        """Return a study; raises KeyError if there is none, TrajanError if its file is damaged."""
        study = self.kept.get(id)
        if study is None:
            if not ID.fullmatch(id):
                raise KeyError(id)
            study = restored(self._read(self._file(id)))
            self.kept.put(id, study)
        return study

    def save(self, study: Study) -> None:
        """Write a study; a reader, or a crash, finds the old file or the new one."""
        file = self._file(study.id)
        if not file.exists() and sum(1 for _ in self._files()) >= MOST_STUDIES:
            raise TrajanError(f"there are {MOST_STUDIES} games already: delete some")
        write_whole(file, [json.dumps(study.to_dict(), separators=(",", ":"))])
        self.kept.put(study.id, study)

    def delete(self, id: str) -> None:
        """Delete a study, if it is there."""
        if ID.fullmatch(id):
            self.forget(id)
            self._file(id).unlink(missing_ok=True)

    def forget(self, id: str) -> None:
        """Read a study from its file when it is asked for next."""
        self.kept.entries.pop(id, None)

    def add(self, study: Study) -> None:
        """Write a study of another folder; beside one of its name, unless they are the same."""
        with suppress(KeyError):
            if self.find(study.id).to_dict() != study.to_dict():
                study.id = new_id()
        self.save(study)

    def whole(self) -> str:
        """Return all studies, one per line."""
        return "".join(f"{json.dumps(self._read(file))}\n" for file in sorted(self._files()))

    def listed(self) -> list[dict[str, Any]]:
        """Return what a list of the studies shows, the last changed first."""
        found = []
        for file in self._files():
            try:
                data = self._read(file)
                found.append({key: data[key] for key in ("id", "title", "changed")})
            except (TrajanError, KeyError):
                continue  # not ours, or damaged: opening it by its address says so
        return sorted(found, key=lambda entry: str(entry["changed"]), reverse=True)

    def _files(self) -> Any:
        return self.path.glob("*.json")

    def _file(self, id: str) -> Path:
        return self.path / f"{id}.json"

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            data = loads(file.read_text("utf-8"))
        except FileNotFoundError:
            raise KeyError(file.stem) from None
        except (OSError, ValueError, RecursionError) as error:
            raise TrajanError(f"{file}: cannot be read: {error}") from None
        if not isinstance(data, dict):
            raise TrajanError(f"{file}: not a study")
        return data
