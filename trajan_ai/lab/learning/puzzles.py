"""Puzzles: decisions whose best move stands out, and that a small search misses.

Decisions are the first of turns in games of the playout policy. A puzzle's best moves are ahead of
every other by `LEAD` VP and twice the error, in two verified analyses of different seeds, and a
search of the plan's ``missed`` iterations makes another one. Its rating is how many iterations
find one of them. A puzzle holds a position file: what the player to decide knows, nothing else.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.analysis import advice
from trajan_ai.analysis.budgets import EQUAL
from trajan_ai.analysis.decision import Analysis
from trajan_ai.bots import thinking
from trajan_ai.core.game import Game
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.learn_plan import PuzzlePlan, shipped_weights
from trajan_ai.lab.learning.parts import Arrays, Run, read_part
from trajan_ai.mcts import ThreadedSearch
from trajan_ai.mcts.knowledge import play_by_policy
from trajan_ai.records import position_files

FILE = "puzzles.json.gz"
LEAD = 4.0  # VP of the best moves over every other
SECOND = 1_000  # iterations of a second search: where it agrees, nothing is looked for
ROUGH, LIKELY = 2_000, 3.0  # iterations and VP that make a decision worth a closer look
CHECKS = (4_000, 40_000)  # iterations of the verified analyses
LONGEST = 6  # doublings of the iterations that find a puzzle


def make_puzzles(plan: PuzzlePlan, game: Game, run: Run) -> Path:
    """Make puzzles, a part per game; interrupted as well, write those found so far."""
    tables = [(players, deal) for deal in range(plan.games) for players in plan.players]
    names = [f"puzzles-{players}-{deal:05}" for players, deal in tables]
    path = run.folder / FILE
    try:
        run.made(names, lambda part: puzzles_of_game(plan, game, *tables[part]), "games")
    finally:
        count = write([run.folder / f"{name}.npz" for name in names], path)
        run.tell(f"{count} puzzles")
    return path


def write(parts: Sequence[Path], path: Path) -> int:
    """Write the puzzles of the parts that are there, the easiest first; return how many."""
    texts = [text for part in parts if part.exists() for text in read_part(part)["puzzles"]]
    found = sorted(map(json.loads, texts), key=lambda puzzle: puzzle["rating"])
    text = "\n".join(json.dumps(puzzle, separators=(",", ":")) for puzzle in found)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return len(found)


def puzzles_of_game(plan: PuzzlePlan, game: Game, players: int, deal: int) -> Arrays:
    """Return the puzzles among the first decisions of a game's turns, as JSON."""
    seed = derive_seed("puzzles", plan.seed, players, deal)
    weights = tuple(shipped_weights(game).values())
    met = play_by_policy(game.start(players, seed=seed), [weights] * players, seed, 1)[1]
    begun = [now for before, now in pairwise(met) if before.turn != now.turn]
    engine = ThreadedSearch(game, thinking(plan.bot, plan.missed))
    found = (puzzle(plan, engine, InformationSet(position), seed) for position in begun)
    texts = [json.dumps(one) for one in found if one is not None]
    return {"puzzles": np.array(texts, dtype=np.str_)}


def puzzle(
    plan: PuzzlePlan, engine: ThreadedSearch, known: InformationSet, seed: int
) -> dict[str, Any] | None:
    """Return the puzzle of a decision, None where there is none."""

    def chosen(iterations: int) -> int:
        return engine.search(known, seed + iterations, iterations=iterations).best.move

    tried = chosen(plan.missed)
    if chosen(SECOND) == tried:
        return None
    rough = advice.analyse(known, grade="quick", iterations=ROUGH, seed=seed, one_search=True)
    if lost(rough, tried) < LIKELY:
        return None
    for iterations in CHECKS:
        analysis = advice.analyse(
            known, grade="verified", iterations=iterations, named=(tried,), seed=seed + iterations
        )
        right = best_of(analysis)
        if not right or tried in right:
            return None
    rating = plan.missed
    for _ in range(LONGEST):
        rating *= 2
        if chosen(rating) in right:
            break
    rest = [m.gain for m in analysis.moves if m.gain is not None and m.move not in right]
    return {
        "position": position_files.position_file(known.canonical, known.observer),
        "right": [move.action for move in analysis.moves if move.move in right],
        "lead": round(-max(gain.mean for gain in rest), 1),
        "rating": rating,
    }


def lost(analysis: Analysis, move: int) -> float:
    """Return how many VP a move loses against the best one; untried: none is known of."""
    gain = next(one.gain for one in analysis.moves if one.move == move)
    return 0.0 if gain is None else -gain.mean


def best_of(analysis: Analysis) -> list[int]:
    """Return the moves that are right, if every other one is behind them as `LEAD` says.

    Of moves that no search looked behind the errors are wide: they only have to be far behind.
    """
    right, clear = [], []
    for move in analysis.moves:
        verified = move.grade == "verified"
        if move.gain is None:
            continue
        if verified and move.gain.mean > -EQUAL:
            right.append(move.move)
        else:
            clear.append(-move.gain.mean >= max(LEAD, 2.0 * move.gain.error * verified))
    return right if clear and all(clear) else []
