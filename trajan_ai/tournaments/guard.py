"""Playing games in a child process, so that no bot can end its worker.

A worker has one child process that plays game after game. User bots run in separate processes
below it (`trajan_ai.bots.bot_process`). If a built-in bot hangs, the child is killed after the
bot's time limit and `patience`. The child notes every call to a bot and every move in shared
memory, so that the worker can report which bot was being called when the child ended.
"""

import atexit
import mmap
import multiprocessing.connection
import os
import subprocess
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection

from trajan_ai.bots.bot_process import BotProcesses
from trajan_ai.bots.descriptions import ProgramBot
from trajan_ai.bots.game_loop import CallHooks, Failure
from trajan_ai.bots.minds import CallLimit, ProcessNotStarted
from trajan_ai.bots.processes import (
    GOODBYE,
    POLL,
    Patience,
    adopt_orphans,
    describe_exit,
    die_with,
    end_children,
    start,
)
from trajan_ai.bots.programs import FLUSH_HINT
from trajan_ai.tournaments import game_task
from trajan_ai.tournaments.game_task import Outcome, Task

# The shared memory consists of words of 8 bytes: the current call, the number of moves, then the
# moves, two per word.
_CALL = 0  # start in microseconds (monotonic), and in the lowest byte the seat + 1
_MOVE_COUNT = 1
_FIRST_MOVE = 4  # index in units of 4 bytes
_MAX_MOVES = 16_000  # far more than any game has
_SIZE = 4 * (_FIRST_MOVE + _MAX_MOVES)
NOBODY = -1
MARGIN = 10.0  # extra seconds for a user bot, so that the child notices a hanging process first


class Blackbox:
    """Shared memory in which a child notes what it is doing.

    Each note is a single write of one aligned word, so a reader never sees half of a note.
    (struct.pack_into is unsuitable, because it clears the bytes before it fills them.)
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._words = memoryview(self._memory).cast("q")
        self._moves = memoryview(self._memory).cast("i")

    def close(self) -> None:
        """Unmap the memory."""
        self._words.release()
        self._moves.release()
        self._memory.close()

    def clear(self) -> None:
        """Clear all notes before a new game."""
        self._words[_CALL] = 0
        self._words[_MOVE_COUNT] = 0

    def enter(self, seat: int) -> None:
        """Note that a call to the bot at `seat` begins."""
        self._words[_CALL] = (time.monotonic_ns() // 1000 << 8) | (seat + 1)

    def leave(self) -> None:
        """Note that the call has returned."""
        self._words[_CALL] = 0

    def move(self, ply: int, move: int) -> None:
        """Note a move."""
        if ply < _MAX_MOVES:
            self._moves[_FIRST_MOVE + ply] = move
            self._words[_MOVE_COUNT] = ply + 1

    def call(self) -> tuple[float, int]:
        """Return the start of the current call, and the seat of the called bot or NOBODY."""
        word = self._words[_CALL]
        return (word >> 8) / 1e6, (word & 255) - 1

    def moves(self) -> list[int]:
        """Return the moves so far."""
        return self._moves[_FIRST_MOVE : _FIRST_MOVE + self._words[_MOVE_COUNT]].tolist()


def launch(blackbox: int) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a child that uses the shared memory of the descriptor `blackbox`."""
    ours, theirs = multiprocessing.connection.Pipe()
    descriptors = (theirs.fileno(), blackbox)
    child = start("trajan_ai.tournaments.guard:serve", descriptors, descriptors)
    theirs.close()
    return child, ours


class ProcessGuard:
    """Owner of one child process, which is replaced when it has ended."""

    def __init__(
        self,
        launch: Callable[[int], tuple[subprocess.Popen[bytes], Connection]] = launch,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._launch = launch
        self._clock = clock
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (`close` closes it)
        self._file.truncate(_SIZE)
        self._blackbox = Blackbox(self._file.fileno())
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def play(self, task: Task) -> Outcome:
        """Play a game and return its outcome, even if a bot ends the child."""
        retried: list[Failure] = []
        while True:
            outcome = self._attempt(task)
            failure = outcome.failure
            if (
                failure is None
                or failure.kind != "died"
                # Only deaths during calls to the same bot count.
                or sum(death.seat == failure.seat for death in retried) >= task.retries
            ):
                return replace(outcome, retried=tuple(retried))
            retried.append(failure)

    def close(self) -> None:
        """End the child. The guard cannot be used afterwards."""
        if self._pipe is not None:
            self._pipe.close()
        if self._child is not None:
            try:
                self._child.wait(GOODBYE)
            except subprocess.TimeoutExpired:
                self._child.kill()
                self._child.wait()
        self._child = self._pipe = None
        self._blackbox.close()
        self._file.close()

    def _attempt(self, task: Task) -> Outcome:
        if self._child is None or self._child.poll() is not None:
            self._kill()
            try:
                self._child, self._pipe = self._launch(self._file.fileno())
            except OSError as error:
                return _report_not_started(task, error)
        assert self._pipe is not None
        self._blackbox.clear()
        patience = Patience(self._clock)
        try:
            self._pipe.send(task)
            while True:
                while not self._pipe.poll(POLL):
                    if failure := self._find_hanging_bot(task, patience):
                        self._kill()
                        moves = self._blackbox.moves()
                        return game_task.make_failed_outcome(task, moves, failure)
                identity, answer = self._pipe.recv()
                if identity == task.id:  # a process forked by a bot may answer again
                    break
        except (EOFError, OSError):
            failure = self._describe_death()
            return game_task.make_failed_outcome(task, self._blackbox.moves(), failure)
        if isinstance(answer, str):
            raise RuntimeError(f"an error that no bot caused ended game {task.id}:\n{answer}")
        assert isinstance(answer, Outcome)
        return answer

    def _find_hanging_bot(self, task: Task, patience: Patience) -> Failure | None:
        call = self._blackbox.call()
        _, seat = call
        waited = patience.waited(call)
        if seat == NOBODY or waited <= task.patience:
            return None
        bot = task.seats[seat]
        limit = task.patience + game_task.get_time_limit(bot)
        if not game_task.is_builtin(bot):
            limit += MARGIN
        if waited <= limit:
            return None
        message = CallLimit(limit).message + (FLUSH_HINT if isinstance(bot, ProgramBot) else "")
        return Failure("hung", seat, len(self._blackbox.moves()), message)

    def _describe_death(self) -> Failure:
        assert self._child is not None
        try:
            status = self._child.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            self._kill()
            status = None
        _, seat = self._blackbox.call()
        ply = len(self._blackbox.moves())
        return Failure("died", None if seat == NOBODY else seat, ply, describe_exit(status))

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        if self._pipe is not None:
            self._pipe.close()
        self._child = self._pipe = None


_local = threading.local()


def play_guarded(task: Task) -> Outcome:
    """Play a game in a child process; each thread of a worker has a separate child."""
    guard: ProcessGuard | None = getattr(_local, "guard", None)
    if guard is None:
        guard = _local.guard = ProcessGuard()
        atexit.register(guard.close)
    return guard.play(task)


def serve(pipe: int, blackbox: int, parent: int) -> None:
    """Play the games that arrive on `pipe` until it closes. This is the child's main function."""
    os.dup2(2, 1)  # output of a library must not mix with results
    box = Blackbox(blackbox)
    bots = BotProcesses()
    hooks = CallHooks(enter=box.enter, leave=box.leave, move=box.move, other_cpu=lambda: bots.cpu)
    connection = Connection(pipe)
    die_with(parent, tidy=True)
    adopt_orphans()
    while True:
        try:
            task = connection.recv()
            answer = (task.id, _play(task, hooks, bots))
            end_children(bots.process_ids)  # processes that bots left behind
            connection.send(answer)
        except (EOFError, OSError):
            bots.close()
            end_children()
            return


def _play(task: Task, hooks: CallHooks, bots: BotProcesses) -> Outcome | str:
    """Play a game; an error that no bot caused is returned as text, which the worker raises."""
    try:
        bots.begin(task.patience, task.memory)
        return game_task.play_game(task, hooks, bots.mind)
    except ProcessNotStarted as error:
        return _report_not_started(task, error)
    except Exception:
        return traceback.format_exc()
    finally:
        if not task.keep:
            bots.end()


def _report_not_started(task: Task, error: Exception) -> Outcome:
    message = f"no process could be started for the game: {error}"
    return game_task.make_failed_outcome(task, [], Failure("lost", None, 0, message))
