"""The Python half of a game: options, setups, views, and drawing.

A game's package has one object that implements `Rules`. The C half is its ``GameOps``.
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

TEXT_WIDTH = 99  # columns of a board as text without a terminal
PICTURE_WIDTH = 1200  # pixels


@dataclass(frozen=True)
class Option:
    """A named variant of the rules.

    Attributes:
        name: its name in options.
        allowed: the allowed values in words.
        accepts: a function of a value and the number of players: whether the value is allowed.
        default: a function of the number of players: the default value.
    """

    name: str
    allowed: str
    accepts: Callable[[Any, int], bool]
    default: Callable[[int], Any]


def is_flag(value: Any, players: int) -> bool:
    """Return whether a value is true or false; numbers are neither."""
    return isinstance(value, bool)


class Rules(Protocol):
    """The Python interface of a game. All data is plain: dicts, lists, strings and numbers."""

    options: Sequence[Option]

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return the `setup` object of a deal; the same arguments give the same setup."""

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state of a setup; raise TrajanError with all its problems."""

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, without hidden parts; with None, everything."""

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
        """Return the board as text, as `player` sees it; with None, everything is open.

        Lines have at most `width` columns. `colour` adds escape sequences for a terminal.
        """


# --- optional entries of a game's rules: see `offered` and `needed` ---------------------


@runtime_checkable
class HasFiles(Protocol):
    """Position files with additional checks."""

    def from_file(self, view: Mapping[str, Any]) -> Position:
        """Return the position of a view, as `from_view` does.

        Raises TrajanError also if no play can lead to `view`.
        """


@runtime_checkable
class HasPicture(Protocol):
    """The board as an SVG drawing."""

    def picture(
        self,
        view: Mapping[str, Any],
        *,
        last: tuple[int, str] | None = None,
        suggested: Sequence[str] = (),
        legal: Sequence[str] = (),
        width: int = PICTURE_WIDTH,
    ) -> str:
        """Return a drawing of the board in three columns, two below 1,000 pixels, one below 800.

        Args:
            view: the view to draw.
            last: the last move as (player, action), to mark it.
            suggested: actions of the player to decide, best first, to mark them.
            legal: legal actions, to make their places clickable.
            width: the width in pixels.
        """


@runtime_checkable
class HasPlaces(Protocol):
    """The places of actions on the drawing."""

    def places(self, view: Mapping[str, Any], action: str, player: int) -> list[str]:
        """Return the places of a legal action of `player`; the first one is the one to click."""


@runtime_checkable
class HasPreviews(Protocol):
    """What moves lead to, for players who point at their places."""

    def previews(self, position: Position) -> dict[str, dict[str, list[str]]]:
        """Return the previews of legal actions that have one, by action.

        ``places`` are those that change, in order, and ``lines`` facts in words. Both contain
        only what the player to move knows.
        """


@runtime_checkable
class HasEdits(Protocol):
    """The keys of a position file that belong to the places of the drawing.

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


@runtime_checkable
class HasPieces(Protocol):
    """Symbols of things."""

    tips: Path
    """A file with a tip for each panel, thing or place, by its name or its first word."""

    def sprite(self) -> str:
        """Return an SVG element with every symbol; the ids begin with the name of the game."""

    def pieces(self, text: str) -> list[str]:
        """Return the symbols of the things in an action, or in a name in files."""


@runtime_checkable
class HasWords(Protocol):
    """Actions in words."""

    def words(self, actions: Sequence[str]) -> str:
        """Return the actions of one player's turn, or one of them, in words."""


@runtime_checkable
class HasSentences(Protocol):
    """Actions as sentences, and names of things; see `trajan_ai.core.languages`."""

    def sentence(self, action: str) -> str:
        """Return an action as the rest of a sentence, such as ``takes a card``."""

    def thing(self, name: str) -> str:
        """Return the everyday name of a tile, card or place, by its name in files."""


@runtime_checkable
class HasInstructions(Protocol):
    """What a decision asks for, and what its actions do not name."""

    def instruct(self, view: Mapping[str, Any]) -> str:
        """Return what the player to move has to do, after words such as ``Your turn:``."""

    def detail(self, action: str, look: Callable[[], Mapping[str, Any]]) -> str:
        """Return an action with everything that `HasSentences.sentence` should name.

        `look` returns the view of the decision.
        """


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

    def put_in_hand(self, position: Position, observer: int, things: Sequence[str]) -> Position:
        """Return a position in which the player to move can lay `things`.

        It looks like `position` to `observer`. Raises TrajanError if there is none.
        """


class Feature(NamedTuple):
    """A number for learners: its name, and its highest value, at most 255."""

    name: str
    highest: int


@runtime_checkable
class HasFeatures(Protocol):
    """The features of `Position.features`."""

    def features(self, players: int) -> Sequence[Feature]:
        """Return the features for a number of players, in order."""


@runtime_checkable
class HasDeals(Protocol):
    """A list of all deals, for exact computations in tiny games."""

    def deals(self, players: int, options: Options) -> Sequence[Setup]:
        """Return the setups of all deals, which are equally likely."""


@runtime_checkable
class HasCalibration(Protocol):
    """Corrections of the figures of searches; see `trajan_ai.analysis.decision.calibration`."""

    calibration: Path
    """A file that ``trajan-ai learn`` wrote."""


@runtime_checkable
class HasNetwork(Protocol):
    """A network that corrects the evaluation; see `trajan_ai.mcts.network_file`."""

    network: Path

    def network_applies(self, position: Position) -> bool:
        """Return whether the network was trained with the options of a position."""


@runtime_checkable
class HasLevels(Protocol):
    """Bots that err as people do, and puzzles for people."""

    levels: Path
    puzzles: Path
    """Files that ``trajan-ai learn`` wrote."""


@runtime_checkable
class HasNote(Protocol):
    """A note for players on the state of a game in this package, shown wherever they play it."""

    def note(self, setup: Mapping[str, Any]) -> str | None:
        """Return a line on a setup, a view or options of dealing; None without a note."""


@runtime_checkable
class HasDealOptions(Protocol):
    """Options of dealing, such as the choice of boards.

    `check` accepts them and `deal` uses them. They are not options of the rules, so a record
    contains only the setup that they led to.
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

    def lay_open(
        self, view: Mapping[str, Any], names: Mapping[str, Sequence[Any]]
    ) -> dict[str, Any]:
        """Return the view of an opening with these things, by the keys of `list_open`."""


@runtime_checkable
class HasFollowing(Protocol):
    """The part of every move that one player sees."""

    def list_possible(self, position: Position, observer: int) -> list[str]:
        """Return the actions that are legal in some position that looks alike to `observer`.

        Empty when the game is over, and while `observer` sees nothing of the choices.
        """

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

    def list_questions(
        self, position: Position, after: Position, observer: int, reveals: Reveals
    ) -> list[Question]:
        """Return a question for each of `reveals`, a part of what a move showed."""

    def list_reveals(
        self, position: Position, action: str, after: Position, observer: int
    ) -> Reveals:
        """Return what a move showed to `observer` in a game without unknown parts."""


Entry = TypeVar("Entry")
LACKING: dict[Any, str] = {
    HasPicture: "has no picture, only a board as text",
    HasFeatures: "has no features for learners; docs/own_game.md shows the lines that it needs",
    HasFollowing: "cannot be followed, it does not say what is shown",
    HasOpening: "does not say what lies open when it begins; write a position file",
}


def offered(rules: Rules, entry: Callable[..., Entry]) -> Entry | None:
    """Return the rules as an optional entry, such as `HasPicture`; None if they lack it."""
    return cast(Entry, rules) if isinstance(rules, cast(Any, entry)) else None


def needed(game: Game, entry: Callable[..., Entry]) -> Entry:
    """Return the rules of a game as an optional entry; raise NotSupported if they lack it."""
    rules = offered(game.rules, entry)
    if rules is None:
        raise NotSupported(f"{game.name}: this game {LACKING[entry]}")
    return rules


def name_of(rules: Rules, thing: str) -> str:
    """Return the everyday name of a thing, or its name in files if the game has none."""
    wordy = offered(rules, HasSentences)
    return thing if wordy is None else wordy.thing(thing)


def in_words(rules: Rules, actions: Sequence[str]) -> str:
    """Return actions in words, or the action strings if the game has no words."""
    wordy = offered(rules, HasWords)
    return ", ".join(actions) if wordy is None else wordy.words(actions)


def note_on(rules: Rules, setup: Mapping[str, Any]) -> str | None:
    """Return the note of a game on a setup, see `HasNote`."""
    noting = offered(rules, HasNote)
    return None if noting is None else noting.note(setup)


def all_options(rules: Rules) -> tuple[Option, ...]:
    """Return the options of the rules, then those of dealing."""
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

    Raises TrajanError with all problems.
    """
    if type(players) is not int or players not in PLAYER_COUNTS:
        text = f"players must be {counts_in_words()}, got {quoted(players)}"
        raise TrajanError(Problem(text, source=game))
    options = {option.name: option for option in allowed}
    names = Names(options)
    problems = []
    right = f"; options are {', '.join(options)}"  # in the first problem only
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


def changed_options(allowed: Iterable[Option], players: int, options: Options) -> Options:
    """Return the options that differ from their defaults, as a record contains them."""
    return {
        option.name: options[option.name]
        for option in allowed
        if options[option.name] != option.default(players)
    }


def example_values(option: Option, players: int) -> list[Any]:
    """Return allowed values other than the default, for tests and samples.

    Candidates are true and false, the words of `allowed`, numbers next to the default, and lists
    of players.
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
