"""Bots that misbehave as told: what the harness must survive."""

import os
import signal
import time
from pathlib import Path


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


class Printing(Scripted):
    def misbehave(self, position):
        print("noise on standard output", flush=True)
        os.write(1, b"more noise\n")


class Slow(Scripted):
    """Takes a little while for each decision, so that games are still running when killed."""

    def choose(self, position, seed):
        time.sleep(0.001)
        return position.legal_moves()[seed % len(position.legal_moves())]
