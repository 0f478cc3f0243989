"""Compare analyses with much longer searches, to test their errors.

``python tests/experiments/reference.py games.jsonl --out FOLDER`` draws decisions of all kinds
from records, and gives each a quick and a verified analysis. It then searches every examined move
with other seeds and four times the iterations. A reference analysis of as many iterations examines
more moves. Results in FOLDER are not repeated. It prints the bias of margins, the coverage of 95 %
intervals, and how often the best move of the reference was examined.
"""

import argparse
import json
import pickle
import random
from collections import defaultdict
from pathlib import Path

import numpy as np

from trajan_ai import records
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.calibration import calibration_of, stage_of
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch

TIMES = 4  # the iterations of a verified search
SEED = 10**6  # seed of the first reference search
TOP = 10  # moves that the reference analysis examines, besides those of the verified one


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


def analyse(position, seeds):
    """Return the analyses of a decision, and margins of long searches of the examined moves."""
    information = InformationSet(position)
    quick, verified = (
        advice.analyse(information, grade=grade, seed=position.ply)
        for grade in ("quick", "verified")
    )
    request = advice.begin(information, grade="verified")
    engine = ThreadedSearch(information.game, request.settings)
    examined = [move for move in verified.moves if move.grade == "verified"]
    iterations = TIMES * verified.iterations // (len(examined) * 4)
    stage, calibration = stage_of(information.canonical), calibration_of(information.game)
    truth = {}
    for move in examined:
        results = [
            engine.search(
                information, SEED + seed, iterations=iterations, allowed=(move.move,)
            ).best
            for seed in range(seeds)
        ]
        over = position.after_move(move.move).player is None
        truth[move.move] = np.mean(
            [one.margin if over else calibration.outlook(stage, one).margin for one in results]
        )
    reference = advice.analyse(
        information,
        grade="verified",
        iterations=TIMES * verified.iterations,
        seed=SEED,
        top=TOP,
        named=[move.move for move in examined],
    )
    return {"quick": quick, "verified": verified, "truth": truth, "reference": reference}


def print_examined(rows):
    """Print how often the reference's best move, or an equal one, was verified."""
    best = equal = 0
    for row in rows:
        verified = {move.move for move in row["verified"].moves if move.grade == "verified"}
        gains = [move.gain for move in row["reference"].moves if move.move in verified]
        best += row["reference"].best.move in verified
        equal += any(gain.mean + 1.96 * gain.error >= 0.0 for gain in gains)
    print(
        f"verified: {len(rows)}, the reference's best move {best / len(rows):.1%}, "
        f"or one equal within its error {equal / len(rows):.1%}"
    )


def print_coverage(name, rows):
    """Print the bias of margins and gains, and the coverage of their 95 % intervals."""
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
                loss = truth[move.move] - truth[best]
                errors["gain"].append((move.gain.mean - loss, move.gain.error))
    for figure, pairs in errors.items():
        off, error = np.array(pairs).T
        coverage = np.mean(np.abs(off) <= 1.96 * error)
        print(
            f"{name} {figure}: {len(off)}, bias {off.mean():+.2f}, standard deviation "
            f"{off.std():.2f}, stated {error.mean():.2f}, 95 % intervals cover {coverage:.1%}"
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
            path.write_bytes(pickle.dumps(analyse(position, arguments.seeds)))
            print(json.dumps({"decision": number, "kind": kind}), flush=True)
        rows.append(pickle.loads(path.read_bytes()))
    for name in ("quick", "verified"):
        print_coverage(name, rows)
    print_examined(rows)


if __name__ == "__main__":
    main()
