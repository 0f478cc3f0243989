"""Fit levels: the errors and the amount of search with which a bot reaches a mean score.

For each number of players, bisection over games of the policy against itself finds the errors of a
level that does not search. Levels stronger than the policy search a fraction of their turns. Other
deals are then used to measure each level: its mean VP, its win rate against the level below, and
the cost of its mistakes, which are judged as `annotate` does (`annotation.strength`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trajan_ai import records
from trajan_ai.analysis.annotation import strength
from trajan_ai.analysis.annotation.judging import Judging
from trajan_ai.bots import build, thinking
from trajan_ai.bots.levels import FULL, LevelPlayer, Levels
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.version import __version__
from trajan_ai.lab.learning.calibration_fit import play_game
from trajan_ai.lab.learning.learn_plan import LevelsPlan
from trajan_ai.lab.learning.parts import Arrays, LearningRun, read_part
from trajan_ai.mcts.knowledge import play_by_policy

FILE = "levels.yaml"
HALVINGS = 10
MAX_ERRORS = 8.0
SHARES = (0.5, 1.0)  # fractions of searched turns with measured scores; others are interpolated
JUDGED = 10  # decisions per game whose cost is measured
NEVER = 1 << 30
CARD = ("games", "searched", "judged", "seed")  # keys of the plan that the file repeats

Dial = tuple[float, float]  # errors, and the fraction of turns that is searched
Floats = NDArray[np.float64]


def learn_levels(plan: LevelsPlan, game: Game, run: LearningRun) -> Path:
    """Fit and measure the levels for each number of players; return the path of the file."""

    def make(part: int) -> Arrays:
        return LevelSearch(plan, game, plan.players[part]).rows()

    paths = run.make_parts(
        [f"levels-{players}" for players in plan.players], make, "numbers of players"
    )
    data = {
        "overlooked": plan.overlooked,
        "bot": plan.bot,
        "iterations": plan.iterations,
        "card": {"engine": __version__, **plan.model_dump(include={*CARD})},
    }
    lines = ["# Written by `trajan-ai learn`: bots that make mistakes as people do."]
    lines += [f"{key}: {json.dumps(value)}" for key, value in data.items()] + ["players:"]
    for players, path in zip(plan.players, paths, strict=True):
        lines += [f"  {players}:", *(f"    {row}" for row in read_part(path)["rows"])]
    text = "\n".join(lines) + "\n"
    (run.folder / FILE).write_text(text, encoding="utf-8")
    run.report(text)
    return run.folder / FILE


class LevelSearch:
    """Fits and measures the levels for one number of players."""

    def __init__(self, plan: LevelsPlan, game: Game, players: int) -> None:
        self.plan, self.game, self.players = plan, game, players
        self.levels = Levels(
            overlooked=tuple(plan.overlooked), bot=plan.bot, iterations=plan.iterations, players={}
        )
        self.thinker = thinking(plan.bot, plan.iterations)

    def rows(self) -> Arrays:
        """Return the file's line for each level, with the level's settings and measurements."""
        dials: dict[int | str, Dial] = {}
        shares = (0.0, *SHARES)
        means = [self.mean((0.0, share)) for share in shares]
        for vp in sorted(self.plan.vp):
            if vp <= means[0]:
                dials[vp] = self._errors(vp), 0.0
            elif vp < means[-1]:
                dials[vp] = 0.0, float(np.interp(vp, means, shares))
        dials[FULL] = 0.0, 1.0
        rows, below = [], None
        for name, dial in dials.items():
            level = {
                "errors": round(dial[0], 4),
                "thinks": round(dial[1], 4),
                "vp": _mean(self.scores([dial] * self.players, "measured").mean(axis=1), 1),
                "beats": None if below is None else self.win_rate(dial, below),
                "lost": self.mean_cost(dial),
            }
            rows.append(f"{name}: {json.dumps(level)}")
            below = dial
        return {"rows": np.array(rows)}

    def _errors(self, vp: float) -> float:
        low, high = 0.0, MAX_ERRORS
        for _ in range(HALVINGS):
            half = (low + high) / 2
            low, high = (half, high) if self.mean((half, 0.0)) > vp else (low, half)
        return (low + high) / 2

    def mean(self, dial: Dial) -> float:
        """Return the mean VP when a dial plays against itself, on the deals used for the fit."""
        return float(self.scores([dial] * self.players, "sought").mean())

    def win_rate(self, dial: Dial, below: Dial) -> list[float]:
        """Return a dial's win rate against another dial, over pairs of seats, and its error."""
        rates = []
        for turned in range(self.players):
            seats = [(seat + turned) % self.players % 2 for seat in range(self.players)]
            dials = [below if seat else dial for seat in seats]
            scores = self.scores(dials, f"beats {turned}", self.players)
            upper, lower = scores[:, np.array(seats) == 0], scores[:, np.array(seats) == 1]
            pairs = np.sign(upper[:, :, None] - lower[:, None, :])
            rates.append((1 + pairs.mean(axis=(1, 2))) / 2)
        return _mean(np.concatenate(rates))

    def scores(self, dials: Sequence[Dial], purpose: str, parts: int = 1) -> Floats:
        """Return the VP in games with one dial per seat, of shape (games, players)."""
        is_searched = any(thinks for _, thinks in dials)
        games = -(-(self.plan.searched if is_searched else self.plan.games) // parts)
        scores = []
        for deal in range(games):
            seed = self._seed(purpose, deal)
            if is_searched:
                scores.append(self.play(dials, seed)[0][-1].scores)
            else:
                weights = [self.levels.weights(self.game, errors) for errors, _ in dials]
                start = self.game.start(self.players, seed=seed)
                scores.append(play_by_policy(start, weights, seed, NEVER)[0])
        return np.array(scores, dtype=float)

    def play(self, dials: Sequence[Dial], seed: int) -> tuple[list[Position], list[int]]:
        """Return the positions and moves of a game with one dial per seat."""
        seats = []
        for seat, dial in enumerate(dials):
            player = LevelPlayer(self.game, self.levels, 0, build(self.thinker, self.game))
            player.sit(seat, self.players, derive_seed("seat", seed, seat), *dial)
            seats.append(player)
        return play_game(self.game, seats, seed)

    def mean_cost(self, dial: Dial) -> list[float]:
        """Return the mean cost of mistakes per random decision, and the error of this mean."""
        costs: list[float] = []
        for deal in count():
            if len(costs) >= self.plan.judged:
                break
            seed = self._seed("judged", deal)
            positions, moves = self.play([dial] * self.players, seed)
            actions = [
                (int(position.player or 0), self.game.actions[move])
                for position, move in zip(positions, moves, strict=False)
            ]
            judging = Judging(records.record(positions[0], actions, positions[-1]))
            random = Random(seed)
            plies = [random.below(len(actions)) for _ in range(JUDGED)]
            costs += [strength.cost(judging.judge_quickly(ply)) for ply in plies]
        return _mean(np.array(costs))

    def _seed(self, purpose: str, deal: int) -> int:
        return derive_seed("levels", self.plan.seed, self.players, purpose, deal)


def _mean(values: Floats, digits: int = 3) -> list[float]:
    error = values.std(ddof=1) / np.sqrt(len(values))
    return [round(float(value), digits) for value in (values.mean(), error)]
