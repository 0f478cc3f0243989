"""How strong somebody played in a game: what their mistakes cost, beside those of the levels.

A decision costs its loss of margin where it was called an inaccuracy or worse, else nothing: what
is judged roughly and what is judged at length then agree. What a level costs per decision was
measured in the same way (`learning.levels`), so games can be compared, whoever won them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import mean, stdev

from trajan_ai.analysis.judging import FINE, Decision
from trajan_ai.analysis.move_values import Estimate
from trajan_ai.bots.levels import Level, get_levels
from trajan_ai.core.game import Game

FEWEST = 20  # decisions that tell something
LEAST_ERROR = 0.05  # VP per decision, of what a level was found to lose


@dataclass(frozen=True)
class Strength:
    """What a player's mistakes cost per decision, and the VP of a level that they cost as much.

    ``lowest`` and ``highest`` are the VP of the levels at the ends of the scale: `vp` may lie
    beyond them, where it tells no more than that.
    """

    player: int
    decisions: int
    lost: Estimate
    vp: Estimate
    lowest: float
    highest: float


def cost(decision: Decision) -> float:
    """Return the VP that a decision cost as a mistake."""
    return 0.0 if decision.grade == FINE else decision.loss.margin


def _weight(level: Level) -> float:
    return 1.0 / max(level.lost[1], LEAST_ERROR) ** 2


def _centre(levels: Collection[Level]) -> tuple[float, float, float]:
    """Return the weight of a table's levels, and the means of their VP and losses by weight."""
    whole = sum(map(_weight, levels))
    vp = sum(_weight(level) * level.vp[0] for level in levels) / whole
    return whole, vp, sum(_weight(level) * level.lost[0] for level in levels) / whole


def strengths(game: Game, players: int, decisions: Sequence[Decision]) -> list[Strength]:
    """Return how strong each player was whose decisions were judged, where that is known.

    Between what levels lose and the VP that they make lies a straight line, of the same slope at
    every table of a game: single levels were measured on few decisions, the lines on all of them.
    """
    tables = get_levels(game).tables
    if players not in tables:
        return []
    centres = {table: _centre(rows.values()) for table, rows in tables.items()}
    down = across = 0.0
    for table, rows in tables.items():
        _, vp, lost = centres[table]
        for row in rows.values():
            away = row.vp[0] - vp
            down += _weight(row) * away * (row.lost[0] - lost)
            across += _weight(row) * away**2
    slope = down / across
    if slope >= 0:
        return []
    weight, middle, usual = centres[players]
    ends = [row.vp[0] for row in tables[players].values()]

    def strength(player: int, costs: Sequence[float]) -> Strength:
        lost = Estimate(mean(costs), stdev(costs) / sqrt(len(costs)))
        vp = middle + (lost.mean - usual) / slope
        line = sqrt(1.0 / weight + (vp - middle) ** 2 / across)
        error = hypot(lost.error, line) / -slope
        return Strength(player, len(costs), lost, Estimate(vp, error), min(ends), max(ends))

    costs = {p: [cost(one) for one in decisions if one.player == p] for p in range(players)}
    return [strength(p, of) for p, of in costs.items() if len(of) >= FEWEST]
