"""The Python half of a game: options, setups, views, and drawing.

A game's package has one object that implements `Rules`. The C half of the game is its ``GameOps``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from trajan_ai.core.errors import NotSupported, Problem, TrajanError, quoted
from trajan_ai.core.events import EventKind
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names
from trajan_ai.core.rules_drawing import HasPicture
from trajan_ai.core.rules_following import HasFollowing, HasOpening

if TYPE_CHECKING:
    from trajan_ai.core.game import Game, Position

Setup = dict[str, Any]
Options = dict[str, Any]

TEXT_WIDTH = 99  # columns of a board as text if there is no terminal


@dataclass(frozen=True)
class Option:
    """A named variant of the rules.

    Attributes:
        name: the name of the option.
        allowed: the allowed values in words.
        accepts: a function that returns whether a value is allowed for a number of players.
        default: a function that returns the default value for a number of players.
        meaning: what the option decides, in one line, or an empty text.
        is_file: a function that returns whether an accepted value is the path of a file. Requests
            may not name files; see `check_request`.
    """

    name: str
    allowed: str
    accepts: Callable[[Any, int], bool]
    default: Callable[[int], Any]
    meaning: str = ""
    is_file: Callable[[Any], bool] = lambda value: False


def is_flag(value: Any, players: int) -> bool:
    """Return whether a value is true or false; numbers are neither."""
    return isinstance(value, bool)


class Rules(Protocol):
    """The Python interface of a game. All data is plain: dicts, lists, strings and numbers."""

    options: Sequence[Option]

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults, or raise TrajanError with all problems."""

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return the `setup` object of a deal; the same arguments give the same setup."""

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state of a setup, or raise TrajanError with all problems of the setup."""

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, without hidden parts, or everything if `player` is None."""

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`, with unknown parts filled in canonically.

        Raises TrajanError with every contradiction and its place in the view, and NotSupported if
        the game has no position files.
        """

    def draw(
        self,
        position: Position,
        player: int | None = None,
        *,
        width: int = TEXT_WIDTH,
        colour: bool = False,
    ) -> str:
        """Return the board as text, as `player` sees it or, for None, with everything open.

        Lines have at most `width` columns. `colour` adds escape sequences for a terminal.
        """


# The following protocols are optional entries of a game's rules, for use with `offered` and
# `needed`. `rules_drawing`, `rules_files`, `rules_following` and `rules_words` define more of
# them.


class Feature(NamedTuple):
    """A feature for machine learning: its name, and its highest value, which is at most 255."""

    name: str
    highest: int


@runtime_checkable
class HasFeatures(Protocol):
    """The features of `Position.features`."""

    def features(self, players: int) -> Sequence[Feature]:
        """Return the features for a given number of players, in order."""


@runtime_checkable
class HasPieceList(Protocol):
    """A list of all pieces that move about in a game and never leave it, such as its cards."""

    def list_pieces(self, position: Position) -> Sequence[Any] | None:
        """Return all pieces, wherever they are, in any order, or None if the game lists none."""


@runtime_checkable
class HasEvents(Protocol):
    """The kinds of events that ``GameOps.apply_reported`` reports."""

    events: Sequence[EventKind]
    """The kinds in the order of their numbers."""


@runtime_checkable
class HasDeals(Protocol):
    """A list of all deals, for exact computations in tiny games."""

    def deals(self, players: int, options: Options) -> Sequence[Setup]:
        """Return the setups of all deals, which are equally likely."""


@runtime_checkable
class HasDealOptions(Protocol):
    """Options of a deal, such as the choice of boards.

    `check` accepts them and `deal` uses them. They are not options of the rules, so a record
    contains only the resulting setup.
    """

    deal_options: Sequence[Option]


Entry = TypeVar("Entry")
LACKING: dict[Any, str] = {
    HasPicture: "has no picture, only a board as text",
    HasFeatures: "has no features for learners; docs/own_game.md shows how to add them",
    HasFollowing: "cannot be followed, because its rules do not define what a move shows",
    HasOpening: "does not define what lies open at its beginning; write a position file instead",
}


def offered(rules: Rules, entry: Callable[..., Entry]) -> Entry | None:
    """Return the rules as an optional entry such as `HasPicture`, or None if they lack the
    entry."""
    return cast(Entry, rules) if isinstance(rules, cast(Any, entry)) else None


def needed(game: Game, entry: Callable[..., Entry]) -> Entry:
    """Return the rules of a game as an optional entry, or raise NotSupported if they lack the
    entry."""
    rules = offered(game.rules, entry)
    if rules is None:
        raise NotSupported(f"{game.name}: this game {LACKING[entry]}")
    return rules


def all_options(rules: Rules) -> tuple[Option, ...]:
    """Return the options of the rules, followed by those of a deal."""
    dealing = offered(rules, HasDealOptions)
    return (*rules.options, *(() if dealing is None else dealing.deal_options))


def counts_in_words(counts: Sequence[int] = PLAYER_COUNTS) -> str:
    """Return numbers of players in words, such as ``2, 3 or 4``."""
    *some, last = map(str, counts)
    return f"{', '.join(some)} or {last}" if some else last


def check_options(
    game: str, allowed: Iterable[Option], players: int, chosen: Mapping[str, Any]
) -> Options:
    """Return `chosen` completed with defaults, in the order of `allowed`.

    Raises TrajanError, which lists all problems.
    """
    if type(players) is not int or players not in PLAYER_COUNTS:
        text = f"players must be {counts_in_words()}, got {quoted(players)}"
        raise TrajanError(Problem(text, source=game))
    options = {option.name: option for option in allowed}
    names = Names(options)
    problems = []
    right = f"; options are {', '.join(options)}"  # only the first problem lists the options
    for name in chosen:
        if name not in options:
            text = f"unknown option {name!r}{right}{names.hint(str(name))}"
            problems.append(Problem(text, source=game))
            right = ""
    problems += [
        Problem(f"option {name} must be {options[name].allowed}, got {quoted(value)}", source=game)
        for name, value in chosen.items()
        if name in options and not options[name].accepts(value, players)
    ]
    if problems:
        raise TrajanError(*problems)
    return {name: chosen.get(name, option.default(players)) for name, option in options.items()}


def check_request(rules: Rules, players: int, options: Mapping[str, Any]) -> None:
    """Raise TrajanError if a request has wrong options, or an option whose value is a file.

    A request may come from another program or person, who must not gain access to files here.
    """
    problems = [
        Problem(f"option {one.name} must be {one.allowed} but not a file, got {quoted(value)}")
        for one in all_options(rules)
        if one.name in options
        and one.accepts(value := options[one.name], players)
        and one.is_file(value)
    ]
    if problems:
        raise TrajanError(*problems)
    rules.check(players, options)


def changed_options(allowed: Iterable[Option], players: int, options: Options) -> Options:
    """Return only the options that differ from their defaults, which is what a record contains."""
    return {
        option.name: options[option.name]
        for option in allowed
        if options[option.name] != option.default(players)
    }


def example_values(option: Option, players: int) -> list[Any]:
    """Return allowed values other than the default, for tests and samples.

    The candidates are true and false, the words of `allowed`, numbers next to the default, and
    lists of players.
    """
    default = option.default(players)
    candidates: list[Any] = [True, False, *re.findall(r"\w+", option.allowed)]
    if type(default) is int:
        candidates += [default - 1, default + 1]
    candidates += [[0], list(range(players))]
    values: list[Any] = []
    for value in candidates:
        if option.accepts(value, players) and value != default and value not in values:
            values.append(value)
    return values
