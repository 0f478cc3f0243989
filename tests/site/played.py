"""What is played, to be compared between interpreters: one line of JSON on standard output.

Runs in CPython and, by page/node/run.mjs, in Pyodide; FOLDER is tests/golden.
"""

import hashlib
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import trajan_ai
from trajan_ai.analysis.signature import play_signature
from trajan_ai.bots import read_bot
from trajan_ai.bots.playing import play
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch

try:
    from js import process  # Pyodide's clock of the processor is that on the wall
except ImportError:
    process = None

FOLDER = globals().get("FOLDER") or sys.argv[1]
SEARCHED_GAMES = 20
ITERATIONS = 12  # per decision of these
TIMED = 4000  # iterations of a search whose speed is told


def replayed():
    """Replay the golden games by the function that tests them; return how many there are."""
    mark = SimpleNamespace(parametrize=lambda *_: lambda test: test)
    sys.modules["pytest"] = SimpleNamespace(mark=mark, param=lambda record, id: record)
    spec = importlib.util.spec_from_file_location("golden", Path(FOLDER, "test_golden.py"))
    golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(golden)
    for record in golden.RECORDS:
        golden.test_record_replays_exactly(record)
    return len(golden.RECORDS)


def searched(game):
    """Let the expert play whole games; return a digest of them."""
    bot = read_bot("expert").model_copy(
        update={"iterations": ITERATIONS, "seconds_per_turn": None, "tree_megabytes": 4}
    )
    digest = hashlib.sha256()
    for seed in range(SEARCHED_GAMES):
        players = 2 + seed % 3
        record = play(game, [bot] * players, seed=seed)
        digest.update(json.dumps([record["actions"], record["scores"]]).encode())
    return digest.hexdigest()


def used():
    """Seconds of the processor so far."""
    if process is None:
        return time.process_time()
    spent = process.cpuUsage()
    return (spent.user + spent.system) / 1e6


def speed(game):
    """Return iterations per second of CPU of the expert, the best of five searches."""
    settings = read_bot("expert").model_copy(update={"tree_megabytes": 16})
    engine, known, found = ThreadedSearch(game, settings), InformationSet(game.start(3, 1)), []
    for _ in range(5):
        started = used()
        engine.search(known, 1, iterations=TIMED)
        found.append(TIMED / (used() - started))
    return max(found)


games = trajan_ai.GAMES.values()
print(
    json.dumps(
        {
            "signatures": [play_signature(game) for game in games],
            "golden": replayed(),
            "searched": [searched(game.name) for game in games],
            "speed": [speed(game) for game in games],
        }
    )
)
