"""Python bots in processes of their own: what one does to its process costs no other bot anything.

Each game of a bot has a process of its own, so that it remembers no other game. While it is not
asked it is stopped: it can neither think on others' time nor disturb them. It gets pickled
requests and answers in JSON, since nothing that it sends is trusted. Built-in bots need none of
this.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import signal
import sys
import threading
import time
from collections import OrderedDict
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from trajan_ai.bots import ProgramBot, PythonBot, UserBot, local_mind
from trajan_ai.bots.code_identity import packages_of
from trajan_ai.bots.minds import (
    FailureKind,
    Mind,
    MindFailed,
    NoMove,
    call_limit,
    move_of,
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
    adopt,
    die_with,
    end_children,
    how_it_ended,
    signal_group,
    start,
)
from trajan_ai.bots.programs import Program, ProgramMind

MOST_PROCESSES = 8  # kept alive by one worker: two tables of four
MOST_ANSWER = 1 << 16  # bytes
STARTING = 60.0  # seconds that Python may take to start, on a busy machine
READY = b"ready"
SHORT = 0.005  # seconds between two looks at a process that is about to end
MEBIBYTE = 1 << 20
if sys.platform != "win32":
    import resource

GameHandle = Any  # a trajan_ai.Game, handed on unopened: `play` alone touches the engine


class NotStarted(Exception):
    """A process for a bot could not be started, which is nobody's fault at the table."""


class BotProcess:
    """Owner of a bot's process, which forks one for each game; asks that one thing at a time.

    Raises NotStarted where Python does not come up in it.
    """

    def __init__(self, bot: PythonBot, game: GameHandle, memory: int) -> None:
        ours, theirs = Pipe()
        entry = "trajan_ai.tournaments.bot_process:live"
        try:
            self._process = start(
                entry, (theirs.fileno(), memory), (theirs.fileno(),), session=True
            )
        except OSError as error:
            raise NotStarted(f"bot {bot.name}: {error}") from None
        finally:
            theirs.close()
        self._control = ours  # to the process that forks, which runs none of the bot's code
        self._pipe: Connection | None = None  # to that of the running game
        self._player = 0  # its process id
        self._asked = 0
        self.cpu = 0.0
        # Starting Python is not the bot's doing: its patience begins when it is there.
        try:
            self._control.send((bot, game))
            ready = self._control.poll(STARTING) and self._control.recv_bytes() == READY
            what = f"Python did not start within {STARTING:g} s"
        except (EOFError, OSError):
            ready, what = False, "its process ended before Python had started"
        if not ready:
            self.close()
            raise NotStarted(f"bot {bot.name}: {what}")

    def begin(self, limit: float) -> None:
        """Fork the process of a game, unless that of the last is to be kept.

        Raises MindFailed where what the bot imports takes longer than `limit` seconds or ends the
        process.
        """
        if self._pipe is not None:
            return
        self._pipe, theirs = Pipe()
        try:
            send_handle(self._control, theirs.fileno(), self._process.pid)
            patience = Patience()
            patience.waited(None)
            while not self._control.poll(min(POLL, limit)):
                if patience.waited(None) > limit:
                    self.close()
                    raise MindFailed("hung", _too_late("hung", limit))
            self._player = int(self._control.recv_bytes(MOST_ANSWER))
        except (EOFError, OSError) as error:
            raise MindFailed("died", self._obituary(error)) from None
        finally:
            theirs.close()

    def ask(self, limit: float, late: FailureKind, *request: Any) -> Any:
        """Return the answer to a request; raises MindFailed when the bot fails.

        Where it does not come within `limit` seconds the failure is of the kind `late`.
        """
        self._asked += 1
        begin = time.monotonic()
        try:
            assert self._pipe is not None
            self._signal(signal.SIGCONT)
            self._pipe.send((self._asked, request))
            answer = self._receive(limit, late)
            self._signal(signal.SIGSTOP)
        except (EOFError, OSError, ValueError, RecursionError) as error:
            raise MindFailed("died", self._obituary(error)) from None
        # It tells its time itself, but no more than there was.
        self.cpu += min(answer["cpu"], (time.monotonic() - begin) * (os.cpu_count() or 1))
        if "message" in answer:
            raise MindFailed("raised", answer["message"], answer["details"])
        return answer["value"]

    def end(self, grace: float = 0.0) -> int | None:
        """End the game's process and all that it left behind.

        Returns its exit status if it ended by itself, within `grace` seconds.
        """
        if self._pipe is None:
            return None
        self._pipe.close()
        self._pipe = None
        try:
            self._control.send_bytes(str(grace).encode())
            if not self._control.poll(grace + GOODBYE):
                self.close()
                return None
            status = self._control.recv_bytes(MOST_ANSWER)
        except (EOFError, OSError):
            self.close()
            return self._process.returncode
        return int(status) if status else None

    def close(self) -> None:
        """End the process and all below it."""
        self._process.kill()
        self._process.wait()
        self._control.close()
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    @property
    def pid(self) -> int:
        """The id of the process that forks."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can still begin a game."""
        return not self._control.closed and self._process.poll() is None

    def _receive(self, limit: float, late: FailureKind) -> dict[str, Any]:
        """Return the next answer to the last request; doubled processes answer others twice."""
        assert self._pipe is not None
        patience = Patience()
        patience.waited(self._asked)
        while True:
            while not self._pipe.poll(min(POLL, limit)):
                if patience.waited(self._asked) > limit:
                    self.end()
                    raise MindFailed(late, _too_late(late, limit))
            answer = json.loads(self._pipe.recv_bytes(MOST_ANSWER))
            if not _is_answer(answer):
                raise ValueError("it sent something else than an answer")
            if answer["number"] == self._asked:
                return dict(answer)

    def _signal(self, number: int) -> None:
        if PAUSES:
            signal_group(self._player, number)

    def _obituary(self, error: Exception) -> str:
        self._signal(signal.SIGCONT)
        status = self.end(GOODBYE)
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
        """Make the bot's object and begin a game."""
        self._process.begin(self._patience)
        self.observes = self._process.ask(self._patience, "hung", "start", seat, players, seed)

    def choose(self, observation: Observation, seed: int) -> int | NoMove:
        """Ask for a move, within what is left of the turn."""
        limit, late = call_limit(observation, self._budget, self._patience)
        value = self._process.ask(limit, late, "choose", observation, seed)
        return NoMove(value) if isinstance(value, str) else move_of(value, observation)

    def observe(self, observation: Observation, move: int) -> None:
        """Tell of a move."""
        self._process.ask(self._patience, "hung", "observe", observation, move)


class BotProcesses:
    """The processes of a worker's own bots, one for each at a table.

    What plays is new in every game. Kept are the processes from which those of Python bots are
    forked: Python, this package and the packages that the bot imports are loaded there.
    """

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

    def end(self) -> None:
        """End the processes that played a game."""
        for key, process in list(self._processes.items()):
            if isinstance(process, BotProcess):
                process.end()
            else:
                self._end(self._processes.pop(key))

    @property
    def kept(self) -> list[int]:
        """The ids of the processes that are there."""
        return [process.pid for process in self._processes.values()]

    def mind(self, bot: UserBot, game: GameHandle) -> Mind:
        """Return the mind of a bot; the same bot at another seat gets another process."""
        number = 0
        while (key := pickle.dumps((bot, game, self._memory, number))) in self._seated:
            number += 1
        self._seated.add(key)
        process = self._processes.pop(key, None)
        if isinstance(process, BotProcess) and not process.alive:
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
        self.end()
        while self._processes:
            self._end(self._processes.popitem()[1])

    def _end(self, process: BotProcess | Program) -> None:
        self._gone += process.cpu
        process.close()


def live(pipe: int, memory: int, parent: int) -> None:
    """Fork a process for every game whose pipe comes, until nothing comes any more.

    The life of a bot's process. Packages that the bot imports are loaded here, once; its own
    modules only where it plays, so that no game knows of another.
    """
    os.dup2(2, 1)  # whatever a bot prints must not mix with results
    die_with(parent)
    adopt()
    control = Connection(pipe)
    bot, game = control.recv()
    control.send_bytes(READY)
    if memory:
        _limit_memory(memory * MEBIBYTE)
    threads = threading.active_count()
    for name in packages_of(bot.code):
        with contextlib.suppress(BaseException):  # the game's process tells what is wrong
            importlib.import_module(name)
    gc.freeze()
    # Threads would not be there in a forked process: with some this one plays, one game.
    forks = threading.active_count() == threads
    while True:
        try:
            game_pipe = recv_handle(control)
        except (EOFError, OSError):
            os._exit(0)
        parent, player = os.getpid(), os.fork() if forks else 0
        if player == 0 and forks:
            control.close()
            die_with(parent)
        if player == 0:
            if not forks:
                control.send_bytes(str(parent).encode())
            _play(Connection(game_pipe), bot, game)
        os.close(game_pipe)
        os.setpgid(player, player)  # signals for the game are none for this process
        control.send_bytes(str(player).encode())
        try:
            grace = float(control.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # and the player with us
        status = _ended(player, grace)
        end_children()
        control.send_bytes(b"" if status is None else str(status).encode())


def _ended(player: int, grace: float) -> int | None:
    """End the group of a process; return the exit status if it ended by itself, in time."""
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline:
        found, status = os.waitpid(player, os.WNOHANG)
        if found:
            signal_group(player, signal.SIGKILL)
            return os.waitstatus_to_exitcode(status)
        time.sleep(SHORT)
    signal_group(player, signal.SIGKILL)
    os.waitpid(player, 0)
    return None


def _play(connection: Connection, bot: PythonBot, game: GameHandle) -> None:
    """Be a bot for a game: answer requests until the pipe closes; never returns."""
    # Of two processes that read from one pipe each gets half: one that a bot has doubled has none.
    os.register_at_fork(after_in_child=connection.close)
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
