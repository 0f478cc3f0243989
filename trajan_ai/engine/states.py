"""Positions named by requests: read once, and kept under unguessable names."""

from __future__ import annotations

import hashlib
import marshal
import secrets

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.lru import Lru
from trajan_ai.engine.protocol import PositionSpec
from trajan_ai.games import game as game_named
from trajan_ai.records import position_files

MOST_STATES = 10_000  # of some 1 to 4 KB each
MOST_READ = 1000
VALUES_ONLY = 2  # the version of marshal in which equal data are equal bytes; faster than JSON


class States:
    """Positions of earlier requests: by what was said of them, and by the names given to them.

    A name stands for the position as it was given, hidden cards included, but holds nothing of
    it: names are random.
    """

    def __init__(self) -> None:
        self.kept: Lru[str, Position] = Lru(MOST_STATES)
        self.read: Lru[bytes, Position] = Lru(MOST_READ)

    def keep(self, position: Position) -> str:
        """Return a name under which `find` will know the position."""
        name = secrets.token_hex(12)
        self.kept.put(name, position)
        return name

    def find(self, spec: PositionSpec) -> Position:
        """Return the position of a request; raises TrajanError with all problems and places."""
        if spec.state is not None:
            known = self.kept.get(spec.state)
            if known is None:
                raise TrajanError(
                    f"position.state: {spec.state!r:.60} is not known; only the last "
                    f"{MOST_STATES:,} states are kept: send the record or view again"
                )
            return known
        key = _digest(spec)
        position = self.read.get(key)
        if position is None:
            read = _read(spec)  # kept without its setup, which is several times larger
            position = read.game.from_bytes(read.to_bytes(), None, read.ply)
            self.read.put(key, position)
        return position


def _digest(spec: PositionSpec) -> bytes:
    start = None if spec.start is None else spec.start.model_dump()
    data = marshal.dumps([spec.record, spec.ply, spec.view, start], VALUES_ONLY)
    return hashlib.blake2b(data, digest_size=16).digest()


def _read(spec: PositionSpec) -> Position:
    try:
        if spec.view is not None:
            return position_files.parse(spec.view, "")
        if spec.record is not None:
            return records.replay(spec.record, spec.ply)
        assert spec.start is not None
        game, start = game_named(spec.start.game), spec.start
        game.rules.check(start.players, start.options)  # before their names become arguments
        return game.start(start.players, start.seed, **start.options)
    except TrajanError as error:
        way = "view" if spec.view is not None else "record" if spec.start is None else "start"
        raise error.within(f"position.{way}") from None
