"""Plays timed in turn, so that other load on the machine falls on all of them alike."""

import time

RUNS = 40  # of each play


def fastest(benchmark, *plays, clock=time.process_time):
    """Return the seconds of the fastest of some runs of each play.

    A play is a function that prepares, and one that is timed and receives what the first returns.
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
