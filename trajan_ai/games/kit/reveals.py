"""Following a game of which one player's knowledge is given: what moves show to that player.

What a move shows is plain data, `Reveals`: for each key a list of names. Keys name where the
things come from: the hidden stacks of a record's setup, or a player's tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.names import Names
from trajan_ai.core.rules import Question, Reveals


class Unstated(TrajanError):
    """A move shows something that was not stated: `asks` says what."""

    def __init__(self, action: str | None, asks: Sequence[Question]) -> None:
        self.asks = tuple(asks)
        super().__init__(
            *(f"{action or 'the hidden move'}: state {ask.key}, {ask.text}" for ask in asks)
        )


def read_reveals(reveals: Mapping[str, object], known: Mapping[str, Sequence[str]]) -> Reveals:
    """Return reveals as they stand in `known`, the names of each key; raise on all others."""
    problems: list[Problem] = []
    result: Reveals = {}
    keys = Names(known)
    for given, value in reveals.items():
        key = keys.find(str(given))
        if key is None:
            problems.append(Problem(f"there is no {given!r} to state{keys.hint(str(given))}"))
            continue
        listed = [value] if isinstance(value, str | int) else value
        if not isinstance(listed, Sequence):
            problems.append(Problem(f"must be a list of names, got {quoted(value)}", (key,)))
            continue
        names = Names(known[key])
        result[key] = []
        for one in map(str, listed):
            name = names.find(one)
            if name is None:
                problems.append(Problem(f"there is no {one!r}{names.hint(one)}", (key,)))
            else:
                result[key].append(name)
    if problems:
        raise TrajanError(*problems)
    return result
