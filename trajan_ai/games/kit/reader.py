"""A strict reader of external data, such as position files; it reports all problems at once.

A `Reader` reads one mapping, key by key. A key with the value null counts as omitted. Each problem
is stored with its place, and reading continues with a valid value.
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

MAX_LISTED = 40  # maximum number of names in a message
NO_CHOICE = Problem("this decision has fewer than two legal actions here", ("to_decide",))

Kind = Literal["number", "name", "list", "set", "counts", "placed"]


@dataclass(frozen=True)
class Expected:
    """The values allowed at a place.

    They are a ``number`` from `least` to `most`, a ``name`` from `names`, a ``list`` of such
    names, a ``set`` (each name at most once), ``counts`` (up to `most` of each name), or
    ``placed`` (one of `things` at each of `names`).
    """

    kind: Kind
    names: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    least: int = 0
    most: int = 0


_collection: ContextVar[dict[KeyPath, Expected] | None] = ContextVar("collection", default=None)


@contextmanager
def collect_expected() -> Iterator[dict[KeyPath, Expected]]:
    """Collect, by place, the values that all readers in the context allow."""
    expected: dict[KeyPath, Expected] = {}
    token = _collection.set(expected)
    try:
        yield expected
    finally:
        _collection.reset(token)


@lru_cache(maxsize=256)
def _names(names: tuple[str, ...]) -> Names:
    return Names(names)


def _join(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MAX_LISTED else f"{len(names)} names"


def bits_of(numbers: Iterable[int]) -> int:
    """Return a number whose set bits are `numbers`, which must be different."""
    return sum(1 << number for number in numbers)


class Reader:
    """Reads a mapping and collects the problems in it.

    The readers of its parts share `problems`. A part that is not a mapping is read as an empty
    mapping. If the whole is not a mapping, the constructor raises TrajanError.
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
            # from here on, no more problems are reported for the keys of this part
            self.problems = []

    def __contains__(self, key: Key) -> bool:
        return self.data.get(key) is not None

    def get(self, key: Key, default: Any = None) -> Any:
        """Return the value at a key, or `default` if it is omitted."""
        value = self.data.get(key)
        return default if value is None else value

    def complain(self, at: Key | KeyPath, text: str) -> None:
        """Store a problem at a key or a path of keys; () stands for the mapping itself."""
        path = at if isinstance(at, tuple) else (at,)
        self.problems.append(Problem(text, (*self.place, *path)))

    def has_problem(self, key: Key) -> bool:
        """Return whether a problem is stored at a key, or at a place within its value."""
        place = (*self.place, key)
        return any(problem.place[: len(place)] == place for problem in self.problems)

    def stop_at_problems(self) -> None:
        """Raise TrajanError with all stored problems, if there are any."""
        if self.problems:
            raise TrajanError(*self.problems)

    def keys(self, optional: Sequence[str], needed: Mapping[str, str] | None = None) -> None:
        """Check that all keys are in `optional` or `needed`, and that no needed key is missing.

        `needed` maps each needed key to an example of its value.
        """
        needed = needed or {}
        for key, example in needed.items():
            if key not in self.data:
                self.complain(key, f"is missing; it must have a value such as {example}")
        allowed = (*needed, *optional)
        self._report_unknown([key for key in self.data if key not in allowed], allowed)

    def _report_unknown(self, keys: Iterable[Any], allowed: Sequence[str]) -> None:
        right = f"; keys are {_join(allowed)}"  # only in the first message
        for key in keys:
            hint = _names(tuple(allowed)).hint(str(key))
            self.complain(str(key), f"unknown key{right}{hint}")
            right = ""

    def _report_wrong(self, key: Key, right: str) -> None:
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
        """Store the values allowed at a key, in the context of `collect_expected`."""
        expected = _collection.get()
        if expected is not None:
            different = tuple(dict.fromkeys(names)), tuple(dict.fromkeys(things))
            names, things = different
            expected[*self.place, key] = Expected(
                kind=kind, names=names, things=things, least=least, most=most
            )

    # --- parts ---------------------------------------------------------------------------------

    def part(
        self, key: Key, optional: Sequence[str], needed: Mapping[str, str] | None = None
    ) -> Reader:
        """Return a reader of the mapping at a key, {} by default, after checking its keys."""
        part = Reader(self.get(key, {}), (*self.place, key), self.problems)
        part.keys(optional, needed)
        return part

    def section(self, key: Key) -> Reader:
        """Return a reader of the mapping at a key, which is required and may have any keys."""
        part = Reader(self.get(key, {}), (*self.place, key), self.problems)
        if key not in self:
            self._report_wrong(key, "a mapping")
            # from here on, no more problems are reported for the keys of this part
            part.problems = []
        return part

    def entries(self, key: Key, names: Sequence[str]) -> Reader:
        """Return a reader of the mapping at a key; its keys are `names`, in any accepted form."""
        part = Reader(self.get(key, {}), (*self.place, key), self.problems)
        all_names = _names(tuple(names))
        entries: dict[str, Any] = {}
        part._report_unknown((one for one in part.data if all_names.find(str(one)) is None), names)
        for typed, value in part.data.items():
            name = all_names.find(str(typed))
            if name is None:
                continue
            if name in entries:
                part.complain((), f"{name} is named twice")
            else:
                entries[name] = value
        part.data = entries
        return part

    def listed(self, key: Key, right: str, most: int, least: int = 0) -> list[Any]:
        """Return the list at a key, or [] if it is omitted; `right` describes its entries."""
        value = self.get(key, [])
        if isinstance(value, list | tuple) and least <= len(value) <= most:
            return list(value)
        self._report_wrong(key, f"a list of {right}")
        return []

    def rows(self, key: Key, right: str, most: int, least: int = 0) -> Reader:
        """Return a reader of the list at a key (see `listed`); its keys are the indices."""
        values = self.listed(key, right, most, least)
        return Reader(dict(enumerate(values)), (*self.place, key), self.problems)

    def players(self) -> list[Reader]:
        """Return a reader for each entry of ``players``.

        Raises TrajanError unless there are 2 to 4 entries.
        """
        value = self.get("players")
        if not isinstance(value, list) or len(value) not in PLAYER_COUNTS:
            self._report_wrong("players", f"a list of {counts_in_words()} players")
            self.stop_at_problems()
            raise AssertionError
        place = (*self.place, "players")
        return [Reader(one, (*place, i), self.problems) for i, one in enumerate(value)]

    def options(self, game: str, all_options: Sequence[Option], players: int) -> Options | None:
        """Return the ``options`` of a game's rules with defaults, or None if they are invalid."""
        options = Reader(self.get("options", {}), (*self.place, "options"), self.problems)
        try:
            return check_options(game, all_options, players, options.data)
        except TrajanError as error:
            for problem in error.problems:
                self.problems.append(replace(problem, place=options.place, source=""))
        return None

    # --- values --------------------------------------------------------------------------------

    def number(self, key: Key, least: int, most: int, default: int | None = None) -> int:
        """Return a number from `least` to `most`; without a `default`, the key is required."""
        self._expect("number", key, least=least, most=most)
        value = self.get(key, default)
        if type(value) is int and (least <= value <= most or key not in self):
            return value
        self._report_wrong(key, f"a whole number from {least} to {most}")
        return least

    def flag(self, key: Key) -> bool:
        """Return the truth value at a key, or False if it is omitted."""
        value = self.get(key, False)
        if not isinstance(value, bool):
            self._report_wrong(key, "true or false")
        return bool(value)

    def name(self, key: Key, names: Sequence[str], default: str | None = None) -> int:
        """Return the index of the name at a key; without a `default`, the key is required."""
        return self._read_name(key, names, default) or 0

    def _read_name(
        self, key: Key, names: Sequence[str], default: str | None = None, *, listing: bool = True
    ) -> int | None:
        self._expect("name", key, names)
        value = self.get(key, default)
        if value is not None:
            return self._find_number((key,), value, names, listing=listing)
        self._report_wrong(key, f"one of {_join(names)}")
        return None

    def _find_number(
        self, at: KeyPath, value: Any, names: Sequence[str], *, listing: bool = True
    ) -> int | None:
        if isinstance(value, str) and value in names:
            return names.index(value)  # the common case
        all_names = _names(tuple(names))
        typed = str(value) if type(value) in (str, int) else None
        number = None if typed is None else all_names.number(typed)
        if number is None:
            hint = all_names.hint(typed) if typed else ""
            got = f"got {quoted(value)}{hint}"
            right = f"one of {_join(all_names.names)}" if listing else "such a name"
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
        """Return the index in `names` of each entry of a list (see `listed`).

        Entries that are not in `names` are reported and omitted.
        """
        self._expect("list", key, names)
        values = self.listed(key, right, most, least)
        numbers, wrong = [], set[str]()
        for i, value in enumerate(values):
            if repr(value) in wrong:
                continue
            number = self._find_number((key, i), value, names, listing=not wrong)
            if number is None:
                wrong.add(repr(value))
            else:
                numbers.append(number)
        return numbers

    def members(self, key: Key, names: Sequence[str], *, default: int = 0) -> list[int]:
        """Return the indices of the names in a list without repetitions, in its order.

        If the list is omitted, return the first `default` indices.
        """
        numbers = self.names(key, names) if key in self else list(range(default))
        self._expect("set", key, names)
        for number, count in Counter(numbers).items():
            if count > 1:
                self.complain(key, f"{names[number]} is named twice")
        return list(dict.fromkeys(numbers))

    def counts(self, key: Key, names: Sequence[str], most: int = 99) -> list[int]:
        """Return the count of each name, or 0 if it is omitted."""
        self._expect("counts", key, names, most=most)
        entries = self.entries(key, names)
        return [entries.number(name, 0, most) if name in entries else 0 for name in names]

    def placed(self, key: Key, names: Sequence[str], things: Sequence[str]) -> list[int]:
        """Return, for each of `names`, 1 + the index of the thing there, or 0 for none."""
        self._expect("placed", key, names, things)
        entries = self.entries(key, names)
        numbers, wrong = [], set[str]()
        for name in names:
            value = repr(entries.get(name))
            number = None
            if name in entries and value not in wrong:
                number = entries._read_name(name, things, listing=not wrong)
                wrong |= {value} if number is None else set()
            numbers.append(0 if number is None else 1 + number)
        return numbers

    def order(self, key: Key, players: int) -> list[int]:
        """Return the list at a key, which must contain every player once."""
        value = self.get(key)
        numbers = isinstance(value, list) and all(type(player) is int for player in value)
        if numbers and sorted(value) == list(range(players)):
            return list(value)
        self._report_wrong(key, f"a list of the players 0 to {players - 1}, each once")
        return list(range(players))

    # --- things with fixed counts --------------------------------------------------------------

    def shuffled(self, key: Key, expected: Sequence[str]) -> list[str]:
        """Return the list of names at a key, which must be `expected` in any order."""
        value = self.get(key, [])
        if (
            isinstance(value, list)
            and all(type(name) is str for name in value)
            and Counter(value) == Counter(expected)
        ):
            return value  # the common case
        if value and not expected:
            self._report_wrong(key, "empty")
            return []
        before = len(self.problems)
        names = tuple(dict.fromkeys(expected))
        result = [names[number] for number in self.names(key, names)]
        if len(self.problems) == before:
            self.check_counts(key, expected, result)
        return result

    def check_counts(
        self, at: Key | KeyPath, expected: Iterable[str], actual: Iterable[str]
    ) -> None:
        """Report each name that `actual` does not contain as often as `expected`."""
        right, counts = Counter(expected), Counter(actual)
        all_names = Names(right)
        for name in sorted(set(right) | set(counts)):
            if counts[name] != right[name]:
                text = (
                    f"{counts[name]} x {name}, but there must be {right[name]}"
                    f"{all_names.hint(name)}"
                )
                self.complain(at, text)

    def left(
        self, at: Key | KeyPath, what: str, everything: Sequence[str], visible: Iterable[str]
    ) -> list[str]:
        """Return `everything` without `visible`, in the same order.

        Names that `visible` contains too often are reported at the place `at`, which is () for the
        whole view; `what` describes the supply.
        """
        there = Counter(everything)
        left = Counter(there)
        left.subtract(Counter(visible))
        for name, count in left.items():
            if count < 0:
                text = f"{there[name] - count} x {name}, but the maximum is {there[name]}"
                self.complain(at, f"{what}: {text}" if what else text)
        return [name for name in there for _ in range(max(left[name], 0))]
