"""Python bots in processes of their own: what one does to its process costs no other bot anything.

A bot's process plays game after game, each with a new object. While it is not asked it is stopped:
it can neither think on others' time nor disturb them. It gets pickled requests and answers in
JSON, since nothing that it sends is trusted. Built-in bots need none of this.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import OrderedDict
from multiprocessing.connection import Connection, Pipe
from typing import Any

from trajan_ai.bots import ProgramBot, PythonBot, UserBot, local_mind
from trajan_ai.bots.minds import (
    FailureKind,
    Mind,
    MindFailed,
    NoMove,
    call_limit,
    one_line,
    told,
    traceback_of,
)
from trajan_ai.bots.observation import Observation
from trajan_ai.bots.processes import (
    GOODBYE,
    PAUSES,
    POLL,
    Patience,
    die_with,
    how_it_ended,
    signal_group,
    start,
)
from trajan_ai.bots.programs import Program, ProgramMind

MOST_PROCESSES = 8  # kept alive by one worker: two tables of four
MOST_ANSWER = 1 << 16  # bytes
STARTING = 60.0  # seconds that Python may take to start, on a busy machine
READY = b"ready"
MEBIBYTE = 1 << 20
if sys.platform != "win32":
    import resource

GameHandle = Any  # a trajan_ai.Game, handed on unopened: `play` alone touches the engine


class NotStarted(Exception):
    """A process for a bot could not be started, which is nobody's fault at the table."""


class BotProcess:
    """Owner of one bot's process; asks it one thing at a time.

    Raises NotStarted where Python does not come up in it.
    """

    def __init__(self, bot: PythonBot, game: GameHandle, memory: int) -> None:
        ours, theirs = Pipe()
        entry = "trajan_ai.tournaments.bot_process:live"
        try:
            self._process: subprocess.Popen[bytes] = start(
                entry, (theirs.fileno(), memory), (theirs.fileno(),), session=True
            )
        except OSError as error:
            raise NotStarted(f"bot {bot.name}: {error}") from None
        finally:
            theirs.close()
        self._pipe = ours
        self._asked = 0
        self.cpu = 0.0
        # Starting Python is not the bot's doing: its patience begins when it is there.
        try:
            self._pipe.send((bot, game))
            ready = self._pipe.poll(STARTING) and self._pipe.recv_bytes(MOST_ANSWER) == READY
            what = f"Python did not start within {STARTING:g} s"
        except (EOFError, OSError):
            ready, what = False, "its process ended before Python had started"
        if not ready:
            self.close()
            raise NotStarted(f"bot {bot.name}: {what}")

    def ask(self, limit: float, late: FailureKind, *request: Any) -> Any:
        """Return the answer to a request; raises MindFailed when the bot fails.

        Where it does not come within `limit` seconds the failure is of the kind `late`.
        """
        self._asked += 1
        try:
            self._signal(signal.SIGCONT)
            self._pipe.send((self._asked, request))
            answer = self._receive(limit, late)
            self._signal(signal.SIGSTOP)
        except (EOFError, OSError, ValueError) as error:
            raise MindFailed("died", self._obituary(error)) from None
        self.cpu += answer["cpu"]
        if "message" in answer:
            raise MindFailed("raised", answer["message"], answer["details"])
        return answer["value"]

    def close(self) -> None:
        """End the process and all that it has started in its session's group."""
        self._signal(signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._pipe.close()

    @property
    def alive(self) -> bool:
        """Whether the process can still be asked."""
        return not self._pipe.closed and self._process.poll() is None

    def _receive(self, limit: float, late: FailureKind) -> dict[str, Any]:
        """Return the next answer to the last request; doubled processes answer others twice."""
        patience = Patience()
        patience.waited(self._asked)
        while True:
            while not self._pipe.poll(min(POLL, limit)):
                if patience.waited(self._asked) > limit:
                    self.close()
                    raise MindFailed(late, _too_late(late, limit))
            answer = json.loads(self._pipe.recv_bytes(MOST_ANSWER))
            if not _is_answer(answer):
                raise ValueError("it sent something else than an answer")
            if answer["number"] == self._asked:
                return dict(answer)

    def _signal(self, number: int) -> None:
        if PAUSES or number == signal.SIGKILL:
            signal_group(self._process.pid, number)

    def _obituary(self, error: Exception) -> str:
        self._signal(signal.SIGCONT)
        try:
            status = self._process.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            status = None
        self.close()
        if status is None:
            return f"its process broke off the connection ({told(lambda: str(error)) or 'closed'})"
        return how_it_ended(status)


class RemoteMind:
    """A bot that is asked in its own process."""

    def __init__(self, process: BotProcess, bot: UserBot, patience: float) -> None:
        self._process = process
        self._budget = bot.seconds_per_turn
        self._patience = patience
        self.observes = False

    def start(self, seat: int, players: int, seed: int) -> None:
        """Make the bot's object anew and begin a game."""
        self.observes = self._process.ask(self._patience, "hung", "start", seat, players, seed)

    def choose(self, observation: Observation, seed: int) -> int | NoMove:
        """Ask for a move, within what is left of the turn."""
        limit, late = call_limit(observation, self._budget, self._patience)
        value = self._process.ask(limit, late, "choose", observation, seed)
        return NoMove(value) if isinstance(value, str) else int(value)

    def observe(self, observation: Observation, move: int) -> None:
        """Tell of a move."""
        self._process.ask(self._patience, "hung", "observe", observation, move)


class BotProcesses:
    """The processes of a worker's Python bots: one for each bot at a table, kept between games."""

    def __init__(self) -> None:
        self._processes: OrderedDict[bytes, BotProcess | Program] = OrderedDict()
        self._seated: set[bytes] = set()
        self._gone = 0.0  # CPU seconds of processes that are no more

    @property
    def cpu(self) -> float:
        """CPU seconds that all bots have spent on their answers."""
        return self._gone + sum(process.cpu for process in self._processes.values())

    def begin(self, patience: float, memory: int) -> None:
        """Begin a game: whoever is seated from now on sits at one table."""
        self._seated.clear()
        self._patience, self._memory = patience, memory

    def mind(self, bot: UserBot, game: GameHandle) -> Mind:
        """Return the mind of a bot; the same bot at another seat gets another process."""
        number = 0
        while (key := pickle.dumps((bot, game, self._memory, number))) in self._seated:
            number += 1
        self._seated.add(key)
        process = self._processes.pop(key, None)
        if process is not None and not process.alive:
            self._end(process)
            process = None
        if process is None:
            process = self._started(bot, game)
        self._processes[key] = process  # now the youngest
        while len(self._processes) > max(MOST_PROCESSES, len(self._seated)):
            self._end(self._processes.popitem(last=False)[1])
        if isinstance(process, Program):
            return ProgramMind(process, bot.seconds_per_turn, self._patience)
        return RemoteMind(process, bot, self._patience)

    def _started(self, bot: UserBot, game: GameHandle) -> BotProcess | Program:
        limits = [limit for limit in (bot.memory, self._memory) if limit]
        memory = min(limits, default=0)
        if isinstance(bot, ProgramBot):
            return bot.launched(game, memory)
        assert isinstance(bot, PythonBot)
        return BotProcess(bot, game, memory)

    def close(self) -> None:
        """End all processes."""
        while self._processes:
            self._end(self._processes.popitem()[1])

    def _end(self, process: BotProcess | Program) -> None:
        self._gone += process.cpu
        process.close()


def live(pipe: int, memory: int, parent: int) -> None:
    """Be a bot: answer requests until the pipe closes. The life of a bot's process."""
    os.dup2(2, 1)  # whatever a bot prints must not mix with results
    die_with(parent)
    connection = Connection(pipe)
    bot, game = connection.recv()
    connection.send_bytes(READY)
    # Of two processes that read from one pipe each gets half: one that a bot has doubled has none.
    os.register_at_fork(after_in_child=connection.close)
    if memory:
        _limit_memory(memory * MEBIBYTE)
    mind: Mind | None = None
    while True:
        try:
            number, (kind, *arguments) = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        begin = time.process_time()
        answer: dict[str, Any] = {"number": number}
        try:
            if kind == "start":
                mind = local_mind(bot, game)
                mind.start(*arguments)
                answer["value"] = mind.observes
            else:
                assert mind is not None
                value = getattr(mind, kind)(*arguments)
                answer["value"] = value.text if isinstance(value, NoMove) else value
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the bot's, too
            answer |= {"message": one_line(error), "details": traceback_of(error)}
        answer["cpu"] = max(time.process_time() - begin, 0.0)
        try:
            connection.send_bytes(json.dumps(answer).encode())
        except OSError:
            os._exit(0)


def _limit_memory(size: int) -> None:
    """Let allocations fail beyond `size` bytes: of data where that is counted, else of all."""
    kind = resource.RLIMIT_DATA if sys.platform.startswith("linux") else resource.RLIMIT_AS
    _, most = resource.getrlimit(kind)
    resource.setrlimit(kind, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _is_answer(answer: Any) -> bool:
    """Whether an answer has the form that `live` gives it; a bot may send anything."""
    if not isinstance(answer, dict) or type(answer.get("number")) is not int:
        return False
    cpu = answer.get("cpu")
    if not isinstance(cpu, float) or not 0.0 <= cpu < float("inf"):
        return False
    if "message" in answer:
        return all(isinstance(answer.get(key), str) for key in ("message", "details"))
    return "value" in answer and isinstance(answer["value"], int | str | None)


def _too_late(late: str, limit: float) -> str:
    if late == "hung":
        return f"no answer within {limit:g} s"
    return f"its turn took longer than its seconds_per_turn: no answer within {limit:.2f} s"
