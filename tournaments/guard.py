"""Playing games in a process of their own, so that no bot can take its worker along.

A worker keeps one child process that plays game after game. A bot that hangs is killed with its
child after its time; a bot that kills its process leaves the worker alive to say so. The child
notes every call into a bot, and every move, in shared memory: what is known survives it.
"""

from __future__ import annotations

import atexit
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from multiprocessing.connection import Connection, Pipe
from typing import Any

from tournaments import play
from tournaments.play import Failure, Outcome, Task, Watch

# The memory shared with a child is words of 8 bytes: the running call, the number of moves made,
# then the moves, two to a word.
_CALL = 0  # when it began, in microseconds (monotonic), and in the lowest byte its seat + 1
_MADE = 1
_FIRST_MOVE = 4  # as a place of 4 bytes
_MAX_MOVES = 16_000  # far above any game's decisions
_SIZE = 4 * (_FIRST_MOVE + _MAX_MOVES)
NOBODY = -1
POLL = 0.25  # seconds between two looks at a child that does not answer
GOODBYE = 2.0  # seconds a child has to leave by itself


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


class Guard:
    """Owner of one child process; replaces it whenever it is gone."""

    def __init__(self) -> None:
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
            if failure is None or failure.kind != "died" or len(retried) >= task.retries:
                return _with_retried(outcome, retried)
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
            self._start()
        assert self._pipe is not None
        self._blackbox.clear()
        try:
            self._pipe.send(task)
            while not self._pipe.poll(POLL):
                if failure := self._hanging(task):
                    self._kill()
                    return play.failed_game(task, self._blackbox.moves(), failure)
            answer = self._pipe.recv()
        except (EOFError, OSError):
            return play.failed_game(task, self._blackbox.moves(), self._obituary())
        if isinstance(answer, str):
            raise RuntimeError(f"game {task.id} broke outside its bots:\n{answer}")
        assert isinstance(answer, Outcome)
        return answer

    def _start(self) -> None:
        self._kill()
        ours, theirs = Pipe()
        descriptors = (theirs.fileno(), self._file.fileno())
        self._child = subprocess.Popen(
            # -P: what lies in the current folder, such as sources not built, must not come first.
            [sys.executable, "-P", "-c", _CHILD, *map(str, (*descriptors, os.getpid()))],
            pass_fds=descriptors,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path or "." for path in sys.path)},
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._pipe = ours

    def _hanging(self, task: Task) -> Failure | None:
        began, seat = self._blackbox.call()
        if seat == NOBODY:
            return None
        limit = task.patience + play.bot_time(task.seats[seat])
        if time.monotonic() - began <= limit:
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
        if status is None:
            how = "its process stopped answering"
        elif status < 0:
            how = f"its process died of {signal.Signals(-status).name}"
        else:
            how = f"its process ended with exit status {status}"
        return Failure("died", None if seat == NOBODY else seat, ply, how)

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


# The child imports nothing before it is safe from the signals meant for its terminal.
_CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from tournaments.guard import serve
serve(*map(int, sys.argv[1:]))
"""


def serve(pipe: int, blackbox: int, parent: int) -> None:
    """Play the games that arrive on `pipe` until it closes: the child's life."""
    os.dup2(2, 1)  # whatever a bot prints must not mix with results
    box = Blackbox(blackbox)
    watch = Watch(box.enter, box.leave, box.made)
    connection = Connection(pipe)
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer: Any = play.play_game(task, watch)
        except Exception:  # told to the worker, which raises
            answer = traceback.format_exc()
        try:
            connection.send(answer)
        except OSError:
            return


def end_with(parent: int) -> None:
    """End this process when `parent` is gone, even in the middle of a game; never returns."""
    while os.getppid() == parent:
        time.sleep(POLL)
    os._exit(0)


def _with_retried(outcome: Outcome, retried: list[Failure]) -> Outcome:
    return outcome if not retried else type(outcome)(**vars(outcome) | {"retried": tuple(retried)})
