"""Time several plays alternately, so that other load on the machine affects all of them alike."""

import time

RUNS = 40  # runs of each play


def fastest(benchmark, *plays, clock=time.process_time):
    """Return how many seconds the fastest of several runs takes for each play.

    A play is a pair of functions: the first prepares the run, and the second, which is timed,
    receives the value that the first returns.
    """
    seconds = [[] for _ in plays]

    def once():
        for (ready, play), durations in zip(plays, seconds, strict=True):
            prepared = ready()
            started = clock()
            play(prepared)
            durations.append(clock() - started)

    benchmark.pedantic(once, rounds=RUNS)
    return map(min, seconds)
