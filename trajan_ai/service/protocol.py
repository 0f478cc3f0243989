"""Requests and answers of the engine process, line by line (docs/engine.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from trajan_ai import records
from trajan_ai.analysis.decision.move_values import Grade
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.mcts.settings import Count, Positive, Threads

PROTOCOL = 1
MAX_LINE_BYTES = 1 << 22  # about 200 times the size of a long record
MAX_PLIES = 1000  # maximum number of plies of a record that one request names
MAX_PROBLEMS = 20  # in one answer
MAX_PROBLEM_LENGTH = 500
MIN_REPORT_EVERY = 0.05  # seconds

MAX_ID = 2**53  # every JSON library reads whole numbers up to this one exactly
MAX_NAME = 200
Id = str | int
Name = Annotated[str, Field(max_length=MAX_NAME)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**64)]
Actions = Annotated[list[Name], Field(max_length=10_000)]
Ply = Annotated[int, Field(ge=0)]
TreeName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


def _check_id(value: Any) -> Id:
    if type(value) is str and 1 <= len(value) <= MAX_NAME:
        return value
    if type(value) is int and -MAX_ID <= value <= MAX_ID:
        return value
    raise ValueError(
        f"must be a string of 1 to {MAX_NAME} characters or a whole number from -2**53 to 2**53, "
        f"got {value!r:.60}"
    )


_ID_SCHEMA = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": MAX_NAME},
        {"type": "integer", "minimum": -MAX_ID, "maximum": MAX_ID},
    ]
}
RequestId = Annotated[Id, PlainValidator(_check_id), WithJsonSchema(_ID_SCHEMA)]


class RequestError(TrajanError):
    """A request that cannot be carried out.

    Attributes:
        reason: the `error` of the answer.
        id: the id of the answer, or None if the request has no valid id.
    """

    def __init__(self, reason: str, *problems: Problem | str, id: Id | None = None) -> None:
        super().__init__(*problems)
        self.reason = reason
        self.id = id


class StartSpec(Description):
    """A new game from a seed, at its first decision."""

    game: Name
    players: int
    seed: Seed = 0
    options: dict[str, Any] = Field(default_factory=dict)


class PositionSpec(Description):
    """A position in one of four forms, and actions to play from it."""

    record: dict[str, Any] | None = None
    ply: Ply | None = None
    view: dict[str, Any] | None = None
    state: Name | None = None
    start: StartSpec | None = None
    actions: Actions | None = None

    @model_validator(mode="after")
    def _check_form(self) -> PositionSpec:
        forms = [self.record, self.view, self.state, self.start]
        if sum(form is not None for form in forms) != 1:
            raise ValueError("must have exactly one of record, view, state, start")
        if self.ply is not None and self.record is None:
            raise ValueError("ply requires record")
        return self


class ClockSpec(Description):
    """A game clock: the seconds that each player has left, and those added after each turn."""

    remaining: list[Positive]
    increment: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0


class Request(Description):
    """The fields of every request; some requests have no others."""

    id: RequestId
    kind: str


class LegalRequest(Request):
    """List the legal actions."""

    position: PositionSpec


class TreeSearchRequest(LegalRequest):
    """The fields of every request for a search."""

    bot: Any = None  # a name or a mapping of settings, checked by the service
    threads: Threads | None = None
    seed: Seed = 0
    priority: Annotated[int, Field(ge=-1000, le=1000)] = 0
    client: Name = ""
    since: Actions = Field(default_factory=list)


class SuggestRequest(TreeSearchRequest):
    """Rank the moves of the player to move."""

    iterations: Count | None = None
    seconds: Positive | None = None
    clock: ClockSpec | None = None
    top: Count | None = None
    grade: Grade | None = None
    redeals: Count | None = None
    turns: bool = False
    sources: bool = False
    root: bool = False
    report_every: Annotated[float, Field(ge=MIN_REPORT_EVERY, allow_inf_nan=False)] | None = None
    cache: bool = True
    allow: Actions | None = None
    avoid: Actions = Field(default_factory=list)
    plies: Annotated[list[Ply], Field(min_length=1, max_length=MAX_PLIES)] | None = None
    tree: TreeName | None = None

    @model_validator(mode="after")
    def _check_combination(self) -> SuggestRequest:
        spec, several = self.position, self.plies is not None
        if several and (spec.record is None or spec.ply is not None or spec.actions):
            raise ValueError("plies requires a position.record, without ply or actions")
        if several and len(set(self.plies or ())) != len(self.plies or ()):
            raise ValueError("plies must differ")
        if self.clock is not None and (several or self.seconds is not None):
            raise ValueError("clock cannot be combined with plies or seconds")
        if several and (self.allow is not None or self.avoid or self.tree is not None):
            raise ValueError("allow, avoid and tree cannot be combined with plies")
        if self.tree is not None and (self.allow is not None or self.avoid):
            raise ValueError("allow and avoid cannot be combined with tree")
        if self.tree is not None and self.grade not in (None, "quick"):
            raise ValueError("if a request has tree, its grade must be quick")
        if self.since and self.tree is None:
            raise ValueError("since requires tree")
        return self


class PonderRequest(TreeSearchRequest):
    """Grow a tree for a player until it is stopped, or until `suggest` searches in it."""

    tree: TreeName
    player: int | None = None


class ApplyRequest(LegalRequest):
    """Play actions, and store the position as a state. With `events`, list what happened.

    `observer` is the player who sees the events; by default, the events show everything.
    """

    actions: Actions = Field(default_factory=list)
    events: bool = False
    observer: int | None = None


class ViewRequest(LegalRequest):
    """Return a position file with what a player knows."""

    player: int | None = None


class BoardRequest(ViewRequest):
    """Draw the board as a player sees it."""

    format: Literal["text", "svg"] = "text"


class StopRequest(Request):
    """Stop one search, which then answers with its result so far."""

    target: RequestId


class StopAllRequest(Request):
    """Stop all searches, or those of one client."""

    client: Name | None = None


# `bots` and `version` describe the engine, `clear` drops cached answers and trees, and `quit`
# stops all searches and ends the process.
KINDS: dict[str, type[Request]] = {
    "suggest": SuggestRequest,
    "legal": LegalRequest,
    "apply": ApplyRequest,
    "view": ViewRequest,
    "board": BoardRequest,
    "ponder": PonderRequest,
    "bots": Request,
    "version": Request,
    "stop": StopRequest,
    "stop_all": StopAllRequest,
    "clear": Request,
    "quit": Request,
}


def parse_request(line: bytes) -> Request:
    """Return the request in a line; raise RequestError, which lists all problems of the line."""
    data = _parse_object(line)
    id = _readable_id(data)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise RequestError(
            "request", f"kind: must be one of {', '.join(KINDS)}, got {kind!r:.60}", id=id
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
        raise RequestError("json", f"a request must be a JSON object, got {type(data).__name__}")
    return data


def _readable_id(data: dict[str, Any]) -> Id | None:
    """Return the id of a request, which may have problems, or None if the id is not valid."""
    try:
        return _check_id(data.get("id"))
    except ValueError:
        return None


def format_answer(id: Id | None, status: str, **fields: Any) -> str:
    """Return the line of an answer, in ASCII, without its line break."""
    return json.dumps({"id": id, "status": status, **fields}, separators=(",", ":"))


def format_error(
    id: Id | None, reason: str, problems: Sequence[str], line: int | None = None, **fields: Any
) -> str:
    """Return the line of an error; `line` is the number of the rejected line, from 1."""
    texts = [_shorten(problem) for problem in problems[:MAX_PROBLEMS]]
    if len(problems) > MAX_PROBLEMS:
        texts.append(f"and {len(problems) - MAX_PROBLEMS} more")
    place = {} if line is None else {"line": line}
    return format_answer(id, "error", **place, **fields, error=reason, problems=texts)


def _shorten(text: str) -> str:
    """Return a problem as one line of at most `MAX_PROBLEM_LENGTH` characters."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_PROBLEM_LENGTH else text[: MAX_PROBLEM_LENGTH - 3] + "..."
