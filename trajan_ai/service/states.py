"""The positions of requests, each parsed only once, and states stored under random names."""

import hashlib
import marshal
import secrets
from collections.abc import Sequence
from typing import cast

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.lru import Lru
from trajan_ai.core.rules import check_request
from trajan_ai.core.yamlfile import Document
from trajan_ai.games import game as game_named
from trajan_ai.records import Record
from trajan_ai.records.following import is_witnessed, restore
from trajan_ai.records.position_sources import source_of
from trajan_ai.service.protocol import PositionSpec

MAX_STATES = 10_000  # maximum number of states that are kept, of 1 to 4 KB each
MAX_PARSED = 1000
MARSHAL_VERSION = 2  # with this version equal data has equal bytes; faster than JSON


class States:
    """Positions from earlier requests: parsed ones by description, states by random name.

    A state includes hidden cards, but its name is random and therefore reveals nothing.
    """

    def __init__(self) -> None:
        self.by_name: Lru[str, Position] = Lru(MAX_STATES)
        self.parsed: Lru[bytes, Position] = Lru(MAX_PARSED)

    def keep(self, position: Position) -> str:
        """Store a position and return its name for `find`."""
        name = secrets.token_hex(12)
        self.by_name.put(name, position)
        return name

    def find(self, spec: PositionSpec) -> Position:
        """Return the position of a request; raises TrajanError that names each wrong field."""
        position = self._find(spec)
        return (
            play_actions(position, spec.actions, "position.actions") if spec.actions else position
        )

    def _find(self, spec: PositionSpec) -> Position:
        if spec.state is not None:
            state = self.by_name.get(spec.state)
            if state is None:
                raise TrajanError(
                    f"position.state: there is no state {spec.state!r:.60}; only the last "
                    f"{MAX_STATES:,} states are kept: send the record or view again"
                )
            return state
        key = _digest(spec)
        position = self.parsed.get(key)
        if position is None:
            # The position is stored without its setup, which is several times as large.
            full = _parse(spec)
            position = full.game.from_bytes(full.to_bytes(), None, full.ply)
            self.parsed.put(key, position)
        return position


def play_actions(position: Position, actions: Sequence[str], field: str) -> Position:
    """Return the position after the actions in `field`; raises TrajanError if one is illegal."""
    for number, action in enumerate(actions):
        try:
            position = position.after(action)
        except TrajanError as error:
            raise TrajanError(f"{field}[{number}]: {error}") from None
    return position


def _digest(spec: PositionSpec) -> bytes:
    start = None if spec.start is None else spec.start.model_dump()
    data = marshal.dumps([spec.record, spec.ply, spec.view, start], MARSHAL_VERSION)
    return hashlib.blake2b(data, digest_size=16).digest()


def _parse(spec: PositionSpec) -> Position:
    try:
        if spec.view is not None:
            return source_of(Document("", spec.view, {})).position
        if spec.record is not None:
            record = cast(Record, spec.record)  # `source_of` checks the record
            source = source_of(restore(record, "") if is_witnessed(record) else record, spec.ply)
            source.check_observer()
            return source.position
        assert spec.start is not None
        game, start = game_named(spec.start.game), spec.start
        check_request(game.rules, start.players, start.options)  # before options become arguments
        return game.start(start.players, start.seed, **start.options)
    except TrajanError as error:
        form = "view" if spec.view is not None else "record" if spec.start is None else "start"
        raise error.within(f"position.{form}") from None
