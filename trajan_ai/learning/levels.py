"""Levels found by games: how many errors, and how much thought, make so many VP.

At every table a level that plays by eye alone is sought by halving, on games of the policy against
itself; above what the eye can do, a share of the turns is thought about. What was found is then
measured on other deals: mean VP, games won against the level below, and what mistakes cost, judged
as a game is judged after it was played (`analysis.strength`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from trajan_ai import records
from trajan_ai.analysis import strength
from trajan_ai.analysis.annotate import Judging
from trajan_ai.bots import build, thinking
from trajan_ai.bots.levels import FULL, LevelPlayer, Levels
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.seeds import derive_seed
from trajan_ai.learning.parts import Arrays, Where, make_parts
from trajan_ai.learning.plan import LevelsPlan
from trajan_ai.mcts.knowledge import play_by_policy
from trajan_ai.version import __version__

FILE = "levels.yaml"
HALVINGS = 10
MOST_ERRORS = 8.0
SHARES = (0.5, 1.0)  # of the turns thought about that are tried, others lie between
JUDGED = 10  # decisions of a game that are judged
NEVER = 1 << 30
ON_A_LINE: dict[str, Any] = {"sort_keys": False, "default_flow_style": True, "width": 1000}

Dial = tuple[float, float]  # errors, share of turns that is thought about
Floats = NDArray[np.float64]


def learn_levels(
    plan: LevelsPlan,
    game: Game,
    folder: Path,
    *,
    where: Where,
    tell: Callable[[str], None],
    progress: Callable[[str, int, int], None],
) -> Path:
    """Find and measure the levels of every table, a part each; return the path of the file."""
    paths = [folder / f"levels-{players}.npz" for players in plan.players]
    make_parts(
        paths,
        lambda part: Finding(plan, game, plan.players[part]).rows(),
        where=where,
        tell=partial(progress, "tables"),
    )
    tables = {}
    for players, path in zip(plan.players, paths, strict=True):
        with np.load(path) as file:
            tables[players] = {int(row[0]) or FULL: _row(row) for row in file["rows"]}
        tell(f"{players} players: VP, won against the level below, VP lost per decision")
        tell("\n".join(f"  {vp}: {row}" for vp, row in tables[players].items()))
    path = folder / FILE
    path.write_text(_written(plan, tables), encoding="utf-8")
    return path


def _row(row: Floats) -> dict[str, Any]:
    errors, thinks, vp, vp_error, beats, beats_error, lost, lost_error = map(float, row[1:])
    return {
        "errors": round(errors, 4),
        "thinks": round(thinks, 4),
        "vp": [round(vp, 1), round(vp_error, 1)],
        "beats": None if np.isnan(beats) else [round(beats, 3), round(beats_error, 3)],
        "lost": [round(lost, 3), round(lost_error, 3)],
    }


def _written(plan: LevelsPlan, tables: dict[int, Any]) -> str:
    keys = ("games", "searched", "judged", "seed")
    data = {
        "card": {"engine": __version__} | {key: getattr(plan, key) for key in keys},
        "overlooked": plan.overlooked,
        "bot": plan.bot,
        "iterations": plan.iterations,
    }
    lines = [
        "# Written by `trajan-ai learn`: bots that err as people do.",
        yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=98) + "players:",
    ]
    for players, rows in tables.items():
        lines.append(f"  {players}:")
        lines += [
            f"    {vp}: {yaml.safe_dump(row, **ON_A_LINE)}".rstrip() for vp, row in rows.items()
        ]
    return "\n".join(lines) + "\n"


class Finding:
    """Finds and measures the levels of one table."""

    def __init__(self, plan: LevelsPlan, game: Game, players: int) -> None:
        self.plan, self.game, self.players = plan, game, players
        self.levels = Levels(plan.overlooked, plan.bot, plan.iterations, {})
        self.thinker = thinking(plan.bot, plan.iterations)

    def rows(self) -> Arrays:
        """Return a row per level: VP (0: `FULL`), the dial, and what was measured, with errors."""
        dials: dict[int, Dial] = {}
        shares = (0.0, *SHARES)
        means = [self.mean((0.0, share)) for share in shares]
        for vp in sorted(self.plan.vp):
            if vp <= means[0]:
                dials[vp] = self._errors(vp), 0.0
            elif vp < means[-1]:
                dials[vp] = 0.0, float(np.interp(vp, means, shares))
        dials[0] = 0.0, 1.0
        rows, below = [], None
        for vp, dial in dials.items():
            made = self.scores([dial] * self.players, "measured")
            row = [vp, *dial, *_mean(made.mean(axis=1))]
            row += (np.nan, np.nan) if below is None else self.beats(dial, below)
            rows.append([*row, *self.lost(dial)])
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

    def beats(self, dial: Dial, below: Dial) -> tuple[float, float]:
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

    def play(
        self, dials: Sequence[Dial], seed: int
    ) -> tuple[list[Position], list[tuple[int, str]]]:
        """Return the positions and actions of a game between dials, by seat."""
        seats = []
        for seat, dial in enumerate(dials):
            player = LevelPlayer(self.game, self.levels, 0, build(self.thinker, self.game))
            player.sit(seat, self.players, derive_seed("seat", seed, seat), *dial)
            seats.append(player)
        positions, actions = [self.game.start(self.players, seed=seed)], list[tuple[int, str]]()
        while (mover := positions[-1].player) is not None:
            here = positions[-1]
            move = seats[mover].choose(here, derive_seed("move", seed, len(actions)))
            actions.append((mover, self.game.actions[move]))
            positions.append(here.after_move(move))
        return positions, actions

    def lost(self, dial: Dial) -> tuple[float, float]:
        """Return what mistakes cost a dial per decision, judged on decisions drawn at random."""
        judged: list[float] = []
        for deal in count():
            if len(judged) >= self.plan.judged:
                break
            seed = self._seed("judged", deal)
            positions, actions = self.play([dial] * self.players, seed)
            judging = Judging(records.record(positions[0], actions, positions[-1]))
            random = Random(seed)
            plies = [random.below(len(actions)) for _ in range(JUDGED)]
            judged += [strength.cost(judging.judged(ply)) for ply in plies]
        return _mean(np.array(judged))

    def _seed(self, purpose: str, deal: int) -> int:
        return derive_seed("levels", self.plan.seed, self.players, purpose, deal)


def _mean(values: Floats) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
