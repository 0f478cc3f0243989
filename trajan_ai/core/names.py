"""Match names as people type them: parts in any order, and suggestions for typing errors."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import Generic, TypeVar

_JOINTS = re.compile("[-+]")
_GAPS = re.compile(r"[-+\s]")
_MIN_SIMILARITY = 0.6  # of a suggestion, by difflib
_MAX_COMPARED = 50  # names; in a longer list, only those with one typing error are compared
_MAX_ITEMS = 60  # letters, or words, of a text that is looked up

_Items = TypeVar("_Items", str, tuple[str, ...])


def _words(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a name, each as its parts in one order."""
    return tuple(tuple(sorted(_JOINTS.split(word))) for word in name.lower().split())


def _parts(words: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(sorted(part for word in words for part in word))


def _letters(name: str) -> str:
    return _GAPS.sub("", name.lower())


class _Slips(Generic[_Items]):
    """An index of words, or of tuples of words, that finds those with one typing error.

    An error is an additional, missing, different or swapped item. After removing at most one item
    from each, two such words are equal (Garbe, SymSpell, 2012).
    """

    def __init__(self, words: Iterable[_Items]) -> None:
        self._index: dict[_Items, list[_Items]] = {}
        for items in words:
            for less in self._without_one(items):
                self._index.setdefault(less, []).append(items)

    def near(self, items: _Items) -> list[_Items]:
        """Return the words with one error; only the word itself if it is in the index."""
        if items in self._index.get(items, ()):
            return [items]
        if len(items) > _MAX_ITEMS:
            return []
        groups = (self._index.get(less, ()) for less in self._without_one(items))
        return list(dict.fromkeys(one for alike in groups for one in alike))

    @staticmethod
    def _without_one(items: _Items) -> list[_Items]:
        places = range(len(items) if len(items) > 1 else 0)
        return [items] + [items[:at] + items[at + 1 :] for at in places]


class Names:
    """A list of names, such as the action strings of a game, for looking up typed text.

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
        """The names by their words, if their parts are unique."""
        alone = (names[0] for names in self._by_parts.values() if len(names) == 1)
        return {_words(name): name for name in alone}

    def find(self, typed: str) -> str | None:
        """Return the name for a typed text, or None."""
        if typed in self._number:
            return typed
        return self._by_case.get(typed.lower()) or self._by_words.get(_words(typed))

    def number(self, typed: str) -> int | None:
        """Return the first index of the name for a typed text, or None."""
        name = self.find(typed)
        return None if name is None else self._number[name]

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        """The names by their letters, without spaces and joints."""
        alike: dict[str, list[str]] = {}
        for name in self.names:
            alike.setdefault(_letters(name), []).append(name)
        return alike

    @cached_property
    def _slips(self) -> tuple[_Slips[str], _Slips[str], _Slips[tuple[str, ...]]]:
        """Indices for errors in the letters of names, in words, and in the words of names."""
        words = {part for parts in self._by_parts for part in parts if len(part) > 2}
        return _Slips(self._by_letters), _Slips(words), _Slips(self._by_parts)

    def _near(self, typed: str, parts: tuple[str, ...]) -> Iterable[str]:
        """Return candidates for a typed text: in a long list, names with one error."""
        if len(self.names) <= _MAX_COMPARED:
            return self.names
        by_letters, by_word, by_words = self._slips
        if candidates := by_letters.near(_letters(typed)):
            return chain.from_iterable(self._by_letters[letters] for letters in candidates)
        corrected = []
        for part in parts:
            near = by_word.near(part) or [part]
            corrected += near if len(near) == 1 else difflib.get_close_matches(part, near, 1, 0)
        combinations = by_words.near(tuple(sorted(corrected)))
        return chain.from_iterable(self._by_parts[words] for words in combinations)

    def hint(self, typed: str) -> str:
        """Return a suggestion such as ``; did you mean 'sow III'?``, or an empty text."""
        parts = _parts(_words(typed))
        alike = self._by_parts.get(parts)
        near = list(alike or self._near(typed, parts))
        if near:  # difflib is slow even for an empty list
            near = difflib.get_close_matches(typed, near, 1, 0 if alike else _MIN_SIMILARITY)
        return f"; did you mean {near[0]!r}?" if near and near[0] != typed else ""
