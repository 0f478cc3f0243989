"""The Python half of a game: options, setups, what a player sees, and drawing.

A game's package has one object that fulfils `Rules`; the C half is its ``GameOps``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from trajan_ai.core.errors import TrajanError

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

Setup = dict[str, Any]
Options = dict[str, Any]


@dataclass(frozen=True)
class Option:
    """A named variant of the rules.

    `allowed` says in words what values it takes; `accepts(value, players)` decides.
    `default` is the value for a number of players.
    """

    name: str
    allowed: str
    accepts: Callable[[Any, int], bool]
    default: Callable[[int], Any]


def is_flag(value: Any, players: int) -> bool:
    """Accept true and false, and nothing that merely counts as one of them."""
    return isinstance(value, bool)


class Rules(Protocol):
    """What a game offers in Python. All data is plain (JSON): dicts, lists, strings, numbers."""

    options: Sequence[Option]

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        ...

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Draw the `setup` object of a record; the same arguments give the same setup."""
        ...

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Check a setup completely, raise TrajanError with all problems, return the state."""
        ...

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, or with None everything; hidden parts are left out."""
        ...

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`: unknown parts filled canonically.

        Raises TrajanError with every contradiction, each with its place in the view.
        """
        ...

    def draw(self, position: Position, player: int | None = None) -> str:
        """Return the board as text, as `player` sees it, or with None open."""
        ...


def check_options(
    game: str, known: Iterable[Option], players: int, given: Mapping[str, Any]
) -> Options:
    """Return `given` completed with defaults, in the order of `known`; all problems at once."""
    if players not in (2, 3, 4):
        raise TrajanError(f"{game}: players must be 2, 3 or 4, got {players!r}")
    options = {option.name: option for option in known}
    problems = [
        f"{game}: unknown option {name!r}; options are {', '.join(options)}"
        for name in given
        if name not in options
    ]
    problems += [
        f"{game}: option {name} must be {options[name].allowed}, got {value!r}"
        for name, value in given.items()
        if name in options and not options[name].accepts(value, players)
    ]
    if problems:
        raise TrajanError(*problems)
    return {name: given.get(name, option.default(players)) for name, option in options.items()}


def changed_options(known: Iterable[Option], players: int, options: Options) -> Options:
    """Return the options that differ from their defaults: what a record's writer keeps."""
    return {
        option.name: options[option.name]
        for option in known
        if options[option.name] != option.default(players)
    }


def count_problems(place: str, expected: Iterable[str], found: Iterable[str]) -> list[str]:
    """Return a message for each name that `found` has too often or too rarely."""
    want, have = Counter(expected), Counter(found)
    return [
        f"{place}: {have[name]} x {name!r}, there must be {want[name]}"
        for name in sorted(set(want) | set(have), key=str)
        if want[name] != have[name]
    ]
