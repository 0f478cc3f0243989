"""How far analyses lie from much longer searches: what their errors must cover.

``python tests/experiments/reference.py games.jsonl --out FOLDER`` draws decisions of all kinds
from records and gives each a quick and a verified analysis. It then searches behind every examined
move with other seeds and four times the iterations. What is already in FOLDER is not repeated. It
prints the bias of margins, and how often 95 % intervals contain the reference.
"""

import argparse
import json
import pickle
import random
from collections import defaultdict
from pathlib import Path

import numpy as np

from trajan_ai import records
from trajan_ai.analysis import advice
from trajan_ai.analysis.calibration import calibration_of, stage_of
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch

TIMES = 4  # the iterations of a verified search
SEED = 10**6  # of the first reference search


def decisions(paths, per_kind):
    """Yield (position, kind of decision) from records, kinds in turn."""
    by_kind = defaultdict(list)
    for path in paths:
        for entry in records.read(path):
            for position, (player, action) in zip(
                records.positions(entry), entry["actions"], strict=False
            ):
                view = position.view(player)
                kind = view.get("to_decide", {}).get("decision") or action.split()[0]
                by_kind[kind].append(position)
    for drawn in by_kind.values():
        random.Random(len(drawn)).shuffle(drawn)
    for number in range(per_kind):
        for kind, drawn in sorted(by_kind.items()):
            if number < len(drawn):
                yield drawn[number], kind


def looked_at(position, seeds):
    """Return a decision's analyses, and what long searches say of the moves examined."""
    known = InformationSet(position)
    quick, verified = (
        advice.analyse(known, grade=grade, seed=position.ply) for grade in ("quick", "verified")
    )
    asked = advice.begin(known, grade="verified")
    engine = ThreadedSearch(known.game, asked.settings)
    examined = [move for move in verified.moves if move.grade == "verified"]
    iterations = TIMES * verified.iterations // (len(examined) * 4)
    stage, calibration = stage_of(known.canonical), calibration_of(known.game)
    truth = {}
    for move in examined:
        found = [
            engine.search(known, SEED + seed, iterations=iterations, allowed=(move.move,)).best
            for seed in range(seeds)
        ]
        over = position.after_move(move.move).player is None
        truth[move.move] = np.mean(
            [one.margin if over else calibration.outlook(stage, one).margin for one in found]
        )
    return {"quick": quick, "verified": verified, "truth": truth}


def covered(name, rows):
    """Print the bias of margins and gains, and how many of their 95 % intervals hold."""
    errors = {"margin": [], "gain": []}
    for row in rows:
        analysis, truth = row[name], row["truth"]
        best = analysis.best.move
        for move in analysis.moves:
            if move.move not in truth or best not in truth or move.margin is None:
                continue
            off = move.margin.mean - truth[move.move]
            errors["margin"].append((off, move.margin.error))
            if move.move != best:
                lost = truth[move.move] - truth[best]
                errors["gain"].append((move.gain.mean - lost, move.gain.error))
    for figure, pairs in errors.items():
        off, error = np.array(pairs).T
        held = np.mean(np.abs(off) <= 1.96 * error)
        print(
            f"{name} {figure}: {len(off)}, bias {off.mean():+.2f}, standard deviation "
            f"{off.std():.2f}, stated {error.mean():.2f}, 95 % intervals hold {held:.1%}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--per-kind", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=8)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, (position, kind) in enumerate(decisions(arguments.records, arguments.per_kind)):
        path = arguments.out / f"{number:04}.pickle"
        if not path.exists():
            path.write_bytes(pickle.dumps(looked_at(position, arguments.seeds)))
            print(json.dumps({"decision": number, "kind": kind}), flush=True)
        rows.append(pickle.loads(path.read_bytes()))
    for name in ("quick", "verified"):
        covered(name, rows)


if __name__ == "__main__":
    main()
