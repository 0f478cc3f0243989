"""Plain data from outside, such as a view, read strictly: every problem noted with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.names import Names
from trajan_ai.core.rules import count_problems

Kind = Literal["number", "name", "list", "set", "counts", "placed"]


@dataclass(frozen=True)
class Expected:
    """What may stand at a place.

    A ``number`` from `least` to `most`; a ``name`` of `names`; a ``list`` of them; a ``set``: each
    at most once; ``counts``: up to `most` of each; ``placed``: at each of `names` one of `things`.
    """

    kind: Kind
    names: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    least: int = 0
    most: int = 0


_noted: ContextVar[dict[str, Expected] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[dict[str, Expected]]:
    """Collect, by place, what the readers within expect there."""
    found: dict[str, Expected] = {}
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


def expect(
    kind: Kind,
    place: str,
    names: Sequence[str] = (),
    things: Sequence[str] = (),
    *,
    least: int = 0,
    most: int = 0,
) -> None:
    """Note what a reader expects at a place, while somebody collects that."""
    found = _noted.get()
    if found is not None:
        different = tuple(dict.fromkeys(names)), tuple(dict.fromkeys(things))
        found[place] = Expected(kind, *different, least, most)


def _are_names(values: Iterable[Any]) -> bool:
    return all(type(value) is str for value in values)


class Reader:
    """Reads plain data and collects what is wrong with it, each with its place."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def complain(self, place: str, what: str) -> None:
        """Note a problem."""
        self.problems.append(f"{place}: {what}")

    def stop_at_problems(self) -> None:
        """Raise TrajanError with every problem noted, if there is one."""
        if self.problems:
            raise TrajanError(*self.problems)

    def mapping(
        self, place: str, value: Any, keys: Sequence[str], free: Sequence[str] = ()
    ) -> Any:
        """Return a mapping; all of `keys` must be there, those of `free` may."""
        if not isinstance(value, Mapping):
            self.complain(place, f"must be a mapping with {', '.join(keys)}, got {value!r}")
            return {}
        for key in keys:
            if key not in value:
                self.complain(place, f"{key} is missing")
        for key in value:
            if key not in keys and key not in free:
                allowed = (*keys, *free)
                hint = Names(allowed).hint(str(key))
                self.complain(place, f"unknown key {key!r}; keys are {', '.join(allowed)}{hint}")
        return value

    def integer(self, place: str, value: Any, least: int, most: int) -> int:
        """Return a number from `least` to `most`."""
        expect("number", place, least=least, most=most)
        if type(value) is int and least <= value <= most:
            return value
        self.complain(place, f"must be a whole number from {least} to {most}, got {value!r}")
        return least

    def name(self, place: str, value: Any, names: Sequence[str]) -> int:
        """Return the number of a name, read as people type it."""
        expect("name", place, names)
        return self._number(place, value, Names(names))

    def _number(self, place: str, value: Any, known: Names) -> int:
        number = known.number(value) if isinstance(value, str) else None
        if number is not None:
            return number
        hint = known.hint(value) if isinstance(value, str) else ""
        self.complain(place, f"must be one of {', '.join(known.names)}, got {value!r}{hint}")
        return 0

    def entries(self, place: str, value: Any, names: Sequence[str]) -> dict[str, Any]:
        """Return a mapping by name; any of `names` may be its keys."""
        if not isinstance(value, Mapping):
            self.complain(place, f"must be a mapping with names as keys, got {value!r}")
            return {}
        known = Names(names)
        entries: dict[str, Any] = {}
        for key, entry in value.items():
            name = known.find(str(key))
            if name is None:
                hint = known.hint(str(key))
                self.complain(place, f"unknown key {key!r}; keys are {', '.join(names)}{hint}")
            elif name in entries:
                self.complain(place, f"{name} is named twice")
            else:
                entries[name] = entry
        return entries

    def names(self, place: str, value: Any, names: Sequence[str]) -> list[int]:
        """Return the numbers of a list of names."""
        expect("list", place, names)
        if not isinstance(value, list):
            self.complain(place, f"must be a list of names, got {value!r}")
            return []
        known = Names(names)
        return [self._number(f"{place}[{i}]", item, known) for i, item in enumerate(value)]

    def shuffled(self, place: str, value: Any, expected: Sequence[str]) -> list[str]:
        """Return a list that has the names of `expected`, each as often, in any order."""
        if isinstance(value, list) and _are_names(value) and Counter(value) == Counter(expected):
            return value  # as nearly always
        if value and not expected:
            self.complain(place, f"must be empty, got {value!r}")
            return []
        before = len(self.problems)
        names = tuple(dict.fromkeys(expected))
        found = [names[number] for number in self.names(place, value, names)]
        if len(self.problems) == before:
            self.problems += count_problems(place, expected, found)
        return found

    def members(self, place: str, value: Any, names: Sequence[str]) -> int:
        """Return the bits of a list of different names."""
        bits = 0
        numbers = self.names(place, value, names)
        expect("set", place, names)
        for number in numbers:
            if bits >> number & 1:
                self.complain(place, f"{names[number]} is named twice")
            bits |= 1 << number
        return bits

    def counts(self, place: str, value: Any, names: Sequence[str], most: int = 99) -> list[int]:
        """Return how many there are of each name."""
        expect("counts", place, names, most=most)
        entries = self.entries(place, value, names)
        return [
            self.integer(f"{place}.{name}", entries[name], 0, most) if name in entries else 0
            for name in names
        ]

    def placed(
        self, place: str, value: Any, names: Sequence[str], things: Sequence[str]
    ) -> list[int]:
        """Return, for each place, the number + 1 of the thing there, or 0."""
        expect("placed", place, names, things)
        entries = self.entries(place, value, names)
        return [
            self.name(f"{place}.{name}", entries[name], things) + 1 if name in entries else 0
            for name in names
        ]

    def order(self, place: str, value: Any, players: int) -> list[int]:
        """Return a list that has every player once."""
        numbers = isinstance(value, list) and all(type(player) is int for player in value)
        if numbers and sorted(value) == list(range(players)):
            return list(value)
        self.complain(place, f"must have each player from 0 to {players - 1} once, got {value!r}")
        return list(range(players))

    def flag(self, place: str, value: Any) -> bool:
        """Return a truth value."""
        if not isinstance(value, bool):
            self.complain(place, f"must be true or false, got {value!r}")
        return bool(value)
