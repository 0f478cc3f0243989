"""Estimate a player's strength in a game from the cost of the player's mistakes.

A decision that is an inaccuracy or worse costs its loss of margin; any other decision costs
nothing, so that rough and thorough judgements agree. `trajan_ai.lab.learning.level_fit` measured
the mean cost of the level bots' decisions, so a cost corresponds to a level in every game. This
measurement used the judgements of release 0.3.0, which differ from today's (docs/annotate.md).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil, hypot, sqrt
from statistics import mean, stdev

from trajan_ai.analysis.annotation.judging import FINE, Decision
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.bots.levels import Level, get_levels
from trajan_ai.core.game import Game

MIN_DECISIONS = 20  # minimum number of decisions for a meaningful estimate
MAX_ERROR = 40.0  # largest error of a meaningful estimate, in VP; levels are 20 VP apart
MIN_ERROR = 0.05  # VP per decision: the smallest standard error of a level's loss


@dataclass(frozen=True)
class Strength:
    """The cost of a player's mistakes, and the level with the same cost.

    Attributes:
        player: the player.
        decisions: the number of judged decisions.
        lost: the VP lost per decision.
        vp: the average VP of the level with the same loss.
        lowest: the VP of the lowest level. A `vp` outside the range of the levels only means
            "below" or "above" them.
        highest: the VP of the highest level.
        missing: the approximate number of further decisions that a meaningful estimate needs, or
            0 if the estimate is already meaningful.
    """

    player: int
    decisions: int
    lost: Estimate
    vp: Estimate
    lowest: float
    highest: float
    missing: int


def cost(decision: Decision) -> float:
    """Return the VP that a decision cost as a mistake, or 0 if it was not a mistake."""
    return 0.0 if decision.grade == FINE else decision.loss.margin


def _weight(level: Level) -> float:
    return 1.0 / max(level.lost[1], MIN_ERROR) ** 2


def _centre(levels: Collection[Level]) -> tuple[float, float, float]:
    """Return the total weight of levels, and the weighted means of their VP and losses."""
    whole = sum(map(_weight, levels))
    vp = sum(_weight(level) * level.vp[0] for level in levels) / whole
    return whole, vp, sum(_weight(level) * level.lost[0] for level in levels) / whole


def estimate_strengths(game: Game, players: int, decisions: Sequence[Decision]) -> list[Strength]:
    """Return the strength of each player with at least two judged decisions.

    The result is empty if the game has no levels for this number of players. The loss of a level
    is modelled as a linear function of its VP. The slope is the same for every number of players,
    because it is fitted to all measured decisions, whereas a single level has only a few.
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
        needed = len(costs) * (lost.error / slope / MAX_ERROR) ** 2
        return Strength(
            player=player,
            decisions=len(costs),
            lost=lost,
            vp=Estimate(vp, error),
            lowest=min(ends),
            highest=max(ends),
            missing=max(0, ceil(max(needed, MIN_DECISIONS)) - len(costs)),
        )

    costs = {p: [cost(one) for one in decisions if one.player == p] for p in range(players)}
    return [strength(p, of) for p, of in costs.items() if len(of) > 1]
