"""The Python half of a game: options, setups, what a player sees, and drawing.

A game's package has one object that fulfils `Rules`; the C half is its ``GameOps``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

Setup = dict[str, Any]
Options = dict[str, Any]

TEXT_WIDTH = 99  # columns of a board as text where no terminal says otherwise
PICTURE_WIDTH = 1200  # pixels


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
        """Return what `player` knows, or with None everything; leave hidden parts out."""
        ...

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`: unknown parts filled canonically.

        Raises TrajanError with every contradiction, each with its place in the view; NotSupported
        if the game has no position files.
        """
        ...

    def draw(
        self,
        position: Position,
        player: int | None = None,
        *,
        width: int = TEXT_WIDTH,
        colour: bool = False,
    ) -> str:
        """Return the board as text, as `player` sees it, or with None open.

        Lines have at most `width` columns; `colour` adds the escape sequences of a terminal.
        """
        ...


@runtime_checkable
class HasFiles(Protocol):
    """Optional entry of a game's rules: position files that are checked more closely."""

    def from_file(self, view: Mapping[str, Any]) -> Position:
        """Return what `from_view` does; raise TrajanError also where no play leads to `view`."""
        ...


@runtime_checkable
class HasPicture(Protocol):
    """Optional entry of a game's rules: its table as an SVG drawing."""

    def picture(
        self,
        view: Mapping[str, Any],
        *,
        last: tuple[int, str] | None = None,
        suggested: Sequence[str] = (),
        legal: Sequence[str] = (),
        width: int = PICTURE_WIDTH,
    ) -> str:
        """Return the table of a view, `width` pixels wide.

        It has three columns, below 1,000 pixels two and below 800 one.
        `last` is the last move as (player, action), `suggested` are actions of the player to
        decide, best first: both are marked. `legal` actions make their places clickable.
        """
        ...


@runtime_checkable
class HasWords(Protocol):
    """Optional entry of a game's rules: actions in words."""

    def words(self, actions: Sequence[str]) -> str:
        """Return the actions of one player's turn, or one of them, in words."""
        ...


def in_words(rules: Rules, actions: Sequence[str]) -> str:
    """Return actions in words, as they are where a game has none."""
    return rules.words(actions) if isinstance(rules, HasWords) else ", ".join(actions)


def with_picture(game: str, rules: Rules) -> HasPicture:
    """Return the rules of a game that has pictures; raise TrajanError if it has none."""
    if not isinstance(rules, HasPicture):
        raise TrajanError(f"{game}: this game has no picture, only a board as text")
    return rules


class Feature(NamedTuple):
    """A number for learners: its name, and the highest value it takes, 255 at most."""

    name: str
    highest: int


@runtime_checkable
class HasFeatures(Protocol):
    """Optional entry of a game's rules: what `Position.features` holds."""

    def features(self, players: int) -> Sequence[Feature]:
        """Return the features for a number of players, in order."""
        ...


def with_features(game: str, rules: Rules) -> HasFeatures:
    """Return the rules of a game that has features; raise TrajanError if it has none."""
    if not isinstance(rules, HasFeatures):
        raise TrajanError(f"{game}: this game has no features for learners")
    return rules


def deal_options(rules: Rules) -> tuple[Option, ...]:
    """Return the options of dealing a game, such as which boards: ``rules.deal_options``, if any.

    `check` takes them and `deal` follows them. They are no options of the rules: a record does not
    name them, it holds the setup that was dealt.
    """
    return tuple(getattr(rules, "deal_options", ()))


def counts_in_words(counts: Sequence[int] = PLAYER_COUNTS) -> str:
    """Return such as ``2, 3 or 4``."""
    *some, last = map(str, counts)
    return f"{', '.join(some)} or {last}" if some else last


def check_options(
    game: str, known: Iterable[Option], players: int, chosen: Mapping[str, Any]
) -> Options:
    """Return `chosen` completed with defaults, in the order of `known`; all problems at once."""
    if type(players) is not int or players not in PLAYER_COUNTS:
        text = f"players must be {counts_in_words()}, got {quoted(players)}"
        raise TrajanError(Problem(text, source=game))
    options = {option.name: option for option in known}
    names = Names(options)
    problems = [
        Problem(
            f"unknown option {name!r}; options are {', '.join(options)}{names.hint(str(name))}",
            source=game,
        )
        for name in chosen
        if name not in options
    ]
    problems += [
        Problem(f"option {name} must be {options[name].allowed}, got {quoted(value)}", source=game)
        for name, value in chosen.items()
        if name in options and not options[name].accepts(value, players)
    ]
    if problems:
        raise TrajanError(*problems)
    return {name: chosen.get(name, option.default(players)) for name, option in options.items()}


def changed_options(known: Iterable[Option], players: int, options: Options) -> Options:
    """Return the options that differ from their defaults: what a record's writer keeps."""
    return {
        option.name: options[option.name]
        for option in known
        if options[option.name] != option.default(players)
    }


def example_values(option: Option, players: int) -> list[Any]:
    """Return values that the option accepts, other than its default; for tests and samples.

    Tried are true and false, the words of `allowed`, numbers beside the default, and lists of
    players.
    """
    default = option.default(players)
    tried: list[Any] = [True, False, *re.findall(r"\w+", option.allowed)]
    if type(default) is int:
        tried += [default - 1, default + 1]
    tried += [[0], list(range(players))]
    values: list[Any] = []
    for value in tried:
        if option.accepts(value, players) and value != default and value not in values:
            values.append(value)
    return values
