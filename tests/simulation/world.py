"""One seed's world: a clock, faults by chance, and stand-ins for whatever a run has around it.

Runner, backends, guard and store are the real ones. Simulated are the worker processes of this
machine and of a dask cluster, the child process of a guard with its pipe, the clock it looks at,
the disk (`faulty_disk`), and the games.
"""

import hashlib
import json
import subprocess
from collections import Counter
from concurrent.futures import CancelledError
from dataclasses import dataclass
from random import Random

from joblib.externals.loky.process_executor import TerminatedWorkerError

from trajan_ai.bots.game_loop import BotTimes, Failure
from trajan_ai.tournaments.backends import Dask, Loky
from trajan_ai.tournaments.game_task import Outcome
from trajan_ai.tournaments.guard import Blackbox, ProcessGuard

PLIES = 4
PATIENCE = 2.0
THINKING = PATIENCE / 2  # the most an innocent bot takes for a call
# How often each fault strikes where it is in season, per occasion.
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
# Each sits at tables under its name, which says how it behaves.
BOTS = ("calm", "even", "raiser", "killer", "hanger", "flaky")


class Killed(BaseException):
    """The runner is no more: nothing it would still do reaches the disk."""


class World:
    """Chance, the clock, and the count of what has gone wrong."""

    def __init__(self, seed, told=None):
        self.random = Random(seed)
        self.now = 0.0
        self.faults = Counter()
        self.season = {}
        self.full = False
        self.dead = False
        self.deaths = Counter()  # of the game that is being played, by the seat on call
        self.last_answer = None
        self._told = told

    def tell(self, line):
        if self._told:
            self._told(f"{self.now:12.2f}  {line}")

    def begin(self, calm=False):
        """Begin a run: some kinds of fault are in season, each more or less often."""
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
        self.tell(kind)

    def disk(self, operation):
        """Say how a disk operation ends, see FaultyDisk."""
        if self.dead:
            return "error"  # whatever it would still do never happened
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
        """Let a runner live through a moment, or not."""
        self.now += self.random.random()
        if self.dead or self.strikes("runner killed"):
            self.dead = True
            raise Killed
        if self.strikes("Ctrl-C"):
            raise KeyboardInterrupt

    def backend(self, kind, jobs, meanwhile):
        """Return a backend whose workers live here; `meanwhile` is called again and again."""
        if kind == "loky":
            return Loky(jobs, Workers(self, meanwhile))
        return Dask("simulated", jobs, Cluster(self, meanwhile))

    def guard(self):
        return ProcessGuard(self._launch, lambda: self.now)

    def play(self, guard, task):
        """Have a guard play a game."""
        self.deaths.clear()
        return guard.play(task)

    def _launch(self, blackbox):
        if self.strikes("no process"):
            raise BlockingIOError(11, "Resource temporarily unavailable")
        child = Child(self, blackbox)
        return child, Pipe(child)


def chosen(task, seat, share=3):
    """Return whether the bot at a seat misbehaves in this game: always the same."""
    text = f"{task.id} {seat}".encode()
    return hashlib.blake2b(text).digest()[0] % share == 0


def culprit(task):
    """Return (ply, seat) of the first bot that loses this game by its own doing, or None."""
    for ply in range(PLIES):
        seat = ply % len(task.seats)
        if task.seats[seat].name in ("raiser", "killer", "hanger") and chosen(task, seat):
            return ply, seat
    return None


def outcome_of(task):
    """Return how the game goes, failures but those of raisers aside, which the child tells."""
    number = int(task.id, 16)
    players = len(task.seats)
    scores = [(number >> 8 * seat) % 50 for seat in range(players)]
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    failure, plies = None, PLIES
    if found := culprit(task):
        plies, seat = found
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


def expected(task):
    """Return (failing seat, kind of failure, scores) without any harness."""
    if found := culprit(task):
        kinds = {"raiser": "raised", "killer": "died", "hanger": "hung"}
        return found[1], kinds[task.seats[found[1]].name], None
    return None, None, outcome_of(task).scores


@dataclass
class Doing:
    """What a child does next: for so many seconds, then `then`; `seat` is on call, or none."""

    seconds: float
    then: str
    seat: int | None = None


class Child:
    """A guard's child process, which plays by a script."""

    def __init__(self, world, blackbox):
        self.world = world
        self.status = None
        self.box = Blackbox(blackbox)
        self.script = []
        self.answers = []
        self.task = None

    # As a process.
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

    # What it does.
    def begin(self, task):
        """Take up a game."""
        self.task = task
        random = self.world.random
        self.script = []
        for ply in range(PLIES):
            seat = ply % len(task.seats)
            self.script.append(Doing(random.random() * 0.1, "enter", seat))
            self.script.append(Doing(random.random() * THINKING, "decide", seat))
        self.script.append(Doing(0.01, "answer"))

    def live(self, seconds):
        """Go on for so long, or until there is something to tell."""
        while seconds > 0 and self.script and self.status is None and not self.answers:
            doing = self.script[0]
            passed = min(seconds, doing.seconds)
            seconds -= passed
            doing.seconds -= passed
            if doing.seconds <= 0:
                self.script.pop(0)
                getattr(self, doing.then)(doing.seat)

    def enter(self, seat):
        self.box.enter(seat)

    def decide(self, seat):
        """The bot at a seat has thought."""
        ply = PLIES - sum(doing.then == "decide" for doing in self.script) - 1
        found, name = culprit(self.task), self.task.seats[seat].name
        mine = found == (ply, seat)
        if name == "hanger" and mine:
            self.script = []
        elif name == "killer" and mine:
            self.die(9)
        elif name == "raiser" and mine:
            self.box.leave()
            self.script = [Doing(0.01, "answer")]
        elif name == "flaky" and chosen(self.task, seat) and not self.world.deaths[seat]:
            self.world.deaths[seat] += 1
            self.die(11)
        elif self.world.deaths[seat] < self.task.retries and self.world.strikes("child killed"):
            self.world.deaths[seat] += 1  # more often it would look like the bot's doing
            self.die(9)
        else:
            self.box.leave()

    def answer(self, seat):
        if self.world.strikes("child doubled") and self.world.last_answer:
            self.answers.append(self.world.last_answer)
        self.world.last_answer = (self.task.id, outcome_of(self.task))
        self.answers.append(self.world.last_answer)


class Pipe:
    """The guard's end of the pipe to a child."""

    def __init__(self, child):
        self.child = child

    def send(self, task):
        if self.child.status is not None:
            raise BrokenPipeError
        self.child.begin(task)

    def poll(self, timeout):
        world, child = self.child.world, self.child
        alive = timeout
        if world.strikes("runner suspended"):
            alive = timeout = world.random.random() * 1000
        elif world.strikes("machine suspended"):
            timeout = world.random.random() * 100_000
        child.live(alive)
        world.now += timeout
        return bool(child.answers) or child.status is not None

    def recv(self):
        if self.child.answers:
            return self.child.answers.pop(0)
        raise EOFError

    def close(self):
        self.child.die(15)


class Workers:
    """In place of joblib's processes."""

    def __init__(self, world, meanwhile):
        self.world = world
        self.meanwhile = meanwhile

    def __call__(self, tasks, jobs):
        world, guards = self.world, [self.world.guard() for _ in range(jobs)]
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
                world.step()
                if world.strikes("worker killed"):
                    raise TerminatedWorkerError
                if waiting:
                    task = waiting.pop(drawn(world, waiting))
                    done.append(world.play(world.random.choice(guards), task))
                if waiting and world.strikes("outcome late"):
                    continue
                outcome = done.pop(drawn(world, done))
                yield outcome
                if world.strikes("outcome twice"):
                    done.append(outcome)
        finally:
            for guard in guards:
                guard.close()


def drawn(world, things):
    """Return which of the things comes first: the oldest unless the order changes."""
    return world.random.randrange(len(things)) if world.strikes("order changed") else 0


class Cluster:
    """In place of the package `distributed`: a scheduler, workers, and a client."""

    class KilledWorker(Exception):
        """A task was in flight when too many workers died."""

    def __init__(self, world, meanwhile):
        self.world = world
        self.meanwhile = meanwhile

    def Client(self, address, timeout):
        if self.world.strikes("scheduler lost"):
            raise OSError("Timed out trying to connect")
        self.flying, self.worker = [], self.world.guard()
        return self

    def as_completed(self):
        return self

    def nthreads(self):
        return {} if self.world.strikes("no workers") else {"one": 2, "other": 1}

    def submit(self, function, task, pure):
        return Future(self, task)

    def add(self, future):
        self.flying.append(future)

    def has_ready(self):
        return True

    def __next__(self):
        self.meanwhile()
        self.world.step()
        if self.world.strikes("scheduler lost"):
            raise CancelledError
        return self.flying.pop(drawn(self.world, self.flying))

    def close(self):
        self.worker.close()


class Future:
    """A game that a cluster is to play."""

    def __init__(self, cluster, task):
        self.cluster = cluster
        self.task = task

    def result(self):
        if self.cluster.world.strikes("task given up"):
            raise Cluster.KilledWorker
        return self.cluster.world.play(self.cluster.worker, self.task)
