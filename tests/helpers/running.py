"""Tools for coroutines and for the processes that a test started, with their child processes."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def until(reached, timeout=20):
    deadline = time.monotonic() + timeout
    while not (done := reached()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return done


def processes():
    """Return (state, parent, session) by process id, for every process except zombies."""
    result = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, _, session, *_ = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if state != "Z":
            result[int(path.parent.name)] = state, int(parent), int(session)
    return result


def children(pid):
    below = [child for child, (_, parent, _) in processes().items() if parent == pid]
    return below + [deeper for child in below for deeper in children(child)]


def session(leader):
    return [pid for pid, (_, _, own) in processes().items() if own == leader]


def lives(pid):
    return pid in processes()


def run_coroutine(coroutine):
    """Run a coroutine in a new thread, because other tests run a browser's loop in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
