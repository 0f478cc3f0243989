"""The engine behind the protocol: takes lines, gives lines; knows no files and no signals."""

from __future__ import annotations

import json
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from trajan_ai.analysis import advice
from trajan_ai.analysis.advice import settings_of
from trajan_ai.analysis.budgets import DEFAULT_BOT, PLAIN_BOT
from trajan_ai.analysis.decision import AnalysisRun, SearchRequest, one_tree
from trajan_ai.analysis.scheduler import Full, Job, ScheduledSearch, Scheduler
from trajan_ai.bots import BUILTIN_NAMES, Bot, parse_bot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.lru import Lru
from trajan_ai.core.rules import HasPicture, needed
from trajan_ai.core.version import __version__
from trajan_ai.core.yamlfile import Document
from trajan_ai.engine.options import Options
from trajan_ai.engine.protocol import (
    MOST_LINE_BYTES,
    PROTOCOL,
    Apply,
    Board,
    Id,
    Legal,
    Ponder,
    PositionSpec,
    Request,
    RequestError,
    Stop,
    StopAll,
    Suggest,
    View,
    format_answer,
    format_error,
    parse_request,
)
from trajan_ai.engine.states import MOST_STATES, States
from trajan_ai.engine.trees import Place, Trees
from trajan_ai.games import GAMES
from trajan_ai.mcts import Result, Settings
from trajan_ai.records import position_files

Send = Callable[[str, object], None]
LIMITS = ("threads", "positions", "queue", "tree_megabytes", "cache")  # that `version` tells


@dataclass(eq=False)
class Ticket:
    """A search that is not answered yet: an analysis, or a tree to ponder on."""

    request: Suggest | Ponder
    known: InformationSet
    settings: Settings
    analysing: AnalysisRun | None  # None: a tree is grown until it is stopped
    key: tuple[object, ...] | None = None  # under which the answer is kept
    place: Place | None = None  # in a tree that is kept
    ply: int | None = None  # where several of a record are asked for
    search: ScheduledSearch | None = None  # the one under way
    stopped: bool = False
    answer: tuple[str, str | Exception] | None = None  # its status and result


class Engine:
    """Answers requests, many at a time.

    `send` gets each line; of those with the same token, an unwritten one may be replaced by the
    next. It must not block, and is called from several threads. The methods are for one thread.
    """

    def __init__(self, options: Options, send: Send) -> None:
        self.options = options
        self.send = send
        self.bots = {name: read_bot(name) for name in BUILTIN_NAMES} | options.bots
        self.states = States()
        self.trees = Trees(options.positions)
        self.lock = threading.Lock()  # of the three below
        self.cache: Lru[tuple[object, ...], str] = Lru(options.cache)
        self.tickets: dict[Id, list[Ticket]] = {}
        self.in_trees: dict[str, deque[Ticket]] = {}  # by name: who has the tree, and who waits
        self.farewell: str | None = None  # the answer to `quit`, to be sent last
        self.scheduler = Scheduler(options.threads, options.positions, options.queue)

    def handle(self, line: bytes, number: int) -> bool:
        """Answer line `number` of the input now or later; False if it asks for the end."""
        id: Id | None = None
        try:
            if not line.strip():
                return True
            if len(line) > MOST_LINE_BYTES:
                raise RequestError("json", f"longer than {MOST_LINE_BYTES:,} bytes")
            request = parse_request(line)
            if request.id in self.tickets:
                raise RequestError(
                    "request",
                    f"id: {request.id!r} is under way; give each request its own",
                    id=request.id,
                )
            id = request.id
            return self._do(request)
        except RequestError as error:
            double = {} if error.id not in self.tickets else {"duplicate": error.id}
            if id is None and not double:
                id = error.id
            self._refuse(id, error.reason, error.messages, number, **double)
        except TrajanError as error:
            self._refuse(id, "input", error.messages, number)
        except RecursionError:
            self._refuse(id, "input", ["nested too deeply"], number)
        except Exception as error:
            self._refuse(id, "internal", [_confess(error)], number)
        return True

    def stop_all(self, client: str | None = None) -> list[Id]:
        """Stop all searches, or those of one client; return their ids."""
        with self.lock:
            ids = [
                id
                for id, tickets in self.tickets.items()
                if client is None or tickets[0].request.client == client
            ]
            under_way = [ticket for id in ids for ticket in self.tickets[id]]
        self._stop(under_way)
        return ids

    def _stop(self, tickets: Sequence[Ticket]) -> None:
        with self.lock:
            for ticket in tickets:
                ticket.stopped = True
            searches = [ticket.search for ticket in tickets if ticket.search is not None]
        self.scheduler.stop(searches)

    def finish(self, call: Callable[[], None]) -> None:
        """Call once when everything is answered; nothing may be handled any more."""

        def idle() -> None:
            if self.farewell is not None:
                self.send(self.farewell, None)
            call()

        with self.lock:
            pondering = [t for ts in self.tickets.values() for t in ts if t.analysing is None]
        self._stop(pondering)  # else there would be no end
        self.scheduler.call_when_idle(idle)

    def close(self) -> None:
        """End the threads; what is not answered stays so."""
        self.scheduler.close()

    def _do(self, request: Request) -> bool:
        if isinstance(request, Suggest):
            self._begin(self._analyses(request), request.cache)
        elif isinstance(request, Ponder):
            self._begin([self._pondering(request)], False)
        elif request.kind == "quit":
            stopped = {"stopped": self.stop_all()}
            self.farewell = format_answer(request.id, "done", result=stopped)
            return False
        else:
            self.send(format_answer(request.id, "done", result=self._result(request)), None)
        return True

    def _result(self, request: Request) -> dict[str, Any]:
        match request:
            case Board():  # before what it is besides, as all below
                position, player = self._seen(request.position, request.player)
                return {"player": player, request.format: _drawn(position, player, request.format)}
            case View():
                return position_files.position_file(*self._seen(request.position, request.player))
            case Apply():
                return self._applied(request)
            case Legal():
                position = self.states.find(request.position)
                return {"player": position.player, "actions": position.legal()}
            case Stop():
                return {"stopped": self._stopped(request.target)}
            case StopAll():
                return {"stopped": self.stop_all(request.client)}
            case Request(kind="bots"):
                return {"default": self.options.default_bot, "bots": self._bots()}
            case Request(kind="version"):
                return self._version()
            case Request(kind="clear"):
                with self.lock:
                    answers = len(self.cache.entries)
                    self.cache.entries.clear()
                return {"answers": answers, "trees": self.trees.clear()}
        raise TypeError(f"nothing answers {request.kind}")

    def _seen(self, spec: PositionSpec, player: int | None) -> tuple[Position, int]:
        """Return a position and who looks at it, by default the player to decide."""
        position = self.states.find(spec)
        if player is None:
            player = position.player
        if player is None:
            raise TrajanError("player: the game is over, say who looks")
        if player >= position.players:
            raise TrajanError(f"player: must be 0 to {position.players - 1}, got {player}")
        return position, player

    def _applied(self, request: Apply) -> dict[str, Any]:
        position = self.states.find(request.position)
        for number, action in enumerate(request.actions):
            try:
                position = position.after(action)
            except TrajanError as error:
                raise TrajanError(f"actions[{number}]: {error}") from None
        result: dict[str, Any] = {
            "state": self.states.keep(position),
            "game": position.game.name,
            "players": position.players,
            "player": position.player,
        }
        if position.player is None:
            result |= {"scores": position.scores, "ranks": position.ranks}
        return result

    def _bots(self) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "kind": getattr(bot, "kind", None),
                "searches": isinstance(bot, Settings),
            }
            for name, bot in self.bots.items()
        ]

    def _version(self) -> dict[str, Any]:
        return {
            "name": "trajan-ai",
            "version": __version__,
            "protocol": PROTOCOL,
            "games": list(GAMES),
            "limits": {
                **{name: getattr(self.options, name) for name in LIMITS},
                "states": MOST_STATES,
                "line_bytes": MOST_LINE_BYTES,
            },
        }

    def _stopped(self, target: Id) -> list[Id]:
        with self.lock:
            tickets = self.tickets.get(target, [])
        self._stop(tickets)
        return [target] if tickets else []

    def _bot(self, named: Any, game: Game) -> Bot:
        """Return the bot of a request: a name, or settings that may extend a built-in bot.

        Where none is named, plain search stands in for the expert in a game without knowledge.
        """
        if named is None:
            named = self.options.default_bot
            if named == DEFAULT_BOT and settings_of(self.bots[named]).lacking(game):
                named = PLAIN_BOT
        if isinstance(named, str) and named in self.bots:
            return self.bots[named]
        if not isinstance(named, dict):
            raise TrajanError(
                f"bot: must be a mapping of settings or one of {', '.join(self.bots)}, "
                f"got {named!r:.60}"
            )
        # A request may not name files or code of this machine: neither is its client's.
        for key, allowed in (("extends", BUILTIN_NAMES), ("kind", ("ismcts", "flat"))):
            if key in named and named[key] not in allowed:
                raise TrajanError(
                    f"bot.{key}: must be one of {', '.join(allowed)}, got {named[key]!r:.60}"
                )
        return parse_bot(Document("bot", {"name": "request"} | named, {}))

    def _analyses(self, request: Suggest) -> list[Ticket]:
        """Return the analyses of a request: one, or one per ply; raises TrajanError.

        What is searched is not the position of the request but one that the player cannot tell
        from it: the same whatever they do not know. So hidden cards cannot reach an answer.
        """
        tickets = []
        for place, ply in enumerate(request.plies or [None]):
            spec = request.position
            if ply is not None:
                spec = spec.model_copy(update={"ply": ply})
            try:
                tickets.append(self._analysis(request, self.states.find(spec), ply))
            except TrajanError as error:
                if ply is None:
                    raise
                raise error.within(f"plies[{place}]") from None
        return tickets

    def _analysis(self, request: Suggest, position: Position, ply: int | None) -> Ticket:
        if position.player is None:
            raise TrajanError("position: the game is over, there is nothing to decide")
        known = InformationSet(position)
        analysing = advice.begin(
            known,
            self._searcher(request.bot, known.game),
            own_limits=request.bot is not None or self.options.default_bot != DEFAULT_BOT,
            grade=request.grade if request.tree is None else "quick",
            iterations=request.iterations,
            seconds=request.seconds,
            threads=request.threads,
            seed=request.seed,
            top=request.top,
            sources=request.sources,
            among=_among(known, request.allow, request.avoid),
            one_search=request.tree is not None,
        )
        settings = analysing.settings
        if request.tree is not None:
            place = Place(request.tree, position, known, settings, request.since)
            return Ticket(request, known, settings, analysing, place=place)
        how = settings.model_dump_json()
        limits = (analysing.grade, analysing.iterations, analysing.seconds)
        asked = (request.seed, request.top, request.turns, request.sources, analysing.among)
        return Ticket(request, known, settings, analysing, (known, how, *limits, *asked), ply=ply)

    def _pondering(self, request: Ponder) -> Ticket:
        position = self.states.find(request.position)
        if position.player is None:
            raise TrajanError("position: the game is over, there is nothing to ponder")
        player = position.player if request.player is None else request.player
        known = InformationSet(position, player)
        bot = self._searcher(request.bot, known.game)
        settings = one_tree(
            advice.with_threads(advice.settings_of(bot), request.threads), known.game
        )
        settings.weights_for(known.game)  # refuses what the game does not have
        place = Place(request.tree, position, known, settings, request.since)
        return Ticket(request, known, settings, None, place=place)

    def _searcher(self, named: Any, game: Game) -> Bot:
        """Return a bot that searches by what its player knows, with our share of the memory."""
        bot = self._bot(named, game)
        settings = advice.settings_of(bot)
        if settings.cheat:
            raise TrajanError("bot.cheat: must be false, answers are from what the player knows")
        memory = min(settings.tree_megabytes, self.options.tree_megabytes)
        return bot.model_copy(update={"tree_megabytes": memory})

    def _begin(self, tickets: list[Ticket], may_be_cached: bool) -> None:
        """Answer from the cache, or let it be searched."""
        id = tickets[0].request.id
        with self.lock:
            self.tickets[id] = tickets
        admitted = False  # with its first search a request has its place
        for ticket in tickets:
            with self.lock:
                cached = self.cache.get(ticket.key) if may_be_cached and ticket.key else None
            if cached is not None:
                self._answer_last(ticket, "done", cached, cached=True)
                continue
            try:
                if ticket.place is None:
                    self._search(ticket, admitted)
                else:
                    self._wait_for_tree(ticket, ticket.place.name)
            except Full:
                with self.lock:
                    del self.tickets[id]
                raise RequestError(
                    "busy", f"{self.options.queue:,} searches wait already; ask again later"
                ) from None
            admitted = True

    def _wait_for_tree(self, ticket: Ticket, name: str) -> None:
        """Search in a kept tree when those before are done with it; who ponders makes way."""
        with self.lock:
            line = self.in_trees.setdefault(name, deque())
            line.append(ticket)
            first = line[0]
        if first is ticket:
            try:
                self._search(ticket, False)
            except Full:
                self._leave_tree(name)
                raise
        elif first.analysing is None:
            self._stop([first])

    def _leave_tree(self, name: str) -> None:
        """Let the next in line have a tree."""
        with self.lock:
            line = self.in_trees[name]
            line.popleft()
            if not line:
                del self.in_trees[name]
                return
            following = line[0]
            following.stopped |= following.analysing is None and len(line) > 1
        self._search(following, True)

    def _search(self, ticket: Ticket, admitted: bool) -> None:
        """Let the scheduler search for a ticket; raises Full where there is no place to wait."""
        request, place = ticket.request, ticket.place
        job = Job(
            known=ticket.known,
            settings=ticket.settings,
            work=ticket.analysing or SearchRequest(request.seed),
            answer=partial(self._answer, ticket),
            client=request.client,
            priority=request.priority,
            report_every=request.report_every if isinstance(request, Suggest) else None,
            plant=None if place is None else partial(self.trees.plant, place),
        )
        search = self.scheduler.add(job, admitted=admitted)
        with self.lock:
            ticket.search = search
            stopped = ticket.stopped
        if stopped:
            self.scheduler.stop([search])

    def _answer(self, ticket: Ticket, status: str, outcome: Result | Exception | None) -> None:
        """Send what the scheduler says of a search, or what the analysis knows by it."""
        analysing = ticket.analysing
        if isinstance(outcome, Exception):
            self._answer_last(ticket, status, outcome)
        elif analysing is None:
            grown = outcome and {"iterations": outcome.iterations, "nodes": outcome.nodes}
            self._answer_last(ticket, status, grown or None)
        elif status == "interim":
            told = json.dumps(self._told(ticket, outcome), separators=(",", ":"))
            self._send_told(ticket, "interim", told, ticket)
        else:
            self._answer_last(ticket, status, self._told(ticket) if outcome else None)

    def _send_told(self, ticket: Ticket, status: str, told: str, token: object) -> None:
        ply = {} if ticket.ply is None else {"ply": ticket.ply}
        self.send(_with_result(format_answer(ticket.request.id, status, **ply), told), token)

    def _told(self, ticket: Ticket, running: Result | None = None) -> dict[str, Any]:
        assert isinstance(ticket.request, Suggest)
        assert ticket.analysing is not None
        data = ticket.analysing.analysis(running).to_dict(ticket.request.top)
        if not ticket.request.turns:
            del data["turns"]
        return data

    def _answer_last(
        self,
        ticket: Ticket,
        status: str,
        outcome: dict[str, Any] | str | Exception | None,
        **fields: Any,
    ) -> None:
        """Send the last answer to a search; where several plies are asked for, the last of all."""
        if not isinstance(outcome, str | Exception):
            outcome = json.dumps(outcome, separators=(",", ":"))
        id = ticket.request.id
        with self.lock:  # also while it is sent: nothing may come after the last answer
            if status == "done" and ticket.key is not None and isinstance(outcome, str):
                self.cache.put(ticket.key, outcome)
            ticket.answer = status, outcome
            tickets = self.tickets[id]
            over = all(one.answer is not None for one in tickets)
            if over:
                del self.tickets[id]  # before the client can know, who may then use the id again
            if ticket.ply is None:
                self._send_outcome(id, status, outcome, **fields)
            else:
                if isinstance(outcome, str):
                    self._send_told(ticket, "interim", outcome, None)
                if over:
                    self._send_outcome(id, *_outcome_of_all(tickets))
        if ticket.place is not None:
            self._leave_tree(ticket.place.name)

    def _send_outcome(self, id: Id, status: str, outcome: str | Exception, **fields: Any) -> None:
        if isinstance(outcome, TrajanError):
            self._refuse(id, "input", outcome.messages)
        elif isinstance(outcome, Exception):
            self._refuse(id, "internal", [_confess(outcome)])
        else:
            self.send(_with_result(format_answer(id, status, **fields), outcome), None)

    def _refuse(self, *what: Any, **fields: Any) -> None:
        """Send an error: see `format_error`."""
        self.send(format_error(*what, **fields), None)


def _with_result(answer: str, text: str) -> str:
    """Return an answer with a result that is JSON already."""
    return f'{answer[:-1]},"result":{text}}}'


def _outcome_of_all(tickets: Sequence[Ticket]) -> tuple[str, str | Exception]:
    """Return status and result of a request for several plies, each of which is answered."""
    answers = [ticket.answer for ticket in tickets if ticket.answer is not None]
    for _, outcome in answers:
        if isinstance(outcome, Exception):
            return "error", outcome
    told = (
        f'{{"ply":{ticket.ply},"result":{answer[1]}}}'
        for ticket, answer in zip(tickets, answers, strict=True)
    )
    status = "stopped" if any(answer[0] == "stopped" for answer in answers) else "done"
    return status, f'{{"plies":[{",".join(told)}]}}'


def _among(
    known: InformationSet, allow: Sequence[str] | None, avoid: Sequence[str]
) -> tuple[int, ...]:
    """Return the moves that are compared, none where it is all; raises TrajanError."""
    legal, problems = known.legal_moves(), []
    moves: dict[str, set[int]] = {"allow": set(), "avoid": set()}
    for field, actions in (("allow", allow or ()), ("avoid", avoid)):
        for number, action in enumerate(actions):
            try:
                known.canonical.after(action)
                moves[field].add(known.game.move(action))
            except TrajanError as error:
                problems.append(f"{field}[{number}]: {error}")
    if problems:
        raise TrajanError(*problems)
    among = [move for move in legal if allow is None or move in moves["allow"]]
    among = [move for move in among if move not in moves["avoid"]]
    if not among:
        raise TrajanError("allow, avoid: no move is left")
    return () if len(among) == len(legal) else tuple(among)


def _drawn(position: Position, player: int, format: str) -> str:
    game = position.game
    if format == "text":
        return game.rules.draw(position, player)
    return needed(game, HasPicture).picture(position.view(player))


def _confess(error: Exception) -> str:
    """Return one line about a fault of the engine; the traceback goes to standard error."""
    traceback.print_exception(error)
    return f"a fault of the engine, please report it: {type(error).__name__}: {error}"
