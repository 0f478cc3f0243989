"""Simulated tournaments between bots of known strength: how honest are the intervals and tests?

``python -m tournaments.simulation`` prints the tables of docs/tournaments.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tournaments import sprt
from tournaments.ratings import (
    ELO,
    NO_BOT,
    NO_FAILURE,
    SEATS,
    Floats,
    Ints,
    Results,
    fit,
    rate,
    splitmix,
)

# Share of a seat's luck that belongs to its cards, so that all rotations of a deal repeat it.
SHARED_LUCK = 0.5
_erf = np.vectorize(math.erf, otypes=[np.float64])


def uniform(shape: tuple[int, ...], *seed: int) -> Floats:
    """Return uniform draws in (0, 1), the same for the same seed."""
    state = np.array([1], dtype=np.uint64)
    for part in seed:
        state = splitmix(state + np.uint64(part) + np.uint64(0x9E3779B97F4A7C15))
    count = np.arange(1, math.prod(shape) + 1, dtype=np.uint64)
    bits = splitmix(state + count * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(11)
    return ((bits.astype(np.float64) + 0.5) * 2.0**-53).reshape(shape)


def normal(shape: tuple[int, ...], *seed: int) -> Floats:
    """Return standard normal draws (Box and Muller, 1958)."""
    radius = np.sqrt(-2.0 * np.log(uniform(shape, *seed, 1)))
    return np.asarray(radius * np.cos(2.0 * np.pi * uniform(shape, *seed, 2)))


def simulate(
    elo: Sequence[float],
    players: int,
    deals: int,
    seed: int,
    *,
    luck: float = SHARED_LUCK,
    seat_elo: Sequence[float] = (0.0,) * SEATS,
) -> Results:
    """Return a round robin of bots with the ratings `elo`: every table, `deals` deals, rotated.

    Each game's finishing order follows Plackett-Luce exactly. The share `luck` of a seat's luck
    comes with its cards and is the same in all rotations of the deal (a Gaussian copula).
    """
    tables = np.array(list(combinations(range(len(elo)), players)), dtype=np.int64)
    return play_tables(np.tile(tables, (deals, 1)), elo, seed, luck=luck, seat_elo=seat_elo)


def play_tables(
    table: Ints,
    elo: Sequence[float],
    seed: int,
    *,
    luck: float = SHARED_LUCK,
    seat_elo: Sequence[float] = (0.0,) * SEATS,
) -> Results:
    """Return the games of deal blocks, one for each row of `table` (B, players) of bot numbers."""
    blocks, players = table.shape
    theta = np.asarray(elo, dtype=np.float64) / ELO
    cards = normal((blocks, players), seed, 0)
    seats = np.stack([np.roll(table, turn, axis=1) for turn in range(players)], axis=1)
    own = normal(seats.shape, seed, 1)
    noise = math.sqrt(luck) * cards[:, None, :] + math.sqrt(1.0 - luck) * own
    gumbel = -np.log(-np.log(0.5 * (1.0 + _erf(noise / math.sqrt(2.0)))))
    strength = theta[seats] + np.asarray(seat_elo[:players]) / ELO + gumbel
    names = tuple(f"bot{number}" for number in range(len(elo)))
    return results_of(
        names,
        np.repeat(np.arange(blocks), players),
        seats.reshape(-1, players),
        strength.reshape(-1, players),
    )


def results_of(bots: tuple[str, ...], block: Ints, seats: Ints, strength: Floats) -> Results:
    """Return results in which the greater `strength` (G, players) finishes above; VP follow it."""
    games, players = seats.shape

    def wide(values: Floats | Ints, empty: float) -> Floats:
        result = np.full((games, SEATS), empty)
        result[:, :players] = values
        return result

    places = np.argsort(np.argsort(-strength, axis=1, kind="stable"), axis=1) + 1
    none = np.zeros((games, SEATS))
    return Results(
        bots,
        np.asarray(block, dtype=np.int64),
        np.full(games, players, dtype=np.int64),
        wide(seats, NO_BOT).astype(np.int64),
        wide(places, 0).astype(np.int64),
        wide(np.round(100.0 + 10.0 * strength), math.nan),
        np.full(games, NO_FAILURE, dtype=np.int64),
        wide(np.ones_like(seats), 0).astype(np.int64),
        none,
        none,
    )


def coverage(
    elo: Sequence[float],
    players: int,
    deals: int,
    tournaments: int,
    *,
    resamples: int = 200,
    luck: float = SHARED_LUCK,
    seat_elo: Sequence[float] = (20.0, 5.0, -5.0, -20.0),
) -> float:
    """Return the share of 95 % intervals that cover the truth, over simulated tournaments."""
    truth = np.asarray(elo) - np.mean(elo)
    hits = 0
    for seed in range(tournaments):
        results = simulate(elo, players, deals, seed, luck=luck, seat_elo=seat_elo)
        rating = rate(fit(results, resamples=resamples, seed=seed))
        hits += int(((rating.low <= truth) & (truth <= rating.high)).sum())
    return hits / (tournaments * len(elo))


def sequential_tests(
    elo: float,
    players: int,
    tests: int,
    seed: int,
    *,
    elo0: float,
    elo1: float,
    alpha: float = 0.05,
    beta: float = 0.05,
    longest: int = 4000,
    luck: float = SHARED_LUCK,
) -> tuple[float, float, float]:
    """Run sequential tests of a bot that is `elo` stronger; return the shares of H0 and H1.

    Also the mean number of deal blocks; a test that is open after `longest` blocks is neither.
    """
    half = players // 2
    table = np.array([[0] * half + [1] * (players - half)], dtype=np.int64)
    scores = np.empty((tests, longest))
    for number in range(tests):
        results = play_tables(np.repeat(table, longest, 0), (elo, 0.0), seed + number, luck=luck)
        scores[number] = _scores(results, players, longest)
    count = np.arange(1, longest + 1, dtype=np.float64)
    mean = scores.cumsum(axis=1) / count
    squares = (scores**2).cumsum(axis=1) - count * mean**2
    ratio = sprt.llr(count, mean, squares, elo0, elo1)
    lower, upper = sprt.bounds(alpha, beta)
    allowed = count >= sprt.MIN_BLOCKS
    ended = np.where(allowed & ((ratio <= lower) | (ratio >= upper)), count, np.inf)
    end = ended.min(axis=1)
    last = ratio[np.arange(tests), np.minimum(end, longest).astype(np.int64) - 1]
    done = np.isfinite(end)
    return (
        float((done & (last <= lower)).mean()),
        float((done & (last >= upper)).mean()),
        float(np.minimum(end, longest).mean()),
    )


def _scores(results: Results, players: int, blocks: int) -> Floats:
    """Return the block scores of bot 0 against bot 1; as ratings.block_scores, for one table."""
    ranks, mine = results.ranks[:, :players], results.seats[:, :players] == 0
    above = ranks[:, :, None] < ranks[:, None, :]
    met = mine[:, :, None] & ~mine[:, None, :]
    share = (above & met).sum(axis=(1, 2)) / met.sum(axis=(1, 2))
    return np.asarray(share.reshape(blocks, players).mean(axis=1))


POOL = (-150.0, -50.0, 0.0, 60.0, 140.0)


def main() -> None:
    """Print how often intervals cover the truth, and how often sequential tests err."""
    print("share of 95 % intervals that cover the truth (5 bots, 1000 tournaments a row)")
    for players in (2, 3, 4):
        for deals in (4, 10, 30):
            blocks = deals * math.comb(len(POOL), players)
            share = coverage(POOL, players, deals, 1000)
            print(f"{players} players, {blocks:4} deal blocks: {100 * share:.1f} %", flush=True)
    print("\nsequential test elo0 0, elo1 20, alpha and beta 5 %, 1000 tests a row")
    for players in (2, 3, 4):
        for elo in (0.0, 20.0):
            h0, h1, blocks_used = sequential_tests(elo, players, 1000, 1, elo0=0.0, elo1=20.0)
            print(
                f"{players} players, true {elo:+.0f} Elo: accepts H0 {100 * h0:.1f} %, "
                f"H1 {100 * h1:.1f} %, after {blocks_used:.0f} deals on average",
                flush=True,
            )


if __name__ == "__main__":
    main()
