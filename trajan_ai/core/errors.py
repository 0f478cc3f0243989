"""The domain exceptions of the package, and the problems that they carry."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from typing import Any

# What breaks lines or terminals, turns the order of letters, or is no character.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST_QUOTE = 60  # characters of a wrong value
LONGEST_NAME = 300  # characters of a path or another name
_LONG_WORD = re.compile(rf"\S{{{LONGEST_NAME},}}")

Key = str | int
KeyPath = tuple[Key, ...]


@dataclass(frozen=True)
class Problem:
    """What is wrong with input, and where.

    `text` says what would be right; `place` are the keys that lead to it; `line` and `column` are
    those of the file, from 1, where they are known; `source` is what messages call the file, or
    whatever else the input came from. As text it is one line: characters that are no text are
    shown as their escapes.
    """

    text: str
    place: KeyPath = ()
    line: int | None = None
    source: str = ""
    column: int | None = None

    @property
    def message(self) -> str:
        """Place and text, without source and line."""
        place = format_path(self.place)
        return _shortened(f"{place}: {self.text}" if place else self.text)

    def __str__(self) -> str:
        numbers = (number for number in (self.line, self.column) if number is not None)
        source = self.source + "".join(f":{number}" for number in numbers)
        return f"{_shortened(source)}: {self.message}" if source else self.message

    def within(self, source: str) -> Problem:
        """Return the problem as one of `source`, such as a line of a file of records."""
        return replace(self, source=": ".join(filter(None, (source, self.source))))


class TrajanError(ValueError):
    """Bad input: the message is one line that says where, what, and what would be right.

    The command line prints it and exits with status 2. ``problems`` holds every problem found,
    each once, for input that is checked as a whole (files); the message joins them.
    """

    def __init__(self, *problems: Problem | str) -> None:
        values = (Problem(one) if isinstance(one, str) else one for one in problems)
        self.problems = tuple(dict.fromkeys(values))
        super().__init__("; ".join(self.messages))

    @property
    def messages(self) -> list[str]:
        """The problems as text, one line each."""
        return [str(problem) for problem in self.problems]

    def within(self, source: str) -> TrajanError:
        """Return an error with the same problems, as those of `source`."""
        return TrajanError(*(problem.within(source) for problem in self.problems))


def _shortened(text: str) -> str:
    return _LONG_WORD.sub(lambda found: short(found[0]), printable(text))


def short(name: Any) -> str:
    """Return a path or another name as a message shows it: one beyond reason in part."""
    text = str(name)
    return text if len(text) < LONGEST_NAME else text[: LONGEST_QUOTE - 3] + "..."


def printable(text: str) -> str:
    """Return text as one line that any file and terminal takes: the rest as escapes."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


class Renamed(DeprecationWarning):
    """A name of the release before was used: it works until the next one (docs/api.md)."""


def renamed(old: str, new: str) -> None:
    """Warn that what was called `old` is called `new`."""
    warnings.warn(f"{old} is called {new}: the old name ends with the next release", Renamed, 2)


class NotSupported(TrajanError):
    """The game does not offer what was asked for, such as position files."""


def format_path(path: KeyPath) -> str:
    """Return a key path as people write it: ``bots[1].threads``."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def quoted(value: Any) -> str:
    """Return a wrong value as a message quotes it: a long one in part."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."
