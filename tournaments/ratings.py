"""Ratings of a pool of bots from the games they played: pure functions of numpy arrays.

Model: each game's ranking is broken into pairs, and in a table of n players the bot i at seat s
finishes above the bot j at seat t with probability 1 / (1 + 10**(-x / 400)), where
x = elo_i - elo_j + seat_ns - seat_nt. A shared rank is half a win (Bradley and Terry, 1952; under
the Plackett-Luce model the pairs of a ranking follow it exactly). All games are fitted at once,
with a weak normal prior. Intervals come from resampling whole deal blocks: all games of one deal
share its luck, and so do the pairs of one game (Efron and Tibshirani, "An Introduction to the
Bootstrap", 1993, chapter 8: resample the independent units), each resample fitted by one Newton
step from the fit of all games (Andrews, "Higher-order improvements of a computationally attractive
k-step bootstrap", 2002).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SEATS = 4
NO_BOT = -1
NO_FAILURE = -1
UNKNOWN_FAILURE = -2  # a game lost to nobody's fault that we know of: it rates nobody

ELO = 400.0 / math.log(10.0)  # Elo per unit of log odds
# Standard deviation of the prior on a bot's rating and on a seat's advantage: wide enough to move
# no rating that games support, narrow enough to keep clean sweeps finite.
PRIOR_ELO = 1000.0
RESAMPLES = 1000
CONFIDENCE = 0.95
MAX_STEP = 2.0  # log odds a Newton step may move: keeps the first steps from overshooting
NEWTON_STEPS = 60
TOLERANCE = 1e-9
CHUNK_CELLS = 4_000_000  # resampled cells held at once: 32 MB


@dataclass(frozen=True)
class Results:
    """Games as columns: G games, SEATS seats, the seats beyond a game's players empty.

    bots    names of the bots, by bot number
    block   (G,) number of the deal block; games of one block share a shuffle
    players (G,) 2 to 4
    seats   (G, SEATS) bot numbers, NO_BOT where empty
    ranks   (G, SEATS) from 1, 0 where there is none
    scores  (G, SEATS) final VP, nan where there is none
    failed  (G,) seat whose bot failed, NO_FAILURE or UNKNOWN_FAILURE
    turns, seconds, cpu  (G, SEATS) turns taken, wall and CPU seconds spent choosing
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
        """Return the games for which the mask (G,) is true, blocks numbered anew."""
        columns: dict[str, Any] = {
            name: getattr(self, name)[chosen]
            for name in (
                "players",
                "seats",
                "ranks",
                "scores",
                "failed",
                "turns",
                "seconds",
                "cpu",
            )
        }
        block = np.unique(self.block[chosen], return_inverse=True)[1].astype(np.int64)
        return Results(self.bots, block, **columns)


@dataclass(frozen=True)
class Pairs:
    """Every comparison of two different bots in a game, as columns of length N.

    `first` finished above `second` if `twice` is 2, level with it if 1, below it if 0.
    """

    game: Ints
    block: Ints
    players: Ints
    first: Ints
    second: Ints
    first_seat: Ints
    second_seat: Ints
    twice: Ints


@dataclass(frozen=True)
class Fit:
    """Ratings in log odds: a column for each bot, then one for each (players, seat) in use."""

    bots: int
    seat_keys: tuple[tuple[int, int], ...]
    point: Floats  # (P,)
    samples: Floats  # (R, P), one row a resample of the deal blocks
    model_covariance: Floats  # (P, P), of the posterior if all pairs were independent
    reaches: NDArray[np.bool_]  # (bots, bots): chain of results in which i at least tied j
    blocks: Ints  # (bots,) deal blocks of each bot


@dataclass(frozen=True)
class Ratings:
    """The rating of every bot in Elo; arrays by bot number. Intervals are 95 %."""

    elo: Floats
    low: Floats
    high: Floats
    superiority: Floats  # (bots, bots): probability that the bot of the row is the stronger one
    seat_elo: tuple[tuple[int, int, float, float, float], ...]  # players, seat, Elo, low, high


def pairs_of(results: Results) -> Pairs:
    """Break every game into pairs of different bots; a failed bot ranks below all others.

    The other bots of a game that a failure ended are not compared.
    """
    columns: list[tuple[Any, ...]] = []
    failed = results.failed
    for a in range(SEATS):
        for b in range(a + 1, SEATS):
            i, j = results.seats[:, a], results.seats[:, b]
            told = (failed == NO_FAILURE) | (failed == a) | (failed == b)
            rows = np.flatnonzero((i != NO_BOT) & (j != NO_BOT) & (i != j) & told)
            lead = np.sign(results.ranks[rows, b] - results.ranks[rows, a])
            lead = np.where(failed[rows] == a, -1, np.where(failed[rows] == b, 1, lead))
            i, j = i[rows], j[rows]
            swap = i > j
            columns.append(
                (
                    rows,
                    np.where(swap, j, i),
                    np.where(swap, i, j),
                    np.where(swap, b, a),
                    np.where(swap, a, b),
                    np.where(swap, 1 - lead, 1 + lead),
                )
            )
    rows, first, second, first_seat, second_seat, twice = (
        np.concatenate([column[k] for column in columns]).astype(np.int64) for k in range(6)
    )
    return Pairs(
        rows,
        results.block[rows],
        results.players[rows],
        first,
        second,
        first_seat,
        second_seat,
        twice,
    )


def fit(
    results: Results,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    prior_elo: float = PRIOR_ELO,
    seat_effect: bool = True,
) -> Fit:
    """Fit all ratings at once, and anew for every resample of the deal blocks."""
    pairs = pairs_of(results)
    bots = len(results.bots)
    key = np.ravel_multi_index(
        (pairs.first, pairs.second, pairs.players, pairs.first_seat, pairs.second_seat),
        (max(bots, 1), max(bots, 1), SEATS + 1, SEATS, SEATS),
    )
    cells, cell = np.unique(key, return_inverse=True)
    first, second, players, first_seat, second_seat = np.unravel_index(
        cells, (max(bots, 1), max(bots, 1), SEATS + 1, SEATS, SEATS)
    )
    seat_keys = tuple(
        (n, s) for n in sorted(set(players.tolist()) if seat_effect else ()) for s in range(n)
    )
    column = {key: bots + number for number, key in enumerate(seat_keys)}
    parameters = np.stack([first, second], axis=1)
    if seat_effect:
        seats = [
            [column[n, s], column[n, t]]
            for n, s, t in zip(
                players.tolist(), first_seat.tolist(), second_seat.tolist(), strict=True
            )
        ]
        parameters = np.hstack([parameters, np.array(seats, dtype=np.int64).reshape(-1, 2)])
    problem = _Problem(parameters, bots + len(seat_keys), (ELO / prior_elo) ** 2)
    whole = _totals(pairs, cell, len(cells), None)
    point = problem.solve(*whole)[0]
    # One Newton step from the common maximum, instead of a search for each replicate's own: the
    # rare replicates in which a bot happens to win or lose everything stretch no interval.
    inverse = np.linalg.inv(problem.curvature(point[None], whole[0])[0])
    blocks = int(results.block.max()) + 1 if len(results) else 0
    samples = np.empty((resamples, problem.size))
    chunk = max(1, CHUNK_CELLS // max(1, 2 * len(cells)))
    for begin in range(0, resamples, chunk):
        replicates = range(begin, min(resamples, begin + chunk))
        counts = np.empty((len(replicates), len(cells)))
        points = np.empty((len(replicates), len(cells)))
        for row, replicate in enumerate(replicates):
            weights = resampled_weights(blocks, seed, replicate)
            counts[row], points[row] = (
                total[0] for total in _totals(pairs, cell, len(cells), weights)
            )
        theta = np.broadcast_to(point, (len(replicates), problem.size))
        samples[begin : begin + chunk] = point + problem.gradient(theta, counts, points) @ inverse
    return Fit(
        bots,
        seat_keys,
        point,
        samples,
        inverse,
        _reaches(pairs, bots),
        _blocks_of(results, bots),
    )


def rate(fitted: Fit, *, anchor: int | None = None, anchor_elo: float = 0.0) -> Ratings:
    """Turn a fit into Elo: the `anchor` bot stands at `anchor_elo`, or else the pool's mean."""
    bots = fitted.bots
    theta, samples = fitted.point[:bots], fitted.samples[:, :bots]
    base = np.full(bots, 1.0 / bots) if anchor is None else np.eye(bots)[anchor]
    contrast = np.eye(bots) - base  # row i: rating of i above the base
    model = fitted.model_covariance[:bots, :bots]
    spread = np.cov(samples, rowvar=False).reshape(bots, bots)
    linked = fitted.reaches & fitted.reaches.T
    settled = linked.all(axis=1) if anchor is None else linked[:, anchor]
    variance = np.maximum(np.einsum("ip,pq,iq->i", contrast, spread, contrast), 0.0)
    doubtful = np.einsum("ip,pq,iq->i", contrast, model, contrast)
    variance = np.where(settled, variance, np.maximum(variance, doubtful))
    elo = ELO * (contrast @ theta)
    reach = ELO * np.sqrt(variance) * _small_sample(fitted.blocks)
    shift = anchor_elo
    return Ratings(
        elo + shift,
        elo + shift - reach,
        elo + shift + reach,
        _superiority(theta, spread, model, linked),
        _seat_table(fitted),
    )


def splitmix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash 64-bit numbers (the finalizer of splitmix64, Steele, Lea and Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def resampled_weights(blocks: int, seed: int, replicate: int) -> Floats:
    """Return how often each of `blocks` is drawn in a resample with replacement, (blocks,).

    Counter based, so a replicate's draw depends on (seed, replicate, blocks) alone.
    """
    golden = np.uint64(0x9E3779B97F4A7C15)
    start = splitmix(np.array([seed & 0xFFFFFFFFFFFFFFFF], np.uint64) + golden)
    start = splitmix(start + np.uint64(replicate))
    numbers = splitmix(start + golden * np.arange(1, blocks + 1, dtype=np.uint64))
    drawn = ((numbers >> np.uint64(32)) * np.uint64(blocks)) >> np.uint64(32)
    return np.bincount(drawn.astype(np.int64), minlength=blocks).astype(np.float64)


def components(results: Results) -> list[list[int]]:
    """Return the groups of bots that games connect, each sorted; bots without games apart."""
    bots = len(results.bots)
    pairs = pairs_of(results)
    met = np.eye(bots, dtype=np.bool_)
    met[pairs.first, pairs.second] = met[pairs.second, pairs.first] = True
    connected = _closure(met)
    groups = {tuple(np.flatnonzero(connected[i]).tolist()) for i in range(bots)}
    return sorted(list(group) for group in groups)


def t_quantile(freedom: Floats | float, confidence: float = CONFIDENCE) -> Floats:
    """Return the two-sided quantile of Student's t (Abramowitz and Stegun 26.7.5)."""
    z = normal_quantile(0.5 + confidence / 2)
    v = np.maximum(np.asarray(freedom, dtype=np.float64), 1.0)
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return np.asarray(z + g1 / v + g2 / v**2 + g3 / v**3)


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution, by bisection of erf."""
    low, high = -12.0, 12.0
    for _ in range(80):
        middle = (low + high) / 2
        if normal_share(middle) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def normal_share(value: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * math.erfc(-value / math.sqrt(2.0))


def elo_of_share(share: float) -> float:
    """Return the Elo difference at which the expected score is `share`, 0 < share < 1."""
    return ELO * math.log(share / (1.0 - share))


def share_of_elo(elo: float) -> float:
    """Return the expected score at an Elo difference."""
    return 1.0 / (1.0 + math.exp(-elo / ELO))


class _Problem:
    """The penalised likelihood of cells: P parameters, each cell comparing two sums of them.

    `parameters` is (C, 2) or (C, 4): first bot, second bot, first seat, second seat; they enter a
    cell's log odds with the signs + - + -.
    """

    def __init__(self, parameters: Ints, size: int, precision: float) -> None:
        self.size = size
        self.precision = precision
        self.parameters = parameters
        self.signs = np.array([1.0, -1.0, 1.0, -1.0][: parameters.shape[1]])
        width = parameters.shape[1]
        self.entry = np.concatenate(
            [
                parameters[:, a] * size + parameters[:, b]
                for a in range(width)
                for b in range(width)
            ]
        )
        self.entry_signs = np.outer(self.signs, self.signs).ravel()

    def log_odds(self, theta: Floats) -> Floats:
        """(R, P) -> (R, C)."""
        result = np.zeros((len(theta), len(self.parameters)))
        for k, sign in enumerate(self.signs):
            result += sign * theta[:, self.parameters[:, k]]
        return result

    def gradient(self, theta: Floats, counts: Floats, points: Floats) -> Floats:
        """Return the gradient of the log posterior, (R, P)."""
        surplus = points - counts / (1.0 + np.exp(-self.log_odds(theta)))
        result = -self.precision * theta
        for row in range(len(theta)):
            for k, sign in enumerate(self.signs):
                result[row] += sign * np.bincount(
                    self.parameters[:, k], surplus[row], minlength=self.size
                )
        return result

    def curvature(self, theta: Floats, counts: Floats) -> Floats:
        """Return minus the Hessian of the log posterior, (R, P, P): positive definite."""
        share = 1.0 / (1.0 + np.exp(-self.log_odds(theta)))
        weight = counts * share * (1.0 - share)
        result = np.empty((len(theta), self.size, self.size))
        for row in range(len(theta)):
            entries = np.outer(self.entry_signs, weight[row]).ravel()
            flat = np.bincount(self.entry, entries, minlength=self.size**2)
            result[row] = flat.reshape(self.size, self.size)
        result[:, range(self.size), range(self.size)] += self.precision
        return result

    def solve(self, counts: Floats, points: Floats) -> Floats:
        """Return the maximum for each row of cell totals (R, C), by Newton's method, (R, P)."""
        theta = np.zeros((len(counts), self.size))
        open_rows = np.arange(len(counts) if self.size else 0)
        for _ in range(NEWTON_STEPS):
            if not len(open_rows):
                break
            here = theta[open_rows]
            gradient = self.gradient(here, counts[open_rows], points[open_rows])
            curvature = self.curvature(here, counts[open_rows])
            step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
            size = np.abs(step).max(axis=1)
            theta[open_rows] += step * np.minimum(1.0, MAX_STEP / np.maximum(size, 1e-30))[:, None]
            open_rows = open_rows[size > TOLERANCE]
        return theta


def _totals(
    pairs: Pairs, cell: Ints, cells: int, block_weights: Floats | None
) -> tuple[Floats, Floats]:
    """Return comparisons and points of each cell, both (1, C); sums of halves, so exact."""
    weights = None if block_weights is None else block_weights[pairs.block]
    table = np.bincount(cell * 3 + pairs.twice, weights, minlength=3 * cells).reshape(cells, 3)
    counts = table.sum(axis=1, dtype=np.float64)
    return counts[None], (table[:, 2] + 0.5 * table[:, 1])[None]


def _closure(edges: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which nodes reach which along `edges`."""
    reach = edges.copy()
    for _ in range(max(1, len(edges).bit_length())):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return reach


def _reaches(pairs: Pairs, bots: int) -> NDArray[np.bool_]:
    edges = np.eye(bots, dtype=np.bool_)
    edges[pairs.first[pairs.twice > 0], pairs.second[pairs.twice > 0]] = True
    edges[pairs.second[pairs.twice < 2], pairs.first[pairs.twice < 2]] = True
    return _closure(edges)


def _blocks_of(results: Results, bots: int) -> Ints:
    return np.array(
        [len(np.unique(results.block[(results.seats == bot).any(axis=1)])) for bot in range(bots)],
        dtype=np.int64,
    )


def _small_sample(blocks: Ints | int) -> Floats:
    """Return the multiplier of a resampled standard error that makes a 95 % half width.

    Student's t for the few blocks of a bot, and sqrt(b / (b - 1)) because a resample of b blocks
    spreads too little by that factor.
    """
    count = np.maximum(np.asarray(blocks, dtype=np.float64), 2.0)
    return np.asarray(t_quantile(count - 1) * np.sqrt(count / (count - 1)))


def _superiority(
    theta: Floats, spread: Floats, model: Floats, linked: NDArray[np.bool_]
) -> Floats:
    bots = len(theta)
    result = np.full((bots, bots), 0.5)
    for i in range(bots):
        for j in range(bots):
            if i != j:
                variance = spread[i, i] + spread[j, j] - 2 * spread[i, j]
                if not linked[i, j]:
                    variance = max(variance, model[i, i] + model[j, j] - 2 * model[i, j])
                lead = theta[i] - theta[j]
                result[i, j] = normal_share(lead / math.sqrt(variance)) if variance > 0 else 0.5
    return result


def _seat_table(fitted: Fit) -> tuple[tuple[int, int, float, float, float], ...]:
    """Return (players, seat, Elo above the mean seat, low, high) for every seat in use."""
    table = []
    blocks = int(fitted.blocks.max()) if len(fitted.blocks) else 0
    for players in sorted({n for n, _ in fitted.seat_keys}):
        columns = [fitted.bots + k for k, (n, _) in enumerate(fitted.seat_keys) if n == players]
        point = ELO * (fitted.point[columns] - fitted.point[columns].mean())
        samples = ELO * fitted.samples[:, columns]
        samples = samples - samples.mean(axis=1, keepdims=True)
        reach = samples.std(axis=0, ddof=1) * _small_sample(blocks)
        for seat, column in enumerate(range(len(columns))):
            elo, half = float(point[column]), float(reach[column])
            table.append((players, seat, elo, elo - half, elo + half))
    return tuple(table)


def block_scores(results: Results, bot: int, against: int) -> tuple[Ints, Floats]:
    """Return the blocks in which the two bots met, and `bot`'s mean score against the other there.

    The score of a pair is 1 for the better rank, one half for a shared one.
    """
    pairs = pairs_of(results)
    chosen = (pairs.first == min(bot, against)) & (pairs.second == max(bot, against))
    blocks, where = np.unique(pairs.block[chosen], return_inverse=True)
    points = np.bincount(where, pairs.twice[chosen] / 2.0, minlength=len(blocks))
    shares = points / np.maximum(np.bincount(where, minlength=len(blocks)), 1)
    return blocks, shares if bot < against else 1.0 - shares
