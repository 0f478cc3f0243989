"""Compare the speed of searches on several threads with the speed that a model predicts.

    python tests/experiments/threads.py 2 4 8 16        # numbers of threads; about 1 s for each

Speeds are relative to one thread. The model simulates `sharing.pxi` with the times of one thread.
Two further parameters are the times that the state of an iteration takes from core to core: the
state moves once on the way to the thread that plays the iteration, and twice on the way back.
docs/lab/performance.md has results.
"""

import heapq
import random
import sys
import time
from dataclasses import dataclass

from trajan_ai.analysis.measurement.profiling import pick_positions
from trajan_ai.bots import read_bot
from trajan_ai.core.information import InformationSet
from trajan_ai.core.table_text import text_table
from trajan_ai.games import GAMES
from trajan_ai.mcts import ThreadedSearch

SECONDS = 0.25
THERE, BACK = 0.5, 1.2  # microseconds in which a state moves from core to core
NOTICE = 0.2  # microseconds until a helper notices an iteration
# Microseconds for which the tree's thread waits for helpers before it plays an iteration itself;
# see PATIENCE in structs.pxi.
PATIENCE = 1.4
SPREAD = 0.25  # standard deviation of a playout, relative to its mean
ITERATIONS = 3000
BOT = read_bot("expert").model_copy(update={"early_stop": False})


@dataclass(frozen=True)
class Times:
    """Microseconds of an iteration on one thread."""

    select: float
    back_up: float
    play: float


def predict(times: Times, threads: int, in_flight: int, seed: int = 1) -> float:
    """Return the iterations per second that the model predicts."""
    draws = random.Random(seed)
    free = [0.0] * (threads - 1)  # when each helper is free
    starts: list[float] = []  # when each iteration was selected
    ends: dict[int, float] = {}  # when the playout of each iteration ends
    own: set[int] = set()  # iterations that the tree's thread plays
    now, waited, claimed, done = 0.0, 0.0, 0, 0

    def play() -> float:
        return draws.gammavariate(SPREAD**-2, times.play * SPREAD**2)

    def claim_time() -> float:
        return max(free[0], starts[claimed] + NOTICE)

    while done < ITERATIONS:
        while claimed < len(starts) and free and claim_time() <= now:
            ends[claimed] = claim_time() + THERE + play()
            heapq.heapreplace(free, ends[claimed])
            claimed += 1
        waiting = len(starts) - claimed
        if len(starts) - done < in_flight:
            last = len(starts) - in_flight  # the iteration whose place the new iteration takes
            now += times.select + (BACK / 2 if last >= 0 and last not in own else 0.0)
            starts.append(now)
        elif ends.get(done, now + 1) <= now:
            now += times.back_up + (0.0 if done in own else BACK / 2)
            done, waited = done + 1, 0.0
        elif waiting and (waiting >= min(threads, in_flight // 2) or waited >= PATIENCE):
            now += play()
            ends[claimed] = now
            own.add(claimed)
            claimed, waited = claimed + 1, 0.0
        else:
            events = [ends[done]] if done in ends else []
            events += [now + PATIENCE - waited] if waiting else []
            events += [claim_time()] if waiting and free else []
            later = max(min(events), now + 0.001)
            now, waited = later, waited + later - now
    return done / now * 1e6


def measure(position, **settings):
    """Return the iterations per second of a search."""
    engine = ThreadedSearch(position.game, BOT.model_copy(update=settings))
    engine.search(InformationSet(position), 1, seconds=SECONDS / 8)
    started = time.monotonic()
    result = engine.search(InformationSet(position), 2, seconds=SECONDS)
    return result.iterations / (time.monotonic() - started)


def measure_times(position):
    """Return the times of an iteration on one thread."""
    result = ThreadedSearch(position.game, BOT.model_copy(update={"in_flight": 8})).search(
        InformationSet(position), 1, seconds=SECONDS, timed=True
    )
    spent = {phase: 1e6 * part / result.iterations for phase, part in result.phases.items()}
    play = spent["playout"] + spent["determinization"]
    return Times(spent["selection"] + spent["expansion"], spent["backup"], play)


def main(threads):
    heads = ["measured / predicted", "1 thread"]
    heads += [f"{number} threads" for number in threads]
    rows = []
    for name in sorted(GAMES):
        for stage, position in pick_positions(name, 2):
            times = measure_times(position)
            one = measure(position, in_flight=8)
            alone = 1e6 / (times.select + times.back_up + times.play)
            row = [f"{name} {stage}", f"{one:,.0f}"]
            for number in threads:
                several = measure(position, threads=number, in_flight=max(8, 2 * number))
                expected = predict(times, number, max(8, 2 * number)) / alone
                row.append(f"{several / one:.2f} / {expected:.2f}")
            rows.append(row)
    print(text_table(heads, rows))


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [2])
