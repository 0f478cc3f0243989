"""The data of the page's requests."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from trajan_ai.core.description import Description
from trajan_ai.core.errors import printable
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.records import position_sources

MAX_SECONDS = 300.0  # of a search
MAX_ITERATIONS = 10_000_000
MAX_ACTIONS = 100  # of a turn
MAX_NAMES = 400  # characters of the names of all players
MAX_POSITION = position_sources.MAX_YAML  # characters of a position file

Name = Annotated[str, Field(max_length=200)]
Actions = Annotated[list[Name], Field(max_length=MAX_ACTIONS)]


class NewGame(Description):
    """A new game. Options are typed text: see `option_values`."""

    game: Name
    seats: Annotated[
        list[Name | None], Field(min_length=min(PLAYER_COUNTS), max_length=max(PLAYER_COUNTS))
    ]
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None
    options: dict[Name, Name] = Field(default_factory=dict)


class GameFile(Description):
    """The text of a file of records, a position file or a saved game.

    `number` is the number of a record in the file, from 1.
    """

    text: str
    number: Annotated[int, Field(ge=1)] = 1
    title: Annotated[Name, AfterValidator(printable)] = ""


class NodeRequest(Description):
    """A node and a view, by default the node shown last and the view of the player to move."""

    node: int | None = None
    view: int | str | None = None


class LookRequest(NodeRequest):
    """A node to show; if the page fetches it ahead, `here` is the node that the user views now."""

    here: int | None = None


class PreviewsRequest(NodeRequest):
    """A node, and the `gathered` elements of a set, one per line, which are not played yet."""

    gathered: str = ""


class PlayRequest(NodeRequest):
    """A decision at a node.

    `gathered` are elements of the same set that were named before and are not played yet. With
    `exact`, the action is played at once, followed by the actions in `then` as long as they are
    legal. In a followed game, `shown` contains the names that the action revealed; for each key in
    `unknown`, the server chooses what the action revealed.
    """

    action: Name
    gathered: Actions = Field(default_factory=list)
    exact: bool = False
    then: Actions = Field(default_factory=list)
    shown: dict[Name, list[Name]] = Field(default_factory=dict)
    unknown: Annotated[list[Name], Field(max_length=MAX_ACTIONS)] = Field(default_factory=list)


class PositionText(Description):
    """The text of a position file, complete or not."""

    text: Annotated[str, Field(max_length=MAX_POSITION)]


class PlaceRequest(PositionText):
    """A place in the drawing of a position file."""

    place: Name


class EditRequest(PositionText):
    """A value for a key of a position file, or for an item of that key.

    The value None sets the key to null, or removes the item.
    """

    at: Name
    item: Name | None = None
    value: Annotated[int, Field(ge=-(10**6), le=10**6)] | Name | None


class LineRequest(Description):
    """A line of a game, given by the node at which the line ends."""

    node: int


class SavedPage(LineRequest):
    """A page to save for an analysed game: its title, and the players' names, one per line."""

    title: Annotated[Name, AfterValidator(printable)] = ""
    names: Annotated[str, Field(max_length=MAX_NAMES)] = ""


class ExerciseList(Description):
    """The exercises to list; the puzzle of the day is one for `game`."""

    game: Name = ""


class ExerciseAnswer(Description):
    """An answer to an exercise; an `action` of None asks for the solution."""

    action: Name | None = None


class TemplateRequest(Description):
    """The game whose opening is to be edited as a position file."""

    game: Name


class RealTable(TemplateRequest):
    """What is known of the setup of a game that begins at a real table.

    Missing answers to the questions in `chance` are drawn at random.
    """

    players: Annotated[int, Field(ge=min(PLAYER_COUNTS), le=max(PLAYER_COUNTS))]
    observer: Annotated[int, Field(ge=0, lt=max(PLAYER_COUNTS))]
    answers: dict[Name, list[Name | None]] = Field(default_factory=dict)
    chance: list[Name] = Field(default_factory=list)


class RankingRequest(LineRequest):
    """A search at a node or, with a turn `after`, at the next player's decision after that turn.

    A search with the grade ``rollout`` ends after a fixed number of redeals instead of a time. The
    page never sends `iterations`; tests do, to compare its figures with those of other interfaces.
    """

    after: Actions = Field(default_factory=list)
    seconds: Annotated[float, Field(gt=0, le=MAX_SECONDS)] = 10.0
    iterations: Annotated[int, Field(ge=1, le=MAX_ITERATIONS)] | None = None
    grade: Literal["rollout"] | None = None
