"""How strong somebody played in a game: what their mistakes cost, beside those of the levels.

A decision costs its loss of margin where it was called an inaccuracy or worse, else nothing: what
is judged roughly and what is judged at length then agree. What a level costs per decision was
measured in the same way (`learning.levels`), so games can be compared, whoever won them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

from trajan_ai.analysis.annotate import FINE, Decision
from trajan_ai.analysis.decision import Estimate
from trajan_ai.bots.levels import levels_of
from trajan_ai.core.game import Game

FEWEST = 20  # decisions that tell something


@dataclass(frozen=True)
class Strength:
    """What a player lost per decision, and the VP of a level that loses as much.

    ``least`` and ``most`` are those a standard error away; None below the lowest level, and
    above the highest one, where ``vp`` is that level's.
    """

    player: int
    decisions: int
    lost: Estimate
    vp: float
    least: float | None
    most: float | None


def cost(decision: Decision) -> float:
    """Return the VP that a decision cost as a mistake."""
    return 0.0 if decision.grade == FINE else decision.loss.margin


def strengths(game: Game, players: int, decisions: Sequence[Decision]) -> list[Strength]:
    """Return how strong each player was whose decisions were judged, where that is known."""
    rows = levels_of(game).tables.get(players, {}).values()
    if not rows:
        return []
    # A level that makes more VP loses no more: what the measurement says else is noise.
    points: list[tuple[float, float, float]] = []
    for row in sorted(rows, key=lambda row: row.vp[0]):
        points.append((min(row.lost[0], *(p[0] for p in points), 99.0), row.lost[1], row.vp[0]))
    found = []
    for player in range(players):
        costs = [cost(one) for one in decisions if one.player == player]
        if len(costs) >= FEWEST:
            found.append(_strength(player, costs, points))
    return found


def _strength(
    player: int, costs: Sequence[float], points: Sequence[tuple[float, float, float]]
) -> Strength:
    mean = sum(costs) / len(costs)
    spread = sum((one - mean) ** 2 for one in costs) / (len(costs) - 1)
    lost = Estimate(mean, sqrt(spread / len(costs)))
    _, known, _ = min(points, key=lambda point: abs(point[0] - mean))
    off = hypot(lost.error, known)
    worst, best = points[0], points[-1]
    least = None if mean + off > worst[0] else _vp(points, mean + off)
    most = None if mean - off < best[0] else _vp(points, mean - off)
    return Strength(player, len(costs), lost, _vp(points, mean), least, most)


def _vp(points: Sequence[tuple[float, float, float]], lost: float) -> float:
    """Return the VP at a loss, between those of the levels beside it."""
    below = [point for point in points if point[0] >= lost]
    above = [point for point in points if point[0] < lost]
    if not below or not above:
        return (points[0] if not below else points[-1])[2]
    (most, _, low), (least, _, high) = below[-1], above[0]
    return low + (high - low) * (most - lost) / (most - least)
