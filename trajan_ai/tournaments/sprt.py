"""A sequential test between two bots on the scores of deal blocks, in games of 2 to 4 players.

This is the generalized sequential probability ratio test in its normal approximation (Van den
Bergh, "A practical introduction to the GSPRT", 2017; Wald, "Sequential Tests of Statistical
Hypotheses", 1945). The observations are mean scores of one bot against the other in whole deal
blocks, so that the shared luck of a deal counts once. Scores are wins or squashed margins
(`ratings.Duel`).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trajan_ai.tournaments.ratings import Floats

# Blocks before a verdict is allowed. With fewer, the estimate of the variance is too rough.
MIN_BLOCKS = 16
# Weight, in blocks, of the prior for a block's variance, which keeps the ratio finite if all
# scores are equal.
PRIOR_BLOCKS = 2.0
# The prior: two independent games, each won or lost with equal probability.
PRIOR_VARIANCE = 0.125
# The prior for squashed margins: two independent games, whose results are uniform in 0..1, as they
# are if leads are normal with the standard deviation MARGIN_SCALE.
PRIOR_VARIANCE_OF_MARGINS = 1.0 / 24.0


@dataclass(frozen=True, kw_only=True)
class State:
    """The state of a sequential test after some blocks.

    `verdict` is "H0" (Elo difference at most elo0), "H1" (at least elo1), or None (undecided).
    """

    blocks: int
    score: float
    llr: float
    lower: float
    upper: float
    verdict: Literal["H0", "H1"] | None


def compute_bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Return the log-likelihood ratios at which H0 and H1 are accepted."""
    return math.log(beta / (1.0 - alpha)), math.log((1.0 - beta) / alpha)


def compute_llr(
    count: int,
    mean: float,
    squares: float,
    share0: float,
    share1: float,
    *,
    guess: float,
) -> float:
    """Return the log-likelihood ratio of H1 to H0.

    count           number of blocks
    mean, squares   their mean score and sum of squared deviations
    share0, share1  expected scores under the hypotheses
    guess           prior for a block's variance
    """
    freedom = max(count - 1, 0)
    variance = (squares + PRIOR_BLOCKS * guess) / (freedom + PRIOR_BLOCKS)
    return count * (share1 - share0) * (mean - (share0 + share1) / 2.0) / variance


def compute_state(
    scores: Floats,
    share0: float,
    share1: float,
    alpha: float,
    beta: float,
    *,
    guess: float,
) -> State:
    """Return the state after blocks with these scores (B,), from 0 to 1; see `compute_llr`."""
    lower, upper = compute_bounds(alpha, beta)
    count = len(scores)
    mean = float(np.mean(scores)) if count else 0.5
    squares = float(np.sum((scores - mean) ** 2))
    value = compute_llr(count, mean, squares, share0, share1, guess=guess)
    verdict: Literal["H0", "H1"] | None = None
    if count >= MIN_BLOCKS:
        verdict = "H1" if value >= upper else "H0" if value <= lower else None
    return State(blocks=count, score=mean, llr=value, lower=lower, upper=upper, verdict=verdict)
