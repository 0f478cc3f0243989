"""The engine behind the protocol: takes lines, gives lines; knows no files and no signals."""

from __future__ import annotations

import json
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trajan_ai import positions
from trajan_ai.analysis import suggest
from trajan_ai.analysis.decision import Analysing, Ask
from trajan_ai.analysis.defaults import DEFAULT_BOT, PLAIN_BOT
from trajan_ai.analysis.suggest import settings_of
from trajan_ai.bots import BUILTIN_NAMES, Bot, IsmctsBot, parse_bot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasPicture, needed
from trajan_ai.files.yamlfile import Document
from trajan_ai.games import GAMES
from trajan_ai.mcts import Result
from trajan_ai.server.lru import Lru
from trajan_ai.server.options import Options
from trajan_ai.server.protocol import (
    MOST_LINE_BYTES,
    PROTOCOL,
    Apply,
    Board,
    Bots,
    Id,
    Legal,
    PositionSpec,
    Quit,
    Request,
    RequestError,
    Stop,
    StopAll,
    Suggest,
    Version,
    View,
    format_answer,
    format_error,
    parse_request,
)
from trajan_ai.server.scheduler import Full, Job, Scheduler, Search
from trajan_ai.server.states import MOST_STATES, States
from trajan_ai.version import __version__

Send = Callable[[str, object], None]


@dataclass(eq=False)
class Ticket:
    """An analysis that is not answered yet, and the key under which its answer is kept."""

    request: Suggest
    analysing: Analysing
    key: tuple[object, ...]
    search: Search | None = None  # the one under way
    stopped: bool = False


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
        self.lock = threading.Lock()  # of the four below
        self.cache: Lru[tuple[object, ...], str] = Lru(options.cache)
        self.tickets: dict[Id, Ticket] = {}
        self.unsent = 0  # answers to searches
        self.at_end: Callable[[], None] | None = None
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
                    "request", f"id: {request.id!r} is under way; give each request its own"
                )
            id = request.id
            return self._do(request)
        except RequestError as error:
            known = error.id if error.id not in self.tickets else None
            self._refuse(known if id is None else id, error.reason, error.messages, number)
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
            tickets = [
                ticket
                for ticket in self.tickets.values()
                if client is None or ticket.request.client == client
            ]
        self._stop(tickets)
        return [ticket.request.id for ticket in tickets]

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
            self.at_end = idle
        self._end_if_answered()

    def _end_if_answered(self) -> None:
        """Take leave of the scheduler when nothing will be searched any more."""
        with self.lock:
            call = None if self.unsent else self.at_end
            if call is not None:
                self.at_end = None
        if call is not None:
            self.scheduler.tell_when_idle(call)

    def close(self) -> None:
        """End the threads; what is not answered stays so."""
        self.scheduler.close()

    def _do(self, request: Request) -> bool:
        match request:
            case Suggest():
                self._suggest(request)
                return True
            case Quit():
                self.farewell = format_answer(
                    request.id, "done", result={"stopped": self.stop_all()}
                )
                return False
        self.send(format_answer(request.id, "done", result=self._result(request)), None)
        return True

    def _result(self, request: Request) -> dict[str, Any]:
        """Return the result of a request that is answered at once."""
        match request:
            case Legal():
                position = self.states.find(request.position)
                return {"player": position.player, "actions": position.legal()}
            case Apply():
                return self._applied(request)
            case View():
                return positions.position_file(*self._seen(request.position, request.player))
            case Board():
                position, player = self._seen(request.position, request.player)
                return {"player": player, request.format: _drawn(position, player, request.format)}
            case Bots():
                return {"default": self.options.default_bot, "bots": self._bots()}
            case Version():
                return self._version()
            case Stop():
                return {"stopped": self._stopped(request.target)}
            case StopAll():
                return {"stopped": self.stop_all(request.client)}
        raise TypeError(f"nothing answers {type(request).__name__}")

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
            {"name": name, "kind": getattr(bot, "kind", None), "searches": _searches(bot)}
            for name, bot in self.bots.items()
        ]

    def _version(self) -> dict[str, Any]:
        options = self.options
        return {
            "name": "trajan-ai",
            "version": __version__,
            "protocol": PROTOCOL,
            "games": list(GAMES),
            "limits": {
                "threads": options.threads,
                "positions": options.positions,
                "queue": options.queue,
                "tree_megabytes": options.tree_megabytes,
                "cache": options.cache,
                "states": MOST_STATES,
                "line_bytes": MOST_LINE_BYTES,
            },
        }

    def _stopped(self, target: Id) -> list[Id]:
        with self.lock:
            ticket = self.tickets.get(target)
        if ticket is None or ticket.search is None:
            return []
        self._stop([ticket])
        return [target]

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

    def _suggest(self, request: Suggest) -> None:
        """Answer from the cache, or let it be searched.

        What is searched is not the position of the request but one that the player cannot tell
        from it: the same whatever they do not know. So hidden cards cannot reach an answer.
        """
        position = self.states.find(request.position)
        if position.player is None:
            raise TrajanError("position: the game is over, there is nothing to decide")
        known = InformationSet(position)
        bot = self._bot(request.bot, known.game)
        settings = suggest.settings_of(bot)
        if settings.cheat:
            raise TrajanError("bot.cheat: must be false, answers are from what the player knows")
        memory = min(settings.tree_megabytes, self.options.tree_megabytes)
        analysing = suggest.begin(
            known,
            bot.model_copy(update={"tree_megabytes": memory}),
            own_limits=request.bot is not None or self.options.default_bot != DEFAULT_BOT,
            grade=request.grade,
            iterations=request.iterations,
            seconds=request.seconds,
            threads=request.threads,
            seed=request.seed,
            top=request.top,
            sources=request.sources,
        )
        how = analysing.settings.model_dump_json()
        limits = (analysing.grade, analysing.iterations, analysing.seconds)
        asked = (request.seed, request.top, request.turns, request.sources)
        key = (known, how, *limits, *asked)
        with self.lock:
            cached = self.cache.get(key) if request.cache else None
            ticket = Ticket(request, analysing, key)
            if cached is None:
                self.tickets[request.id] = ticket
                self.unsent += 1
        if cached is not None:
            self.send(_with_result(format_answer(request.id, "done", cached=True), cached), None)
            return
        try:
            self._search_on(ticket)
        except Full:
            with self.lock:
                del self.tickets[request.id]
                self.unsent -= 1
            raise RequestError(
                "busy", f"{self.options.queue:,} searches wait already; ask again later"
            ) from None

    def _search_on(self, ticket: Ticket) -> bool:
        """Let the scheduler make the next search of an analysis; False if there is none.

        Raises Full where the first one finds no place to wait.
        """
        ask = ticket.analysing.ask()
        if ask is None:
            return False
        request, analysing = ticket.request, ticket.analysing

        def answer(status: str, outcome: Result | Exception | None) -> None:
            self._answer(ticket, ask, status, outcome)

        job = Job(
            known=analysing.known,
            settings=analysing.settings,
            iterations=ask.iterations,
            seconds=ask.seconds,
            seed=ask.seed,
            answer=answer,
            client=request.client,
            priority=request.priority,
            report_every=None if ask.allowed else request.report_every,
            allowed=ask.allowed,
            books=analysing.books,
        )
        begun = bool(analysing.searches)
        search = self.scheduler.add(job, admitted=begun)
        with self.lock:
            ticket.search = search
            stopped = ticket.stopped
        if stopped:
            self.scheduler.stop([search])
        return True

    def _answer(
        self, ticket: Ticket, ask: Ask, status: str, outcome: Result | Exception | None
    ) -> None:
        """Take what the scheduler says of a search, and send what the analysis knows."""
        if not isinstance(outcome, Result):
            if isinstance(outcome, Exception) or not ticket.analysing.searches:
                self._answer_last(ticket, status, outcome)
            else:
                self._answer_last(ticket, status, self._told(ticket))
            return
        if status == "interim":
            self._send_interim(ticket, outcome, ask)
            return
        if status == "done":
            ticket.analysing.take(ask, outcome)
            try:
                if not ticket.stopped and self._search_on(ticket):
                    if ticket.request.report_every is not None:
                        self._send_interim(ticket)
                    return
            except Exception as error:
                self._answer_last(ticket, "error", error)
                return
            status = "stopped" if ticket.stopped else status
            self._answer_last(ticket, status, self._told(ticket))
            return
        if not ticket.analysing.searches:  # what was stopped first is all there is
            ticket.analysing.take(ask, outcome)
        self._answer_last(ticket, status, self._told(ticket))

    def _send_interim(
        self, ticket: Ticket, running: Result | None = None, ask: Ask | None = None
    ) -> None:
        data = self._told(ticket, running, ask)
        self.send(format_answer(ticket.request.id, "interim", result=data), ticket)

    def _told(
        self, ticket: Ticket, running: Result | None = None, ask: Ask | None = None
    ) -> dict[str, Any]:
        """Return what an analysis knows as plain data."""
        data = ticket.analysing.analysis(running, ask).to_dict(ticket.request.top)
        if not ticket.request.turns:
            del data["turns"]
        return data

    def _answer_last(
        self, ticket: Ticket, status: str, outcome: dict[str, Any] | Exception | None
    ) -> None:
        """Send the last answer to a request for a search."""
        id = ticket.request.id
        text = json.dumps(
            None if isinstance(outcome, Exception) else outcome, separators=(",", ":")
        )
        with self.lock:
            del self.tickets[id]  # before the client can know, who may then use the id again
            if status == "done":
                self.cache.put(ticket.key, text)
        if isinstance(outcome, TrajanError):
            self._refuse(id, "input", outcome.messages)
        elif isinstance(outcome, Exception):
            self._refuse(id, "internal", [_confess(outcome)])
        else:
            self.send(_with_result(format_answer(id, status), text), None)
        with self.lock:
            self.unsent -= 1
        self._end_if_answered()

    def _refuse(
        self, id: Id | None, reason: str, problems: Sequence[str], line: int | None = None
    ) -> None:
        self.send(format_error(id, reason, problems, line), None)


def _with_result(answer: str, text: str) -> str:
    """Return an answer with a result that is JSON already."""
    return f'{answer[:-1]},"result":{text}}}'


def _drawn(position: Position, player: int, format: str) -> str:
    game = position.game
    if format == "text":
        return game.rules.draw(position, player)
    return needed(game, HasPicture).picture(position.view(player))


def _searches(bot: Bot) -> bool:
    return isinstance(bot, IsmctsBot)


def _confess(error: Exception) -> str:
    """Return one line about a fault of the engine; the traceback goes to standard error."""
    traceback.print_exception(error)
    return f"a fault of the engine, please report it: {type(error).__name__}: {error}"
