"""The page's server: files of the page, requests about studies, and searches as they go on."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs

from pydantic import Field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from trajan_ai import records
from trajan_ai.analysis import advice
from trajan_ai.analysis.annotation_page import SCRIPT
from trajan_ai.analysis.decision import Analysis
from trajan_ai.core import languages
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import PLAYER_COUNTS, Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.core.plain import loads
from trajan_ai.core.rules import HasPieces, all_options, in_words, note_on, offered
from trajan_ai.core.version import __version__
from trajan_ai.core.yamlfile import Document, option_values, parse_yaml, read_yaml, validate
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.page import opponents, shown
from trajan_ai.page.folder import Folder
from trajan_ai.page.game_tree import FORMAT as STUDY_FORMAT
from trajan_ai.page.game_tree import (
    Study,
    new_game,
    of_position,
    of_record,
    of_witnessed,
    restored,
)
from trajan_ai.page.origin_check import Guard
from trajan_ai.page.position_editor import check, edited, palette
from trajan_ai.page.practice import Practice
from trajan_ai.page.reviews import Review, Reviews
from trajan_ai.page.searches import TREE_MEGABYTES, Busy, Searches
from trajan_ai.page.shown import Shown
from trajan_ai.page.table_setup import table
from trajan_ai.page.work import Threads, Work
from trajan_ai.records import following, position_files

STATIC = Path(__file__).parent / "static"
GAME_FORMATS = (records.FORMAT, following.FORMAT)
TOP = 12  # moves of a ranking that the page shows
MOST_SECONDS = 300.0  # of a search

MOST_ACTIONS = 100  # of a turn
MOST_POSITION = 100_000  # characters of a position file, some ten times the longest

Text = Annotated[str, Field(max_length=4 << 20)]
Name = Annotated[str, Field(max_length=200)]


class New(Description):
    """A new game. Options are as people type them: see `option_values`."""

    game: Name
    seats: Annotated[
        list[Name | None], Field(min_length=min(PLAYER_COUNTS), max_length=max(PLAYER_COUNTS))
    ]
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)] | None = None
    options: dict[Name, Name] = Field(default_factory=dict)


class Load(Description):
    """A file of records, or a position file, as text."""

    text: Text
    number: Annotated[int, Field(ge=1)] = 1
    title: Name = ""


class At(Description):
    """Where the page looks, and how."""

    node: int | None = None
    view: int | str | None = None


class Play(At):
    """A decision made at a node.

    `gathered` are things of the same set that were named before it and are not carried out yet.
    With `exact` it is carried out at once as it stands, and `then` after it, as long as that is
    legal. In a game that is followed `shown` states what came to light; with `assume` something
    that fits is taken for what is not stated.
    """

    action: Name
    gathered: list[Name] = Field(default_factory=list, max_length=MOST_ACTIONS)
    exact: bool = False
    then: list[Name] = Field(default_factory=list, max_length=MOST_ACTIONS)
    shown: dict[Name, list[Name]] = Field(default_factory=dict)
    assume: bool = False


class Check(Description):
    """A position file as it is being written."""

    text: Annotated[str, Field(max_length=MOST_POSITION)]


class Place(Check):
    """A place of the drawing of a position file."""

    place: Name


class Edit(Check):
    """Something else at a key of a position file, or at an item of it; None: nothing."""

    at: Name
    item: Name | None = None
    value: Annotated[int, Field(ge=-(10**6), le=10**6)] | Name | None


class Line(Description):
    """The line of a game that ends at a node."""

    node: int


class Answer(Description):
    """What somebody would do in an exercise; None: they want to be told."""

    action: Name | None = None


class Template(Description):
    """The game of a position file to change by hand."""

    game: Name


class Table(Template):
    """A game that begins on a real table; what is lacking at `chance` is drawn."""

    players: Annotated[int, Field(ge=min(PLAYER_COUNTS), le=max(PLAYER_COUNTS))]
    observer: Annotated[int, Field(ge=0, lt=max(PLAYER_COUNTS))]
    answers: dict[Name, list[Name | None]] = Field(default_factory=dict)
    chance: list[Name] = Field(default_factory=list)


class Think(Line):
    """A search of a node; `name` is what its page calls it.

    With `after`, actions parted by semicolons, what the next player then threatens is searched.
    """

    after: Annotated[str, Field(max_length=MOST_ACTIONS * 60)] = ""
    name: Name = ""
    seconds: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = 10.0
    iterations: Annotated[int, Field(ge=1, le=10_000_000)] | None = None


class End(Description):
    """The name of a search that is to end."""

    name: Name


Handler = Callable[..., Awaitable[Any]]
Endpoint = Callable[[Request], Awaitable[Response]]


class Page:
    """Answers the requests of pages about the studies of a folder."""

    def __init__(
        self,
        folder: Path,
        work: Work | None = None,
        *,
        tree_megabytes: float = TREE_MEGABYTES,
    ) -> None:
        self.work: Work = work or Threads()
        self.folder = Folder(folder)
        self.searches = Searches(self.work, tree_megabytes)
        # Bots decide one after the other in a study, also when two tabs ask for it.
        self.reviews = Reviews(self.work, tree_megabytes)
        self.practice = Practice(folder)
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def app(self, port: int) -> Guard:
        """Return the server for a port."""
        routes = [
            Route("/", self.index),
            Route("/static/annotation.js", self.drawing),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        practice = self.practice
        for method, path, handler, model in (
            ("GET", "sprite/{game}", self.sprite, None),
            ("GET", "start", self.start, None),
            ("POST", "template", self.template, Template),
            ("POST", "studies", self.new, New),
            ("GET", "studies", self.all, None),
            ("POST", "load", self.load, Load),
            ("DELETE", "studies/{id}", self.delete, None),
            ("POST", "studies/{id}/at", self.at, At),
            ("POST", "studies/{id}/play", self.play, Play),
            ("POST", "studies/{id}/advance", self.advance, At),
            ("POST", "studies/{id}/open", self.open, At),
            ("GET", "studies/{id}/search", self.search, Think),
            ("POST", "studies/{id}/end", self.end, End),
            ("POST", "studies/{id}/review", self.review, Line),
            ("GET", "studies/{id}/review.html", self.review_page, Line),
            ("GET", "studies/{id}/record", self.record, At),
            ("GET", "studies/{id}/position", self.position, At),
            # What a function answers, called with the fields of the model.
            ("GET", "languages", self._calling(languages.describe_languages), None),
            ("POST", "check", self._calling(check), Check),
            ("POST", "palette", self._calling(palette), Place),
            ("POST", "edit", self._calling(_after_edit), Edit),
            ("POST", "table", self._calling(table), Table),
            ("GET", "practice", self._calling(practice.listed), None),
            ("GET", "practice/{id}", self._calling(practice.state), None),
            ("POST", "practice/{id}/answer", self._calling(practice.answer), Answer),
        ):
            routes.append(Route(f"/api/{path}", _answer(handler, model), methods=[method]))

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            yield
            self.reviews.close()
            self.work.close()

        return Guard(_spoken(Starlette(routes=routes, lifespan=lifespan)), port)

    def _calling(self, function: Callable[..., Any]) -> Handler:
        """Return what answers with what a function of the request's fields returns."""

        async def handler(wanted: Description | None = None, **given: str) -> Any:
            return await self.work.call(partial(function, **given, **dict(wanted or ())))

        return handler

    async def index(self, request: Request) -> Response:
        """Answer with the page."""
        return FileResponse(STATIC / "index.html")

    async def drawing(self, request: Request) -> Response:
        """Answer with what draws analysed games."""
        return FileResponse(SCRIPT)

    async def sprite(self, game: str) -> Any:
        """Answer with the symbols of a game's pieces, and what they are for."""
        drawing = offered(game_named(game).rules, HasPieces)
        if drawing is None:
            return {"svg": "", "tips": {}}
        tips = {name: tr(tip) for name, tip in read_yaml(drawing.tips).data.items()}
        return {"svg": drawing.sprite(), "tips": tips}

    async def start(self) -> Any:
        """Answer with the games, the bots and the studies there are."""
        return beginning() | {"studies": self.folder.listed()}

    async def template(self, wanted: Template) -> Any:
        """Answer with the position file of an opening, to change by hand."""
        opening = game_named(wanted.game).start(min(PLAYER_COUNTS))
        assert opening.player is not None
        return {
            "text": position_files.dumps(position_files.position_file(opening, opening.player))
        }

    async def new(self, wanted: New) -> Any:
        """Begin a game."""
        options = option_values(wanted.options)
        study = new_game(wanted.game, wanted.seats, wanted.seed, options)
        self.folder.save(study)
        return {"id": study.id}

    async def load(self, wanted: Load) -> Any:
        """Make a study of a record or of a position file, or take one over from another page."""
        study = await self.work.call(_loaded, wanted)
        self.folder.add(study)
        return {"id": study.id}

    async def all(self) -> Any:
        """Answer with all studies as a file; each line of it can be loaded."""
        return _file("trajan-ai-games.jsonl", self.folder.whole())

    async def delete(self, id: str) -> Any:
        """Delete a study."""
        self.folder.delete(id)
        return {}

    async def at(self, id: str, wanted: At) -> Any:
        """Answer with a node, and note that the person looks there."""
        known = Shown(self.folder.find(id))
        return self._shown(known, wanted, _here(known, wanted.node))

    async def play(self, id: str, wanted: Play) -> Any:
        """Make a decision; answer with the node it leads to."""
        study = self.folder.find(id)
        async with self.locks[id]:
            known = Shown(study)
            node = known.deepest(_here(known, wanted.node))
            if not shown.decides_here(study, study.position(node)):
                raise TrajanError("action: it is not your decision")
            actions, more = _meant(study, node, wanted)
            node = _made(study, node, actions, wanted)
        known = Shown(study)
        gathered = ([*wanted.gathered, wanted.action], more) if more else None
        return self._shown(known, wanted, known.number(node), gathered)

    async def advance(self, id: str, wanted: At) -> Any:
        """Let bots decide until the person notices one of their decisions; answer with it."""
        study = self.folder.find(id)
        async with self.locks[id]:
            known = Shown(study)
            node = await self._by_bots(study, known.deepest(_here(known, wanted.node)))
        known = Shown(study)
        return self._shown(known, wanted, known.number(node))

    async def open(self, id: str, wanted: At) -> Any:
        """Show a game against bots with all cards open, from now on; answer with its node."""
        study = self.folder.find(id)
        known = Shown(study)
        node = known.node(_here(known, wanted.node))
        study.opened = True
        study.touch()
        known = Shown(study)
        return self._shown(known, wanted, known.number(node))

    async def search(self, id: str, wanted: Think) -> Any:
        """Answer with the ranking of a node's moves, as events, while it gets better."""
        study = self.folder.find(id)
        node = Shown(study).node(wanted.node)
        position = shown.known(study, node)
        if position.player is None or not shown.decides_here(study, position):
            raise TrajanError("node: you have nothing to decide there")
        observer = position.player if study.observer is None else study.observer
        if wanted.after:
            position = _after_turn(position, wanted.after.split(";"))
        analysing = advice.begin(
            InformationSet(position, observer),
            iterations=wanted.iterations,
            seconds=None if wanted.iterations else wanted.seconds,
            sources=bool(position.game.vp_sources),
        )
        results = self.searches.analyses(study.id, analysing, wanted.name)
        rules = position.game.rules
        view = rules.view(position, observer)

        def told(last: bool, analysis: Analysis) -> dict[str, Any]:
            own = observer == analysis.player
            ranked = analysis.moves[:TOP]
            moves = [
                {key: value for key, value in move.to_dict().items() if key != "sources"}
                | {"turn": move.turn.to_dict()}
                for move in ranked
            ]
            steps = {action for move in moves for action in move["turn"]["actions"]}
            places = shown.places_of(position, view, sorted(steps)) if own else {}
            for move in moves:
                move["words"] = in_words(rules, [move["action"]])
                move["turn"]["words"] = in_words(rules, move["turn"]["actions"])
                move["places"] = [places.get(action) for action in move["turn"]["actions"]]
            return {
                "player": analysis.player,
                "moves": moves,
                "of": len(analysis.moves),
                "last": last,
                "grade": analysis.grade,
                "calibrated": analysis.calibrated,
                "searches": analysis.searches,
                "iterations": analysis.iterations,
                "seconds": analysis.seconds,
                "why": shown.reasons(analysis) if last and own else None,
            }

        return StreamingResponse(
            _events(results, told, self.work.call), media_type="text/event-stream"
        )

    async def end(self, id: str, wanted: End) -> Any:
        """End a search; its last result is told where it is read."""
        self.searches.end(id, wanted.name)
        return {}

    async def review(self, id: str, wanted: Line) -> Any:
        """Answer with the analysis of the finished game that ends at a node, as far as it is."""
        study = self.folder.find(id)
        review = self._review(study, wanted.node)
        if review.done:
            people = {player for player, bot in enumerate(study.seats) if bot is None}
            self.practice.add(review.annotation(), people, study.title)
        return await self.work.call(review.state)

    async def review_page(self, id: str, wanted: Line) -> Any:
        """Answer with the analysis of a game as a page that opens from disk, as a file."""
        review = self._review(self.folder.find(id), wanted.node)
        return _file(f"{id}.html", await self.work.call(review.page))

    def _review(self, study: Study, number: int) -> Review:
        return self.reviews.of(study.record(Shown(study).node(number)))

    async def record(self, id: str, wanted: At) -> Any:
        """Answer with the record of the line to a node, as a file."""
        known = Shown(self.folder.find(id))
        entry = known.study.record(known.node(_here(known, wanted.node)))
        return _file(f"{id}.jsonl", records.dumps(entry) + "\n")

    async def position(self, id: str, wanted: At) -> Any:
        """Answer with the position file of a node, as a file."""
        known = Shown(self.folder.find(id))
        text = shown.position_text(known, _here(known, wanted.node), wanted.view)
        return _file(f"{id}.yaml", text)

    def _shown(
        self,
        known: Shown,
        wanted: At,
        number: int,
        gathered: tuple[list[str], list[str]] | None = None,
    ) -> dict[str, Any]:
        """Keep the study as it is now, and return what is shown of a node of it."""
        known.study.here = known.node(number)
        self.folder.save(known.study)
        return shown.state(known, number, wanted.view, gathered)

    async def _by_bots(self, study: Study, node: int) -> int:
        """Let bots decide until one of their decisions is noticed; return the node it leads to."""
        shown_before = Shown(study).number(node)
        while Shown(study).number(node) == shown_before:
            position = study.position(node)
            name = None if position.player is None else study.seats[position.player]
            if name is None or position.player is None or study.opened:
                break
            if (only := study.forced(node)) is not None:
                node = study.add(node, only)
                continue
            seed = study.bot_seed(node, position.player)
            move = await self.searches.choose(study.id, position, opponents.level(name), seed)
            node = study.add(node, position.game.actions[move])
        return node


def _spoken(app: ASGIApp) -> ASGIApp:
    """Answer every request in the language that its address names."""

    async def speaking(scope: Scope, receive: Receive, send: Send) -> None:
        asked = parse_qs(scope.get("query_string", b"").decode("ascii", "replace"))
        with languages.use_language(asked.get("language", [languages.ENGLISH])[0]):
            await app(scope, receive, send)

    return speaking


def _answer(handler: Handler, model: type[Description] | None) -> Endpoint:
    """Give a handler what a request asks for; turn a bad one into what would be right."""

    async def answering(request: Request) -> Response:
        given = dict(request.path_params)
        try:
            if model is not None:
                given["wanted"] = await _wanted(request, model)
            told = await handler(**given)
            return told if isinstance(told, Response) else JSONResponse(told)
        except KeyError:
            return JSONResponse({"problems": ["there is no such game; was it deleted?"]}, 404)
        except Unstated as error:
            asks = [asdict(ask) for ask in error.asks]
            return JSONResponse({"problems": error.messages, "asks": asks}, 409)
        except Busy as error:
            return JSONResponse({"problems": error.messages}, 503)
        except TrajanError as error:
            return JSONResponse({"problems": error.messages}, 400)

    return answering


def _after_edit(text: str, at: str, item: str | None, value: int | str | None) -> dict[str, str]:
    return {"text": edited(text, at, item, value)}


def _after_turn(position: Position, actions: Sequence[str]) -> Position:
    """Return the position after a turn, as far as it can be carried out, before others decide."""
    player = position.player
    for action in actions:
        if position.player == player and action in position.legal():
            position = position.after(action)
    if position.player in (None, player):
        raise TrajanError("after: nobody else decides after this turn")
    return position


def _meant(study: Study, node: int, wanted: Play) -> tuple[Sequence[str | None], list[str]]:
    """Return the actions that a request means, or what may be named besides; see `Sets.take`."""
    if wanted.action == shown.UNSEEN:
        return [None], []
    if wanted.exact:
        return [wanted.action, *wanted.then], []
    return study.sets(node).take([*wanted.gathered, wanted.action])


def _made(study: Study, node: int, actions: Sequence[str | None], wanted: Play) -> int:
    """Return the node that actions lead to; what `wanted` states was shown by the last one."""
    for number, action in enumerate(actions, start=1):
        if wanted.exact and number > 1 and action not in study.position(node).legal():
            break  # something else came up than was expected
        stated = dict(wanted.shown) if number == len(actions) else {}
        if wanted.assume:
            stated = study.assumed(node, action)
        node = study.add(node, action, stated)
    return node


async def _wanted(request: Request, model: type[Description]) -> Description:
    """Return what a body says or, of a request without one, the parameters of the address."""
    if request.method == "GET":
        told = {key: text for key, text in request.query_params.items() if key != "language"}
        return validate(model, Document("request", option_values(told), {}))
    try:
        data = loads(await request.body())
    except (ValueError, RecursionError):
        raise TrajanError("the body is not JSON") from None
    return validate(model, Document("request", data, {}))


def _here(known: Shown, number: int | None) -> int:
    """Return the page's number of a node, by default where the person looked last."""
    if number is None:
        return known.number(known.study.here)
    known.node(number)  # refuses what is none
    return number


async def _events(
    results: AsyncIterator[tuple[bool, Analysis]],
    told: Callable[[bool, Analysis], dict[str, Any]],
    call: Callable[..., Awaitable[dict[str, Any]]],
) -> AsyncIterator[str]:
    """Yield server-sent events; a search that cannot be made is an event as well."""
    try:
        async with aclosing(results) as found:  # type: ignore[type-var]
            async for last, result in found:
                data = await call(told, last, result)
                yield f"data: {json.dumps(data, separators=(',', ':'))}\n\n"
    except TrajanError as error:
        yield f"data: {json.dumps({'problems': error.messages, 'last': True})}\n\n"


def _loaded(wanted: Load) -> Study:
    """Return the study of a text: records if its first line is one, else a position file."""
    text = wanted.text.strip()
    if text.startswith("{") and STUDY_FORMAT in text[:100]:
        data = records.parse_object(text)
        if isinstance(data, TrajanError):
            raise data
        return restored(data)
    first, *others = [line for line in text.split("\n") if line.strip()] or [""]
    if first.startswith("{") and any(name in first for name in GAME_FORMATS):
        lines = [first, *others]
        if wanted.number > len(lines):
            raise TrajanError(f"the file has {len(lines)} records, there is no {wanted.number}")
        title = wanted.title
        if title and len(lines) > 1:
            title += f", game {wanted.number} of {len(lines)}"
        return _of_game(lines[wanted.number - 1], title)
    if len(text) > MOST_POSITION:
        raise TrajanError(f"a position file has at most {MOST_POSITION:,} characters")
    data = parse_yaml(wanted.text, "position").data
    if isinstance(data, dict) and data.get("format") in GAME_FORMATS:  # over several lines
        return _of_game(json.dumps(data), wanted.title)
    return of_position(data, wanted.title)


def _of_game(line: str, title: str) -> Study:
    entry = following.parse(line, "record")
    if isinstance(entry, following.Table):
        return of_witnessed(entry, title)
    return of_record(entry, title)


def beginning() -> dict[str, Any]:
    """Return what the page offers wherever it runs: games, bots and options."""
    return {"version": __version__, "games": [_described(game) for game in GAMES.values()]}


def _described(game: Game) -> dict[str, Any]:
    """Return what the form for a new game needs to know of a game."""
    rules, players = game.rules, max(game.player_counts)
    options = [
        {"name": one.name, "allowed": tr(one.allowed), "default": one.default(players)}
        for one in all_options(rules)
    ]
    note = note_on(rules, {option["name"]: option["default"] for option in options})
    return {
        "name": game.name,
        "players": list(game.player_counts),
        "levels": {players: opponents.offered(game, players) for players in game.player_counts},
        "options": options,
        "note": note and tr(note),
    }


def _file(name: str, text: str) -> Response:
    return Response(
        text,
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
