"""Simulated tournaments between bots of known strength: how honest are the intervals and tests?

``python -m trajan_ai.lab.simulation`` prints the tables of docs/tournaments.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from trajan_ai.tournaments import pool
from trajan_ai.tournaments.plan_file import Measure, SequentialTest
from trajan_ai.tournaments.ratings import (
    CONFIDENCE,
    ELO,
    NO_BOT,
    NO_FAILURE,
    SEATS,
    Floats,
    Ints,
    Results,
    fit,
    rate,
)
from trajan_ai.tournaments.store import Store
from trajan_ai.tournaments.summary import drop_absent_bots

# Share of a seat's luck that belongs to its cards, so that all rotations of a deal repeat it.
SHARED_LUCK = 0.5
LOOK = 16  # deal blocks after which a sequential test is looked at: `batch` of a plan


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
    """Return the games of deal blocks, one for each row of `table` (B, players) of bot numbers.

    The one whose strength and luck are greater finishes above; VP follow them.
    """
    blocks, players = table.shape
    theta = np.asarray(elo, dtype=np.float64) / ELO
    random = np.random.default_rng(seed)
    cards = random.normal(size=(blocks, players))
    seats = np.stack([np.roll(table, turn, axis=1) for turn in range(players)], axis=1)
    own = random.normal(size=seats.shape)
    noise = math.sqrt(luck) * cards[:, None, :] + math.sqrt(1.0 - luck) * own
    gumbel = -np.log(-np.log(ndtr(noise)))
    strength = theta[seats] + np.asarray(seat_elo[:players]) / ELO + gumbel
    strength = strength.reshape(-1, players)
    games = len(strength)

    def wide(values: Floats | Ints, empty: float) -> Floats:
        result = np.full((games, SEATS), empty)
        result[:, :players] = values
        return result

    places = np.argsort(np.argsort(-strength, axis=1, kind="stable"), axis=1) + 1
    none = np.zeros((games, SEATS))
    return Results(
        bots=tuple(f"bot{number}" for number in range(len(elo))),
        block=np.repeat(np.arange(blocks), players),
        players=np.full(games, players),
        seats=wide(seats.reshape(-1, players), NO_BOT).astype(np.int64),
        ranks=wide(places, 0).astype(np.int64),
        scores=wide(np.round(100.0 + 10.0 * strength), math.nan),
        failed=np.full(games, NO_FAILURE),
        turns=wide(np.ones_like(places), 0).astype(np.int64),
        seconds=none,
        cpu=none,
    )


def coverage(
    elo: Sequence[float],
    players: int,
    deals: int,
    tournaments: int,
    *,
    luck: float = SHARED_LUCK,
    seat_elo: Sequence[float] = (20.0, 5.0, -5.0, -20.0),
) -> dict[str, float]:
    """Return the shares of 95 % intervals that cover the truth, over simulated tournaments.

    Those of `elo`, of `margin` (VP are 10 per unit of log odds) and of `seats`; besides `sure`,
    the share of pairs of bots of which a likelihood of superiority beyond 95 % calls one the
    stronger that is not.
    """
    truth = np.asarray(elo) - np.mean(elo)
    seat_truth = np.asarray(seat_elo[:players]) - np.mean(seat_elo[:players])
    unequal = np.subtract.outer(truth, truth) > 0
    held: dict[str, list[NDArray[Any]]] = {}
    for seed in range(tournaments):
        rating = rate(fit(simulate(elo, players, deals, seed, luck=luck, seat_elo=seat_elo)))
        seats = np.array(rating.seat_elo)
        off_margin = np.abs(rating.margin - 10.0 * truth / ELO)
        told = {
            "elo": (rating.low <= truth) & (truth <= rating.high),
            "margin": off_margin <= rating.margin_half_width,
            "seats": (seats[:, 3] <= seat_truth) & (seat_truth <= seats[:, 4]),
            "sure": ((rating.superiority > CONFIDENCE) & ~unequal).sum(axis=1) / (len(elo) - 1),
        }
        for name, values in told.items():
            held.setdefault(name, []).append(values)
    return {name: float(np.mean(values)) for name, values in held.items()}


def stopped_coverage(
    elo: Sequence[float],
    half_width: float,
    tournaments: int,
    *,
    batch: int = 2,
    longest: int = 400,
    luck: float = SHARED_LUCK,
) -> tuple[float, float]:
    """Return the share of 95 % intervals that cover the truth when `stop` has ended the games.

    Round robins of two players; after every `batch` deal blocks the widest interval is looked at.
    Also the mean number of blocks played.
    """
    truth = np.asarray(elo) - np.mean(elo)
    pairs = np.array(list(combinations(range(len(elo)), 2)), dtype=np.int64)
    hits = blocks = 0
    for seed in range(tournaments):
        every = play_tables(np.tile(pairs, (longest, 1)), elo, seed, luck=luck)
        for played in range(batch, longest * len(pairs) + 1, batch):
            rating = rate(fit(every.only(every.block < played)))
            if float((rating.high - rating.low).max()) <= 2.0 * half_width:
                break
        blocks += played
        hits += int(((rating.low <= truth) & (truth <= rating.high)).sum())
    return hits / (tournaments * len(elo)), blocks / tournaments


def sequential_tests(
    elo: float,
    players: int,
    tests: int,
    seed: int,
    *,
    elo0: float,
    elo1: float,
    longest: int = 4000,
    luck: float = SHARED_LUCK,
    on: Measure = "wins",
) -> tuple[float, float, float]:
    """Run sequential tests of a bot that is `elo` stronger; return the shares of H0 and H1.

    Also the mean number of deal blocks; a test that is open after `longest` blocks is neither.
    The test is that of plans, looked at as a run does, after every LOOK blocks.
    """
    half = players // 2
    table = np.array([[0] * half + [1] * (players - half)] * longest, dtype=np.int64)
    test = SequentialTest(bot="bot0", against="bot1", on=on, elo0=elo0, elo1=elo1)
    return _ended(
        test, (play_tables(table, (elo, 0.0), seed + one, luck=luck) for one in range(tests))
    )


def resampled_tests(
    results: Results, tests: int, seed: int, *, width: float, longest: int = 4000
) -> Iterator[tuple[str, str, float, float, float]]:
    """Run sequential tests on deal blocks drawn again and again from real games of two bots.

    Their difference in Elo by all these games is taken for the truth: that by wins, or that by
    margins for tests on these. Yields what
    the test is on, the true hypothesis, the shares of H0 and H1, and the mean number of deals.
    """
    bot, against = results.bots[:2]
    order = np.argsort(results.block, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(results.block))[:-1])
    draws = np.random.default_rng(seed).integers(len(rows), size=(tests, longest))
    measures: tuple[Measure, ...] = ("wins", "margin")
    for on in measures:
        _, truth = pool.measure_test(results, SequentialTest(bot=bot, against=against), on)
        for name, elo0 in (("H0", truth), ("H1", truth - width)):
            test = SequentialTest(bot=bot, against=against, on=on, elo0=elo0, elo1=elo0 + width)
            yield on, name, *_ended(test, (_picked(results, rows, draw) for draw in draws))


def _picked(results: Results, rows: Sequence[Ints], blocks: Ints) -> Results:
    """Return the games of some blocks, `rows` of each, as blocks of their own."""
    number = np.repeat(np.arange(len(blocks)), [len(rows[block]) for block in blocks])
    picked = np.concatenate([rows[block] for block in blocks])
    columns = {name: value[picked] for name, value in vars(results).items() if name != "bots"}
    return replace(results, **columns | {"block": number})


def _ended(test: SequentialTest, runs: Iterable[Results]) -> tuple[float, float, float]:
    """Return how a test ends on each of some runs, see `sequential_tests`."""
    verdicts, played = [], []
    for results in runs:
        longest = int(results.block.max()) + 1
        for deals in range(LOOK, longest + LOOK, LOOK):
            state, _ = pool.measure_test(results.only(results.block < deals), test, test.on)
            if state.verdict:
                break
        verdicts.append(state.verdict)
        played.append(state.blocks)
    count = len(verdicts)
    return verdicts.count("H0") / count, verdicts.count("H1") / count, sum(played) / count


POOL = (-150.0, -50.0, 0.0, 60.0, 140.0)


def main() -> None:
    """Print how often intervals cover the truth, and how often sequential tests err.

    With a results folder: how often tests err on deals drawn from its games of two bots.
    """
    if len(sys.argv) > 1:
        print_resampled(sys.argv[1])
        return
    print("share of 95 % intervals that cover the truth (5 bots, 1000 tournaments a row)")
    for players in (2, 3, 4):
        for deals in (4, 10, 30):
            blocks = deals * math.comb(len(POOL), players)
            share = coverage(POOL, players, deals, 1000)["elo"]
            print(f"{players} players, {blocks:4} deal blocks: {100 * share:.1f} %", flush=True)
    print("\nthe same for few deals (2 bots 100 Elo apart, 2 players, 1000 tournaments a row)")
    for deals in (2, 3, 5, 10, 20):
        share = coverage((50.0, -50.0), 2, deals, 1000)["elo"]
        print(f"{deals:4} deals: {100 * share:.1f} %", flush=True)
    print("\nwhen `stop` has ended the games (a look every 2 deals, 500 tournaments a row)")
    for pair, width in (((0.0, 0.0), 100), ((50.0, -50.0), 60), ((150.0, -150.0), 100)):
        share, used = stopped_coverage(pair, width, 500)
        print(
            f"{pair[0] - pair[1]:+.0f} Elo, half width {width}: {100 * share:.1f} %, "
            f"after {used:.0f} deals on average",
            flush=True,
        )
    print("\nsequential test elo0 0, elo1 20, alpha and beta 5 %, 1000 tests a row")
    measures: tuple[Measure, ...] = ("wins", "margin")
    cases = [(on, players, elo) for on in measures for players in (2, 3, 4) for elo in (0.0, 20.0)]
    for on, players, elo in cases:
        told = sequential_tests(elo, players, 1000, 1, elo0=0.0, elo1=20.0, on=on)
        print(f"on {on}, {players} players, true {elo:+.0f} Elo: {_told(*told)}", flush=True)


def print_resampled(folder: str) -> None:
    """Print how sequential tests end on deals drawn from the games of two bots in `folder`."""
    with Store(folder) as store:
        results = drop_absent_bots(store.results(store.bots()))
    told = pool.evaluate_test(
        results, SequentialTest(bot=results.bots[0], against=results.bots[1])
    )
    print(
        f"{results.bots[0]} against {results.bots[1]}, {told.state.blocks} deals: "
        f"{told.elo:+.0f} Elo by {told.on}, {told.other_elo:+.0f} by the other measure"
    )
    for width in (20.0, 40.0):
        for on, true, *ended in resampled_tests(results, 1000, 1, width=width):
            print(f"on {on}, {width:.0f} Elo apart, {true} true: {_told(*ended)}", flush=True)


def _told(h0: float, h1: float, blocks: float) -> str:
    return f"accepts H0 {100 * h0:.1f} %, H1 {100 * h1:.1f} %, after {blocks:.0f} deals on average"


if __name__ == "__main__":
    main()
