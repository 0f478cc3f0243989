"""Saved games on disk: one JSON file each, in the user's state folder."""

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from trajan_ai.core.atomic_file import write_atomically
from trajan_ai.core.errors import TrajanError, printable
from trajan_ai.core.json_parsing import loads
from trajan_ai.core.languages import tr
from trajan_ai.core.lru import Lru
from trajan_ai.core.paths import build_path
from trajan_ai.page.game_tree import GameTree, make_id, parse_tree
from trajan_ai.page.visible_tree import VisibleTree

MAX_GAMES = 500
IN_MEMORY = 30
ID = re.compile(r"[0-9a-f]{16}")


class MissingEntry(TrajanError):
    """The requested game, exercise, guide or step of a guide does not exist."""


def state_folder() -> Path:
    """Return the folder of saved games: below ``$XDG_STATE_HOME``, or ``~/.local/state``."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "trajan-ai" / "studies"  # named as in release 0.3.0


class GameFolder:
    """The saved games in a folder. The games used last are also kept in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open: Lru[str, VisibleTree] = Lru(IN_MEMORY)
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise TrajanError(f"{path}: cannot be created: {error.strerror}") from None

    def find(self, id: str) -> VisibleTree:
        """Return the game with an id.

        Raises MissingEntry if there is none, and TrajanError if its file is damaged.
        """
        visible = self._open.get(id)
        if visible is None:
            visible = VisibleTree(parse_tree(self._read(self._file(id)), id))
            self._open.put(id, visible)
        return visible

    def add(self, tree: GameTree) -> None:
        """Write a new game; raise TrajanError if the folder is full."""
        if sum(1 for _ in self._files()) >= MAX_GAMES:
            raise TrajanError(tr("There are {count} games already: delete some.", count=MAX_GAMES))
        self._write(tree)

    def save(self, tree: GameTree) -> None:
        """Write a game again; raise MissingEntry if it was deleted during a search."""
        if not self._file(tree.id).exists():
            raise MissingEntry(tr("There is no such game. Was it deleted?"))
        self._write(tree)

    def _write(self, tree: GameTree) -> None:
        """Write a game atomically: even after a crash, readers find the old or the new file."""
        visible = self._open.get(tree.id)
        if visible is None or visible.tree is not tree:
            visible = VisibleTree(tree)
            self._open.put(tree.id, visible)
        data = tree.to_dict() | {"status": visible.describe_status()}
        write_atomically(self._file(tree.id), [json.dumps(data, separators=(",", ":"))])

    def delete(self, id: str) -> None:
        """Delete a game if there is one."""
        file = self._file(id)
        self._open.drop(id)
        file.unlink(missing_ok=True)

    def forget(self, id: str) -> None:
        """Drop a game from memory, so that its file is read again."""
        self._open.drop(id)

    def import_game(self, data: dict[str, Any]) -> str:
        """Save a game from an imported file, and return its id.

        The game gets a new id unless the folder already contains it under the id in the data.
        """
        tree = parse_tree(data, make_id())
        id = data.get("id")
        if isinstance(id, str) and ID.fullmatch(id) and self._file(id).exists():
            with suppress(TrajanError):  # a damaged file does not contain the same game
                if self.find(id).tree.to_dict() == tree.to_dict() | {"id": id}:
                    return id
        self.add(tree)
        return tree.id

    def scan(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the data of all games, latest change first, and the names of damaged files."""
        games, damaged = [], []
        for file in sorted(self._files()):
            try:
                data = self._read(file)
                datetime.fromisoformat(data["changed"])
                if not isinstance(data["title"], str) or data["id"] != file.stem:
                    raise TrajanError("damaged")
                games.append(data)
            except (KeyError, TypeError, ValueError):
                damaged.append(printable(file.name))
        return sorted(games, key=lambda data: str(data["changed"]), reverse=True), damaged

    def export_games(self) -> str:
        """Return all games that can be read, one per line."""
        return "".join(f"{json.dumps(data)}\n" for data in self.scan()[0])

    def _files(self) -> Iterable[Path]:
        return self.path.glob("*.json")

    def _file(self, id: str) -> Path:
        if not ID.fullmatch(id):
            raise MissingEntry(tr("There is no such game. Was it deleted?"))
        return build_path(self.path, f"{id}.json")

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            data = loads(file.read_text("utf-8"))
        except FileNotFoundError:
            raise MissingEntry(tr("There is no such game. Was it deleted?")) from None
        except (OSError, ValueError, RecursionError) as error:
            raise TrajanError(f"{file}: cannot be read: {error}") from None
        if not isinstance(data, dict):
            raise TrajanError(f"{file}: this is not a saved game")
        return data
