"""Simulate tournaments between bots of known strength, to test intervals and sequential tests.

``python -m trajan_ai.lab.simulation`` prints the tables of docs/lab/statistics.md.
"""

import argparse
import math
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

# The fraction of a seat's luck that comes from its cards, which all rotations of a deal repeat.
SHARED_LUCK = 0.5
SEAT_ELO = (20.0, 5.0, -5.0, -20.0)  # ratings of the seats in simulated tournaments
LOOK = 16  # deal blocks between looks at a sequential test: `batch` of a plan
STOP_LOOK = 2  # deal blocks between looks at the widest interval
MAX_ROUNDS = 400  # maximum number of rounds until the widest interval is narrow enough
MAX_BLOCKS = 4000  # maximum number of deal blocks of a sequential test


def simulate(
    elo: Sequence[float],
    players: int,
    deals: int,
    seed: int,
    *,
    luck: float = SHARED_LUCK,
    seat_elo: Sequence[float] = (0.0,) * SEATS,
) -> Results:
    """Return the games of a round robin between bots with the ratings `elo`.

    Every group plays `deals` deals in all rotations. The finishing order follows Plackett-Luce
    exactly. The fraction `luck` of a seat's luck is the same in all rotations of a deal (a
    Gaussian copula).
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
    """Return the games of deal blocks, one block per row of bot numbers in `table` (B, players).

    Players finish in the order of their strength plus luck, which also determines their VP.
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
) -> dict[str, float]:
    """Return the coverage of 95 % intervals over simulated tournaments.

    `elo`, `margin` (10 VP per unit of log odds) and `seats` are the fractions of intervals that
    contain the true value. `sure` is the fraction of ordered pairs of bots in which the first bot
    has a likelihood of superiority above 95 % although it is not stronger than the second.
    """
    truth = np.asarray(elo) - np.mean(elo)
    seat_truth = np.asarray(SEAT_ELO[:players]) - np.mean(SEAT_ELO[:players])
    unequal = np.subtract.outer(truth, truth) > 0
    outcomes: dict[str, list[NDArray[Any]]] = {}
    for seed in range(tournaments):
        rating = rate(fit(simulate(elo, players, deals, seed, luck=luck, seat_elo=SEAT_ELO)))
        seats = np.array(rating.seat_elo)
        off_margin = np.abs(rating.margin - 10.0 * truth / ELO)
        covered = {
            "elo": (rating.low <= truth) & (truth <= rating.high),
            "margin": off_margin <= rating.margin_half_width,
            "seats": (seats[:, 3] <= seat_truth) & (seat_truth <= seats[:, 4]),
            "sure": ((rating.superiority > CONFIDENCE) & ~unequal).sum(axis=1) / (len(elo) - 1),
        }
        for name, values in covered.items():
            outcomes.setdefault(name, []).append(values)
    return {name: float(np.mean(values)) for name, values in outcomes.items()}


def stopped_coverage(
    elo: Sequence[float], half_width: float, tournaments: int
) -> tuple[float, float]:
    """Return the coverage of 95 % intervals if `stop` ends the games, and the mean block count.

    Round robins of two players stop when the widest interval is narrow enough. Intervals are
    computed after every `STOP_LOOK` deal blocks.
    """
    truth = np.asarray(elo) - np.mean(elo)
    pairs = np.array(list(combinations(range(len(elo)), 2)), dtype=np.int64)
    hits = blocks = 0
    for seed in range(tournaments):
        every = play_tables(np.tile(pairs, (MAX_ROUNDS, 1)), elo, seed)
        for played in range(STOP_LOOK, MAX_ROUNDS * len(pairs) + 1, STOP_LOOK):
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
    longest: int = MAX_BLOCKS,
    on: Measure = "wins",
) -> tuple[float, float, float]:
    """Run sequential tests of a bot that is `elo` stronger than its opponent.

    Returns the fractions of tests that accept H0 and H1, and the mean number of deal blocks. A
    test that is undecided after `longest` blocks accepts neither. As in tournaments, there is a
    look after every `LOOK` blocks.
    """
    half = players // 2
    table = np.array([[0] * half + [1] * (players - half)] * longest, dtype=np.int64)
    test = SequentialTest(bot="bot0", against="bot1", on=on, elo0=elo0, elo1=elo1)
    return _run_tests(test, (play_tables(table, (elo, 0.0), seed + one) for one in range(tests)))


def resampled_tests(
    results: Results, tests: int, seed: int, *, width: float
) -> Iterator[tuple[str, str, float, float, float]]:
    """Run sequential tests on deal blocks drawn with replacement from real games of two bots.

    The true difference in Elo is that over all these games, by wins or by margins as in the test.
    Yields the measure, the true hypothesis, the fractions of tests that accept H0 and H1, and the
    mean number of deals.
    """
    bot, against = results.bots[:2]
    order = np.argsort(results.block, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(results.block))[:-1])
    draws = np.random.default_rng(seed).integers(len(rows), size=(tests, MAX_BLOCKS))
    measures: tuple[Measure, ...] = ("wins", "margin")
    for on in measures:
        _, truth = pool.measure_test(results, SequentialTest(bot=bot, against=against), on)
        for name, elo0 in (("H0", truth), ("H1", truth - width)):
            test = SequentialTest(bot=bot, against=against, on=on, elo0=elo0, elo1=elo0 + width)
            yield on, name, *_run_tests(test, (_pick(results, rows, draw) for draw in draws))


def _pick(results: Results, rows: Sequence[Ints], blocks: Ints) -> Results:
    """Return the games of `blocks` as new blocks; `rows` contains the games of each old block."""
    number = np.repeat(np.arange(len(blocks)), [len(rows[block]) for block in blocks])
    picked = np.concatenate([rows[block] for block in blocks])
    columns = {name: value[picked] for name, value in vars(results).items() if name != "bots"}
    return replace(results, **columns | {"block": number})


def _run_tests(test: SequentialTest, runs: Iterable[Results]) -> tuple[float, float, float]:
    """Return the outcomes of a test on several tournaments; see `sequential_tests`."""
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
    """Print the coverage of intervals and the error rates of sequential tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", nargs="?", help="folder with results of two bots; their deals are resampled"
    )
    parser.add_argument(
        "--runs", type=int, default=1000, help="number of tournaments or tests for each row"
    )
    arguments = parser.parse_args()
    if arguments.folder:
        print_resampled(arguments.folder, arguments.runs)
    else:
        print_simulated(arguments.runs)


def print_simulated(runs: int) -> None:
    """Print coverage and error rates in simulated tournaments of bots with known strength."""
    print(f"coverage of 95 % intervals (5 bots, {runs} tournaments per row)")
    for players in (2, 3, 4):
        for deals in (4, 10, 30):
            blocks = deals * math.comb(len(POOL), players)
            share = coverage(POOL, players, deals, runs)["elo"]
            print(f"{players} players, {blocks:4} deal blocks: {100 * share:.1f} %", flush=True)
    print(f"\nfew deals (2 bots that are 100 Elo apart, 2 players, {runs} tournaments per row)")
    for deals in (2, 3, 5, 10, 20):
        share = coverage((50.0, -50.0), 2, deals, runs)["elo"]
        print(f"{deals:4} deals: {100 * share:.1f} %", flush=True)
    print(f"\ncoverage if `stop` ends games (a look every 2 deals, {runs} tournaments per row)")
    for pair, width in (((0.0, 0.0), 100), ((50.0, -50.0), 60), ((150.0, -150.0), 100)):
        share, used = stopped_coverage(pair, width, runs)
        print(
            f"{pair[0] - pair[1]:+.0f} Elo, half width {width}: {100 * share:.1f} %, "
            f"after {used:.0f} deals on average",
            flush=True,
        )
    print(f"\nsequential tests (elo0 0, elo1 20, alpha and beta 5 %, {runs} tests per row)")
    measures: tuple[Measure, ...] = ("wins", "margin")
    cases = [(on, players, elo) for on in measures for players in (2, 3, 4) for elo in (0.0, 20.0)]
    for on, players, elo in cases:
        outcome = sequential_tests(elo, players, runs, 1, elo0=0.0, elo1=20.0, on=on)
        print(
            f"on {on}, {players} players, true {elo:+.0f} Elo: {_format_outcome(*outcome)}",
            flush=True,
        )


def print_resampled(folder: str, runs: int) -> None:
    """Print the error rates of sequential tests on resampled deals of two bots in `folder`."""
    with Store(folder) as store:
        results = drop_absent_bots(store.results(store.bots()))
    outcome = pool.evaluate_test(
        results, SequentialTest(bot=results.bots[0], against=results.bots[1])
    )
    print(
        f"{results.bots[0]} against {results.bots[1]}, {outcome.state.blocks} deals: "
        f"{outcome.elo:+.0f} Elo by {outcome.on}, {outcome.other_elo:+.0f} by the other measure"
    )
    for width in (20.0, 40.0):
        for on, true, *ended in resampled_tests(results, runs, 1, width=width):
            print(
                f"on {on}, {width:.0f} Elo apart, {true} true: {_format_outcome(*ended)}",
                flush=True,
            )


def _format_outcome(h0: float, h1: float, blocks: float) -> str:
    return (
        f"{100 * h0:.1f} % accept H0 and {100 * h1:.1f} % H1, after {blocks:.0f} deals on average"
    )


if __name__ == "__main__":
    main()
