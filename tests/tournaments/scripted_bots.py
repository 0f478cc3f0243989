"""Bots that misbehave as told: what the harness must survive."""

import os
import signal
import time
from pathlib import Path

import numpy as np


class Scripted:
    """Plays its first legal move; from decision `at` of `seats` (None: any) on it misbehaves."""

    def __init__(self, game, at=3, seats=None, marker=None):
        self.at, self.seats, self.marker = at, seats, marker

    def start(self, seat, players, seed):
        self.seat, self.decisions = seat, 0

    def choose(self, position, seed):
        self.decisions += 1
        wanted = self.seats is None or self.seat in self.seats
        if wanted and self.decisions == self.at:
            answer = self.misbehave(position)
            if answer is not None:
                return answer
        return position.legal_moves()[0]

    def observe(self, position, move):
        pass

    def misbehave(self, position):
        """Nothing wrong here."""


class First(Scripted):
    pass


class Raising(Scripted):
    def misbehave(self, position):
        raise RuntimeError("I give up\non two lines")


class Leaving(Scripted):
    def misbehave(self, position):
        raise SystemExit(0)


class Illegal(Scripted):
    def misbehave(self, position):
        return next(
            m for m in range(len(position.game.actions)) if m not in position.legal_moves()
        )


class Nonsense(Scripted):
    def misbehave(self, position):
        return "a word"


class Unprintable:
    """Refuses to be put in words, in every way."""

    def __repr__(self):
        raise SystemExit("no words")

    __str__ = __repr__


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words for it")


class BadRepr(Scripted):
    def misbehave(self, position):
        return Unprintable()


class BadStr(Scripted):
    def misbehave(self, position):
        raise Unspeakable


class Float(Scripted):
    def misbehave(self, position):
        return float(position.legal_moves()[0])


class Boolean(Scripted):
    def misbehave(self, position):
        return True


class BadIndex(Scripted):
    def misbehave(self, position):
        class Sly:
            def __index__(self):
                raise OSError("not today")

        return Sly()


class Huge(Scripted):
    def misbehave(self, position):
        return 10**5000


class Surrogate(Scripted):
    def misbehave(self, position):
        raise ValueError("half a character: \ud800")


class LongWords(Scripted):
    def misbehave(self, position):
        raise ValueError("x" * 10_000_000)


class WordsOfOthers(Scripted):
    def misbehave(self, position):
        return "an action of some other game"


class Interrupting(Scripted):
    def misbehave(self, position):
        raise KeyboardInterrupt


class Numpy(Scripted):
    """Returns its move as numpy does: innocent."""

    def choose(self, position, seed):
        return np.int64(position.legal_moves()[0])


class Sly(Scripted):
    """Returns a number that will not be compared: innocent."""

    def choose(self, position, seed):
        class Number(int):
            def __eq__(self, other):
                raise OSError("incomparable")

            __hash__ = None

        return Number(position.legal_moves()[0])


class Wordy(Scripted):
    """Returns its move as an action string: innocent."""

    def choose(self, position, seed):
        return position.legal()[0]


class Sleeping(Scripted):
    def misbehave(self, position):
        time.sleep(1000)


class Looping(Scripted):
    def misbehave(self, position):
        while True:
            pass


class Killed(Scripted):
    def misbehave(self, position):
        os.kill(os.getpid(), signal.SIGKILL)


class Exiting(Scripted):
    def misbehave(self, position):
        os._exit(3)


class KilledOnce(Scripted):
    """Kills its process in its first game ever; `marker` is the file that remembers."""

    def misbehave(self, position):
        marker = Path(self.marker)
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)


class Forking(Scripted):
    """Doubles its process, which then plays on as well."""

    def misbehave(self, position):
        os.fork()


class Printing(Scripted):
    def misbehave(self, position):
        print("noise on standard output", flush=True)
        os.write(1, b"more noise\n")


class Slow(Scripted):
    """Plays at random. Where HOLD names a folder only its first few games go on, others wait.

    So games are still running when somebody is killed, however fast or busy the machine.
    """

    HELD_AFTER = 4

    def start(self, seat, players, seed):
        folder = Path(os.environ.get("HOLD") or "/nowhere")
        if folder.is_dir():
            (folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
            while folder.is_dir() and len(list(folder.iterdir())) > self.HELD_AFTER:
                time.sleep(0.01)

    def choose(self, position, seed):
        time.sleep(0.001)
        return position.legal_moves()[seed % len(position.legal_moves())]
