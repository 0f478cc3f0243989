"""Ratings of bots from their games: pure functions of numpy arrays.

Model: each game's ranking is divided into pairs. In a game of n players, bot i at seat s finishes
above bot j at seat t with probability 1 / (1 + 10**(-x / 400)), where
x = elo_i - elo_j + seat_ns - seat_nt. A shared rank is half a win (Bradley and Terry, 1952; under
the Plackett-Luce model the pairs of a ranking follow this formula exactly). All games are fitted
at once, with a weak normal prior.

Intervals are based on whole deal blocks, since all games of a deal share the deal's luck, and all
pairs of a game share the luck of the game. The covariance is that of resampling the blocks with
replacement (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 8: resample
the independent units), where each resample is fitted by one Newton step from the fit of all games
(Andrews, "Higher-order improvements of a computationally attractive k-step bootstrap", 2002). Such
a step is linear in the number of times that each block is drawn. The limit of infinitely many
resamples is therefore known without drawing any of them: it is a cluster-robust covariance (Liang
and Zeger, "Longitudinal data analysis using generalized linear models", 1986).

Margins are fitted likewise: the VP lead of i over j is margin_i - margin_j + seat effects + luck,
by least squares, with intervals of the same kind.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy import sparse, special

from trajan_ai.core.description import Description

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

SEATS = 4
SEAT_NUMBERS = np.arange(SEATS, dtype=np.int32)
NO_BOT = -1
NO_FAILURE = -1
UNKNOWN_FAILURE = -2  # the game failed, but no known bot is at fault; the game is not rated

ELO = 400.0 / math.log(10.0)  # Elo per unit of log odds
# Standard deviation of the prior on ratings and seat effects: too wide to change a rating that
# games support, but narrow enough to keep ratings finite after clean sweeps.
PRIOR_ELO = 1000.0
# limit for differences and anchors in plans, beyond which floating point overflows
MAX_ELO = 10_000.0
MAX_PRIOR = 1e6
CONFIDENCE = 0.95
# Weight, in deal blocks, of the model's variance. In simulations with a weight below 5, intervals
# from 20 deals between bots that are 400 Elo apart contain the true value too rarely.
PRIOR_BLOCKS = 5.0
MAX_STEP = 2.0  # log odds per Newton step, so that the first steps do not overshoot
NEWTON_STEPS = 60
TOLERANCE = 1e-9
# Weight, in comparisons, of the prior that all margins are equal. It keeps margins finite if games
# do not connect all bots, and changes no margin that games support.
MARGIN_RIDGE = 1e-3
# Lead in VP that `squash` treats as one standard deviation.
MARGIN_SCALE = 20.0
QUARTILES = 2.0 * float(special.ndtri(0.75))  # distance of the quartiles in standard deviations


Elo = Annotated[float, Field(ge=-MAX_ELO, le=MAX_ELO)]


class RatingOptions(Description):
    """How games are rated: the `rating` of a plan."""

    anchor: str | None = None  # the bot whose rating is `elo`; None: the pool's mean is `elo`
    elo: Elo = 0.0
    seat_effect: bool = True
    prior: Annotated[float, Field(ge=1, le=MAX_PRIOR)] = PRIOR_ELO  # standard deviation


@dataclass(frozen=True, kw_only=True)
class Results:
    """Games as columns: G games, SEATS seats. Seats beyond a game's players are empty.

    bots    names of the bots, by bot number
    block   (G,) number of the deal block; games of one block share a shuffle
    players (G,) 2 to 4
    seats   (G, SEATS) bot numbers, NO_BOT where empty
    ranks   (G, SEATS) from 1, 0 where there is none
    scores  (G, SEATS) final VP, nan where there is none
    failed  (G,) seat of the bot that failed, NO_FAILURE or UNKNOWN_FAILURE
    turns, seconds, cpu  (G, SEATS) turns, wall and CPU seconds for decisions

    Times are floating-point numbers, and the other numbers integers, of at least 32 bits each.
    """

    bots: tuple[str, ...]
    block: Ints
    players: Ints
    seats: Ints
    ranks: Ints
    scores: Floats
    failed: Ints
    turns: Ints
    seconds: Floats
    cpu: Floats

    def __len__(self) -> int:
        return len(self.block)

    def only(self, chosen: NDArray[np.bool_]) -> Results:
        """Return the games where the mask (G,) is true, with blocks numbered from 0."""
        columns: dict[str, Any] = {name: getattr(self, name)[chosen] for name in COLUMNS}
        block = np.unique(self.block[chosen], return_inverse=True)[1].astype(np.int32)
        return Results(bots=self.bots, block=block, **columns)


COLUMNS = tuple(field.name for field in fields(Results))[2:]  # all columns except bots and blocks


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """The comparisons of two different bots in a game, as columns of length N.

    game, block, players     as in Results
    first, second            bot numbers, first < second
    first_seat, second_seat  their seats
    twice                    2 if `first` finished above `second`, 1 if level, 0 if below
    lead                     VP of `first` minus VP of `second`, nan where a bot failed
    """

    game: Ints
    block: Ints
    players: Ints
    first: Ints
    second: Ints
    first_seat: Ints
    second_seat: Ints
    twice: Ints
    lead: Floats


@dataclass(frozen=True, kw_only=True)
class Fit:
    """Ratings in log odds: P columns, one per bot, then one per (players, seat) in use.

    The margin columns have the same layout, in VP.
    """

    bots: int
    seat_keys: tuple[tuple[int, int], ...]
    point: Floats  # (P,)
    covariance: Floats  # (P, P), over resamples of the deal blocks
    model_covariance: Floats  # (P, P), of the posterior if all games were independent
    margin: Floats  # (P,)
    margin_covariance: Floats  # (P, P), over resamples of the deal blocks
    margin_model: Floats  # (P, P), if all games were independent
    margin_freedom: float  # degrees of freedom of the noise in `margin_model`
    has_margin: NDArray[np.bool_]  # (bots,): whether a bot met another bot in a complete game
    reaches: NDArray[np.bool_]  # (bots, bots): whether a chain of wins or ties leads from i to j
    blocks: Ints  # (bots,) deal blocks of each bot
    size_blocks: tuple[tuple[int, int], ...]  # number of players, number of their deal blocks


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """The rating of every bot in Elo, as arrays by bot number. Intervals are 95 %.

    If a bot is not `bounded_above` (it won everything) or not `bounded_below`, only the prior
    bounds its rating on that side.
    """

    elo: Floats
    low: Floats
    high: Floats
    margin: Floats  # lead in VP over an average bot, or over the anchor; nan if a bot has none
    margin_half_width: Floats
    bounded_above: NDArray[np.bool_]
    bounded_below: NDArray[np.bool_]
    superiority: Floats  # (bots, bots): probability that the bot of the row is the stronger one
    seat_elo: tuple[tuple[int, int, float, float, float], ...]  # players, seat, Elo, low, high


def make_pairs(results: Results) -> Pairs:
    """Divide every game into pairs of different bots; a failed bot ranks below all others.

    The other bots of a game with a failure are not compared with each other.
    """
    parts: list[tuple[Any, ...]] = []
    failed = results.failed
    for a, b in combinations(range(SEATS), 2):
        i, j = results.seats[:, a], results.seats[:, b]
        comparable = (failed == NO_FAILURE) | (failed == a) | (failed == b)
        rows = np.flatnonzero((i != NO_BOT) & (j != NO_BOT) & (i != j) & comparable)
        rows = rows.astype(np.int32)
        above = np.sign(results.ranks[rows, b] - results.ranks[rows, a])
        above = np.where(failed[rows] == a, -1, np.where(failed[rows] == b, 1, above))
        lead = results.scores[rows, a] - results.scores[rows, b]
        i, j = i[rows], j[rows]
        swap = i > j
        bots = (np.where(swap, j, i), np.where(swap, i, j))
        seats = (np.where(swap, *SEAT_NUMBERS[[b, a]]), np.where(swap, *SEAT_NUMBERS[[a, b]]))
        points = (np.where(swap, 1 - above, 1 + above), np.where(swap, -lead, lead))
        parts.append((rows, results.block[rows], results.players[rows], *bots, *seats, *points))
    names = (field.name for field in fields(Pairs))
    filled = [part for part in parts if len(part[0])] or parts[:1]
    columns = filled[0] if len(filled) == 1 else map(np.concatenate, zip(*filled, strict=True))
    return Pairs(**dict(zip(names, columns, strict=True)))


def rated(results: Results, options: RatingOptions) -> Ratings:
    """Return the ratings of all bots of `results`, including those without games.

    If the anchor of `options` is not among the bots, the mean of the pool has the anchor's rating.
    """
    fitted = fit(results, prior_elo=options.prior, seat_effect=options.seat_effect)
    anchor = results.bots.index(options.anchor) if options.anchor in results.bots else None
    return rate(fitted, anchor=anchor, anchor_elo=options.elo)


def estimate_elo(results: Results, options: RatingOptions) -> Floats:
    """Return the same Elo as `rated`, but without intervals and margins, which is much faster."""
    peak = Peak(results, options.prior, options.seat_effect)
    bots = len(results.bots)
    anchor = results.bots.index(options.anchor) if options.anchor in results.bots else None
    reaches = _find_reaches(peak.pairs, bots)
    contrast = _contrast(_rated_against(reaches & reaches.T, anchor))
    return ELO * (contrast @ peak.point[:bots]) + options.elo


def fit(results: Results, *, prior_elo: float = PRIOR_ELO, seat_effect: bool = True) -> Fit:
    """Fit all ratings and margins at once."""
    peak = Peak(results, prior_elo, seat_effect)
    bots, pairs = len(results.bots), peak.pairs
    covariance, model = _covariances(peak)
    sizes = sorted(set(results.players.tolist()))
    rank = bots - 1 + sum(seat > 0 for _, seat in peak.seat_keys)
    margin, margin_covariance, margin_model, freedom = _fit_margins(peak, rank)
    return Fit(
        bots=bots,
        seat_keys=peak.seat_keys,
        point=peak.point,
        covariance=covariance,
        model_covariance=model,
        margin=margin,
        margin_covariance=margin_covariance,
        margin_model=margin_model,
        margin_freedom=freedom,
        has_margin=_find_bots_with_margin(pairs, bots),
        reaches=_find_reaches(pairs, bots),
        blocks=_count_blocks(results, bots),
        size_blocks=tuple((n, len(np.unique(results.block[results.players == n]))) for n in sizes),
    )


def _make_design(columns: Sequence[Ints], size: int) -> Any:
    """Return a sparse matrix (C, size) whose rows have their entries in the given `columns`.

    In each row, the first entry is +1 and the second is -1, for two bots. If there are four
    columns, the third entry is +1 and the fourth is -1, for their seats.
    """
    count, width = len(columns[0]), len(columns)
    return sparse.csr_array(
        (
            np.tile([1.0, -1.0] * (width // 2), count),
            np.stack(columns, axis=1).ravel(),
            np.arange(0, width * count + 1, width),
        ),
        shape=(count, size),
    )


class Peak:
    """The log odds `point` at the maximum of the posterior, and the data from which they follow.

    Equal pairs share a cell (`cell` contains the cell of each pair), so that the cost of finding
    the maximum does not grow with the number of games.
    """

    def __init__(self, results: Results, prior_elo: float, seat_effect: bool) -> None:
        self.pairs = pairs = make_pairs(results)
        bots = len(results.bots)
        sizes = sorted(set(pairs.players.tolist())) if seat_effect else []
        self.seat_keys = tuple((players, seat) for players in sizes for seat in range(players))
        size = bots + len(self.seat_keys)
        columns = [pairs.first, pairs.second]
        if self.seat_keys:
            number = np.zeros((SEATS + 1, SEATS), dtype=np.int32)
            for place, (players, seat) in enumerate(self.seat_keys, bots):
                number[players, seat] = place
            columns += [number[pairs.players, at] for at in (pairs.first_seat, pairs.second_seat)]
        key = np.zeros(len(pairs.game), dtype=np.int64)
        for column in reversed(columns):
            key = key * size + column
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        self.cell = cell.astype(np.int32)
        twice = self.cell * 3 + pairs.twice
        table = np.bincount(twice, minlength=3 * len(first)).reshape(-1, 3)
        self.counts = table.sum(axis=1).astype(np.float64)
        design = _make_design([column[first] for column in columns], size)
        self.problem = _Problem(design, (ELO / prior_elo) ** 2)
        self.point = self.problem.solve(self.counts, table[:, 2] + 0.5 * table[:, 1])


def _covariances(peak: Peak) -> tuple[Floats, Floats]:
    """Return the two covariances of log odds; see Fit.

    The pairs of a game are not independent. In a game of p equal bots, the variance of a bot's
    points is (p + 1) / 3 times that of independent pairs, because the rank determines the points.
    """
    pairs = peak.pairs
    inverse = invert(peak.problem.curvature(peak.point, peak.counts))
    expected = 1.0 / (1.0 + np.exp(-peak.problem.log_odds(peak.point)))
    surplus = pairs.twice / 2.0 - expected[peak.cell]
    covariance = inverse @ _block_scatter(peak, surplus) @ inverse
    return covariance, _mean((pairs.players + 1) / 3.0) * inverse


def _fit_margins(peak: Peak, rank: int) -> tuple[Floats, Floats, Floats, float]:
    """Return margins in VP by least squares, their two covariances, and degrees of freedom.

    `rank` is the number of fitted parameters. If the independent leads do not outnumber the
    parameters, the noise is unknown.
    """
    pairs, design = peak.pairs, peak.problem.design
    cells, size = design.shape
    valid = ~np.isnan(pairs.lead)
    lead = np.where(valid, pairs.lead, 0.0)
    counts = np.bincount(peak.cell, valid, minlength=cells)
    normal = (design.T @ (design * counts[:, None])).toarray() + MARGIN_RIDGE * np.eye(size)
    inverse = invert(normal)
    point = inverse @ (design.T @ np.bincount(peak.cell, lead, minlength=cells))
    rest = np.where(valid, lead - (design @ point)[peak.cell], 0.0)
    # A game of p players has p (p - 1) / 2 pairs, but only p - 1 independent leads. So each
    # pair counts as 2 / p of a lead, and the variance of a bot is p / 2 times that of independent
    # pairs.
    count = float((2.0 / pairs.players[valid]).sum())
    freedom = count - rank
    noise = float(rest @ rest) / valid.sum() * count / freedom if freedom > 0 else math.nan
    model = noise * _mean(pairs.players / 2.0) * inverse
    return point, inverse @ _block_scatter(peak, rest) @ inverse, model, max(freedom, 0.0)


def _find_bots_with_margin(pairs: Pairs, bots: int) -> NDArray[np.bool_]:
    """Return for each bot number whether the bot met another bot in a complete game."""
    complete = ~np.isnan(pairs.lead)
    has_margin = np.zeros(bots, dtype=np.bool_)
    has_margin[pairs.first[complete]] = True
    has_margin[pairs.second[complete]] = True
    return has_margin


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 1.0


def _block_scatter(peak: Peak, surplus: Floats) -> Floats:
    """Return the covariance (P, P) that the summed gradient has over resamples of the blocks.

    For resamples of B blocks with replacement, this is the sum of squares of the blocks' gradients
    about their mean. `surplus` is the gradient by pair.
    """
    design, block = peak.problem.design, peak.pairs.block
    blocks = int(block.max()) + 1 if len(block) else 0
    if not blocks:
        return np.zeros((design.shape[1], design.shape[1]))
    gather = sparse.csr_array((surplus, (block, peak.cell)), shape=(blocks, design.shape[0]))
    gradient = gather @ design
    total = np.asarray(gradient.sum(axis=0)).ravel()
    scatter: Floats = (gradient.T @ gradient).toarray() - np.outer(total, total) / blocks
    return scatter


def rate(fitted: Fit, *, anchor: int | None = None, anchor_elo: float = 0.0) -> Ratings:
    """Convert a fit into Elo, where the `anchor` bot, or the pool's mean, has `anchor_elo`.

    The mean excludes bots that won or lost everything against the largest group, because only the
    prior bounds their ratings, and their uncertainty must not widen other intervals.
    """
    bots = fitted.bots
    theta = fitted.point[:bots]
    linked = fitted.reaches & fitted.reaches.T
    base = _rated_against(linked, anchor)
    contrast = _contrast(base)
    model = _spread(contrast, fitted.model_covariance)
    variance = _variance(_spread(contrast, fitted.covariance), model, fitted.blocks)
    settled = linked[:, base].all(axis=1)
    variance = np.where(settled, variance, np.maximum(variance, model))
    elo = ELO * (contrast @ theta) + anchor_elo
    quantile = get_t_quantile(_freedom(fitted.blocks))
    reach = ELO * np.sqrt(variance) * quantile
    margin, margin_half_width = _margins(fitted, anchor)
    return Ratings(
        elo=elo,
        low=elo - reach,
        high=elo + reach,
        margin=margin,
        margin_half_width=margin_half_width,
        bounded_above=_reaches_base(fitted.reaches.T, base) | settled,
        bounded_below=_reaches_base(fitted.reaches, base) | settled,
        superiority=_superiority(fitted, linked),
        seat_elo=_seat_table(fitted),
    )


def _margins(fitted: Fit, anchor: int | None) -> tuple[Floats, Floats]:
    """Return the margin of every bot over the anchor or the pool's mean, and its half width.

    The mean omits bots without a complete game, and their own margin is nan. All margins
    are nan if the anchor has no complete game.
    """
    bots = fitted.bots
    base = fitted.has_margin & ((anchor is None) | (np.arange(bots) == anchor))
    if not base.any():
        return np.full(bots, math.nan), np.full(bots, math.nan)
    contrast = _contrast(base)
    variance = _variance(
        _spread(contrast, fitted.margin_covariance),
        _spread(contrast, fitted.margin_model),
        fitted.blocks,
    )
    # The noise of the model is only an estimate, which limits the degrees of freedom.
    freedom = _freedom(fitted.blocks) - PRIOR_BLOCKS + min(PRIOR_BLOCKS, fitted.margin_freedom)
    half_width = np.sqrt(variance) * get_t_quantile(freedom)
    margin = contrast @ fitted.margin[:bots]
    return (
        np.where(fitted.has_margin, margin, math.nan),
        np.where(fitted.has_margin, half_width, math.nan),
    )


def _spread(contrast: Floats, covariance: Floats) -> Floats:
    """Return the variance of each row of `contrast` times the bots' parameters."""
    size = contrast.shape[1]
    spread = ((contrast @ covariance[:size, :size]) * contrast).sum(axis=1)
    return np.asarray(np.maximum(spread, 0.0))


def _reaches_base(reaches: NDArray[np.bool_], base: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which bots reach every bot of the base."""
    return np.asarray(reaches[:, base].all(axis=1))


def _rated_against(linked: NDArray[np.bool_], anchor: int | None) -> NDArray[np.bool_]:
    """Return the bots whose mean is the reference of all ratings."""
    return _base(linked) if anchor is None else np.arange(len(linked)) == anchor


def _contrast(base: NDArray[np.bool_]) -> Floats:
    """Return the matrix whose row i maps ratings to the rating of bot i relative to the base."""
    return np.asarray(np.eye(len(base)) - base / max(base.sum(), 1))


def _base(linked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the bots of the largest group whose members bound each other's ratings.

    If several groups share the largest size, all of them count, so that the order of the bots does
    not matter.
    """
    sizes = linked.sum(axis=1)
    return np.asarray(sizes == sizes.max(initial=0))


def invert(matrix: Floats) -> Floats:
    """Return the inverse of a matrix."""
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def find_components(results: Results) -> list[list[int]]:
    """Return the sorted groups of bots that games connect; each other bot is a group of one."""
    bots = len(results.bots)
    pairs = make_pairs(results)
    met = np.eye(bots, dtype=np.bool_)
    met[pairs.first, pairs.second] = met[pairs.second, pairs.first] = True
    return _list_groups(_closure(met))


def find_bounded_groups(results: Results) -> list[list[int]]:
    """Return the groups of bots that bound each other's ratings; see `find_components`."""
    reaches = _find_reaches(make_pairs(results), len(results.bots))
    return _list_groups(reaches & reaches.T)


def _list_groups(linked: NDArray[np.bool_]) -> list[list[int]]:
    return [
        list(group) for group in sorted({tuple(np.flatnonzero(row).tolist()) for row in linked})
    ]


def get_t_quantile(freedom: Floats | float) -> Floats:
    """Return the two-sided quantile of Student's t distribution."""
    return np.asarray(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2), dtype=np.float64)


def convert_share_to_elo(share: float, flattened: float = 1.0) -> float:
    """Return the Elo difference at which the expected score is `share`, 0 < share < 1."""
    if flattened != 1.0:
        share = float(special.ndtr(special.ndtri(share) * flattened))
    return ELO * math.log(share / (1.0 - share))


def convert_elo_to_share(elo: float, flattened: float = 1.0) -> float:
    """Return the expected score, or mean squashed lead, at an Elo difference; see `Duel`."""
    share = 1.0 / (1.0 + math.exp(-elo / ELO))
    return share if flattened == 1.0 else float(special.ndtr(special.ndtri(share) / flattened))


class _Problem:
    """The penalised likelihood of C cells, each of which compares two sums of parameters.

    `design` is (C, P), for P parameters; see `_make_design`. `counts` and `points` are the numbers
    of comparisons and points by cell, (C,).
    """

    def __init__(self, design: Any, precision: float) -> None:
        self.design = design
        self.precision = precision

    def log_odds(self, theta: Floats) -> Floats:
        """Return the log odds of every cell, (C,)."""
        return np.asarray(self.design @ theta)

    def gradient(self, theta: Floats, counts: Floats, points: Floats) -> Floats:
        """Return the gradient of the log posterior, (P,)."""
        surplus = points - counts / (1.0 + np.exp(-self.log_odds(theta)))
        return np.asarray(self.design.T @ surplus - self.precision * theta)

    def curvature(self, theta: Floats, counts: Floats) -> Floats:
        """Return minus the Hessian of the log posterior, (P, P): positive definite."""
        share = 1.0 / (1.0 + np.exp(-self.log_odds(theta)))
        weighted = self.design * (counts * share * (1.0 - share))[:, None]
        size = self.design.shape[1]
        return np.asarray((self.design.T @ weighted).toarray() + self.precision * np.eye(size))

    def solve(self, counts: Floats, points: Floats) -> Floats:
        """Return the maximum by Newton's method, (P,)."""
        theta = np.zeros(self.design.shape[1])
        for _ in range(NEWTON_STEPS if len(theta) else 0):
            curvature = self.curvature(theta, counts)
            step = np.linalg.solve(curvature, self.gradient(theta, counts, points))
            size = float(np.abs(step).max())
            theta += step * min(1.0, MAX_STEP / max(size, 1e-30))
            if size <= TOLERANCE:
                break
        return theta


def _closure(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which nodes reach which others along `edges`."""
    reach = edges.copy()
    for _ in range(max(1, len(edges).bit_length())):
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            break
        reach = further
    return reach


def _find_reaches(pairs: Pairs, bots: int) -> NDArray[np.bool_]:
    edges = np.eye(bots, dtype=np.bool_)
    edges[pairs.first[pairs.twice > 0], pairs.second[pairs.twice > 0]] = True
    edges[pairs.second[pairs.twice < 2], pairs.first[pairs.twice < 2]] = True
    return _closure(edges)


def _count_blocks(results: Results, bots: int) -> Ints:
    there = results.seats != NO_BOT
    block = np.broadcast_to(results.block[:, None], there.shape)[there]
    keys = block.astype(np.int64) * max(bots, 1) + results.seats[there]
    return np.bincount(np.unique(keys) % max(bots, 1), minlength=bots).astype(np.int64)


def _variance(resampled: Floats, model: Floats, blocks: Ints | int) -> Floats:
    """Return the variance of estimates that are based on these numbers of deal blocks.

    `resampled` is the variance over resamples of the blocks. It is too small by the factor
    (b - 1) / b, and 0 if all blocks have the same result. Therefore, the variance that the model
    gives for independent games counts as PRIOR_BLOCKS further blocks.
    """
    count = np.maximum(np.asarray(blocks, dtype=np.float64), 1.0)
    return np.asarray((count * resampled + PRIOR_BLOCKS * model) / (count - 1.0 + PRIOR_BLOCKS))


def _freedom(blocks: Ints | int) -> Floats:
    """Return the degrees of freedom of `_variance`."""
    return np.asarray(np.maximum(blocks, 1) - 1.0 + PRIOR_BLOCKS)


def _superiority(fitted: Fit, linked: NDArray[np.bool_]) -> Floats:
    """Return the probability, by Student's t, that the bot of the row is stronger."""
    bots = fitted.bots
    theta, model = fitted.point[:bots], _differences(fitted.model_covariance[:bots, :bots])
    spread = _differences(fitted.covariance[:bots, :bots])
    blocks = np.minimum(fitted.blocks[:, None], fitted.blocks[None, :])
    variance = _variance(spread, model, blocks)
    variance = np.where(linked, variance, np.maximum(variance, model))
    lead = theta[:, None] - theta[None, :]
    positive = variance > 0
    scaled = np.divide(lead, np.sqrt(variance), out=np.zeros_like(lead), where=positive)
    return np.asarray(special.stdtr(_freedom(blocks), scaled), dtype=np.float64)


def _differences(covariance: Floats) -> Floats:
    """Return the variances of all differences between variables with this covariance."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own[None, :] - 2.0 * covariance, 0.0)


def _seat_table(fitted: Fit) -> tuple[tuple[int, int, float, float, float], ...]:
    """Return (players, seat, Elo above the mean seat, low, high) for every seat in use."""
    table = []
    for players, blocks in fitted.size_blocks:
        columns = [fitted.bots + k for k, (n, _) in enumerate(fitted.seat_keys) if n == players]
        if not columns:
            continue
        contrast = np.eye(len(columns)) - 1.0 / len(columns)
        point = ELO * (contrast @ fitted.point[columns])
        here = np.ix_(columns, columns)
        variance = _variance(
            _spread(contrast, fitted.covariance[here]),
            _spread(contrast, fitted.model_covariance[here]),
            blocks,
        )
        reach = ELO * np.sqrt(variance) * get_t_quantile(_freedom(blocks))
        for seat in range(len(columns)):
            elo, half = float(point[seat]), float(reach[seat])
            table.append((players, seat, elo, elo - half, elo + half))
    return tuple(table)


@dataclass(frozen=True)
class Duel:
    """The comparisons of a bot with another bot, as columns of length N.

    block   number of the deal block
    points  1 for the better rank, 0.5 for a shared rank, 0 for the worse one
    lead    in VP, nan where a bot failed
    """

    block: Ints
    points: Floats
    lead: Floats

    def scores(self) -> Floats:
        """Return the bot's mean points in each deal block."""
        return self._means(self.points)

    def margins(self) -> Floats:
        """Return the bot's mean squashed lead in each block, 0 to 1; a failure counts as 0."""
        return self._means(np.where(np.isnan(self.lead), self.points, squash(self.lead)))

    def flattened(self) -> float:
        """Return the ratio of wins to squashed leads, both as normal deviates from 0.5.

        If leads are normal with the standard deviation s in VP, the win rate is Phi(lead / s), and
        the mean squashed lead is Phi(lead / sqrt(s^2 + MARGIN_SCALE^2)). s is estimated from the
        quartiles, so that a few extreme games do not matter. With fewer than two leads, s is
        MARGIN_SCALE.
        """
        leads, spread = self.lead[~np.isnan(self.lead)], MARGIN_SCALE
        if len(leads) > 1:
            low, high = np.quantile(leads, (0.25, 0.75))
            spread = max(float(high - low) / QUARTILES, 1.0)
        return math.hypot(spread, MARGIN_SCALE) / spread

    def _means(self, values: Floats) -> Floats:
        _, where = np.unique(self.block, return_inverse=True)
        return np.asarray(np.bincount(where, values) / np.bincount(where))


def extract_duel(results: Results, bot: int, against: int) -> Duel:
    """Return the comparisons between the bots with the numbers `bot` and `against`."""
    pairs = make_pairs(results)
    chosen = (pairs.first == min(bot, against)) & (pairs.second == max(bot, against))
    points, lead = pairs.twice[chosen] / 2.0, pairs.lead[chosen]
    if bot > against:
        points, lead = 1.0 - points, -lead
    return Duel(pairs.block[chosen], points, lead)


def squash(lead: Floats) -> Floats:
    """Map leads in VP to 0..1 by a normal distribution with standard deviation MARGIN_SCALE.

    Beyond a decisive lead, further VP count little.
    """
    return np.asarray(special.ndtr(lead / MARGIN_SCALE))
