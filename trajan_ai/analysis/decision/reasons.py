"""The sources of VP that make one move better than another.

A reason is a claim: with the better move, a player can expect at least that many more VP from a
source, or the opponent that many fewer. It is only made if the difference is `SURE` standard
errors.
"""

from dataclasses import dataclass
from math import hypot

from trajan_ai.analysis.decision.move_values import Estimate, MoveValue

SURE = 3.0  # standard errors of a difference
BELOW = 3.0  # standard errors by which a claim stays below the measured difference
MAX_REASONS = 2
# How far a difference may be from that of a much longer search, which finds other plans: a part of
# it, and VP. Measured by tests/experiments/reasons.py.
OFF = 0.2
OFF_VP = 0.5


@dataclass(frozen=True)
class Reason:
    """How many more VP a player gets from a source with the better move; fewer if negative.

    `is_lost` is set for a source that only costs VP, so that more means fewer lost.
    """

    player: int
    source: str
    vp: Estimate
    is_lost: bool

    @property
    def least(self) -> int:
        """The VP that the difference is at least."""
        return int(abs(self.vp.mean) - BELOW * self.vp.error)


def find_reasons(better: MoveValue, worse: MoveValue) -> list[Reason]:
    """Return the main reasons why a verified move is better than another, the largest first.

    They are about the player to decide and, with two players, about the opponent.
    """
    tables = better.sources, worse.sources, better.source_errors, worse.source_errors
    if None in tables:
        return []
    more, fewer, *errors = [table or () for table in tables]
    own, players = better.player, len(more)
    reasons = []
    for player in range(players) if players == 2 else [own]:
        for source in errors[0][player]:
            sides = more[player][source], fewer[player][source]
            vp = sides[0] - sides[1]
            error = hypot(*(of[player][source] for of in errors), OFF * vp, OFF_VP)
            gain = vp if player == own else -vp
            reason = Reason(player, source, Estimate(vp, error), is_lost=max(sides) < 0.0)
            if gain >= SURE * error and reason.least >= 1:
                reasons.append((gain, reason))
    reasons.sort(key=lambda item: -item[0])
    return [reason for _, reason in reasons[:MAX_REASONS]]
