"""Look up names as people type them, with parts in any order and with help for typing errors."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

_JOINTS = re.compile("[-+]")
_MIN_SIMILARITY = 0.6  # smallest similarity of a suggestion, as difflib computes it


def _words(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a name; each word is a sorted tuple of its parts."""
    return tuple(tuple(sorted(_JOINTS.split(word))) for word in name.lower().split())


def _parts(words: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(sorted(part for word in words for part in word))


class Names:
    """A list of names in which typed text is looked up, such as the action strings of a game.

    Case does not matter, and neither does the order of parts joined by ``-`` or ``+``:
    ``worker1-blue-green`` is ``worker1-green-blue``. If two names consist of the same parts
    (``build library+park A1 B1`` and ``.. B1 A1``), the order must match.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._number: dict[str, int] = {}
        for number, name in enumerate(names):
            self._number.setdefault(name, number)
        self.names = tuple(self._number)

    @cached_property
    def _by_case(self) -> dict[str, str]:
        alike = Counter(map(str.lower, self.names))
        return {name.lower(): name for name in self.names if alike[name.lower()] == 1}

    @cached_property
    def _by_parts(self) -> dict[tuple[str, ...], list[str]]:
        alike: dict[tuple[str, ...], list[str]] = {}
        for name in self.names:
            alike.setdefault(_parts(_words(name)), []).append(name)
        return alike

    @cached_property
    def _by_words(self) -> dict[tuple[tuple[str, ...], ...], str]:
        """The names whose parts no other name has, by their words."""
        alone = (names[0] for names in self._by_parts.values() if len(names) == 1)
        return {_words(name): name for name in alone}

    def find(self, typed: str) -> str | None:
        """Return the name that matches a typed text, or None."""
        if typed in self._number:
            return typed
        return self._by_case.get(typed.lower()) or self._by_words.get(_words(typed))

    def number(self, typed: str) -> int | None:
        """Return the first index of the name that matches a typed text, or None."""
        name = self.find(typed)
        return None if name is None else self._number[name]

    def hint(self, typed: str) -> str:
        """Return a suggestion such as ``; did you mean 'sow III'?``, or an empty string."""
        alike = self._by_parts.get(_parts(_words(typed)))
        least = 0.0 if alike else _MIN_SIMILARITY
        near = difflib.get_close_matches(typed, alike or self.names, 1, least)
        return f"; did you mean {near[0]!r}?" if near and near[0] != typed else ""
