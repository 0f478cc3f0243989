"""Play games and print their digests as a line of JSON, to compare interpreters.

The program runs in CPython and, if page/node/run.mjs starts it, in Pyodide. FOLDER is
tests/golden.
"""

import hashlib
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import trajan_ai
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots import read_bot
from trajan_ai.bots.game_loop import play
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch

try:
    from js import process  # needed because Pyodide's CPU clock returns wall time
except ImportError:
    process = None

FOLDER = globals().get("FOLDER") or sys.argv[1]
SEARCHED_GAMES = 6
ITERATIONS = 12  # per decision of these games
TIMED = 4000  # iterations of the search whose speed is measured


def replay_golden():
    """Replay the golden games in the same way as their test, and return the number of games."""
    mark = SimpleNamespace(parametrize=lambda *_: lambda test: test)
    sys.modules["pytest"] = SimpleNamespace(mark=mark, param=lambda record, id: record)
    spec = importlib.util.spec_from_file_location("golden", Path(FOLDER, "test_golden.py"))
    golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(golden)
    for record in golden.RECORDS:
        golden.test_record_replays_exactly(record)
    return len(golden.RECORDS)


def play_searched(game):
    """Return a digest of whole games of the bot expert."""
    bot = read_bot("expert").model_copy(
        update={"iterations": ITERATIONS, "seconds_per_turn": None, "tree_megabytes": 4}
    )
    digest = hashlib.sha256()
    for seed in range(SEARCHED_GAMES):
        players = 2 + seed % 3
        record = play(game, [bot] * players, seed=seed)
        digest.update(json.dumps([record["actions"], record["scores"]]).encode())
    return digest.hexdigest()


def cpu_seconds():
    if process is None:
        return time.process_time()
    spent = process.cpuUsage()
    return (spent.user + spent.system) / 1e6


def measure_speed(game):
    """Return the iterations per CPU second of the bot expert in the fastest of five searches."""
    settings = read_bot("expert").model_copy(update={"tree_megabytes": 16})
    engine, knowledge, speeds = (
        ThreadedSearch(game, settings),
        InformationSet(game.start(3, 1)),
        [],
    )
    for _ in range(5):
        started = cpu_seconds()
        engine.search(knowledge, 1, iterations=TIMED)
        speeds.append(TIMED / (cpu_seconds() - started))
    return max(speeds)


games = trajan_ai.GAMES.values()
print(
    json.dumps(
        {
            "signatures": [play_signature(game) for game in games],
            "golden": replay_golden(),
            "searched": [play_searched(game.name) for game in games],
            "speed": [measure_speed(game) for game in games],
        }
    )
)
