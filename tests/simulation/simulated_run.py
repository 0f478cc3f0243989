"""The simulated environment of a run: a clock, random faults, and substitutes for processes.

The runner, the backends, the guard and the store are real. The worker processes of this machine
and of a dask cluster, the child process of a guard with its pipe and clock, the disk
(`faulty_disk`) and the games are simulated.
"""

import hashlib
import json
import subprocess
from collections import Counter
from concurrent.futures import CancelledError
from dataclasses import dataclass
from random import Random

from trajan_ai.bots.game_loop import BotTimes, Failure
from trajan_ai.tournaments.backends import Dask, Loky, WorkerKilled
from trajan_ai.tournaments.game_task import Outcome
from trajan_ai.tournaments.guard import Blackbox, ProcessGuard

PLIES = 4
PATIENCE = 2.0  # seconds after which a bot that has been called counts as hung
THINKING = PATIENCE / 2  # maximum number of seconds of a call of a harmless bot
# For each fault, the probability on each occasion if the fault is active in a run.
CHANCES = {
    "worker killed": 0.1,
    "no process": 0.2,
    "child killed": 0.3,
    "child doubled": 0.3,
    "runner suspended": 0.3,
    "machine suspended": 0.3,
    "outcome late": 0.4,
    "outcome twice": 0.3,
    "order changed": 0.8,
    "scheduler lost": 0.01,
    "task given up": 0.03,
    "no workers": 0.2,
    "read fails": 0.002,
    "write fails": 0.01,
    "sync fails": 0.1,
    "truncate fails": 0.2,
    "delete fails": 0.2,
    "open fails": 0.02,
    "disk full": 0.003,
    "runner killed in a write": 0.005,
    "runner killed": 0.01,
    "Ctrl-C": 0.01,
    "second runner": 0.02,
    "reader": 0.05,
}
# The names of the bots, which describe their behaviour.
BOTS = ("calm", "even", "raiser", "killer", "hanger", "flaky")


class Killed(BaseException):
    """The runner was killed, so nothing that it does afterwards reaches the disk."""


class SimulatedRun:
    def __init__(self, seed, trace=None):
        self.random = Random(seed)
        self.now = 0.0
        self.faults = Counter()
        self.season = {}
        self.full = False
        self.dead = False
        self.deaths = Counter()  # deaths in the current game, by the seat of the called bot
        self.last_answer = None
        self._trace = trace

    def trace(self, line):
        if self._trace:
            self._trace(f"{self.now:12.2f}  {line}")

    def begin(self, calm=False):
        """Begin a run by choosing the active kinds of fault and their probabilities."""
        self.full = self.dead = False
        share = self.random.choice((0.2, 0.5, 1.0))
        self.season = {
            kind: chance * self.random.choice((0.2, 1.0, 2.0))
            for kind, chance in CHANCES.items()
            if not calm and self.random.random() < share
        }

    def strikes(self, kind):
        """Return whether a fault of this kind happens now, and count it."""
        chance = self.season.get(kind)
        if chance is None or self.random.random() >= chance:
            return False
        self.count(kind)
        return True

    def count(self, kind):
        self.faults[kind] += 1
        self.trace(kind)

    def disk(self, operation):
        """Return the result of a disk operation, as FaultyDisk expects it."""
        if self.dead:
            return "error"  # a killed process does nothing
        if operation == "write":
            if self.strikes("runner killed in a write"):
                self.dead = True
                return "torn"
            self.full = self.full or self.strikes("disk full")
            if self.full:
                return "full"
        failed = self.strikes(f"{operation} fails")
        return self.random.choice(("error", "torn")) if failed else None

    def step(self):
        """Let some time pass, during which the runner may be killed or interrupted."""
        self.now += self.random.random()
        if self.dead or self.strikes("runner killed"):
            self.dead = True
            raise Killed
        if self.strikes("Ctrl-C"):
            raise KeyboardInterrupt

    def backend(self, kind, jobs, meanwhile):
        """Return a backend with simulated workers; `meanwhile` is called repeatedly."""
        if kind == "loky":
            return Loky(jobs, Workers(self, meanwhile))
        return Dask("simulated", jobs, Cluster(self, meanwhile))

    def guard(self):
        return ProcessGuard(self._launch, lambda: self.now)

    def play(self, guard, task):
        self.deaths.clear()
        return guard.play(task)

    def _launch(self, blackbox):
        if self.strikes("no process"):
            raise BlockingIOError(11, "Resource temporarily unavailable")
        child = Child(self, blackbox)
        return child, Pipe(child)


def misbehaves(task, seat, share=3):
    """Return whether the bot at a seat misbehaves in this game; repeated calls return the same."""
    text = f"{task.id} {seat}".encode()
    return hashlib.blake2b(text).digest()[0] % share == 0


def find_culprit(task):
    """Return (ply, seat) of the first failure of a bot in this game, or None."""
    for ply in range(PLIES):
        seat = ply % len(task.seats)
        if task.seats[seat].name in ("raiser", "killer", "hanger") and misbehaves(task, seat):
            return ply, seat
    return None


def make_outcome(task):
    """Return the outcome that a child reports; its only possible failure is a bot that raises."""
    number = int(task.id, 16)
    players = len(task.seats)
    scores = [(number >> 8 * seat) % 50 for seat in range(players)]
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    failure, plies = None, PLIES
    if culprit := find_culprit(task):
        plies, seat = culprit
        failure = Failure("raised", seat, plies, "it gave up")
        scores = ranks = None
    record = json.dumps({"game": task.id, "scores": scores})
    return Outcome(
        id=task.id,
        scores=scores,
        ranks=ranks,
        plies=plies,
        times=BotTimes.start(players),
        total_seconds=1.0,
        total_cpu=1.0,
        record=record,
        failure=failure,
    )


def expect_result(task):
    """Compute, without a harness, the expected (failing seat, kind of failure, scores)."""
    if culprit := find_culprit(task):
        kinds = {"raiser": "raised", "killer": "died", "hanger": "hung"}
        return culprit[1], kinds[task.seats[culprit[1]].name], None
    return None, None, make_outcome(task).scores


@dataclass
class Step:
    """A step of a child: after `seconds`, the child's method `then` is called with `seat`."""

    seconds: float
    then: str
    seat: int | None = None


class Child:
    """A guard's child process, which follows a script."""

    def __init__(self, simulated, blackbox):
        self.simulated = simulated
        self.status = None
        self.box = Blackbox(blackbox)
        self.script = []
        self.answers = []
        self.task = None

    # The interface of a process.
    def poll(self):
        return self.status

    def wait(self, timeout=None):
        if self.status is None:
            raise subprocess.TimeoutExpired("child", timeout)
        return self.status

    def kill(self):
        self.die(9)

    def die(self, number):
        if self.status is None:
            self.status = -number
            self.box.close()

    # The behaviour of the child.
    def begin(self, task):
        """Begin a game."""
        self.task = task
        random = self.simulated.random
        self.script = []
        for ply in range(PLIES):
            seat = ply % len(task.seats)
            self.script.append(Step(random.random() * 0.1, "enter", seat))
            self.script.append(Step(random.random() * THINKING, "decide", seat))
        self.script.append(Step(0.01, "answer"))

    def live(self, seconds):
        while seconds > 0 and self.script and self.status is None and not self.answers:
            step = self.script[0]
            passed = min(seconds, step.seconds)
            seconds -= passed
            step.seconds -= passed
            if step.seconds <= 0:
                self.script.pop(0)
                getattr(self, step.then)(step.seat)

    def enter(self, seat):
        self.box.enter(seat)

    def decide(self, seat):
        ply = PLIES - sum(step.then == "decide" for step in self.script) - 1
        culprit, name = find_culprit(self.task), self.task.seats[seat].name
        mine = culprit == (ply, seat)
        if name == "hanger" and mine:
            self.script = []
        elif name == "killer" and mine:
            self.die(9)
        elif name == "raiser" and mine:
            self.box.leave()
            self.script = [Step(0.01, "answer")]
        elif name == "flaky" and misbehaves(self.task, seat) and not self.simulated.deaths[seat]:
            self.simulated.deaths[seat] += 1
            self.die(11)
        elif self.simulated.deaths[seat] < self.task.retries and self.simulated.strikes(
            "child killed"
        ):
            self.simulated.deaths[seat] += 1  # more deaths would count against the bot
            self.die(9)
        else:
            self.box.leave()

    def answer(self, seat):
        if self.simulated.strikes("child doubled") and self.simulated.last_answer:
            self.answers.append(self.simulated.last_answer)
        self.simulated.last_answer = (self.task.id, make_outcome(self.task))
        self.answers.append(self.simulated.last_answer)


class Pipe:
    """The guard's end of the pipe to a child."""

    def __init__(self, child):
        self.child = child

    def send(self, task):
        if self.child.status is not None:
            raise BrokenPipeError
        self.child.begin(task)

    def poll(self, timeout):
        simulated, child = self.child.simulated, self.child
        alive = timeout
        if simulated.strikes("runner suspended"):
            alive = timeout = simulated.random.random() * 1000
        elif simulated.strikes("machine suspended"):
            timeout = simulated.random.random() * 100_000
        child.live(alive)
        simulated.now += timeout
        return bool(child.answers) or child.status is not None

    def recv(self):
        if self.child.answers:
            return self.child.answers.pop(0)
        raise EOFError

    def close(self):
        self.child.die(15)


class Workers:
    def __init__(self, simulated, meanwhile):
        self.simulated = simulated
        self.meanwhile = meanwhile

    def __call__(self, tasks, jobs):
        simulated, guards = self.simulated, [self.simulated.guard() for _ in range(jobs)]
        waiting, done = [], []
        try:
            while True:
                while len(waiting) + len(done) < 2 * jobs:
                    task = next(tasks, None)
                    if task is None:
                        break
                    waiting.append(task)
                if not waiting and not done:
                    return
                self.meanwhile()
                simulated.step()
                if simulated.strikes("worker killed"):
                    raise WorkerKilled("a worker process was killed")
                if waiting:
                    task = waiting.pop(draw_index(simulated, waiting))
                    done.append(simulated.play(simulated.random.choice(guards), task))
                if waiting and simulated.strikes("outcome late"):
                    continue
                outcome = done.pop(draw_index(simulated, done))
                yield outcome
                if simulated.strikes("outcome twice"):
                    done.append(outcome)
        finally:
            for guard in guards:
                guard.close()


def draw_index(simulated, things):
    """Return the index of the next item: the oldest one, unless a fault changes the order."""
    return simulated.random.randrange(len(things)) if simulated.strikes("order changed") else 0


class Cluster:
    """A replacement for the package `distributed`: a scheduler, workers and a client."""

    class KilledWorker(Exception):
        """Too many workers died while they ran a task."""

    def __init__(self, simulated, meanwhile):
        self.simulated = simulated
        self.meanwhile = meanwhile

    def Client(self, address, timeout):
        if self.simulated.strikes("scheduler lost"):
            raise OSError("Timed out trying to connect")
        self.flying, self.worker = [], self.simulated.guard()
        return self

    def as_completed(self):
        return self

    def nthreads(self, callback_timeout):
        return {} if self.simulated.strikes("no workers") else {"one": 2, "other": 1}

    def submit(self, function, task, pure):
        return Future(self, task)

    def add(self, future):
        self.flying.append(future)

    def has_ready(self):
        return True

    def __next__(self):
        self.meanwhile()
        self.simulated.step()
        if self.simulated.strikes("scheduler lost"):
            raise CancelledError
        return self.flying.pop(draw_index(self.simulated, self.flying))

    def close(self):
        self.worker.close()


class Future:
    def __init__(self, cluster, task):
        self.cluster = cluster
        self.task = task

    def result(self):
        if self.cluster.simulated.strikes("task given up"):
            raise Cluster.KilledWorker
        return self.cluster.simulated.play(self.cluster.worker, self.task)
