"""Separate processes for Python bots, so that a bot cannot harm other bots or this program.

A bot plays each game in a new process, so that it remembers no other game. While no request is
pending, the process is suspended, so that the bot can neither think during other players' turns
nor slow them down. Requests are pickled. Answers are JSON, since nothing that a bot sends is
trusted. The output of a bot is captured, and if the bot fails, the last part of its output is
stored with the failure. Built-in bots need none of this.
"""

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
import weakref
from collections import OrderedDict
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from trajan_ai.bots import ProgramBot, PythonBot, UserBot, local_mind
from trajan_ai.bots.code_identity import find_packages
from trajan_ai.bots.minds import (
    MAX_DETAILS,
    CallLimit,
    FailureKind,
    InvalidMove,
    Mind,
    MindFailed,
    ProcessNotStarted,
    format_exception,
    format_traceback,
    get_call_limit,
    parse_answer,
    to_text,
)
from trajan_ai.bots.observation import Observation
from trajan_ai.bots.processes import (
    GOODBYE,
    MAX_OUTPUT,
    PAUSES,
    POLL,
    Patience,
    Tree,
    adopt_orphans,
    describe_exit,
    die_with,
    end_children,
    signal_group,
    start,
)
from trajan_ai.bots.programs import PATIENCE, Program, ProgramMind
from trajan_ai.core.platform import need_guards
from trajan_ai.mcts.settings import MEBIBYTE

MAX_PROCESSES = 8  # kept alive by one worker: enough for two games of four players
MAX_ANSWER = 1 << 16  # bytes
MAX_OUTPUT_LINE = 80  # characters of the last line of output, in the message of a failure
OUTPUT_CHUNK = 1 << 16
MAX_CHUNKS = 64  # chunks read at a time, so that endless output does not delay the time limit
START_SECONDS = 60.0  # seconds that Python may take to start on a busy machine
READY = b"ready"
EXIT_POLL = 0.005  # seconds between two checks of a process that is about to end
if sys.platform != "win32":
    import resource

GameHandle = Any  # a trajan_ai.Game, which this module only passes on


class BotProcess:
    """Owner of a bot's process, which forks another process for each game.

    The owner sends one request at a time. The process ends when `close` is called, or when
    nothing refers to its owner any more. The constructor raises ProcessNotStarted if Python does
    not start in the process.
    """

    def __init__(self, bot: PythonBot, game: GameHandle, memory: int) -> None:
        need_guards("a Python bot")
        ours, theirs = Pipe()
        self._output = BotOutput()
        descriptors = (theirs.fileno(), self._output.writer)
        entry = "trajan_ai.bots.bot_process:live"
        try:
            self._process = start(entry, (*descriptors, memory), descriptors, session=True)
        except OSError as error:
            self._output.close()
            raise ProcessNotStarted(f"bot {bot.name}: {error}") from None
        finally:
            theirs.close()
            self._output.close_writer()
        self._end = weakref.finalize(self, _end_process, self._process, self._output)
        # connection to the process that forks, which runs none of the bot's code
        self._control = ours
        self._pipe: Connection | None = None  # connection to the process of the current game
        self._player = 0  # id of the process of the current game
        self._request = 0
        self.cpu = 0.0
        # The start of Python does not count as the bot's time.
        try:
            self._control.send((bot, game))
            ready = self._control.poll(START_SECONDS) and self._control.recv_bytes() == READY
            what = f"Python did not start within {START_SECONDS:g} s"
        except (EOFError, OSError):
            ready, what = False, "its process ended before Python had started"
        if not ready:
            self.close()
            raise ProcessNotStarted(f"bot {bot.name}: {what}")

    def begin(self, limit: float) -> None:
        """Fork the process of a game, unless it has been forked already.

        Raises MindFailed if the bot's imports take longer than `limit` seconds or end the process.
        """
        if self._pipe is not None:
            return
        if self._player:  # what the bot's packages printed before the first game is kept
            self._output.clear()
        self._pipe, theirs = Pipe()
        try:
            send_handle(self._control, theirs.fileno(), self._process.pid)
            if not self._wait_for(self._control, limit):
                self.close()
                raise self._fail("hung", CallLimit(limit).message)
            self._player = int(self._control.recv_bytes(MAX_ANSWER))
        except (EOFError, OSError) as error:
            raise self._fail("died", self._describe_death(error)) from None
        finally:
            theirs.close()

    def ask(self, limit: CallLimit, *request: Any) -> Any:
        """Return the answer to a request.

        Raises MindFailed if the bot fails or exceeds the limit.
        """
        self._request += 1
        begin = time.monotonic()
        try:
            assert self._pipe is not None
            self._signal(signal.SIGCONT)
            self._pipe.send((self._request, request))
            answer = self._receive(limit)
            self._signal(signal.SIGSTOP)
        except (EOFError, OSError, ValueError, RecursionError) as error:
            raise self._fail("died", self._describe_death(error)) from None
        # The bot's process reports its time, which cannot exceed the time that has passed.
        self.cpu += min(answer["cpu"], (time.monotonic() - begin) * (os.cpu_count() or 1))
        if "message" in answer:
            raise self._fail("raised", answer["message"], answer["details"])
        return answer["value"]

    def end(self, grace: float = 0.0) -> int | None:
        """End the process of the game and the orphans that it leaves.

        Returns the exit status if the process ended by itself within `grace` seconds.
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
            status = self._control.recv_bytes(MAX_ANSWER)
        except (EOFError, OSError):
            self.close()
            return self._process.returncode
        return int(status) if status else None

    def close(self) -> None:
        """End the process and all its descendants."""
        self._end()
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
        """Whether another game can begin."""
        return not self._control.closed and self._process.poll() is None

    def _receive(self, limit: CallLimit) -> dict[str, Any]:
        """Return the answer to the last request; skip earlier answers, which forks may repeat."""
        assert self._pipe is not None
        while True:
            if not self._wait_for(self._pipe, limit.seconds):
                self.end()
                raise self._fail(limit.kind, limit.message)
            answer = json.loads(self._pipe.recv_bytes(MAX_ANSWER))
            if not _is_answer(answer):
                raise ValueError("it sent data that is not an answer")
            if answer["number"] == self._request:
                return dict(answer)

    def _wait_for(self, pipe: Connection, limit: float) -> bool:
        """Wait at most `limit` seconds for data, read output, and return whether data is there."""
        patience = Patience()
        patience.waited(None)
        while True:
            ready = wait([pipe, *self._output.readers], min(POLL, limit))
            if set(ready) - {pipe}:
                self._output.read()
            if pipe in ready:
                return True
            if patience.waited(None) > limit:
                return False

    def _fail(self, kind: FailureKind, message: str, details: str = "") -> MindFailed:
        """Return a failure, with the last part of the bot's output."""
        if output := self.output:
            if kind != "raised":
                message += f"; last output: {output.splitlines()[-1][:MAX_OUTPUT_LINE]}"
            # A long traceback must not displace the output.
            room = MAX_DETAILS - len(output) - 2
            details = f"{output}\n\n{details[-room:]}" if details else output
        return MindFailed(kind, message, details)

    @property
    def output(self) -> str:
        """The last part of the bot's output under a heading, or an empty text without output."""
        self._output.read()
        text = self._output.text
        return f"Output:\n{text}" if text else ""

    def _signal(self, number: int) -> None:
        if PAUSES:
            signal_group(self._player, number)

    def _describe_death(self, error: Exception) -> str:
        self._signal(signal.SIGCONT)
        status = self.end(GOODBYE)
        if status is None:
            reason = to_text(lambda: str(error)) or "closed"
            return f"the connection to its process failed ({reason})"
        return describe_exit(status)


class BotOutput:
    """A pipe for the output of a bot's processes, and the last `MAX_OUTPUT` bytes of output."""

    def __init__(self) -> None:
        reader, self.writer = os.pipe()
        os.set_blocking(reader, False)
        self.readers = [reader]  # empty once no more output can arrive
        self._bytes = b""

    @property
    def text(self) -> str:
        """The output that is kept."""
        return self._bytes.decode("utf-8", "replace").strip()

    def read(self) -> None:
        """Read the output that is available, at most `MAX_CHUNKS` chunks."""
        for _ in range(MAX_CHUNKS):
            try:
                data = os.read(self.readers[0], OUTPUT_CHUNK) if self.readers else None
            except BlockingIOError:
                return
            if data is None:
                return
            if not data:
                self.close()
                return
            self._bytes = (self._bytes + data)[-MAX_OUTPUT:]

    def clear(self) -> None:
        """Forget the output so far."""
        self.read()
        self._bytes = b""

    def close_writer(self) -> None:
        """Close the write end, which only the bot's processes need."""
        os.close(self.writer)

    def close(self) -> None:
        """Close the read end."""
        if self.readers:
            os.close(self.readers.pop())


class RemoteMind:
    """A bot in a separate process."""

    def __init__(self, process: BotProcess, bot: UserBot, patience: float) -> None:
        self._process = process
        self._budget = bot.seconds_per_turn
        self._patience = patience
        self.observes = False

    @property
    def output(self) -> str:
        """The end of what the bot has printed."""
        return self._process.output

    def start(self, seat: int, players: int, seed: int) -> None:
        """Create the bot's object and begin a game."""
        self._process.begin(self._patience)
        self.observes = self._process.ask(CallLimit(self._patience), "start", seat, players, seed)

    def choose(self, observation: Observation, seed: int) -> int | InvalidMove:
        """Ask for a move, within the time left for the turn."""
        limit = get_call_limit(observation, self._budget, self._patience)
        value = self._process.ask(limit, "choose", observation, seed)
        return InvalidMove(value) if isinstance(value, str) else parse_answer(value, observation)

    def observe(self, observation: Observation, move: int) -> None:
        """Pass on a move."""
        self._process.ask(CallLimit(self._patience), "observe", observation, move)


class BotProcesses:
    """The processes of the user bots of one worker, server or command: one process per seat.

    Every game is played by new processes. The processes of Python bots are forked from processes
    that live longer and have already loaded Python, this package and the bot's packages.
    """

    def __init__(self) -> None:
        self._processes: OrderedDict[bytes, BotProcess | Program] = OrderedDict()
        self._in_use: set[bytes] = set()
        self._past_cpu = 0.0  # CPU seconds of processes that have ended
        self._patience, self._memory = PATIENCE, 0

    @property
    def cpu(self) -> float:
        """CPU seconds that all bots have used for their answers."""
        return self._past_cpu + sum(process.cpu for process in self._processes.values())

    def begin(self, patience: float = PATIENCE, memory: int = 0) -> None:
        """Begin a game. All bots that `mind` connects to from now on play in this game.

        A call may take `patience` seconds if the bot has no time limit for the call. `memory` is
        in MiB, 0 for no limit.
        """
        self._in_use.clear()
        self._patience, self._memory = patience, memory

    def end(self) -> None:
        """End the processes that played a game."""
        for key, process in list(self._processes.items()):
            if isinstance(process, BotProcess):
                process.end()
            else:
                self._end(self._processes.pop(key))

    @property
    def process_ids(self) -> list[int]:
        """The ids of the processes that live longer than a game."""
        return [process.pid for process in self._processes.values()]

    def mind(self, bot: UserBot, game: GameHandle) -> Mind:
        """Return a connection to a bot; the same bot at another seat runs in another process."""
        number = 0
        while (key := pickle.dumps((bot, game, self._memory, number))) in self._in_use:
            number += 1
        self._in_use.add(key)
        process = self._processes.pop(key, None)
        if isinstance(process, BotProcess) and not process.alive:
            self._end(process)
            process = None
        if process is None:
            process = self._start(bot, game)
        self._processes[key] = process  # now the most recently used
        while len(self._processes) > max(MAX_PROCESSES, len(self._in_use)):
            self._end(self._processes.popitem(last=False)[1])
        if isinstance(process, Program):
            return ProgramMind(process, bot.seconds_per_turn, self._patience)
        return RemoteMind(process, bot, self._patience)

    def _start(self, bot: UserBot, game: GameHandle) -> BotProcess | Program:
        limits = [limit for limit in (bot.memory, self._memory) if limit]
        memory = min(limits, default=0)
        if isinstance(bot, ProgramBot):
            return bot.launch(game, memory)
        assert isinstance(bot, PythonBot)
        return BotProcess(bot, game, memory)

    def close(self) -> None:
        """End all processes."""
        self.end()
        while self._processes:
            self._end(self._processes.popitem()[1])

    def _end(self, process: BotProcess | Program) -> None:
        self._past_cpu += process.cpu
        process.close()


def _end_process(process: Tree, output: BotOutput) -> None:
    """End a process and all its descendants, and read the rest of their output."""
    process.kill()
    process.wait()
    output.read()
    output.close()


def live(pipe: int, output: int, memory: int, parent: int) -> None:
    """Fork a process for every game whose pipe arrives, until the control pipe closes.

    This is the main function of a bot's process. The packages that the bot imports are loaded
    here once. The bot's own modules are loaded in the process of each game, so that no game can
    affect another. Standard output and standard error go to the pipe `output`.
    """
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # output of killed bots
    die_with(parent, tidy=True)
    adopt_orphans()
    control = Connection(pipe)
    bot, game = control.recv()
    control.send_bytes(READY)
    if memory:
        _limit_memory(memory * MEBIBYTE)
    threads = threading.active_count()
    for name in find_packages(bot.code):
        with contextlib.suppress(BaseException):  # the process of the game reports the error
            importlib.import_module(name)
    gc.freeze()
    # A fork does not copy threads. If packages have started threads, this process does not fork,
    # but plays a single game itself.
    forks = threading.active_count() == threads
    while True:
        try:
            game_pipe = recv_handle(control)
        except (EOFError, OSError):
            end_children()
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
        os.setpgid(player, player)  # signals to the game's group do not reach this process
        control.send_bytes(str(player).encode())
        try:
            grace = float(control.recv_bytes())
        except (EOFError, OSError):
            end_children()
            os._exit(0)
        status = _end_player(player, grace)
        end_children()
        control.send_bytes(b"" if status is None else str(status).encode())


def _end_player(player: int, grace: float) -> int | None:
    """End a process and its group; return its exit status if it exited within `grace` seconds."""
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline:
        pid, status = os.waitpid(player, os.WNOHANG)
        if pid:
            signal_group(player, signal.SIGKILL)
            return os.waitstatus_to_exitcode(status)
        time.sleep(EXIT_POLL)
    signal_group(player, signal.SIGKILL)
    os.waitpid(player, 0)
    return None


def _play(connection: Connection, bot: PythonBot, game: GameHandle) -> None:
    """Answer requests to a bot until the pipe closes. Never returns."""
    # A process that the bot forks must not read requests from the same pipe.
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
                answer["value"] = value.text if isinstance(value, InvalidMove) else value
        except BaseException as error:  # includes SystemExit and KeyboardInterrupt
            answer |= {"message": format_exception(error), "details": format_traceback(error)}
        answer["cpu"] = max(time.process_time() - begin, 0.0)
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        try:
            connection.send_bytes(json.dumps(answer).encode())
        except OSError:
            os._exit(0)


def _limit_memory(size: int) -> None:
    """Limit the memory of this process to `size` bytes; on Linux, only its data counts."""
    kind = resource.RLIMIT_DATA if sys.platform.startswith("linux") else resource.RLIMIT_AS
    _, most = resource.getrlimit(kind)
    resource.setrlimit(kind, (size if most == resource.RLIM_INFINITY else min(size, most), most))


def _is_answer(answer: Any) -> bool:
    """Return whether an answer has the form that `_play` sends, since a bot may send anything."""
    if not isinstance(answer, dict) or type(answer.get("number")) is not int:
        return False
    cpu = answer.get("cpu")
    if not isinstance(cpu, float) or not 0.0 <= cpu < float("inf"):
        return False
    if "message" in answer:
        return all(isinstance(answer.get(key), str) for key in ("message", "details"))
    return "value" in answer and isinstance(answer["value"], int | str | None)
