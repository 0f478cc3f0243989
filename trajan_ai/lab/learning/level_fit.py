"""Levels found by games: how many errors, and how much thought, make so many VP.

At every table a level that plays by eye alone is sought by halving, on games of the policy against
itself; above what the eye can do, a share of the turns is thought about. What was found is then
measured on other deals: mean VP, games won against the level below, and what mistakes cost, judged
as a game is judged after it was played (`analysis.strength`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trajan_ai import records
from trajan_ai.analysis import strength
from trajan_ai.analysis.judging import Judging
from trajan_ai.bots import build, thinking
from trajan_ai.bots.levels import FULL, LevelPlayer, Levels
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.version import __version__
from trajan_ai.lab.learning.calibration_fit import played
from trajan_ai.lab.learning.learn_plan import LevelsPlan
from trajan_ai.lab.learning.parts import Arrays, Run, read_part
from trajan_ai.mcts.knowledge import play_by_policy

FILE = "levels.yaml"
HALVINGS = 10
MOST_ERRORS = 8.0
SHARES = (0.5, 1.0)  # of the turns thought about that are tried, others lie between
JUDGED = 10  # decisions of a game that are judged
NEVER = 1 << 30
CARD = ("games", "searched", "judged", "seed")  # of the plan, that are told

Dial = tuple[float, float]  # errors, share of turns that is thought about
Floats = NDArray[np.float64]


def learn_levels(plan: LevelsPlan, game: Game, run: Run) -> Path:
    """Find and measure the levels of every table, a part each; return the path of the file."""

    def make(part: int) -> Arrays:
        return Finding(plan, game, plan.players[part]).rows()

    paths = run.made([f"levels-{players}" for players in plan.players], make, "tables")
    data = {
        "overlooked": plan.overlooked,
        "bot": plan.bot,
        "iterations": plan.iterations,
        "card": {"engine": __version__, **plan.model_dump(include={*CARD})},
    }
    lines = ["# Written by `trajan-ai learn`: bots that err as people do."]
    lines += [f"{key}: {json.dumps(value)}" for key, value in data.items()] + ["players:"]
    for players, path in zip(plan.players, paths, strict=True):
        lines += [f"  {players}:", *(f"    {row}" for row in read_part(path)["rows"])]
    text = "\n".join(lines) + "\n"
    (run.folder / FILE).write_text(text, encoding="utf-8")
    run.tell(text)
    return run.folder / FILE


class Finding:
    """Finds and measures the levels of one table."""

    def __init__(self, plan: LevelsPlan, game: Game, players: int) -> None:
        self.plan, self.game, self.players = plan, game, players
        self.levels = Levels(
            overlooked=tuple(plan.overlooked), bot=plan.bot, iterations=plan.iterations, players={}
        )
        self.thinker = thinking(plan.bot, plan.iterations)

    def rows(self) -> Arrays:
        """Return the lines of the table's levels in the file: how they play, what they do."""
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
                "beats": None if below is None else self.beats(dial, below),
                "lost": self.lost(dial),
            }
            rows.append(f"{name}: {json.dumps(level)}")
            below = dial
        return {"rows": np.array(rows)}

    def _errors(self, vp: float) -> float:
        least, most = 0.0, MOST_ERRORS
        for _ in range(HALVINGS):
            half = (least + most) / 2
            least, most = (half, most) if self.mean((half, 0.0)) > vp else (least, half)
        return (least + most) / 2

    def mean(self, dial: Dial) -> float:
        """Return the mean VP of a dial against its like, on deals for seeking."""
        return float(self.scores([dial] * self.players, "sought").mean())

    def beats(self, dial: Dial, below: Dial) -> list[float]:
        """Return the share of pairs of seats won by a dial against another, and its error."""
        won = []
        for turned in range(self.players):
            seats = [(seat + turned) % self.players % 2 for seat in range(self.players)]
            dials = [below if seat else dial for seat in seats]
            made = self.scores(dials, f"beats {turned}", self.players)
            upper, lower = made[:, np.array(seats) == 0], made[:, np.array(seats) == 1]
            pairs = np.sign(upper[:, :, None] - lower[:, None, :])
            won.append((1 + pairs.mean(axis=(1, 2))) / 2)
        return _mean(np.concatenate(won))

    def scores(self, dials: Sequence[Dial], purpose: str, parts: int = 1) -> Floats:
        """Return the VP by game and player of games between dials, by seat."""
        searched = any(thinks for _, thinks in dials)
        games = -(-(self.plan.searched if searched else self.plan.games) // parts)
        made = []
        for deal in range(games):
            seed = self._seed(purpose, deal)
            if searched:
                made.append(self.play(dials, seed)[0][-1].scores)
            else:
                weights = [self.levels.weights(self.game, errors) for errors, _ in dials]
                start = self.game.start(self.players, seed=seed)
                made.append(play_by_policy(start, weights, seed, NEVER)[0])
        return np.array(made, dtype=float)

    def play(self, dials: Sequence[Dial], seed: int) -> tuple[list[Position], list[int]]:
        """Return the positions and moves of a game between dials, by seat."""
        seats = []
        for seat, dial in enumerate(dials):
            player = LevelPlayer(self.game, self.levels, 0, build(self.thinker, self.game))
            player.sit(seat, self.players, derive_seed("seat", seed, seat), *dial)
            seats.append(player)
        return played(self.game, seats, seed)

    def lost(self, dial: Dial) -> list[float]:
        """Return what mistakes cost a dial per decision, judged on decisions drawn at random."""
        judged: list[float] = []
        for deal in count():
            if len(judged) >= self.plan.judged:
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
            judged += [strength.cost(judging.judge_quickly(ply)) for ply in plies]
        return _mean(np.array(judged))

    def _seed(self, purpose: str, deal: int) -> int:
        return derive_seed("levels", self.plan.seed, self.players, purpose, deal)


def _mean(values: Floats, digits: int = 3) -> list[float]:
    error = values.std(ddof=1) / np.sqrt(len(values))
    return [round(float(value), digits) for value in (values.mean(), error)]
