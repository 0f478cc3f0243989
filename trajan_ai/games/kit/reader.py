"""Plain data from outside, such as a position file, read strictly, each problem with its place.

A `Reader` stands at a mapping and reads it key by key. A key with the value null is as if left
out. Where something is wrong, the problem is noted and reading goes on with a value that fits.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from trajan_ai.core.errors import Key, KeyPath, Problem, TrajanError, quoted
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names
from trajan_ai.core.rules import Option, Options, check_options, counts_in_words

MOST_LISTED = 40  # names that a message lists
NO_CHOICE = Problem("this decision has fewer than two legal actions here", ("to_decide",))

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


_noted: ContextVar[dict[KeyPath, Expected] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[dict[KeyPath, Expected]]:
    """Collect, by place, what the readers within expect there."""
    found: dict[KeyPath, Expected] = {}
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)


@lru_cache(maxsize=256)
def _known(names: tuple[str, ...]) -> Names:
    return Names(names)


def _listing(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_LISTED else f"{len(names)} names"


def bits_of(numbers: Iterable[int]) -> int:
    """Return different numbers as the bits of one."""
    return sum(1 << number for number in numbers)


class Reader:
    """Reads a mapping and collects what is wrong with it.

    Readers of its parts share `problems`. A part that is no mapping is read as an empty one; of
    the whole that raises.
    """

    def __init__(
        self, data: Any, place: KeyPath = (), problems: list[Problem] | None = None
    ) -> None:
        self.place = place
        self.problems: list[Problem] = [] if problems is None else problems
        self.data: Mapping[Any, Any] = data if isinstance(data, Mapping) else {}
        if data is not self.data:
            self.complain((), f"must be a mapping, got {quoted(data)}")
            if problems is None:
                self.stop_at_problems()
            self.problems = []  # nothing more is said of what it should hold

    def __contains__(self, key: Key) -> bool:
        return self.data.get(key) is not None

    def get(self, key: Key, default: Any = None) -> Any:
        """Return what stands at a key, `default` if nothing does."""
        value = self.data.get(key)
        return default if value is None else value

    def complain(self, at: Key | KeyPath, text: str) -> None:
        """Note a problem at a key, or at a path of keys; () is the mapping itself."""
        path = at if isinstance(at, tuple) else (at,)
        self.problems.append(Problem(text, (*self.place, *path)))

    def stop_at_problems(self) -> None:
        """Raise TrajanError with every problem noted, if there is one."""
        if self.problems:
            raise TrajanError(*self.problems)

    def keys(self, known: Sequence[str], needed: Mapping[str, str] | None = None) -> None:
        """Note keys that are neither `known` nor `needed`, and those `needed` that are missing.

        `needed` has an example of the value of each.
        """
        needed = needed or {}
        for key, example in needed.items():
            if key not in self.data:
                self.complain(key, f"is missing, such as {example}")
        allowed = (*needed, *known)
        self._unknown([key for key in self.data if key not in allowed], allowed)

    def _unknown(self, keys: Iterable[Any], known: Sequence[str]) -> None:
        right = f"; keys are {_listing(known)}"  # said once
        for key in keys:
            hint = _known(tuple(known)).hint(str(key))
            self.complain(str(key), f"unknown key{right}{hint}")
            right = ""

    def _wrong(self, key: Key, right: str) -> None:
        value = self.data.get(key)
        if value is not None:
            self.complain(key, f"must be {right}, got {quoted(value)}")
        elif all(problem.place != (*self.place, key) for problem in self.problems):
            self.complain(key, f"is missing: {right}")

    def _expect(
        self,
        kind: Kind,
        key: Key,
        names: Sequence[str] = (),
        things: Sequence[str] = (),
        *,
        least: int = 0,
        most: int = 0,
    ) -> None:
        """Note what is expected at a key, while somebody collects that."""
        found = _noted.get()
        if found is not None:
            different = tuple(dict.fromkeys(names)), tuple(dict.fromkeys(things))
            found[*self.place, key] = Expected(kind, *different, least, most)

    # --- parts ---------------------------------------------------------------------------------

    def part(
        self, key: Key, known: Sequence[str], needed: Mapping[str, str] | None = None
    ) -> Reader:
        """Return a reader of the mapping at a key, its keys checked; of {} if it is left out."""
        part = Reader(self.get(key, {}), (*self.place, key), self.problems)
        part.keys(known, needed)
        return part

    def section(self, key: Key) -> Reader:
        """Return a reader of the mapping at a key, which must be there; its keys may be any."""
        part = Reader(self.get(key, {}), (*self.place, key), self.problems)
        if key not in self:
            self._wrong(key, "a mapping")
            part.problems = []  # nothing more is said of what it should hold
        return part

    def entries(self, key: Key, names: Sequence[str]) -> Reader:
        """Return a reader of the mapping at a key whose keys are names, as people type them."""
        part = Reader(self.get(key, {}), (*self.place, key), self.problems)
        known = _known(tuple(names))
        entries: dict[str, Any] = {}
        part._unknown((one for one in part.data if known.find(str(one)) is None), names)
        for typed, value in part.data.items():
            name = known.find(str(typed))
            if name is None:
                continue
            if name in entries:
                part.complain((), f"{name} is named twice")
            else:
                entries[name] = value
        part.data = entries
        return part

    def listed(self, key: Key, right: str, most: int, least: int = 0) -> list[Any]:
        """Return the list at a key, empty if it is left out; `right` says what it holds."""
        value = self.get(key, [])
        if isinstance(value, list | tuple) and least <= len(value) <= most:
            return list(value)
        self._wrong(key, f"a list of {right}")
        return []

    def rows(self, key: Key, right: str, most: int, least: int = 0) -> Reader:
        """Return a reader of the list at a key, as `listed`: its keys are numbers from 0."""
        values = self.listed(key, right, most, least)
        return Reader(dict(enumerate(values)), (*self.place, key), self.problems)

    def players(self) -> list[Reader]:
        """Return a reader for each entry of ``players``; raises if that is no list of 2 to 4."""
        value = self.get("players")
        if not isinstance(value, list) or len(value) not in PLAYER_COUNTS:
            self._wrong("players", f"a list of {counts_in_words()} players")
            self.stop_at_problems()
            raise AssertionError
        place = (*self.place, "players")
        return [Reader(one, (*place, i), self.problems) for i, one in enumerate(value)]

    def options(self, game: str, known: Sequence[Option], players: int) -> Options | None:
        """Return the ``options`` of a game's rules with defaults; None if they are wrong."""
        options = Reader(self.get("options", {}), (*self.place, "options"), self.problems)
        try:
            return check_options(game, known, players, options.data)
        except TrajanError as error:
            for problem in error.problems:
                self.problems.append(replace(problem, place=options.place, source=""))
        return None

    # --- values --------------------------------------------------------------------------------

    def number(self, key: Key, least: int, most: int, default: int | None = None) -> int:
        """Return a number from `least` to `most`; without a `default` it must be there."""
        self._expect("number", key, least=least, most=most)
        value = self.get(key, default)
        if type(value) is int and (least <= value <= most or key not in self):
            return value
        self._wrong(key, f"a whole number from {least} to {most}")
        return least

    def flag(self, key: Key) -> bool:
        """Return a truth value, false if it is left out."""
        value = self.get(key, False)
        if not isinstance(value, bool):
            self._wrong(key, "true or false")
        return bool(value)

    def name(self, key: Key, names: Sequence[str], default: str | None = None) -> int:
        """Return the number of a name; without a `default` it must be there."""
        return self._named(key, names, default) or 0

    def _named(
        self, key: Key, names: Sequence[str], default: str | None = None, *, listing: bool = True
    ) -> int | None:
        self._expect("name", key, names)
        value = self.get(key, default)
        if value is not None:
            return self._number((key,), value, names, listing=listing)
        self._wrong(key, f"one of {_listing(names)}")
        return None

    def _number(
        self, at: KeyPath, value: Any, names: Sequence[str], *, listing: bool = True
    ) -> int | None:
        if isinstance(value, str) and value in names:
            return names.index(value)  # as nearly always
        known = _known(tuple(names))
        typed = str(value) if type(value) in (str, int) else None
        number = None if typed is None else known.number(typed)
        if number is None:
            hint = known.hint(typed) if typed else ""
            got = f"got {quoted(value)}{hint}"
            right = f"one of {_listing(known.names)}" if listing else "such a name"
            self.complain(at, f"must be {right}, {got}")
        return number

    def names(
        self,
        key: Key,
        names: Sequence[str],
        right: str = "names",
        most: int = sys.maxsize,
        least: int = 0,
    ) -> list[int]:
        """Return the numbers of a list of names, as `listed`; wrong names are left out."""
        self._expect("list", key, names)
        values = self.listed(key, right, most, least)
        numbers, told = [], set[str]()
        for i, value in enumerate(values):
            if repr(value) in told:
                continue
            number = self._number((key, i), value, names, listing=not told)
            if number is None:
                told.add(repr(value))
            else:
                numbers.append(number)
        return numbers

    def members(self, key: Key, names: Sequence[str], *, default: int = 0) -> list[int]:
        """Return the numbers of a list of different names, in its order.

        Where it is left out those are the first `default`.
        """
        numbers = self.names(key, names) if key in self else list(range(default))
        self._expect("set", key, names)
        for number, count in Counter(numbers).items():
            if count > 1:
                self.complain(key, f"{names[number]} is named twice")
        return list(dict.fromkeys(numbers))

    def counts(self, key: Key, names: Sequence[str], most: int = 99) -> list[int]:
        """Return how many there are of each name, 0 where it is left out."""
        self._expect("counts", key, names, most=most)
        entries = self.entries(key, names)
        return [entries.number(name, 0, most) if name in entries else 0 for name in names]

    def placed(self, key: Key, names: Sequence[str], things: Sequence[str]) -> list[int]:
        """Return, for each of `names`, 1 + the number of the thing there, 0 for none."""
        self._expect("placed", key, names, things)
        entries = self.entries(key, names)
        found, told = [], set[str]()
        for name in names:
            value = repr(entries.get(name))
            number = None
            if name in entries and value not in told:
                number = entries._named(name, things, listing=not told)
                told |= {value} if number is None else set()
            found.append(0 if number is None else 1 + number)
        return found

    def order(self, key: Key, players: int) -> list[int]:
        """Return a list that has every player once."""
        value = self.get(key)
        numbers = isinstance(value, list) and all(type(player) is int for player in value)
        if numbers and sorted(value) == list(range(players)):
            return list(value)
        self._wrong(key, f"each player from 0 to {players - 1} once")
        return list(range(players))

    # --- what there is as often as it must be ------------------------------------------------

    def shuffled(self, key: Key, expected: Sequence[str]) -> list[str]:
        """Return a list that has the names of `expected`, each as often, in any order."""
        value = self.get(key, [])
        if (
            isinstance(value, list)
            and all(type(name) is str for name in value)
            and Counter(value) == Counter(expected)
        ):
            return value  # as nearly always
        if value and not expected:
            self._wrong(key, "empty")
            return []
        before = len(self.problems)
        names = tuple(dict.fromkeys(expected))
        found = [names[number] for number in self.names(key, names)]
        if len(self.problems) == before:
            self.check_counts(key, expected, found)
        return found

    def check_counts(
        self, at: Key | KeyPath, expected: Iterable[str], found: Iterable[str]
    ) -> None:
        """Note each name that is `found` too often or too rarely."""
        right, counts = Counter(expected), Counter(found)
        known = Names(right)
        for name in sorted(set(right) | set(counts)):
            if counts[name] != right[name]:
                text = f"{counts[name]} x {name}, there must be {right[name]}{known.hint(name)}"
                self.complain(at, text)

    def left(
        self, at: Key | KeyPath, what: str, everything: Sequence[str], seen: Iterable[str]
    ) -> list[str]:
        """Return what of `everything` is not `seen`, in its order; note what is seen too often.

        `what` says what it is of; the place is where it is counted, () for the whole table.
        """
        there = Counter(everything)
        left = Counter(there)
        left.subtract(Counter(seen))
        for name, count in left.items():
            if count < 0:
                text = f"{there[name] - count} x {name}, there are {there[name]}"
                self.complain(at, f"{what}: {text}" if what else text)
        return [name for name in there for _ in range(max(left[name], 0))]
