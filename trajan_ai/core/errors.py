"""The exceptions of the package, and the problems that they report."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

# Characters that break lines, control terminals or reverse text, and unpaired surrogates.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
MAX_QUOTE = 60  # characters of a wrong value
MAX_NAME = 300  # characters of a path or another name
_LONG_WORD = re.compile(rf"\S{{{MAX_NAME},}}")

Key = str | int
KeyPath = tuple[Key, ...]


@dataclass(frozen=True)
class Problem:
    """An error in the input, with its place.

    Its text is a single line, in which control characters are escaped.

    Attributes:
        text: what is wrong, and what is allowed.
        place: the keys that lead to the wrong value.
        line: the line of the file, from 1, if it is known.
        source: the name of the file, or of another origin of the input.
        column: the column, from 1, if it is known.
    """

    text: str
    place: KeyPath = ()
    line: int | None = None
    source: str = ""
    column: int | None = None

    @property
    def message(self) -> str:
        """The place and the text of the problem, without source and line."""
        place = format_path(self.place)
        return _shortened(f"{place}: {self.text}" if place else self.text)

    def __str__(self) -> str:
        numbers = (number for number in (self.line, self.column) if number is not None)
        source = self.source + "".join(f":{number}" for number in numbers)
        return f"{_shortened(source)}: {self.message}" if source else self.message

    def within(self, source: str) -> Problem:
        """Return the problem with `source` prepended to its source."""
        return replace(self, source=": ".join(filter(None, (source, self.source))))


class TrajanError(ValueError):
    """Bad input. The message is a single line with the place, what is wrong, and what is allowed.

    The command line prints the message and exits with status 2.

    Attributes:
        problems: every problem in the input, without duplicates. The message joins them.
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
        """Return an error with the same problems, with `source` prepended to their sources."""
        return TrajanError(*(problem.within(source) for problem in self.problems))


def _shortened(text: str) -> str:
    return _LONG_WORD.sub(lambda match: short(match[0]), printable(text))


def short(name: Any) -> str:
    """Return a path or another name as messages show it, which is shortened if it is very long."""
    text = str(name)
    return text if len(text) < MAX_NAME else text[: MAX_QUOTE - 3] + "..."


def printable(text: str) -> str:
    """Return text as one line that is safe on any terminal: control characters are escaped."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def check_seat(seat: int, players: int, name: str = "player") -> None:
    """Raise TrajanError unless `seat` is one of the seats of a game, from 0 to `players` - 1."""
    if not 0 <= seat < players:
        raise TrajanError(f"{name} must be 0 to {players - 1}, got {seat}")


class NotSupported(TrajanError):
    """The game does not support what was requested, such as position files."""


class GameFailed(TrajanError):
    """A function of a game in Python raised an exception or returned a wrong result."""


def format_path(path: KeyPath) -> str:
    """Return a key path as text: ``bots[1].threads``."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def quoted(value: Any) -> str:
    """Return a wrong value as messages show it, which is shortened if it is long."""
    text = repr(value)
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 3] + "..."
