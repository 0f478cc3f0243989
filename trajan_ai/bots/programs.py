"""Bots that are programs in any language and read and write JSON lines.

A program answers every line on standard input except the last with one line on standard output
(docs/programs.md). Its output is never trusted, and while no request is pending, its process is
stopped.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from trajan_ai.bots.code_identity import hash_files
from trajan_ai.bots.minds import (
    CallLimit,
    FailureKind,
    InvalidMove,
    MindFailed,
    get_call_limit,
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
    describe_exit,
    make_environment,
    signal_group,
)
from trajan_ai.core.errors import TrajanError, short
from trajan_ai.core.platform import need_guards

PROTOCOL = 1
MAX_LINE = 1 << 16  # bytes of an answer
MAX_QUOTE = 80  # characters of a program's output in a message
CHUNK = 1 << 16
SEEDS = 1 << 32  # seeds of programs are below this, so that every language stores them exactly
FLUSH_HINT = " (does the program flush its output?)"
PATIENCE = 60.0  # seconds that a call may take, unless another limit is set

# Python runs this script, which limits the memory of its process and then executes the program.
_LAUNCHER = """
import os, signal, sys
memory, parent = map(int, sys.argv[1:3])
if memory:
    import resource
    kind = resource.RLIMIT_DATA if sys.platform.startswith("linux") else resource.RLIMIT_AS
    resource.setrlimit(kind, (memory, memory))
if sys.platform.startswith("linux"):
    import ctypes
    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))
if os.getppid() != parent:
    sys.exit(1)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
try:
    os.execv(sys.argv[3], sys.argv[3:])
except OSError as error:
    sys.exit(f"{sys.argv[3]} cannot be started: {error.strerror}")
"""


@dataclass(frozen=True)
class Command:
    """How to start a program, and its files as they were when the command was read.

    words    the command; its first word is a path
    folder   where the command runs, and where its files are
    digests  hash of every file in the folder that the command names, and of declared files
    """

    words: tuple[str, ...]
    folder: str
    digests: Mapping[str, str]


def find_program(words: Sequence[str], folder: str, files: Sequence[str]) -> Command:
    """Return the command of a program without running it.

    The first word is searched for in `folder`, then on PATH. Raises TrajanError if the program or
    one of `files` is missing.
    """
    first, *rest = words
    local = Path(folder, first)
    program = str(local.absolute()) if os.path.isfile(local) else shutil.which(first)
    if program is None:
        raise TrajanError(
            f"there is no program {short(first)} in {short(folder)} or on the search path (PATH)"
        )
    if not os.access(program, os.X_OK):
        raise TrajanError(
            f"{program} is not executable; make it executable, or name the program that runs it: "
            f"[python3, {first}]"
        )
    names = [word for word in words if os.path.isfile(Path(folder, word))]
    digests = hash_files(folder, dict.fromkeys([*names, *files]))
    return Command((program, *rest), folder, digests)


class Program:
    """Owner of a program's process. The owner sends one request at a time.

    `memory` is in bytes, 0 for no limit. Raises MindFailed if the program does not start or does
    not answer the first request.
    """

    def __init__(self, command: Command, hello: Mapping[str, Any], memory: int) -> None:
        need_guards("a program as a bot")
        _check_unchanged(command)
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCHER]
        self._process = Tree(
            [*launch, str(memory), str(os.getpid()), *command.words],
            cwd=command.folder,
            env=make_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        self.close = weakref.finalize(self, _end, self._process)
        self._request = 0
        self._cpu = 0.0
        self._to_write = b""
        self._read = b""
        self._errors = b""
        self._ended = False
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self.ask({"type": "hello", "protocol": PROTOCOL, **hello}, "ready", CallLimit(PATIENCE))

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def cpu(self) -> float:
        """CPU seconds used so far, where ``/proc`` exists."""
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            self._cpu = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        return self._cpu

    def ask(self, message: Mapping[str, Any], expected: str, limit: CallLimit) -> dict[str, Any]:
        """Send a message and return the answer, whose type must be `expected`.

        Raises MindFailed if the program fails or exceeds the limit.
        """
        self._request += 1
        self._pump(0.0)
        if self._read:
            raise self._fail("illegal", f"wrote output without a request: {_quote(self._read)}")
        self._to_write = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        self._signal(signal.SIGCONT)
        answer = self._answer(self._line(limit))
        self._signal(signal.SIGSTOP)
        if answer.get("type") == "error":
            raise self._fail("raised", f"reports: {_quote(str(answer.get('message')))}")
        if answer.get("type") != expected:
            what = _quote(json.dumps(answer))
            raise self._fail(
                "illegal", f"must answer {message['type']} with {expected}, wrote {what}"
            )
        return answer

    def _line(self, limit: CallLimit) -> bytes:
        patience = Patience()
        patience.waited(self._request)
        while (end := self._read.find(b"\n")) < 0:
            if len(self._read) > MAX_LINE:
                raise self._fail("illegal", f"wrote more than {MAX_LINE} bytes in a line")
            gone = self._ended or self._process.poll() is not None  # checked before the last read
            self._pump(0.0 if gone else min(POLL, limit.seconds))
            if gone and b"\n" not in self._read:
                raise self._fail("died", self._describe_end())
            if patience.waited(self._request) > limit.seconds and b"\n" not in self._read:
                raise self._fail(limit.kind, limit.message + FLUSH_HINT)
        line, self._read = self._read[:end], self._read[end + 1 :]
        return line

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._fail("illegal", f"wrote {_quote(line)}, which is not a JSON object")
        return answer

    def _pump(self, seconds: float) -> None:
        """Wait at most `seconds`, then write and read as much as possible without blocking."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        if self._to_write and not stdin.closed and stdin not in self._selector.get_map():
            self._selector.register(stdin, selectors.EVENT_WRITE)
        for key, _ in self._selector.select(seconds):
            if key.fileobj is stdin:
                self._write(stdin)
                continue
            try:
                data = os.read(key.fd, CHUNK)
            except BlockingIOError:
                continue
            if not data:
                self._selector.unregister(key.fileobj)
                self._ended |= key.fileobj is stdout
            elif key.fileobj is stdout:
                self._read += data
            else:
                self._errors = (self._errors + data)[-MAX_OUTPUT:]

    def _write(self, stdin: IO[bytes]) -> None:
        try:
            self._to_write = self._to_write[os.write(stdin.fileno(), self._to_write) :]
        except BlockingIOError:
            return
        except OSError:  # the program no longer reads, but may still write
            self._to_write = b""
        if not self._to_write:
            self._selector.unregister(stdin)

    def _fail(self, kind: FailureKind, message: str) -> MindFailed:
        """End the process and return its failure, with the last part of its standard error."""
        errors = self.errors
        self.close()
        if errors:
            message += f"; on standard error: {errors.splitlines()[-1][:MAX_QUOTE]}"
        return MindFailed(kind, message, errors)

    @property
    def errors(self) -> str:
        """The last part of the standard error of the program."""
        self._pump(0.0)
        return to_text(lambda: self._errors.decode("utf-8", "replace").strip())

    def _describe_end(self) -> str:
        try:
            return describe_exit(self._process.wait(GOODBYE))
        except subprocess.TimeoutExpired:
            return "it closed its standard output"

    def _signal(self, number: int) -> None:
        if PAUSES:
            signal_group(self._process.pid, number)


class ProgramMind:
    """A program that plays at one seat."""

    observes = False  # the next request contains the moves

    def __init__(
        self, program: Program, seconds: float | None, patience: float = PATIENCE
    ) -> None:
        self._program = program
        self._budget = seconds
        self._patience = patience

    @property
    def output(self) -> str:
        """The end of what the program has written to standard error."""
        return self._program.errors

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game."""
        message = {"type": "start", "seat": seat, "players": players, "seed": seed % SEEDS}
        self._program.ask(message, "ready", CallLimit(self._patience))

    def choose(self, observation: Observation, seed: int) -> int | InvalidMove:
        """Ask for a move, within the time left for the turn."""
        legal = observation.legal()
        limit = get_call_limit(observation, self._budget, self._patience)
        message = {
            "type": "choose",
            "legal": legal,
            "seed": seed % SEEDS,
            "seconds": None if observation.seconds is None else round(observation.seconds, 3),
            "ply": observation.ply,
            "turn": observation.turn,
            "scores": observation.scores,
            "moves": observation.moves,
            "view": observation.view(),
        }
        move = self._program.ask(message, "move", limit).get("move")
        if isinstance(move, str) and move in legal:
            return observation.game.move(move)
        return InvalidMove(_quote(json.dumps(move)))

    def observe(self, observation: Observation, move: int) -> None:
        """Do nothing: the next request contains the move."""


def _check_unchanged(command: Command) -> None:
    """Raise MindFailed if a file has changed, because the program is then a different bot."""
    for name, before in command.digests.items():
        with contextlib.suppress(TrajanError):
            if hash_files(command.folder, [name])[name] == before:
                continue
        what = "changed while games were played; run the same command again"
        message = f"{Path(command.folder, name)}: {what}"
        raise MindFailed("raised", message)


def _end(process: Tree) -> None:
    """Ask a process to quit, then kill it with all its descendants."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    signal_group(process.pid, signal.SIGCONT)
    with contextlib.suppress(OSError):
        os.write(process.stdin.fileno(), b'{"type":"quit"}\n')
    process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GOODBYE / 4)
    process.kill()
    signal_group(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    process.stderr.close()


def _quote(text: bytes | str) -> str:
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = " ".join(text.split())
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 1] + "…"
