"""Make puzzles: decisions with clearly best moves that a small search misses.

Each decision is the first of a turn, in games that the playout policy plays. A puzzle's best
moves lead all others by at least `LEAD` VP and by at least the error, in two verified analyses
with different seeds, and a search with the plan's ``missed`` iterations chooses another move. The
rating of a puzzle is the number of iterations with which a search finds a best move, or the
largest number that is tried. A puzzle contains a position file, which stores only what the player
to decide knows.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.analysis.budgets import EQUAL
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.bots import thinking
from trajan_ai.core.game import Game
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.learn_plan import PuzzlePlan, shipped_weights
from trajan_ai.lab.learning.parts import Arrays, LearningRun, read_part
from trajan_ai.mcts import ThreadedSearch
from trajan_ai.mcts.knowledge import play_by_policy
from trajan_ai.records import position_files

FILE = "puzzles.json.gz"
LEAD = 4.0  # VP by which the best moves must lead all others
SECOND = 1_000  # iterations of a second search; if it agrees with the first, there is no puzzle
ROUGH, LIKELY = 2_000, 3.0  # iterations, and the loss in VP that justifies a verified analysis
CHECKS = (4_000, 40_000)  # iterations of the verified analyses
MAX_DOUBLINGS = 6  # maximum number of doublings of the iterations that rate a puzzle


def make_puzzles(plan: PuzzlePlan, game: Game, run: LearningRun) -> Path:
    """Make puzzles, one part per game; write them, even if interrupted, and return the path."""
    tables = [(players, deal) for deal in range(plan.games) for players in plan.players]
    names = [f"puzzles-{players}-{deal:05}" for players, deal in tables]
    path = run.folder / FILE
    try:
        run.make_parts(names, lambda part: puzzles_of_game(plan, game, *tables[part]), "games")
    finally:
        count = write([run.folder / f"{name}.npz" for name in names], path)
        run.report(f"{count} puzzles")
    return path


def write(parts: Sequence[Path], path: Path) -> int:
    """Write the puzzles in the existing parts, the easiest first; return their number."""
    texts = [text for part in parts if part.exists() for text in read_part(part)["puzzles"]]
    puzzles = sorted(map(json.loads, texts), key=lambda puzzle: puzzle["rating"])
    text = "\n".join(json.dumps(puzzle, separators=(",", ":")) for puzzle in puzzles)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return len(puzzles)


def puzzles_of_game(plan: PuzzlePlan, game: Game, players: int, deal: int) -> Arrays:
    """Return the puzzles among the first decisions of a game's turns, as JSON."""
    seed = derive_seed("puzzles", plan.seed, players, deal)
    weights = tuple(shipped_weights(game).values())
    positions = play_by_policy(game.start(players, seed=seed), [weights] * players, seed, 1)[1]
    starts = [now for before, now in pairwise(positions) if before.turn != now.turn]
    engine = ThreadedSearch(game, thinking(plan.bot, plan.missed))
    puzzles = (puzzle(plan, engine, InformationSet(start), seed) for start in starts)
    texts = [json.dumps(one) for one in puzzles if one is not None]
    return {"puzzles": np.array(texts, dtype=np.str_)}


def puzzle(
    plan: PuzzlePlan, engine: ThreadedSearch, information: InformationSet, seed: int
) -> dict[str, Any] | None:
    """Return the puzzle of a decision, or None if the decision is unsuitable."""

    def choose(iterations: int) -> int:
        return engine.search(information, seed + iterations, iterations=iterations).best.move

    wrong = choose(plan.missed)
    if choose(SECOND) == wrong:
        return None
    rough = advice.analyse(information, grade="quick", iterations=ROUGH, seed=seed)
    if loss_of(rough, wrong) < LIKELY:
        return None
    for iterations in CHECKS:
        analysis = advice.analyse(
            information,
            grade="verified",
            iterations=iterations,
            named=(wrong,),
            seed=seed + iterations,
        )
        right = best_of(analysis)
        if not right or wrong in right:
            return None
    rating = plan.missed
    for _ in range(MAX_DOUBLINGS):
        rating *= 2
        if choose(rating) in right:
            break
    rest = [m.gain for m in analysis.moves if m.gain is not None and m.move not in right]
    return {
        "position": position_files.position_file(information.canonical, information.observer),
        "right": [move.action for move in analysis.moves if move.move in right],
        "lead": round(-max(gain.mean for gain in rest), 1),
        "rating": rating,
    }


def loss_of(analysis: Analysis, move: int) -> float:
    """Return the VP that a move loses against the best one, or 0 if no search tried the move."""
    gain = next(one.gain for one in analysis.moves if one.move == move)
    return 0.0 if gain is None else -gain.mean


def best_of(analysis: Analysis) -> list[int]:
    """Return the best moves if they lead all others clearly (see `LEAD`), otherwise none.

    The errors of unverified moves are large, so these moves only have to be behind by `LEAD`.
    """
    right, clear = [], []
    for move in analysis.moves:
        verified = move.grade == "verified"
        if move.gain is None:
            continue
        if verified and move.gain.mean > -EQUAL:
            right.append(move.move)
        else:
            clear.append(-move.gain.mean >= max(LEAD, move.gain.error * verified))
    return right if clear and all(clear) else []
