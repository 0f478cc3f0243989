"""Names as people type them: parts in any order, and what a near miss may have meant."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import chain
from typing import Generic, TypeVar

_JOINTS = re.compile("[-+]")
_GAPS = re.compile(r"[-+\s]")
_SIMILAR = 0.6  # least similarity of a suggestion, as difflib measures it
_FEW = 50  # names that are all compared with what was typed; of more, those a slip away
_LONGEST = 60  # letters, or words, of what is looked up

_Items = TypeVar("_Items", str, tuple[str, ...])


def _words(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of a name, each as its parts in one order."""
    return tuple(tuple(sorted(_JOINTS.split(word))) for word in name.lower().split())


def _parts(words: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(sorted(part for word in words for part in word))


def _letters(name: str) -> str:
    return _GAPS.sub("", name.lower())


class _Slips(Generic[_Items]):
    """Finds the known words, or tuples of words, that are a slip away from one.

    An item too many, missing or another, or two of them swapped: without any one of their items
    two such are the same (Garbe, SymSpell, 2012).
    """

    def __init__(self, known: Iterable[_Items]) -> None:
        self._known: dict[_Items, list[_Items]] = {}
        for items in known:
            for less in self._without_one(items):
                self._known.setdefault(less, []).append(items)

    def near(self, items: _Items) -> list[_Items]:
        """Return what is a slip away; alone what is the same, if that is known."""
        if items in self._known.get(items, ()):
            return [items]
        if len(items) > _LONGEST:
            return []
        found = (self._known.get(less, ()) for less in self._without_one(items))
        return list(dict.fromkeys(one for alike in found for one in alike))

    @staticmethod
    def _without_one(items: _Items) -> list[_Items]:
        places = range(len(items) if len(items) > 1 else 0)
        return [items] + [items[:at] + items[at + 1 :] for at in places]


class Names:
    """A list of names, such as the action strings of a game.

    In what is typed, upper and lower case are alike, and so are the orders of parts that ``-`` or
    ``+`` joins: ``worker1-blue-green`` is ``worker1-green-blue``. Where two names consist of the
    same parts (``build library+park A1 B1`` and ``.. B1 A1``), their order says which is meant,
    and each must be typed in the order in which it stands.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._number: dict[str, int] = {}
        for number, name in enumerate(names):
            self._number.setdefault(name, number)
        self.names = tuple(self._number)

    @cached_property
    def _by_case(self) -> dict[str, str]:
        """The names that no other differs from in upper and lower case alone."""
        alike = Counter(map(str.lower, self.names))
        return {name.lower(): name for name in self.names if alike[name.lower()] == 1}

    @cached_property
    def _by_parts(self) -> dict[tuple[str, ...], list[str]]:
        """The names that consist of the same parts."""
        alike: dict[tuple[str, ...], list[str]] = {}
        for name in self.names:
            alike.setdefault(_parts(_words(name)), []).append(name)
        return alike

    @cached_property
    def _by_words(self) -> dict[tuple[tuple[str, ...], ...], str]:
        """The names that one order of their parts tells from all others."""
        alone = (names[0] for names in self._by_parts.values() if len(names) == 1)
        return {_words(name): name for name in alone}

    def find(self, typed: str) -> str | None:
        """Return the name that `typed` means, or None."""
        if typed in self._number:
            return typed
        return self._by_case.get(typed.lower()) or self._by_words.get(_words(typed))

    def number(self, typed: str) -> int | None:
        """Return the place in the list, the first one, of the name that `typed` means."""
        name = self.find(typed)
        return None if name is None else self._number[name]

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        """The names that differ only in where words are joined or apart."""
        alike: dict[str, list[str]] = {}
        for name in self.names:
            alike.setdefault(_letters(name), []).append(name)
        return alike

    @cached_property
    def _slips(self) -> tuple[_Slips[str], _Slips[str], _Slips[tuple[str, ...]]]:
        """Slips in the letters of a name, in a word of three letters or more, in the words."""
        words = {part for parts in self._by_parts for part in parts if len(part) > 2}
        return _Slips(self._by_letters), _Slips(words), _Slips(self._by_parts)

    def _near(self, typed: str, parts: tuple[str, ...]) -> Iterable[str]:
        """Return the names that may be meant: among many, a slip away in letters or words."""
        if len(self.names) <= _FEW:
            return self.names
        by_letters, by_word, by_words = self._slips
        if found := by_letters.near(_letters(typed)):
            return chain.from_iterable(self._by_letters[letters] for letters in found)
        mended = []
        for part in parts:
            near = by_word.near(part) or [part]
            mended += near if len(near) == 1 else difflib.get_close_matches(part, near, 1, 0)
        found_parts = by_words.near(tuple(sorted(mended)))
        return chain.from_iterable(self._by_parts[words] for words in found_parts)

    def hint(self, typed: str) -> str:
        """Return such as ``; did you mean 'sow III'?``, or nothing if no name is near."""
        parts = _parts(_words(typed))
        alike = self._by_parts.get(parts)
        near = list(alike or self._near(typed, parts))
        if near:  # to ask about none takes difflib long
            near = difflib.get_close_matches(typed, near, 1, 0 if alike else _SIMILAR)
        return f"; did you mean {near[0]!r}?" if near and near[0] != typed else ""
