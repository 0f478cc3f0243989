"""Requests and answers of the engine process: what a line may hold; see docs/engine.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, model_validator

from trajan_ai import records
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.mcts.settings import Count, Positive, Threads

PROTOCOL = 1
MOST_LINE_BYTES = 1 << 22  # some 200 times a long record
MOST_PLIES = 1000  # of a record in one request
MOST_PROBLEMS = 20  # in one answer
MOST_PROBLEM_LENGTH = 500
FASTEST_REPORTS = 0.05  # seconds

LARGEST_ID = 2**53  # the whole numbers that every JSON library keeps exactly
LONGEST_NAME = 200
Id = str | int
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**64)]
Player = Annotated[int, Field(ge=0, lt=max(PLAYER_COUNTS))]
Actions = Annotated[list[Name], Field(max_length=10_000)]
Ply = Annotated[int, Field(ge=0)]
TreeName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


def _check_id(value: Any) -> Id:
    if type(value) is str and 1 <= len(value) <= LONGEST_NAME:
        return value
    if type(value) is int and -LARGEST_ID <= value <= LARGEST_ID:
        return value
    raise ValueError(
        f"must be a string of 1 to {LONGEST_NAME} characters or a whole number up to 2**53, "
        f"got {value!r:.60}"
    )


RequestId = Annotated[Id, PlainValidator(_check_id)]


class RequestError(TrajanError):
    """A line that cannot be done. ``reason`` is the `error` of the answer, ``id`` its id."""

    def __init__(self, reason: str, *problems: Problem | str, id: Id | None = None) -> None:
        super().__init__(*problems)
        self.reason = reason
        self.id = id


class Start(Description):
    """A game dealt from a seed, at its first decision."""

    game: Name
    players: int
    seed: Seed = 0
    options: dict[str, Any] = Field(default_factory=dict)


class PositionSpec(Description):
    """A position, said in one of four ways."""

    record: dict[str, Any] | None = None
    ply: Ply | None = None
    view: dict[str, Any] | None = None
    state: Name | None = None
    start: Start | None = None

    @model_validator(mode="after")
    def _one_way(self) -> PositionSpec:
        ways = [self.record, self.view, self.state, self.start]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("must have exactly one of record, view, state, start")
        if self.ply is not None and self.record is None:
            raise ValueError("ply goes with record")
        return self


class Request(Description):
    """What every request has, and all that some have."""

    id: RequestId
    kind: str


class Legal(Request):
    """List the legal actions."""

    position: PositionSpec


class SearchRequest(Legal):
    """What every request for a search has."""

    bot: Any = None  # a name or a mapping of settings: `Bots` says what is right
    threads: Threads | None = None
    seed: Seed = 0
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    client: Name = ""
    since: Actions = Field(default_factory=list)


class Suggest(SearchRequest):
    """Rank the moves of the player to decide."""

    iterations: Count | None = None
    seconds: Positive | None = None
    top: Count | None = None
    grade: Literal["quick", "verified"] | None = None
    turns: bool = False
    sources: bool = False
    report_every: Annotated[float, Field(ge=FASTEST_REPORTS, allow_inf_nan=False)] | None = None
    cache: bool = True
    allow: Actions | None = None
    avoid: Actions = Field(default_factory=list)
    plies: Annotated[list[Ply], Field(min_length=1, max_length=MOST_PLIES)] | None = None
    tree: TreeName | None = None

    @model_validator(mode="after")
    def _together(self) -> Suggest:
        spec, several = self.position, self.plies is not None
        if several and (spec.record is None or spec.ply is not None):
            raise ValueError("plies goes with position.record, without ply")
        if several and len(set(self.plies or ())) != len(self.plies or ()):
            raise ValueError("plies must differ")
        if several and (self.allow is not None or self.avoid or self.tree is not None):
            raise ValueError("allow, avoid and tree go with one position, not with plies")
        if self.tree is not None and (self.allow is not None or self.avoid):
            raise ValueError("allow and avoid do not go with tree")
        if self.tree is not None and self.grade == "verified":
            raise ValueError("grade must be quick with tree")
        if self.since and self.tree is None:
            raise ValueError("since goes with tree")
        return self


class Ponder(SearchRequest):
    """Grow a tree, whoever is to decide, until it is stopped or searched in by `suggest`."""

    tree: TreeName
    player: Player | None = None


class Apply(Legal):
    """Carry out actions; with none, keep the position as a state."""

    actions: Actions = Field(default_factory=list)


class View(Legal):
    """Give what a player knows as a position file."""

    player: Player | None = None


class Board(View):
    """Draw the board as a player sees it."""

    format: Literal["text", "svg"] = "text"


class Stop(Request):
    """Stop one search; it is answered with what it found so far."""

    target: RequestId


class StopAll(Request):
    """Stop all searches, or those of one client."""

    client: Name | None = None


# `bots` and `version` ask who answers, `clear` forgets the kept answers and trees, `quit` stops
# all searches and ends the process.
KINDS: dict[str, type[Request]] = {
    "suggest": Suggest,
    "legal": Legal,
    "apply": Apply,
    "view": View,
    "board": Board,
    "ponder": Ponder,
    "bots": Request,
    "version": Request,
    "stop": Stop,
    "stop_all": StopAll,
    "clear": Request,
    "quit": Request,
}
RESERVED = ("explain",)


def parse_request(line: bytes) -> Request:
    """Return the request that a line holds; raises RequestError with all problems."""
    data = _parse_object(line)
    id = _readable_id(data)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        later = f"; {kind} is reserved for a later version" if kind in RESERVED else ""
        raise RequestError(
            "request", f"kind: must be one of {', '.join(KINDS)}, got {kind!r:.60}{later}", id=id
        )
    try:
        return validate(KINDS[kind], Document("", data, {}))
    except TrajanError as error:
        raise RequestError("request", *error.problems, id=id) from None


def _parse_object(line: bytes) -> dict[str, Any]:
    data = records.parse_object(line, "request", json.loads)
    if isinstance(data, TrajanError):
        raise RequestError("json", *data.problems)
    if not isinstance(data, dict):
        raise RequestError("json", f"a request is a JSON object, got {type(data).__name__}")
    return data


def _readable_id(data: dict[str, Any]) -> Id | None:
    """Return the id of a request that may be wrong elsewhere, None where it has no usable one."""
    try:
        return _check_id(data.get("id"))
    except ValueError:
        return None


def format_answer(id: Id | None, status: str, **fields: Any) -> str:
    """Return the line of an answer, in ASCII, without its newline."""
    return json.dumps({"id": id, "status": status, **fields}, separators=(",", ":"))


def format_error(
    id: Id | None, reason: str, problems: Sequence[str], line: int | None = None, **fields: Any
) -> str:
    """Return the line of an error answer; `line` is that of the input, from 1."""
    shown = [_shortened(problem) for problem in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        shown.append(f"and {len(problems) - MOST_PROBLEMS} more")
    place = {} if line is None else {"line": line}
    return format_answer(id, "error", **place, **fields, error=reason, problems=shown)


def _shortened(text: str) -> str:
    """Return a problem as one line of a length that a person can read."""
    text, most = " ".join(text.split()), MOST_PROBLEM_LENGTH
    return text if len(text) <= most else text[: most - 3] + "..."
