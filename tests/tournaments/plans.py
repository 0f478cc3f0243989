"""Small plans for the tests of the harness, their results, and runs in this or another process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml
from calls import ROOT
from running import until

from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments.plan_file import read_plan
from trajan_ai.tournaments.ratings import COLUMNS, Results
from trajan_ai.tournaments.store import FILE, Store

HERE = Path(__file__).parent
PATH = os.pathsep.join([str(ROOT), str(HERE)])
NIM = "trajan_ai.games.reference:NIM"  # for tests in which any game will do


def scripted(does="", name=None, **options):
    """Return a bot that misbehaves once, as `does` specifies (see scripted_bots.py), if at all."""
    options = {"does": does, **options}
    name = name or does or "first"
    return {"name": name, "kind": "python", "class": "scripted_bots:Scripted", "options": options}


def program(mode, **settings):
    """Return a bot that runs hostile_program.py, which behaves as `mode` specifies."""
    command = [sys.executable, "hostile_program.py", mode]
    return {"name": mode, "kind": "program", "command": command, "folder": str(HERE)} | settings


SLOW = {"name": "slow", "kind": "python", "class": "scripted_bots:Slow"}


def plan_file(folder, **keys):
    """Write a plan, by default for 2 deals of Trajan between a scripted and a random bot."""
    data = {"game": "trajan", "players": 2, "deals": 2, "bots": [scripted(), "random"]}
    path = Path(folder) / "plan.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(data | keys, sort_keys=False))
    return path


def plan(folder, **keys):
    return read_plan(plan_file(folder, **keys))


def command(path, out, *more):
    words = ("-m", "trajan_ai", "tournament", str(path), "--out", str(out))
    return [sys.executable, *words, *more]


def environment():
    return os.environ | {"PYTHONPATH": PATH}


def start(path, out, *more, hold=""):
    """Start the command in a separate process group; `hold` is explained in scripted_bots.Slow."""
    if hold:
        Path(hold).mkdir()
    return subprocess.Popen(
        command(path, out, *more),
        env=environment() | {"HOLD": str(hold)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def stored(out):
    try:
        with Store(out) as store:
            return store.identities()
    except TrajanError:
        return set()


def wait_for_games(process, out, count):
    """Wait until `count` games are stored while the process still runs."""

    def reached():
        assert process.poll() is None, f"ended early: {process.communicate()}"
        return (Path(out) / FILE).exists() and len(stored(out)) >= count

    if not until(reached, timeout=60):
        process.kill()
        raise AssertionError("no games in time")


def outputs(out):
    names = ("results.json", "standings.csv", "games.csv", "records.jsonl")
    return {name: (Path(out) / name).read_bytes() for name in names}


def joined(*parts):
    """Join several results into one, with the bots of the last one."""
    block = np.concatenate([part.block + 10**6 * number for number, part in enumerate(parts)])
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    block = np.unique(block, return_inverse=True)[1]
    return Results(bots=parts[-1].bots, block=block, **columns)
