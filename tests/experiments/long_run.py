"""Measure the memory that games, searches, tournaments, the engine and the page use in a long run.

    python tests/experiments/long_run.py --minutes 60            # each part, one after another
    python tests/experiments/long_run.py --minutes 10 --only searches

Each part runs in a separate process. Twice a second, the resident memory of this process and its
children is sampled, excluding file pages. The slope of a line through the second half of the
samples is the growth per hour, which is given with half its 95 % interval. The interval is
computed from means of blocks, because neighbouring samples are not independent.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import trajan_ai
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.yamlfile import Document
from trajan_ai.service.client import EngineClient
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.plan_file import parse_plan

sys.path.insert(0, str(Path(__file__).parent.parent / "page"))
sys.path.insert(0, str(Path(__file__).parent.parent / "helpers"))
from conftest import Served
from running import children

GAMES = ("trajan", "forum_trajanum")
INTERVAL = 0.5  # seconds between samples
BLOCKS = 10  # blocks of samples, whose means count as independent
T_95 = 2.306  # quantile of Student's t for 8 degrees of freedom


def games():
    number = 0
    while True:
        for game in GAMES:
            players = 2 + number % 3
            trajan_ai.play(
                game, [("random", "greedy")[k % 2] for k in range(players)], seed=number
            )
            yield
        number += 1


def searches():
    """Search random positions of both games in turn."""
    number = 0
    while True:
        for name in GAMES:
            position = trajan_ai.game(name).start(2 + number % 3, number)
            draw = random.Random(number)
            for _ in range(draw.randrange(40)):
                if position.player is None:
                    break
                position = position.after_move(draw.choice(position.legal_moves()))
            if position.player is not None:
                trajan_ai.search(position, bot="ismcts", iterations=2000, seed=number)
            yield
        number += 1


def tournaments():
    number = 0
    while True:
        bots = ["random", "greedy", {"name": "search", "extends": "ismcts", "iterations": 10}]
        data = {"name": "long", "game": GAMES[number % 2], "deals": 20, "bots": bots,
                "seed": number}  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            runner.run(parse_plan(Document("long", data, {})), folder, 2)
        number += 1
        yield


def engine():
    """Request suggestions for positions from an engine process, for some positions twice."""
    number = 0
    with EngineClient("--threads", "2") as client:
        while True:
            start = {"game": GAMES[number % 2], "players": 2, "seed": number // 3}
            try:
                client.ask("suggest", position={"start": start}, iterations=500, bot="ismcts")
            except TrajanError as error:
                raise AssertionError(f"request {number}") from error
            number += 1
            yield


def page():
    """Start games on the page one after the other; play, search and delete each of them."""
    number = 0
    with tempfile.TemporaryDirectory() as folder, Served(Path(folder)).client() as client:
        while True:
            game = {"game": GAMES[number % 2], "seats": [None, None], "seed": number}
            path = f"/api/trees/{client.post('/api/trees', json=game).json()['id']}"
            node = 0
            for _ in range(3):
                legal = client.post(f"{path}/at", json={"node": node}).json()["legal"]
                chosen = {"node": node, "action": legal[number % len(legal)][0]}
                node = client.post(f"{path}/play", json=chosen).json()["node"]
            limits = {"node": node, "iterations": 300}
            with client.stream("POST", f"{path}/search", json=limits) as answer:
                assert answer.status_code == 200, answer.read()
                assert list(answer.iter_lines())
            assert client.delete(path).status_code == 200
            number += 1
            yield


PARTS = {part.__name__: part for part in (games, searches, tournaments, engine, page)}


def resident(pid):
    """Return the resident memory of a process and its descendants in MiB."""
    total = 0
    for each in (pid, *children(pid)):
        try:
            text = Path(f"/proc/{each}/smaps_rollup").read_text()
        except OSError:
            continue
        lines = [line.split() for line in text.splitlines()]
        total += sum(int(line[1]) for line in lines if line[0] in ("Pss_Anon:", "Pss_Shmem:"))
    return total / 1024


def growth(times, samples):
    """Return MiB of growth per hour in the second half of the samples, and half its interval."""
    half = len(samples) // 2
    times, samples = np.array(times[half:]) / 3600, np.array(samples[half:])
    at = [part.mean() for part in np.array_split(times, BLOCKS)]
    means = [part.mean() for part in np.array_split(samples, BLOCKS)]
    (slope, _), covariance = np.polyfit(at, means, 1, cov=True)
    return slope, T_95 * np.sqrt(covariance[0, 0])


def watch(name, minutes):
    """Run one part for some minutes and return its measurements."""
    command = [sys.executable, __file__, "--part", name]
    times, samples = [], []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        begin = time.monotonic()
        while time.monotonic() - begin < 60 * minutes:
            time.sleep(INTERVAL)
            assert process.poll() is None, f"{name} ended"
            times.append(time.monotonic() - begin)
            samples.append(resident(process.pid))
        process.terminate()
        done = int(process.communicate()[0].splitlines()[-1])
    slope, half_width = growth(times, samples)
    return {"part": name, "minutes": minutes, "done": done, "resident_mib": round(samples[-1], 1),
            "mib_per_hour": round(slope, 2), "half_width": round(half_width, 2)}  # fmt: skip


def live(name):
    """Run one part until SIGTERM, and print the number of its rounds."""
    ending = []
    signal.signal(signal.SIGTERM, lambda *_: ending.append(True))
    done = 0
    for _ in PARTS[name]():
        done += 1
        if ending:
            break
    print(done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        live(arguments.part)
        return
    for name in [arguments.only] if arguments.only else PARTS:
        print(json.dumps(watch(name, arguments.minutes)), flush=True)


if __name__ == "__main__":
    main()
