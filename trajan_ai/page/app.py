"""Serve the page: its files, and answers about games, positions and exercises."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from trajan_ai import records
from trajan_ai.analysis.annotation.annotation_page import SCRIPT
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.core import languages, look
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError, printable
from trajan_ai.core.game import PLAYER_COUNTS, Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.json_parsing import loads
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import all_options, offered
from trajan_ai.core.rules_drawing import HasOverview, HasPieces
from trajan_ai.core.rules_following import Question
from trajan_ai.core.rules_words import note_on
from trajan_ai.core.shown_actions import UNSEEN
from trajan_ai.core.tips import read_overview, read_tips
from trajan_ai.core.yamlfile import Document, option_values, validate
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.page import opponents, requests, views
from trajan_ai.page.folder import ID, GameFolder, MissingEntry
from trajan_ai.page.game_tree import FORMAT as TREE_FORMAT
from trajan_ai.page.game_tree import (
    GameTree,
    open_position,
    open_record,
    open_witnessed,
    start_game,
)
from trajan_ai.page.guide import describe_guide, describe_step
from trajan_ai.page.origin_check import OriginCheck
from trajan_ai.page.position_editor import check, edit, list_choices
from trajan_ai.page.practice import Practice
from trajan_ai.page.reviews import Review, Reviews
from trajan_ai.page.searches import TREE_MEGABYTES, Busy, Searches
from trajan_ai.page.table_setup import set_up_table
from trajan_ai.page.visible_tree import VisibleTree
from trajan_ai.page.work import Threads, Work
from trajan_ai.records import position_files, position_sources
from trajan_ai.records.following import FollowedGame

STATIC = Path(__file__).parent / "static"
FLAG = "true or false"  # the allowed values of an option that is on or off
CHOICE = re.compile(r"\w+ or \w+")  # the allowed values of an option with two choices
UNNAMED = re.compile(r"[^A-Za-z0-9]+")  # characters that a hyphen replaces in file names

Handler = Callable[..., Awaitable[Any]]
Endpoint = Callable[[Request], Awaitable[Response]]


class Page:
    """Answers requests from pages for the games in a folder."""

    def __init__(
        self,
        folder: Path,
        work: Work | None = None,
        *,
        tree_megabytes: float = TREE_MEGABYTES,
    ) -> None:
        self.work: Work = work or Threads()
        self.folder = GameFolder(folder)
        self.searches = Searches(self.work, tree_megabytes)
        self.reviews = Reviews(self.work, tree_megabytes)
        self.practice = Practice(folder)
        # One lock per game, so that its decisions are made one by one even if two tabs send them.
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def app(self, port: int) -> OriginCheck:
        """Return the application for a port."""
        routes = [
            Route("/", self.index),
            Route("/static/annotation.js", self.annotation_script),
            Route("/static/look.css", self.look),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        practice = self.practice
        for method, path, handler, model in (
            ("GET", "sprite/{game}", self.sprite, None),
            ("GET", "overviews", self.overviews, None),
            ("GET", "start", self.start, None),
            ("POST", "template", self.template, requests.TemplateRequest),
            ("POST", "trees", self.new, requests.NewGame),
            ("GET", "trees", self.export_all, None),
            ("POST", "load", self.load, requests.GameFile),
            ("DELETE", "trees/{id}", self.delete, None),
            ("POST", "trees/{id}/at", self.at, requests.LookRequest),
            ("POST", "trees/{id}/play", self.play, requests.PlayRequest),
            ("POST", "trees/{id}/advance", self.advance, requests.NodeRequest),
            ("POST", "trees/{id}/open", self.open, requests.NodeRequest),
            ("POST", "trees/{id}/search", self.search, requests.RankingRequest),
            ("POST", "trees/{id}/review", self.review, requests.LineRequest),
            ("GET", "trees/{id}/review.html", self.review_page, requests.SavedPage),
            ("GET", "trees/{id}/previews", self.previews, requests.PreviewsRequest),
            ("GET", "trees/{id}/record", self.record, requests.NodeRequest),
            ("GET", "trees/{id}/position", self.position, requests.NodeRequest),
            ("GET", "trees/{id}/picture", self.picture, requests.NodeRequest),
            # The handlers of these routes call a function with the fields of the model.
            ("GET", "languages", self._calling(languages.describe_languages), None),
            ("POST", "check", self._calling(check), requests.PositionText),
            ("POST", "palette", self._calling(list_choices), requests.PlaceRequest),
            ("POST", "edit", self._calling(_edit), requests.EditRequest),
            ("POST", "table", self._calling(set_up_table), requests.RealTable),
            ("GET", "guides/{game}/{number:int}", self._calling(describe_step), None),
            ("GET", "practice", self._calling(practice.list_exercises), requests.ExerciseList),
            ("GET", "practice/{id}", self._calling(practice.describe), None),
            ("POST", "practice/{id}/answer", self._calling(practice.answer),
             requests.ExerciseAnswer),
        ):  # fmt: skip
            routes.append(Route(f"/api/{path}", _endpoint(handler, model), methods=[method]))

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            yield
            self.reviews.close()
            self.work.close()

        return OriginCheck(_translate(Starlette(routes=routes, lifespan=lifespan)), port)

    def _calling(self, function: Callable[..., Any]) -> Handler:
        """Return a handler that answers with the result of a function."""

        async def handler(request: Description | None = None, **parameters: str) -> Any:
            return await self.work.call(partial(function, **parameters, **dict(request or ())))

        return handler

    async def index(self, request: Request) -> Response:
        """Answer with the page."""
        return FileResponse(STATIC / "index.html")

    async def annotation_script(self, request: Request) -> Response:
        """Answer with the script that draws annotated games."""
        return FileResponse(SCRIPT)

    async def look(self, request: Request) -> Response:
        """Answer with the colours, typefaces and sizes as a style sheet."""
        return Response(look.style_sheet(), media_type="text/css")

    async def sprite(self, game: str) -> Any:
        """Answer with the symbols of a game's pieces and the tips about them."""
        drawing = offered(game_named(game).rules, HasPieces)
        if drawing is None:
            return {"svg": "", "tips": {}}
        return {"svg": drawing.sprite(), "tips": read_tips(drawing.tips)}

    async def overviews(self) -> Any:
        """Answer with the overview of the rules for every game that has one.

        See `read_overview`.
        """
        rules = {name: offered(game_named(name).rules, HasOverview) for name in GAMES}
        return {name: read_overview(one) for name, one in rules.items() if one is not None}

    async def start(self) -> Any:
        """Answer with all games, opponents and saved games."""
        saved, damaged = self.folder.scan()
        keys = ("id", "title", "changed", "seats", "status")
        entries = [{key: data.get(key) for key in keys} for data in saved]
        for entry in entries:
            status, seats = entry["status"], entry["seats"]
            # Games that earlier releases saved have names in one language only.
            if not isinstance(status, dict) or not isinstance(seats, list):
                continue
            if isinstance(status.get("names"), list):
                names = opponents.name_players(seats, status.get("observer"))
                entry["status"] = {**status, "names": names}
        return describe_games() | {"trees": entries, "damaged": damaged}

    async def template(self, request: requests.TemplateRequest) -> Any:
        """Answer with the position file of an opening, which the user then edits."""
        opening = game_named(request.game).start(min(PLAYER_COUNTS))
        assert opening.player is not None
        return {
            "text": position_files.dumps(position_files.position_file(opening, opening.player))
        }

    async def new(self, request: requests.NewGame) -> Any:
        """Start a game."""
        options = option_values(request.options)
        tree = start_game(request.game, request.seats, request.seed, options)
        self.folder.add(tree)
        return {"id": tree.id}

    async def load(self, request: requests.GameFile) -> Any:
        """Open a record or a position file, or import a saved game."""
        game = await self.work.call(_parse_file, request)
        if not isinstance(game, GameTree):
            return {"id": await self.work.call(self.folder.import_game, game)}
        self.folder.add(game)
        return {"id": game.id}

    async def export_all(self) -> Any:
        """Answer with a file of all saved games, one per line; each line can be loaded alone."""
        return _file("trajan-ai-games.jsonl", self.folder.export_games())

    async def delete(self, id: str) -> Any:
        """Delete a game."""
        self.folder.delete(id)
        self.locks.pop(id, None)
        return {}

    async def at(self, id: str, request: requests.LookRequest) -> Any:
        """Answer with a node, and store which node the user is viewing."""
        visible = self.folder.find(id)
        return self._show(visible, request, _number(visible, request), here=request.here)

    async def play(self, id: str, request: requests.PlayRequest) -> Any:
        """Make a decision; answer with the node that it leads to."""
        visible = self.folder.find(id)
        tree = visible.tree
        async with self.locks[id]:
            node = visible.deepest(_number(visible, request))
            if not views.is_own_decision(tree, tree.position(node)):
                raise TrajanError("action: this decision is not yours")
            actions, more = _choose_actions(tree, node, request)
            try:
                node = _play(tree, node, actions, request)
            except Unstated as error:
                asks = _describe_asks(tree, error.asks)
                return JSONResponse({"problems": error.messages, "asks": asks}, 409)
            except TrajanError as error:
                if not request.shown:
                    raise
                for action in actions[:-1]:
                    node = tree.add(node, action)
                wrong = tree.find_wrong(node, actions[-1], dict(request.shown))
                return JSONResponse({"problems": error.messages, "wrong": wrong}, 400)
            finally:
                # The first actions of a set have been played even if the last one fails.
                visible.update()
        gathered = ([*request.gathered, request.action], more) if more else None
        return self._show(visible, request, visible.number(node), gathered)

    async def advance(self, id: str, request: requests.NodeRequest) -> Any:
        """Let bots decide, as `_play_bots` does; answer with the node that they reach."""
        visible = self.folder.find(id)
        async with self.locks[id]:
            node = await self._play_bots(visible, _number(visible, request))
        return self._show(visible, request, visible.number(node))

    async def open(self, id: str, request: requests.NodeRequest) -> Any:
        """Show all cards of a game against bots from now on; answer with the requested node."""
        visible = self.folder.find(id)
        node = visible.node(_number(visible, request))
        visible.tree.opened = True
        visible.tree.touch()
        visible.update()
        return self._show(visible, request, visible.number(node))

    async def search(self, id: str, request: requests.RankingRequest) -> Any:
        """Answer, while the search runs, with rankings of a node's moves, one per line of JSON.

        The search stops when the client closes the connection.
        """
        visible = self.folder.find(id)
        tree = visible.tree
        position = visible.position(visible.node(request.node))
        if position.player is None or not views.is_own_decision(tree, position):
            raise TrajanError("node: you have nothing to decide there")
        observer = position.player if tree.observer is None else tree.observer
        if request.after:
            position = _play_turn(position, request.after)
        analysing = advice.begin(
            InformationSet(position, observer),
            grade=request.grade,
            iterations=request.iterations,
            seconds=None if request.iterations or request.grade else request.seconds,
            sources=bool(position.game.vp_sources),
        )
        analyses = self.searches.analyse(id, analysing)

        def describe(is_last: bool, analysis: Analysis) -> dict[str, Any]:
            return views.describe_ranking(analysis, position, observer, is_last=is_last)

        return StreamingResponse(
            _json_lines(analyses, partial(self.work.call, describe)),
            media_type="application/x-ndjson",
        )

    async def review(self, id: str, request: requests.LineRequest) -> Any:
        """Answer with the analysis, so far, of the finished game that ends at a node."""
        tree = self.folder.find(id).tree
        review, names = self._review(id, request)
        description = await self.work.call(review.describe, names)
        # Not `review.is_done`, which may have become true since then; the page then asks again.
        if description["done"]:
            people = {player for player, bot in enumerate(tree.seats) if bot is None}
            title = tree.title or tree.root.game.name
            self.practice.add(review.annotation(names), people, title, id)
        return description

    async def review_page(self, id: str, request: requests.SavedPage) -> Any:
        """Answer with a file that shows the analysis of a game as a self-contained page."""
        review, names = self._review(id, request)
        typed = [printable(name).strip() for name in request.names.split("\n")]
        names = [new or name for new, name in zip_longest(typed[: len(names)], names)]
        title = request.title.strip()
        name = UNNAMED.sub("-", title).strip("-") or id
        return _file(f"{name}.html", await self.work.call(review.page, names, title))

    def _review(self, id: str, request: requests.LineRequest) -> tuple[Review, list[str]]:
        """Return the analysis of a game, and the names of its players."""
        visible = self.folder.find(id)
        tree = visible.tree
        return self.reviews.find(tree.record(visible.node(request.node))), tree.names

    async def previews(self, id: str, request: requests.PreviewsRequest) -> Any:
        """Answer with the previews of the moves at a node."""
        visible = self.folder.find(id)
        gathered = request.gathered.split("\n") if request.gathered else []
        return views.preview_node(visible, _number(visible, request), gathered)

    async def record(self, id: str, request: requests.NodeRequest) -> Any:
        """Answer with a file that contains the record of the line to a node."""
        visible = self.folder.find(id)
        entry = visible.tree.record(visible.node(_number(visible, request)))
        return _file(f"{_name_file(visible)}.jsonl", records.dumps(entry) + "\n")

    async def position(self, id: str, request: requests.NodeRequest) -> Any:
        """Answer with the position file of a node."""
        visible = self.folder.find(id)
        text = views.dump_position(visible, _number(visible, request), request.view)
        return _file(f"{_name_file(visible)}.yaml", text)

    async def picture(self, id: str, request: requests.NodeRequest) -> Any:
        """Answer with a file that contains the drawing of a node."""
        visible = self.folder.find(id)
        text = views.draw_picture(visible, _number(visible, request), request.view)
        return _file(f"{_name_file(visible)}.svg", text)

    def _show(
        self,
        visible: VisibleTree,
        request: requests.NodeRequest,
        number: int,
        gathered: tuple[list[str], list[str]] | None = None,
        here: int | None = None,
    ) -> dict[str, Any]:
        """Return what the page shows at a node, and store which node the user is viewing.

        The user is viewing the node `number` unless `here` is the number of another one.
        """
        visible.tree.here = visible.node(number if here is None else here)
        self.folder.save(visible.tree)
        return views.describe_node(visible, number, request.view, gathered)

    async def _play_bots(self, visible: VisibleTree, number: int) -> int:
        """Let bots decide until the user notices a decision, or until it is not a bot's turn.

        Return the last node.
        """
        tree, node = visible.tree, visible.deepest(number)
        while visible.number(node) == number:
            position = tree.position(node)
            if position.player is None or tree.opened or tree.seats[position.player] is None:
                break
            if (only := tree.forced_action(node)) is not None:
                node = tree.add(node, only)
            else:
                opponent = opponents.find_opponent(tree.seats[position.player] or "")
                seed = tree.bot_seed(node, position.player)
                move = await self.searches.choose(tree.id, position, opponent, seed)
                node = tree.add(node, position.game.actions[move])
            visible.update()
        return node


def _translate(app: ASGIApp) -> ASGIApp:
    """Return an application that answers each request in the language named in its address."""

    async def translating(scope: Scope, receive: Receive, send: Send) -> None:
        query = parse_qs(scope.get("query_string", b"").decode("ascii", "replace"))
        with languages.use_language(query.get("language", [languages.ENGLISH])[0]):
            await app(scope, receive, send)

    return translating


def _endpoint(handler: Handler, model: type[Description] | None) -> Endpoint:
    """Return an endpoint that calls a handler and turns its errors into answers."""

    async def answer(request: Request) -> Response:
        parameters: dict[str, Any] = dict(request.path_params)
        try:
            if model is not None:
                parameters["request"] = await _read_request(request, model)
            result = await handler(**parameters)
            return result if isinstance(result, Response) else JSONResponse(result)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads this answer
        except TrajanError as error:
            status = {MissingEntry: 404, Busy: 503}.get(type(error), 400)
            return JSONResponse({"problems": error.messages}, status)

    return answer


async def _read_request(request: Request, model: type[Description]) -> Description:
    """Return the data of a request: of GET, the parameters in its address, otherwise its body."""
    if request.method == "GET":
        query = {key: text for key, text in request.query_params.items() if key != "language"}
        return validate(model, Document("request", query, {}), is_text=True)
    body = await request.body()
    try:
        data = loads(body)
        json.dumps(data, ensure_ascii=False).encode()  # raises ValueError for unpaired surrogates
    except (ValueError, RecursionError):
        raise TrajanError("the body of the request must be JSON") from None
    return validate(model, Document("request", data, {}))


def _edit(text: str, at: str, item: str | None, value: int | str | None) -> dict[str, str]:
    return {"text": edit(text, at, item, value)}


def _play_turn(position: Position, actions: Sequence[str]) -> Position:
    """Return the position after a turn; actions that are not legal are skipped.

    Raises TrajanError unless another player is to move after the turn.
    """
    player = position.player
    for action in actions:
        if position.player == player and action in position.legal():
            position = position.after(action)
    if position.player in (None, player):
        raise TrajanError("after: no other player is to move after this turn")
    return position


def _choose_actions(
    tree: GameTree, node: int, request: requests.PlayRequest
) -> tuple[Sequence[str | None], list[str]]:
    """Return the actions that a request plays, and those that may follow; see `Sets.take`."""
    if request.action == UNSEEN:
        return [None], []
    if request.exact:
        return [request.action, *request.then], []
    return tree.sets(node).take([*request.gathered, request.action])


def _play(
    tree: GameTree, node: int, actions: Sequence[str | None], request: requests.PlayRequest
) -> int:
    """Play actions, and return the node that they lead to.

    What the request states as revealed belongs to the last action.
    """
    for number, action in enumerate(actions, start=1):
        if request.exact and number > 1 and action not in tree.position(node).legal():
            break  # the game did not continue as the suggested turn does
        reveals: dict[str, list[str]] = {}
        if number == len(actions):
            reveals = dict(request.shown)
            if request.unknown:
                reveals = tree.assume_reveals(node, action, reveals, request.unknown)
        node = tree.add(node, action, reveals)
    return node


def _describe_asks(tree: GameTree, asks: Sequence[Question]) -> list[dict[str, Any]]:
    """Return questions about a move, with the symbols of the pieces that may be the answer.

    Questions number the players from 0, as records do, whereas the page uses the players' names.
    """
    rules = tree.root.game.rules
    numbers = {
        tr("player {player}", player=player): name for player, name in enumerate(tree.names)
    }
    described = []
    for ask in asks:
        pieces = views.find_pieces(rules, ask.names)
        text = ask.text
        for number, name in numbers.items():
            text = text.replace(number, name)
        described.append(asdict(ask) | {"text": text, "pieces": pieces})
    return described


def _number(visible: VisibleTree, request: requests.NodeRequest) -> int:
    """Return the number of the requested node, by default the node that the user viewed last."""
    if request.node is None:
        return visible.number(visible.tree.here)
    visible.node(request.node)  # raises TrajanError if there is no such node
    return request.node


async def _json_lines(
    analyses: AsyncIterator[tuple[bool, Analysis]],
    describe: Callable[..., Awaitable[dict[str, Any]]],
) -> AsyncIterator[str]:
    """Yield each analysis as a line of JSON; after an error, yield it as the last line."""
    try:
        async with aclosing(analyses) as updates:  # type: ignore[type-var]
            async for is_last, analysis in updates:
                data = await describe(is_last, analysis)
                yield json.dumps(data, separators=(",", ":")) + "\n"
    except TrajanError as error:
        yield json.dumps({"problems": error.messages, "last": True}) + "\n"


def _parse_file(request: requests.GameFile) -> GameTree | dict[str, Any]:
    """Return the tree of a position or the requested record, or the data of a saved game."""
    text = request.text.strip()
    if text.startswith("{") and TREE_FORMAT in text[:100]:
        data = records.parse_object(text)
        if isinstance(data, TrajanError):
            raise data
        return dict(data)
    entries = [entry for _, entry in position_sources.scan_text(request.text, "the file")]
    if request.number > len(entries):
        raise TrajanError(
            f"the file has {len(entries)} records, so there is no record {request.number}"
        )
    entry, title = entries[request.number - 1], request.title
    if ID.fullmatch(Path(title).stem):
        title = ""  # release 0.4.0 named a saved file by the id of its game
    if title and len(entries) > 1:
        title += f", game {request.number} of {len(entries)}"
    if isinstance(entry, TrajanError):
        raise entry
    if isinstance(entry, Document):
        return open_position(entry.data, title)
    if isinstance(entry, FollowedGame):
        return open_witnessed(entry, title)
    return open_record(entry, title)


def describe_games() -> dict[str, Any]:
    """Return the choices that the form for a new game offers, with or without a server."""
    return {"games": [_describe_game(game) for game in GAMES.values()]}


def _describe_game(game: Game) -> dict[str, Any]:
    rules, players = game.rules, max(game.player_counts)
    options: list[dict[str, Any]] = [
        {
            "name": one.name,
            "allowed": tr(one.allowed),
            "choices": _list_values(one.allowed),
            "default": _to_text(one.default(players)),
        }
        for one in all_options(rules)
    ]
    note = note_on(rules, {option["name"]: option["default"] for option in options})
    return {
        "name": game.name,
        "players": list(game.player_counts),
        "levels": {
            players: opponents.list_opponents(game, players) for players in game.player_counts
        },
        "options": options,
        "note": note and tr(note),
        "guide": describe_guide(game.name),
    }


def _list_values(allowed: str) -> list[tuple[str, str]] | None:
    """Return the two allowed values of an option, with their texts, or None for other options."""
    if allowed == FLAG:
        return [("false", tr("no")), ("true", tr("yes"))]
    if not CHOICE.fullmatch(allowed):
        return None
    return list(zip(allowed.split(" or "), tr(allowed).split(tr(" or ")), strict=True))


def _to_text(value: Any) -> str:
    """Return the value of an option as a user would type it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _name_file(visible: VisibleTree) -> str:
    """Return a name for the file of a game, without the extension.

    The name is the title of the game. Without a title, it consists of the name of the rules, such
    as ``trajan``, and the day on which the game was last changed.
    """
    tree = visible.tree
    title = UNNAMED.sub("-", tree.title).strip("-")
    return title or f"{tree.root.game.name}-{tree.changed[:10]}"


def _file(name: str, text: str) -> Response:
    return Response(
        text,
        media_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
