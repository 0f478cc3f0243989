"""The reveals of a move: everything that it shows to one player.

`Reveals` are plain data: a list of names for each key. A key names the place of the things, such
as a hidden stack of a record's setup or a player's tile.
"""

from collections.abc import Mapping, Sequence

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.names import Names
from trajan_ai.core.rules_following import Question, Reveals


class Unstated(TrajanError):
    """A move reveals something that was not stated: `asks` contains the questions about it."""

    def __init__(self, action: str | None, asks: Sequence[Question]) -> None:
        self.asks = tuple(asks)
        super().__init__(
            *(f"{action or 'the hidden move'}: state {ask.key}, {ask.text}" for ask in asks)
        )


def read_reveals(reveals: Mapping[str, object], allowed: Mapping[str, Sequence[str]]) -> Reveals:
    """Return reveals with canonical names; `allowed` lists the names that each key may have.

    Raises TrajanError with every key and name that is not allowed.
    """
    problems: list[Problem] = []
    result: Reveals = {}
    keys = Names(allowed)
    for typed, value in reveals.items():
        key = keys.find(str(typed))
        if key is None:
            problems.append(Problem(f"there is no {typed!r} to state{keys.hint(str(typed))}"))
            continue
        listed = [value] if isinstance(value, str | int) else value
        if not isinstance(listed, Sequence):
            problems.append(Problem(f"must be a list of names, got {quoted(value)}", (key,)))
            continue
        names = Names(allowed[key])
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
