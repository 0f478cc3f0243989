"""Playing games in a process of their own, so that no bot can take its worker along.

A worker keeps one child process that plays game after game. Python bots are asked in processes of
their own below it (`bot_process`). A built-in bot that hangs is killed with the child after its
time; a bot that kills the child leaves the worker alive to say so. The child notes every call into
a bot, and every move, in shared memory: what is known survives it.
"""

from __future__ import annotations

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

from trajan_ai.bots.game_loop import Failure, Watch
from trajan_ai.bots.processes import (
    GOODBYE,
    POLL,
    Patience,
    adopt,
    die_with,
    end_children,
    how_it_ended,
    start,
)
from trajan_ai.tournaments import game_task
from trajan_ai.tournaments.bot_process import BotProcesses, NotStarted
from trajan_ai.tournaments.game_task import Outcome, Task

# The memory shared with a child is words of 8 bytes: the running call, the number of moves made,
# then the moves, two to a word.
_CALL = 0  # when it began, in microseconds (monotonic), and in the lowest byte its seat + 1
_MADE = 1
_FIRST_MOVE = 4  # as a place of 4 bytes
_MAX_MOVES = 16_000  # far above any game's decisions
_SIZE = 4 * (_FIRST_MOVE + _MAX_MOVES)
NOBODY = -1
MARGIN = 10.0  # seconds that a bot in its own process has more: its table is to notice first


class Blackbox:
    """Shared memory in which a child notes what it is doing.

    A note is one store of one aligned word, so whoever looks finds the old or the new one, never
    half of each. (struct.pack_into clears its bytes before it fills them.)
    """

    def __init__(self, descriptor: int) -> None:
        self._memory = mmap.mmap(descriptor, _SIZE)
        self._words = memoryview(self._memory).cast("q")
        self._moves = memoryview(self._memory).cast("i")

    def close(self) -> None:
        """Let the memory go."""
        self._words.release()
        self._moves.release()
        self._memory.close()

    def clear(self) -> None:
        """Forget everything: a new game begins."""
        self._words[_CALL] = 0
        self._words[_MADE] = 0

    def enter(self, seat: int) -> None:
        """Note that a call into the bot at `seat` begins."""
        self._words[_CALL] = (time.monotonic_ns() // 1000 << 8) | (seat + 1)

    def leave(self) -> None:
        """Note that the call has returned."""
        self._words[_CALL] = 0

    def made(self, ply: int, move: int) -> None:
        """Note a move."""
        if ply < _MAX_MOVES:
            self._moves[_FIRST_MOVE + ply] = move
            self._words[_MADE] = ply + 1

    def call(self) -> tuple[float, int]:
        """Return when the running call began and the seat it went to, or NOBODY."""
        word = self._words[_CALL]
        return (word >> 8) / 1e6, (word & 255) - 1

    def moves(self) -> list[int]:
        """Return the moves made so far."""
        return self._moves[_FIRST_MOVE : _FIRST_MOVE + self._words[_MADE]].tolist()


def launch(blackbox: int) -> tuple[subprocess.Popen[bytes], Connection]:
    """Start a child that notes in the shared memory behind the descriptor what it does."""
    ours, theirs = multiprocessing.connection.Pipe()
    descriptors = (theirs.fileno(), blackbox)
    child = start("trajan_ai.tournaments.guard:serve", descriptors, descriptors)
    theirs.close()
    return child, ours


class Guard:
    """Owner of one child process; replaces it whenever it is gone."""

    def __init__(
        self,
        launch: Callable[[int], tuple[subprocess.Popen[bytes], Connection]] = launch,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._launch = launch
        self._clock = clock
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the guard)
        self._file.truncate(_SIZE)
        self._blackbox = Blackbox(self._file.fileno())
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def play(self, task: Task) -> Outcome:
        """Play a game; whatever its bots do, an outcome comes back."""
        retried: list[Failure] = []
        while True:
            outcome = self._attempt(task)
            failure = outcome.failure
            if (
                failure is None
                or failure.kind != "died"
                # Deaths in which another bot was on call say nothing about this one.
                or sum(death.seat == failure.seat for death in retried) >= task.retries
            ):
                return replace(outcome, retried=tuple(retried))
            retried.append(failure)

    def close(self) -> None:
        """Let the child go; the guard plays no more."""
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
                return _not_started(task, error)
        assert self._pipe is not None
        self._blackbox.clear()
        patience = Patience(self._clock)
        try:
            self._pipe.send(task)
            while True:
                while not self._pipe.poll(POLL):
                    if failure := self._hanging(task, patience):
                        self._kill()
                        return game_task.failed_game(task, self._blackbox.moves(), failure)
                identity, answer = self._pipe.recv()
                if identity == task.id:  # a process that a bot has doubled answers twice
                    break
        except (EOFError, OSError):
            return game_task.failed_game(task, self._blackbox.moves(), self._obituary())
        if isinstance(answer, str):
            raise RuntimeError(f"game {task.id} broke outside its bots:\n{answer}")
        assert isinstance(answer, Outcome)
        return answer

    def _hanging(self, task: Task, patience: Patience) -> Failure | None:
        call = self._blackbox.call()
        _, seat = call
        waited = patience.waited(call)
        if seat == NOBODY or waited <= task.patience:
            return None
        limit = task.patience + game_task.bot_time(task.seats[seat])
        if waited <= limit + (0.0 if game_task.is_ours(task.seats[seat]) else MARGIN):
            return None
        ply = len(self._blackbox.moves())
        return Failure("hung", seat, ply, f"no answer within {limit:g} s")

    def _obituary(self) -> Failure:
        assert self._child is not None
        try:
            status = self._child.wait(GOODBYE)
        except subprocess.TimeoutExpired:
            self._kill()
            status = None
        _, seat = self._blackbox.call()
        ply = len(self._blackbox.moves())
        return Failure("died", None if seat == NOBODY else seat, ply, how_it_ended(status))

    def _kill(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        if self._pipe is not None:
            self._pipe.close()
        self._child = self._pipe = None


_local = threading.local()


def play_guarded(task: Task) -> Outcome:
    """Play a game in the child process of this worker (of this thread, where it has several)."""
    guard: Guard | None = getattr(_local, "guard", None)
    if guard is None:
        guard = _local.guard = Guard()
        atexit.register(guard.close)
    return guard.play(task)


def serve(pipe: int, blackbox: int, parent: int) -> None:
    """Play the games that arrive on `pipe` until it closes: the child's life."""
    os.dup2(2, 1)  # whatever a bot prints must not mix with results
    box = Blackbox(blackbox)
    bots = BotProcesses()
    watch = Watch(box.enter, box.leave, box.made, lambda: bots.cpu)
    connection = Connection(pipe)
    die_with(parent, tidy=True)
    adopt()
    while True:
        try:
            task = connection.recv()
            answer = (task.id, _played(task, watch, bots))
            end_children(bots.kept)  # whatever a bot has left behind
            connection.send(answer)
        except (EOFError, OSError):
            bots.close()
            end_children()
            return


def _played(task: Task, watch: Watch, bots: BotProcesses) -> Outcome | str:
    """Play a game; return what broke as text, for the worker to raise."""
    try:
        bots.begin(task.patience, task.memory)
        return game_task.play_game(task, watch, bots.mind)
    except NotStarted as error:
        return _not_started(task, error)
    except Exception:
        return traceback.format_exc()
    finally:
        if not task.keep:
            bots.end()


def _not_started(task: Task, error: Exception) -> Outcome:
    message = f"no process for it could be started: {error}"
    return game_task.failed_game(task, [], Failure("lost", None, 0, message))
