"""The Python half of a game: options, setups, what a player sees, and drawing.

A game's package has one object that fulfils `Rules`; the C half is its ``GameOps``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from trajan_ai.core.errors import KeyPath, NotSupported, Problem, TrajanError, quoted
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names

if TYPE_CHECKING:
    from trajan_ai.core.game import Game, Position

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


# --- optional entries of a game's rules: `offered` and `needed` ask for them ---------------------


@runtime_checkable
class HasFiles(Protocol):
    """Position files that are checked more closely."""

    def from_file(self, view: Mapping[str, Any]) -> Position:
        """Return what `from_view` does; raise TrajanError also where no play leads to `view`."""
        ...


@runtime_checkable
class HasPicture(Protocol):
    """The table as an SVG drawing."""

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
class HasPlaces(Protocol):
    """Where on the drawing an action is."""

    def places(self, view: Mapping[str, Any], action: str, player: int) -> list[str]:
        """Return the places of a legal action of `player`, the one to click first."""
        ...


@runtime_checkable
class HasEdits(Protocol):
    """Which keys of a position file the places of the drawing stand for.

    The values allowed at a key come from `from_view`, if that reads with
    `trajan_ai.games.kit.reader.Reader`.
    """

    # Keys by kind of place, the first word of its name: `{0}`, `{1}` are the words after it, `*`
    # is every player; after a slash comes the one name that is meant.
    edit_places: Mapping[str, Sequence[str]]

    def list_dependent_edits(
        self, view: Mapping[str, Any], path: KeyPath
    ) -> Mapping[KeyPath, Any]:
        """Return the values that other keys need after a change of the one at `path`."""
        ...


@runtime_checkable
class HasPieces(Protocol):
    """Small pictures of things."""

    tips: Path
    """A file of what a panel, a thing or a place is for, by its name or its first word."""

    def sprite(self) -> str:
        """Return an SVG element that holds every symbol; its ids begin with the game's name."""
        ...

    def pieces(self, text: str) -> list[str]:
        """Return the symbols of the things that an action, or a name in files, speaks of."""
        ...


@runtime_checkable
class HasWords(Protocol):
    """Actions in words."""

    def words(self, actions: Sequence[str]) -> str:
        """Return the actions of one player's turn, or one of them, in words."""
        ...


@runtime_checkable
class HasSentences(Protocol):
    """What was done as sentences, and the names of things; see `trajan_ai.core.languages`."""

    def sentence(self, action: str) -> str:
        """Return what a player does with an action, such as ``takes a card``."""
        ...

    def decision(self, pending: Mapping[str, Any]) -> str:
        """Return what is to be decided, of what a view has under ``to_decide``."""
        ...

    def thing(self, name: str) -> str:
        """Return what people call a tile, card, place or the like, by its name in files."""
        ...


@runtime_checkable
class HasSets(Protocol):
    """Sets of things that people lay in any order; see `trajan_ai.games.kit.sets`.

    In the game these are consecutive actions with the same first word, one of `set_words`.
    """

    set_words: Collection[str]

    def continue_set(
        self, before: Position, action: str, after: Position
    ) -> tuple[list[str], bool]:
        """Return the forced actions after `action`, and whether its set continues in `after`."""
        ...

    def put_in_hand(self, position: Position, observer: int, things: Sequence[str]) -> Position:
        """Return a position in which the player to move can lay `things`.

        It looks like `position` to `observer`. Raises TrajanError if there is none.
        """
        ...


class Feature(NamedTuple):
    """A number for learners: its name, and the highest value it takes, 255 at most."""

    name: str
    highest: int


@runtime_checkable
class HasFeatures(Protocol):
    """What `Position.features` holds."""

    def features(self, players: int) -> Sequence[Feature]:
        """Return the features for a number of players, in order."""
        ...


@runtime_checkable
class HasDeals(Protocol):
    """Deals so few that they can be listed, for exact work."""

    def deals(self, players: int, options: Options) -> Sequence[Setup]:
        """Return the setups of all deals, each as likely as the others."""
        ...


@runtime_checkable
class HasCalibration(Protocol):
    """Optional entry of a game's rules: what the engine makes of what searches expect."""

    calibration: Path
    """A file that ``trajan-ai learn`` wrote."""


@runtime_checkable
class HasLevels(Protocol):
    """Optional entry of a game's rules: bots that err as people do, and puzzles for people."""

    levels: Path
    puzzles: Path
    """Files that ``trajan-ai learn`` wrote."""


@runtime_checkable
class HasNote(Protocol):
    """What players should know of how a game stands here, told where they meet it."""

    def note(self, setup: Mapping[str, Any]) -> str | None:
        """Return one line on a setup, view or options of dealing; None if all is as usual."""
        ...


@runtime_checkable
class HasDealOptions(Protocol):
    """Options of dealing, such as which boards.

    `check` takes them and `deal` follows them. They are no options of the rules: a record does not
    name them, it holds the setup that was dealt.
    """

    deal_options: Sequence[Option]


Reveals = dict[str, list[str]]  # what a move shows: for each key a list of names


@dataclass(frozen=True)
class Question:
    """A question about a move: which `count` of `names` did it show, under `key` of its reveals?

    `text` describes them, such as ``the cards you draw``. `count` is None where any number is
    allowed. `labels` are the names that people use.
    """

    key: str
    count: int | None
    text: str
    names: Sequence[str]
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class OpenThings:
    """Things of one kind that lie open when a game begins, one at each of `places`.

    `choices` maps each name that may lie there to the thing it is a copy of. `stock` has the
    number of copies. Kinds with the same `supply` share them. If there is a `usual` name, chance
    puts it everywhere or nowhere.
    """

    key: str
    text: str
    places: Sequence[str]
    choices: Mapping[str, str]
    stock: Mapping[str, int]
    supply: str
    usual: str | None = None


@runtime_checkable
class HasOpening(Protocol):
    """The facts about a real table that are needed to follow a game from its beginning."""

    def list_open(self, players: int) -> list[OpenThings]:
        """Return the things that lie open before the first decision."""
        ...

    def lay_open(
        self, view: Mapping[str, Any], names: Mapping[str, Sequence[Any]]
    ) -> dict[str, Any]:
        """Return the view of an opening with these things, by the keys of `list_open`."""
        ...


@runtime_checkable
class HasFollowing(Protocol):
    """The part of every move that one player sees."""

    def list_possible(self, position: Position, observer: int) -> list[str]:
        """Return the actions that are legal in some position that looks alike to `observer`.

        Empty when the game is over, and while `observer` sees nothing of the choices.
        """
        ...

    def carry_out(
        self, position: Position, observer: int, action: str | None, reveals: Mapping[str, object]
    ) -> tuple[Position, Reveals]:
        """Return a position after `action`, and everything that `action` showed to `observer`.

        The result follows from one of the positions that look alike to `observer`: one in which
        the action is legal and shows `reveals`. Reveals may be incomplete, and everything that
        they omit is arbitrary in the result. `action` is None where `observer` sees nothing of
        the choices: then the player to move ends a run of choices. Raises TrajanError if no
        position fits.
        """
        ...

    def list_questions(
        self, position: Position, after: Position, observer: int, reveals: Reveals
    ) -> list[Question]:
        """Return a question for each of `reveals`, a part of what a move showed."""
        ...

    def list_reveals(
        self, position: Position, action: str, after: Position, observer: int
    ) -> Reveals:
        """Return what a move showed to `observer` in a game without unknown parts."""
        ...


Entry = TypeVar("Entry")
LACKING: dict[Any, str] = {
    HasPicture: "has no picture, only a board as text",
    HasFeatures: "has no features for learners; docs/own_game.md shows the lines that it needs",
    HasFollowing: "cannot be followed, it does not say what is shown",
    HasOpening: "does not say what lies open when it begins; write a position file",
}


def offered(rules: Rules, entry: Callable[..., Entry]) -> Entry | None:
    """Return the rules of a game as what has an optional entry, such as `HasPicture`, or None."""
    return cast(Entry, rules) if isinstance(rules, cast(Any, entry)) else None


def needed(game: Game, entry: Callable[..., Entry]) -> Entry:
    """Return what `offered` does; raise NotSupported if the game has no such entry."""
    found = offered(game.rules, entry)
    if found is None:
        raise NotSupported(f"{game.name}: this game {LACKING[entry]}")
    return found


def name_of(rules: Rules, thing: str) -> str:
    """Return what people call a thing, its name in files where a game has none."""
    wordy = offered(rules, HasSentences)
    return thing if wordy is None else wordy.thing(thing)


def in_words(rules: Rules, actions: Sequence[str]) -> str:
    """Return actions in words, as they are where a game has none."""
    wordy = offered(rules, HasWords)
    return ", ".join(actions) if wordy is None else wordy.words(actions)


def note_on(rules: Rules, setup: Mapping[str, Any]) -> str | None:
    """Return what players should know of a setup, see `HasNote`."""
    noting = offered(rules, HasNote)
    return None if noting is None else noting.note(setup)


def all_options(rules: Rules) -> tuple[Option, ...]:
    """Return the options of the rules, then those of dealing."""
    dealing = offered(rules, HasDealOptions)
    return (*rules.options, *(() if dealing is None else dealing.deal_options))


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
    problems = []
    right = f"; options are {', '.join(options)}"  # said once
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
