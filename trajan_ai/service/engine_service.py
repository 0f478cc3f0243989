"""The engine behind the protocol: it answers lines with lines; `process` reads and writes them."""

import json
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import AnalysisRun, SearchRequest, without_early_stop
from trajan_ai.analysis.decision.scheduler import Full, Job, ScheduledSearch, Scheduler
from trajan_ai.bots import BUILTIN_NAMES, Bot, parse_bot, read_bot
from trajan_ai.core.errors import TrajanError, check_seat
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet, get_decider
from trajan_ai.core.lru import Lru
from trajan_ai.core.rules import needed
from trajan_ai.core.rules_drawing import HasPicture
from trajan_ai.core.rules_words import describe_event
from trajan_ai.core.version import __version__
from trajan_ai.core.yamlfile import Document
from trajan_ai.games import GAMES
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.clock import decision_seconds
from trajan_ai.records import position_files
from trajan_ai.service.options import EngineOptions
from trajan_ai.service.protocol import (
    MAX_LINE_BYTES,
    PROTOCOL,
    ApplyRequest,
    BoardRequest,
    Id,
    LegalRequest,
    PonderRequest,
    PositionSpec,
    Request,
    RequestError,
    StopAllRequest,
    StopRequest,
    SuggestRequest,
    ViewRequest,
    format_answer,
    format_error,
    parse_request,
)
from trajan_ai.service.root import describe_root
from trajan_ai.service.states import MAX_STATES, States, play_actions
from trajan_ai.service.trees import Trees, TreeUse

Send = Callable[[str, object], None]
STATED_LIMITS = ("threads", "positions", "queue", "tree_megabytes", "cache")  # in `version`


@dataclass(eq=False)
class Ticket:
    """A search without a final answer: an analysis, or the growth of a tree by pondering.

    Attributes:
        analysing: the analysis, or None if the search grows a tree until it is stopped.
        key: the key of the answer in the cache.
        use: the named tree in which to search.
        ply: the ply, if the request names several plies of a record.
        search: the running search.
        answer: the status and the result of the search.
    """

    request: SuggestRequest | PonderRequest
    knowledge: InformationSet
    settings: Settings
    analysing: AnalysisRun | None
    key: tuple[object, ...] | None = None
    use: TreeUse | None = None
    ply: int | None = None
    search: ScheduledSearch | None = None
    is_stopped: bool = False
    answer: tuple[str, str | Exception] | None = None


class EngineService:
    """Answers requests, several at the same time.

    `send` receives each line and a token; the next line with the same token may replace a line
    that is still unwritten. `send` must not block, and several threads call it, whereas a single
    thread must call the methods of this class.
    """

    def __init__(self, options: EngineOptions, send: Send) -> None:
        self.options = options
        self.send = send
        self.bots = {name: read_bot(name) for name in BUILTIN_NAMES} | options.bots
        self.states = States()
        self.trees = Trees(options.positions)
        self.lock = threading.Lock()  # guards the three attributes below
        self.cache: Lru[tuple[object, ...], str] = Lru(options.cache)
        self.tickets: dict[Id, list[Ticket]] = {}
        # the tickets for each named tree; the first of them uses the tree
        self.tree_queues: dict[str, deque[Ticket]] = {}
        self.quit_answer: str | None = None  # the answer to `quit`, which is sent last
        self.scheduler = Scheduler(options.threads, options.positions, options.queue)

    def handle(self, line: bytes, number: int) -> bool:
        """Answer line `number` of the input now or later; return False after `quit`."""
        id: Id | None = None
        try:
            if not line.strip():
                return True
            if len(line) > MAX_LINE_BYTES:
                raise RequestError("json", f"the line is longer than {MAX_LINE_BYTES:,} bytes")
            request = parse_request(line)
            if request.id in self.tickets:
                raise RequestError(
                    "request",
                    f"id: {request.id!r} belongs to a request that is not answered yet",
                    id=request.id,
                )
            id = request.id
            return self._do(request)
        except RequestError as error:
            fields = {} if error.id not in self.tickets else {"duplicate": error.id}
            if id is None and not fields:
                id = error.id
            self._send_error(id, error.reason, error.messages, number, **fields)
        except TrajanError as error:
            self._send_error(id, "input", error.messages, number)
        except RecursionError:
            self._send_error(id, "input", ["the request is nested too deeply"], number)
        except Exception as error:
            self._send_error(id, "internal", [_report_fault(error)], number)
        return True

    def stop_all(self, client: str | None = None) -> list[Id]:
        """Stop all searches, or those of one client; return the ids of their requests."""
        with self.lock:
            ids = [
                id
                for id, tickets in self.tickets.items()
                if client is None or tickets[0].request.client == client
            ]
            tickets = [ticket for id in ids for ticket in self.tickets[id]]
        self._stop(tickets)
        return ids

    def _stop(self, tickets: Sequence[Ticket]) -> None:
        with self.lock:
            for ticket in tickets:
                ticket.is_stopped = True
            searches = [ticket.search for ticket in tickets if ticket.search is not None]
        self.scheduler.stop(searches)

    def finish(self, call: Callable[[], None]) -> None:
        """Call a function once when all requests are answered.

        `handle` must not be called afterwards.
        """

        def idle() -> None:
            if self.quit_answer is not None:
                self.send(self.quit_answer, None)
            call()

        with self.lock:
            pondering = [t for ts in self.tickets.values() for t in ts if t.analysing is None]
        self._stop(pondering)  # searches that ponder never end by themselves
        self.scheduler.call_when_idle(idle)

    def close(self) -> None:
        """Stop the threads. Pending requests are not answered."""
        self.scheduler.close()

    def _do(self, request: Request) -> bool:
        if isinstance(request, SuggestRequest):
            self._start(self._suggest_tickets(request), request.cache)
        elif isinstance(request, PonderRequest):
            self._start([self._ponder_ticket(request)], False)
        elif request.kind == "quit":
            stopped = {"stopped": self.stop_all()}
            self.quit_answer = format_answer(request.id, "done", result=stopped)
            return False
        else:
            self.send(format_answer(request.id, "done", result=self._result(request)), None)
        return True

    def _result(self, request: Request) -> dict[str, Any]:
        match request:
            case BoardRequest():  # subclasses come first
                position, player = self._find_view(request.position, request.player)
                return {"player": player, request.format: _draw(position, player, request.format)}
            case ViewRequest():
                return position_files.position_file(
                    *self._find_view(request.position, request.player)
                )
            case ApplyRequest():
                return self._apply(request)
            case LegalRequest():
                position = self.states.find(request.position)
                return {"player": position.player, "actions": position.legal()}
            case StopRequest():
                return {"stopped": self._stop_one(request.target)}
            case StopAllRequest():
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

    def _find_view(self, spec: PositionSpec, player: int | None) -> tuple[Position, int]:
        """Return a position and the player who sees it, by default the player to move."""
        position = self.states.find(spec)
        if player is None:
            player = position.player
        if player is None:
            raise TrajanError("player: must be given, because the game is over: nobody is to move")
        check_seat(player, position.players, "player:")
        return position, player

    def _apply(self, request: ApplyRequest) -> dict[str, Any]:
        start, observer = self.states.find(request.position), request.observer
        if observer is not None:
            check_seat(observer, start.players, "observer:")
        position = play_actions(start, request.actions, "actions")
        result: dict[str, Any] = {
            "state": self.states.keep(position),
            "game": position.game.name,
            "players": position.players,
            "player": position.player,
        }
        if position.player is None:
            result |= {"scores": position.scores, "ranks": position.ranks}
        if request.events:
            result["events"] = _list_events(start, request.actions, observer)
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
                **{name: getattr(self.options, name) for name in STATED_LIMITS},
                "states": MAX_STATES,
                "line_bytes": MAX_LINE_BYTES,
            },
        }

    def _stop_one(self, target: Id) -> list[Id]:
        with self.lock:
            tickets = self.tickets.get(target, [])
        self._stop(tickets)
        return [target] if tickets else []

    def _bot(self, named: Any, game: Game) -> Bot:
        """Return the bot with a name, or with settings, which may extend a built-in bot.

        A request without a bot uses the command line's bot, or the one that `choose_bot` returns.
        """
        if named is None:
            named = self.options.default_bot
            if named == DEFAULT_BOT:
                return advice.choose_bot(game)[0]
        if isinstance(named, str) and named in self.bots:
            return self.bots[named]
        if not isinstance(named, dict):
            raise TrajanError(
                f"bot: must be a mapping of settings or one of {', '.join(self.bots)}, "
                f"got {named!r:.60}"
            )
        # A request must not name files or code on this machine.
        for key, allowed in (("extends", BUILTIN_NAMES), ("kind", ("ismcts",))):
            if key in named and named[key] not in allowed:
                raise TrajanError(
                    f"bot.{key}: must be one of {', '.join(allowed)}, got {named[key]!r:.60}"
                )
        if named.get("network") is not None:
            raise TrajanError("bot.network: must be null, because a request cannot name a file")
        return parse_bot(Document("bot", {"name": "request"} | named, {}))

    def _suggest_tickets(self, request: SuggestRequest) -> list[Ticket]:
        """Return the analyses of a request, one per ply; raises TrajanError for bad input.

        Of all positions that look the same to the player, an analysis searches the canonical one,
        so no answer depends on hidden cards.
        """
        tickets = []
        for number, ply in enumerate(request.plies or [None]):
            spec = request.position
            if ply is not None:
                spec = spec.model_copy(update={"ply": ply})
            try:
                tickets.append(self._suggest_ticket(request, self.states.find(spec), ply))
            except TrajanError as error:
                if ply is None:
                    raise
                raise error.within(f"plies[{number}]") from None
        return tickets

    def _suggest_ticket(
        self, request: SuggestRequest, position: Position, ply: int | None
    ) -> Ticket:
        knowledge = InformationSet(position, get_decider(position, "position"))
        analysing = advice.begin(
            knowledge,
            self._searcher(request.bot, knowledge.game),
            own_limits=request.bot is not None or self.options.default_bot != DEFAULT_BOT,
            grade=request.grade if request.tree is None else "quick",
            iterations=request.iterations,
            seconds=_seconds(request, knowledge),
            redeals=request.redeals,
            threads=request.threads,
            seed=request.seed,
            top=request.top,
            sources=request.sources,
            among=_among(knowledge, request.allow, request.avoid),
        )
        settings = analysing.settings
        if request.tree is not None:
            use = _tree_use(request.tree, position, knowledge, settings, request.since)
            return Ticket(
                request=request,
                knowledge=knowledge,
                settings=settings,
                analysing=analysing,
                use=use,
            )
        how = settings.model_dump_json()
        limits = (
            analysing.grade,
            analysing.iterations,
            analysing.seconds,
            analysing.redeals,
        )
        fields: tuple[object, ...] = request.seed, request.top, request.turns, request.sources
        fields += request.root, analysing.among
        return Ticket(
            request=request,
            knowledge=knowledge,
            settings=settings,
            analysing=analysing,
            key=(knowledge, how, *limits, *fields),
            ply=ply,
        )

    def _ponder_ticket(self, request: PonderRequest) -> Ticket:
        position = self.states.find(request.position)
        decider = get_decider(position, "position")
        player = decider if request.player is None else request.player
        check_seat(player, position.players, "player:")
        knowledge = InformationSet(position, player)
        bot = self._searcher(request.bot, knowledge.game)
        settings = without_early_stop(
            advice.with_threads(advice.searching_bot(bot), request.threads)
        )
        settings.weights_for(knowledge.game)  # raises TrajanError if the game lacks them
        use = _tree_use(request.tree, position, knowledge, settings, request.since)
        return Ticket(
            request=request, knowledge=knowledge, settings=settings, analysing=None, use=use
        )

    def _searcher(self, named: Any, game: Game) -> Bot:
        """Return the bot of a request, which must not cheat, with the memory for one search."""
        bot = self._bot(named, game)
        settings = advice.searching_bot(bot)
        if settings.cheat:
            raise TrajanError(
                "bot.cheat: must be false, because answers may use only what the player knows"
            )
        memory = min(settings.tree_megabytes, self.options.tree_megabytes)
        return bot.model_copy(update={"tree_megabytes": memory})

    def _start(self, tickets: list[Ticket], use_cache: bool) -> None:
        """Answer tickets from the cache, or start their searches."""
        id = tickets[0].request.id
        with self.lock:
            self.tickets[id] = tickets
        is_admitted = False  # once one search of a request is admitted, so are all its searches
        for ticket in tickets:
            with self.lock:
                cached = self.cache.get(ticket.key) if use_cache and ticket.key else None
            if cached is not None:
                self._answer_last(ticket, "done", cached, cached=True)
                continue
            try:
                if ticket.use is None:
                    self._search(ticket, is_admitted)
                else:
                    self._wait_for_tree(ticket, ticket.use.name)
            except Full:
                with self.lock:
                    del self.tickets[id]
                raise RequestError(
                    "busy", f"{self.options.queue:,} searches are already waiting; try again later"
                ) from None
            is_admitted = True

    def _wait_for_tree(self, ticket: Ticket, name: str) -> None:
        """Search in a named tree after earlier tickets; stop one that only ponders there."""
        with self.lock:
            queue = self.tree_queues.setdefault(name, deque())
            queue.append(ticket)
            first = queue[0]
        if first is ticket:
            try:
                self._search(ticket, False)
            except Full:
                self._leave_tree(name)
                raise
        elif first.analysing is None:
            self._stop([first])

    def _leave_tree(self, name: str) -> None:
        """Remove the first ticket of a tree and start the next one."""
        with self.lock:
            queue = self.tree_queues[name]
            queue.popleft()
            if not queue:
                del self.tree_queues[name]
                return
            ticket = queue[0]
            ticket.is_stopped |= ticket.analysing is None and len(queue) > 1
        self._search(ticket, True)

    def _search(self, ticket: Ticket, is_admitted: bool) -> None:
        """Pass a ticket to the scheduler; raises Full if too many searches are waiting."""
        request, use = ticket.request, ticket.use
        job = Job(
            information=ticket.knowledge,
            settings=ticket.settings,
            work=ticket.analysing or SearchRequest(request.seed),
            answer=partial(self._answer, ticket),
            client=request.client,
            priority=request.priority,
            report_every=request.report_every if isinstance(request, SuggestRequest) else None,
            plant=(
                partial(self.trees.plant, ticket.knowledge.game, ticket.settings)
                if use is None
                else partial(self.trees.plant_named, use)
            ),
        )
        search = self.scheduler.add(job, admitted=is_admitted)
        with self.lock:
            ticket.search = search
            is_stopped = ticket.is_stopped
        if is_stopped:
            self.scheduler.stop([search])

    def _answer(self, ticket: Ticket, status: str, outcome: Result | Exception | None) -> None:
        """Send the result of a search, or the analysis that the search is part of."""
        analysing = ticket.analysing
        if isinstance(outcome, Exception):
            self._answer_last(ticket, status, outcome)
        elif analysing is None:
            fields = ("iterations", "nodes", "tree_full")
            grown = outcome and {field: getattr(outcome, field) for field in fields}
            self._answer_last(ticket, status, grown or None)
        elif status == "interim":
            text = json.dumps(self._analysis_data(ticket, outcome), separators=(",", ":"))
            self._send_interim(ticket, text, ticket)
        else:
            self._answer_last(ticket, status, self._analysis_data(ticket) if outcome else None)

    def _send_interim(self, ticket: Ticket, text: str, token: object) -> None:
        ply = {} if ticket.ply is None else {"ply": ticket.ply}
        self.send(_with_result(format_answer(ticket.request.id, "interim", **ply), text), token)

    def _analysis_data(self, ticket: Ticket, running: Result | None = None) -> dict[str, Any]:
        assert isinstance(ticket.request, SuggestRequest)
        assert ticket.analysing is not None
        analysis = ticket.analysing.analysis(running)
        data = analysis.to_dict(ticket.request.top)
        if not ticket.request.turns:
            del data["turns"]
        if ticket.request.root:
            data["root"] = describe_root(analysis, ticket.knowledge, ticket.settings)
        return data

    def _answer_last(
        self,
        ticket: Ticket,
        status: str,
        outcome: dict[str, Any] | str | Exception | None,
        **fields: Any,
    ) -> None:
        """Answer an ended search, and the whole request once the searches of all plies ended."""
        if not isinstance(outcome, str | Exception):
            outcome = json.dumps(outcome, separators=(",", ":"))
        id = ticket.request.id
        with self.lock:  # also held while sending, so that nothing follows the last answer
            if status == "done" and ticket.key is not None and isinstance(outcome, str):
                self.cache.put(ticket.key, outcome)
            ticket.answer = status, outcome
            tickets = self.tickets[id]
            is_over = all(one.answer is not None for one in tickets)
            if is_over:
                del self.tickets[id]  # first, because the client may use the id again
            if ticket.ply is None:
                self._send_outcome(id, status, outcome, **fields)
            else:
                if isinstance(outcome, str):
                    self._send_interim(ticket, outcome, None)
                if is_over:
                    self._send_outcome(id, *_join_outcomes(tickets))
        if ticket.use is not None:
            self._leave_tree(ticket.use.name)

    def _send_outcome(self, id: Id, status: str, outcome: str | Exception, **fields: Any) -> None:
        if isinstance(outcome, TrajanError):
            self._send_error(id, "input", outcome.messages)
        elif isinstance(outcome, Exception):
            self._send_error(id, "internal", [_report_fault(outcome)])
        else:
            self.send(_with_result(format_answer(id, status, **fields), outcome), None)

    def _send_error(self, *arguments: Any, **fields: Any) -> None:
        """Send an error; see `format_error`."""
        self.send(format_error(*arguments, **fields), None)


def _with_result(answer: str, text: str) -> str:
    """Add a result to an answer; both are already JSON."""
    return f'{answer[:-1]},"result":{text}}}'


def _join_outcomes(tickets: Sequence[Ticket]) -> tuple[str, str | Exception]:
    """Return the status and the result of a request for several plies, which are all answered."""
    answers = [ticket.answer for ticket in tickets if ticket.answer is not None]
    for _, outcome in answers:
        if isinstance(outcome, Exception):
            return "error", outcome
    results = (
        f'{{"ply":{ticket.ply},"result":{answer[1]}}}'
        for ticket, answer in zip(tickets, answers, strict=True)
    )
    status = "stopped" if any(answer[0] == "stopped" for answer in answers) else "done"
    return status, f'{{"plies":[{",".join(results)}]}}'


def _seconds(request: SuggestRequest, knowledge: InformationSet) -> float | None:
    """Return the time limit of a request."""
    clock, position = request.clock, knowledge.canonical
    if clock is None:
        return request.seconds
    if len(clock.remaining) != position.players:
        raise TrajanError(
            f"clock.remaining: must have {position.players} numbers, got {len(clock.remaining)}"
        )
    remaining = clock.remaining[knowledge.observer]
    return decision_seconds(position, remaining, clock.increment, request.seed)


def _tree_use(
    name: str,
    position: Position,
    knowledge: InformationSet,
    settings: Settings,
    since: Sequence[str],
) -> TreeUse:
    """Return a search in a named tree; raises TrajanError for an unknown action in `since`."""
    problems = []
    for number, action in enumerate(since):
        try:
            position.game.move(action)
        except TrajanError as error:
            problems.append(f"since[{number}]: {error}")
    if problems:
        raise TrajanError(*problems)
    return TreeUse(
        name=name, position=position, knowledge=knowledge, settings=settings, since=since
    )


def _among(
    knowledge: InformationSet, allow: Sequence[str] | None, avoid: Sequence[str]
) -> tuple[int, ...]:
    """Return the moves to compare, empty for all; raises TrajanError if an action is not legal."""
    legal, problems = knowledge.legal_moves(), []
    moves: dict[str, set[int]] = {"allow": set(), "avoid": set()}
    for field, actions in (("allow", allow or ()), ("avoid", avoid)):
        for number, action in enumerate(actions):
            try:
                knowledge.canonical.after(action)
                moves[field].add(knowledge.game.move(action))
            except TrajanError as error:
                problems.append(f"{field}[{number}]: {error}")
    if problems:
        raise TrajanError(*problems)
    among = [move for move in legal if allow is None or move in moves["allow"]]
    among = [move for move in among if move not in moves["avoid"]]
    if not among:
        raise TrajanError("allow, avoid: these exclude every legal move")
    return () if len(among) == len(legal) else tuple(among)


def _list_events(
    position: Position, actions: Sequence[str], observer: int | None
) -> list[dict[str, Any]]:
    """Return what happens when legal actions are played, as `observer` sees it."""
    events: list[dict[str, Any]] = []
    for action in actions:
        happened = position.events(action, observer)
        events += [describe_event(position.game.rules, event) for event in happened]
        position = position.after(action)
    return events


def _draw(position: Position, player: int, format: str) -> str:
    game = position.game
    if format == "text":
        return game.rules.draw(position, player)
    return needed(game, HasPicture).picture(position.view(player))


def _report_fault(error: Exception) -> str:
    """Return a message about a bug in the engine; print the traceback to standard error."""
    traceback.print_exception(error)
    return f"this is a bug in the engine; please report it: {type(error).__name__}: {error}"
