"""Compare the figures of analyses with rolled-out moves.

``python -m trajan_ai.lab.truth.advice_errors FILE STATED`` analyses the decisions of FILE, which
`rollouts` made, in every grade, with the default iterations of the grade, a sixteenth of them and
sixteen times as many. The figures are appended to STATED, so that the same command resumes an
interrupted run. The command then prints, for each grade and number of iterations:

ratio   the root mean square of the stated errors, divided by that of the actual errors. The square
        of an actual error is the squared difference from the rollouts, minus the squared error of
        the rollouts. A ratio of 1 is right; a smaller ratio means overconfidence. There is one
        ratio for gaps to the best move, one for margins and one for wins
slope   the slope of a regression of rolled-out gaps on stated gaps, through the origin
square  the mean square of the actual errors of gaps, and its change from the mean square with
        fewer iterations
regret  the VP by which the advised move is worse than the best one; the best move is chosen by the
        odd redeals and valued by the even ones, and the other way round
seeds   the standard deviation of the best move's margin between seeds, next to its stated error,
        and how often two seeds agree on the best move

Intervals are 95 % intervals of a bootstrap over decisions.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from trajan_ai import games
from trajan_ai.analysis.budgets import QUICK_ITERATIONS, VERIFIED_ITERATIONS
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.calibration import calibration_of
from trajan_ai.analysis.decision.move_values import Grade
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots.code_identity import hash_data
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.run_lock import lock_file
from trajan_ai.lab.truth.exits import exit_with_status
from trajan_ai.lab.truth.rows import (
    DecisionKey,
    Floats,
    Rows,
    append_rows,
    margins_of,
    open_lines,
    read_rows,
    wins_of,
)

FORMAT, VERSION = "trajan-ai/stated-figures", 1
DEFAULTS: dict[Grade, int] = {"quick": QUICK_ITERATIONS, "verified": VERIFIED_ITERATIONS}
TIMES = (1 / 16, 1.0, 16.0)  # multiples of the default iterations
SAMPLES = 2000  # number of samples of the bootstrap
LEVELS = (2.5, 97.5)  # percentiles of an interval
FIGURES = ("gap", "margin", "win")


@dataclass(frozen=True)
class AdviceBudget:
    """A grade and its iterations."""

    grade: Grade
    iterations: int


@dataclass(frozen=True)
class Stated:
    """The figures of an analysis.

    Attributes:
        best: the advised move.
        margin: the mean and the error of its margin.
        moves: for each rolled-out move that has the grade of the analysis, the mean and the error
            of each figure.
    """

    best: str
    margin: tuple[float, float]
    moves: dict[str, dict[str, tuple[float, float]]]


Key = tuple[DecisionKey, AdviceBudget, int]  # the last item is the seed


def state_figures(
    rows: Rows, path: Path, budgets: Iterable[AdviceBudget], seeds: int
) -> dict[Key, Stated]:
    """Return the figures of all analyses; analyses that the file lacks are made and appended."""
    with lock_file(path):
        return _state_figures(rows, path, budgets, seeds)


def _state_figures(
    rows: Rows, path: Path, budgets: Iterable[AdviceBudget], seeds: int
) -> dict[Key, Stated]:
    head = {"format": FORMAT, "version": VERSION, "engine": _identify_engine(rows)}
    lines = open_lines(path, head, "figures of another engine")
    stated = {_key_of(line): _parse(line) for line in lines}
    keys = [
        (key, budget, seed)
        for budget in sorted(budgets, key=lambda one: one.iterations)
        for seed in range(seeds)
        for key in rows.decisions
    ]
    missing = [one for one in keys if one not in stated]
    for key, budget, seed in tqdm(missing, "analyses", disable=None):
        line = _analyse(rows, key, budget, seed)
        append_rows(path, [line])
        stated[key, budget, seed] = _parse(line)
    return {key: stated[key] for key in keys}


def _identify_engine(rows: Rows) -> dict[str, list[str]]:
    """Return the play signature and a hash of the calibration for each game."""
    named = {key.game: games.game(key.game) for key in rows.decisions}
    return {
        name: [play_signature(game), hash_data(repr(calibration_of(game)).encode())]
        for name, game in named.items()
    }


def _analyse(rows: Rows, key: DecisionKey, budget: AdviceBudget, seed: int) -> dict[str, Any]:
    """Analyse a decision, and return the line that is appended to STATED."""
    analysis = advice.analyse(
        InformationSet(rows.position(key)),
        grade=budget.grade,
        iterations=budget.iterations,
        seed=seed,
    )
    moves = {
        move.action: {
            name: [figure.mean, figure.error]
            for name, figure in (("gap", move.gain), ("margin", move.margin), ("win", move.win))
            if figure is not None
        }
        for move in analysis.moves
        if move.action in rows.decisions[key].moves
        and move.grade == budget.grade
        and move.margin is not None
    }
    best = analysis.best
    return {
        "decision": key,
        "grade": budget.grade,
        "iterations": budget.iterations,
        "seed": seed,
        "best": best.action,
        "margin": [best.margin, best.margin.error],
        "moves": moves,
    }


def _key_of(line: Mapping[str, Any]) -> Key:
    budget = AdviceBudget(line["grade"], line["iterations"])
    return DecisionKey(*line["decision"]), budget, line["seed"]


def _parse(line: Mapping[str, Any]) -> Stated:
    return Stated(line["best"], line["margin"], line["moves"])


@dataclass(frozen=True)
class Truth:
    """The rolled-out figures of a decision: redeals in rows, moves in columns."""

    moves: tuple[str, ...]
    margins: Floats
    wins: Floats


def truth_of(rows: Rows, key: DecisionKey, iterations: int) -> Truth | None:
    """Return the rolled-out figures of a decision, or None if it has none."""
    results = rows.results(key, iterations)
    if results is None:
        return None
    decision = rows.decisions[key]
    return Truth(
        decision.moves, margins_of(results, decision.player), wins_of(results, decision.player)
    )


# Indices of the sums over all pairs of a stated figure and the same figure from rollouts.
COUNT, ERRORS, DIFFERENCES, ROLLOUT_ERRORS, PRODUCTS, SQUARES = range(6)


def sum_pairs(stated: Stated, truth: Truth, figure: str) -> Floats:
    """Return the sums over the figures of a decision, at the indices above.

    A gap is the difference from the advised move; without rollouts of that move there are no gaps.
    """
    sums = np.zeros(6)
    for move, figures in stated.moves.items():
        samples = truth.wins if figure == "win" else truth.margins
        column = samples[:, truth.moves.index(move)]
        if figure == "gap":
            if move == stated.best or stated.best not in truth.moves:
                continue
            column = column - samples[:, truth.moves.index(stated.best)]
        mean, error = figures[figure]
        actual, variance = column.mean(), column.var(ddof=1) / len(column)
        sums += (1, error**2, (mean - actual) ** 2, variance, mean * actual, mean**2)
    return sums


def measure_regret(move: str, truth: Truth) -> float | None:
    """Return the VP by which a move is worse than the best one, or None without rollouts of it.

    One half of the redeals is used to choose the best move, the other half to value both moves.
    """
    if move not in truth.moves:
        return None
    halves = truth.margins[::2].mean(axis=0), truth.margins[1::2].mean(axis=0)
    chosen = truth.moves.index(move)
    lost = [
        values[int(choosing.argmax())] - values[chosen]
        for choosing, values in (halves, halves[::-1])
    ]
    return float(np.mean(lost))


def ratio_of(sums: Floats) -> Floats:
    """Return the ratio of stated to actual errors, computed from sums over decisions."""
    actual = sums[..., DIFFERENCES] - sums[..., ROLLOUT_ERRORS]
    with np.errstate(divide="ignore"):
        return np.sqrt(sums[..., ERRORS] / np.maximum(actual, 0.0))


def slope_of(sums: Floats) -> Floats:
    """Return the slope of a regression through the origin of actual figures on stated ones."""
    return np.asarray(sums[..., PRODUCTS] / sums[..., SQUARES])


def square_of(sums: Floats) -> Floats:
    """Return the mean square of the actual errors, which can be below 0 by chance."""
    actual = sums[..., DIFFERENCES] - sums[..., ROLLOUT_ERRORS]
    return np.asarray(actual / sums[..., COUNT])


def bootstrap(
    sums: Floats, statistic: Callable[[Floats], Floats], weights: Floats
) -> tuple[float, float, float]:
    """Return a statistic of summed rows (decisions, columns), and its 95 % interval."""
    samples = statistic(weights @ sums)
    low, high = np.percentile(samples, LEVELS, method="inverted_cdf")  # some may be infinite
    return float(statistic(sums.sum(axis=0))), float(low), float(high)


def resample(decisions: int) -> Floats:
    """Return how many times each decision occurs in each sample, of shape (samples, decisions)."""
    chances = np.full(decisions, 1.0 / decisions)
    return np.random.default_rng(0).multinomial(decisions, chances, SAMPLES).astype(np.float64)


def report(rows: Rows, stated: Mapping[Key, Stated], iterations: int) -> Iterator[str]:
    """Yield report lines on all decisions whose rollouts have a given number of iterations."""
    every = {key: truth_of(rows, key, iterations) for key in rows.decisions}
    truths = {key: truth for key, truth in every.items() if truth is not None}
    if not truths:
        raise TrajanError("no decision has been rolled out yet; complete the rollouts first")
    seeds = sorted({seed for _, _, seed in stated})
    redeals = sum(len(truth.margins) for truth in truths.values())
    yield f"{len(truths)} decisions, {redeals} redeals, {len(seeds)} seeds"
    own = [[measure_regret(rows.decisions[key].own, truth)] for key, truth in truths.items()]
    yield f"regret of the bot's move: {_mean_interval(own)}"
    fewer: dict[Grade, Floats] = {}
    budgets = {budget for _, budget, _ in stated}
    for budget in sorted(budgets, key=lambda one: (one.grade, one.iterations)):
        yield f"{budget.grade}, {budget.iterations:,} iterations"
        cases = [
            (truth, [stated[key, budget, seed] for seed in seeds]) for key, truth in truths.items()
        ]
        yield from _report_errors(cases, fewer.get(budget.grade))
        fewer[budget.grade] = _sum_cases(cases, "gap")
        lost = [[measure_regret(one.best, truth) for one in analyses] for truth, analyses in cases]
        yield f"  regret: {_mean_interval(lost)}"
        if len(seeds) > 1:
            yield f"  seeds: {_compare_seeds(analyses for _, analyses in cases)}"


Case = tuple[Truth, list[Stated]]  # a decision, and its analyses with each seed


def _sum_cases(cases: Sequence[Case], figure: str) -> Floats:
    """Return the sums of `sum_pairs` for each decision, of shape (decisions, columns)."""
    return np.array(
        [sum(sum_pairs(one, truth, figure) for one in analyses) for truth, analyses in cases]
    )


def _report_errors(cases: Sequence[Case], fewer: Floats | None) -> Iterator[str]:
    """Yield the lines on errors; `fewer` are the sums of gaps with fewer iterations."""
    weights = resample(len(cases))
    for figure in FIGURES:
        sums = _sum_cases(cases, figure)
        count = sums[:, COUNT].sum()
        error = np.sqrt(sums[:, ERRORS].sum() / count)
        yield (
            f"  ratio of {figure}s: {_interval(bootstrap(sums, ratio_of, weights))}, "
            f"stated {error:.3f}, {count:.0f} figures"
        )
    gaps = _sum_cases(cases, "gap")
    yield f"  slope of gaps: {_interval(bootstrap(gaps, slope_of, weights))}"
    yield f"  mean square error of gaps: {_interval(bootstrap(gaps, square_of, weights))}"
    if fewer is not None:
        both = np.concatenate([gaps, fewer], axis=1)
        change = bootstrap(
            both, lambda sums: square_of(sums[..., :6]) - square_of(sums[..., 6:]), weights
        )
        yield f"  change in this error from that with fewer iterations: {_interval(change)}"


def _compare_seeds(analyses: Iterable[Iterable[Stated]]) -> str:
    """Return how far analyses of one decision with different seeds agree."""
    spreads, errors, agreements = [], [], []
    for one in map(list, analyses):
        spreads.append(np.var([each.margin[0] for each in one], ddof=1))
        errors += [each.margin[1] ** 2 for each in one]
        agreements += [first.best == other.best for first, other in combinations(one, 2)]
    return (
        f"margin of the best move differs by {np.sqrt(np.mean(spreads)):.2f}, stated error "
        f"{np.sqrt(np.mean(errors)):.2f}; two seeds agree on the best move in "
        f"{np.mean(agreements):.0%} of cases"
    )


def _interval(figure: tuple[float, float, float]) -> str:
    return "{:.2f} ({:.2f} .. {:.2f})".format(*figure)


def _mean_interval(values: Sequence[Sequence[float | None]]) -> str:
    """Return the mean of `values`, which contain a row per decision, and its interval."""
    table = np.array(values, dtype=np.float64)  # None becomes NaN
    sums = np.stack([np.nansum(table, axis=1), np.isfinite(table).sum(axis=1)], axis=1)
    figure = bootstrap(sums, lambda one: one[..., 0] / one[..., 1], resample(len(table)))
    missing = int(np.isnan(table).sum())
    return f"{_interval(figure)} VP, {missing} of {table.size} moves not rolled out"


def main() -> None:
    """Analyse the decisions of a file and print the errors of the analyses."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="file of rolled-out decisions")
    parser.add_argument(
        "stated", type=Path, help="file of stated figures, to which missing figures are appended"
    )
    parser.add_argument(
        "--times", type=float, nargs="+", default=TIMES, help="multiples of the default iterations"
    )
    parser.add_argument("--seeds", type=int, default=1, help="analyses of each decision")
    arguments = parser.parse_args()
    with exit_with_status():
        rows = read_rows(arguments.file)
        budgets = [
            AdviceBudget(grade, max(1, round(iterations * times)))
            for grade, iterations in DEFAULTS.items()
            for times in arguments.times
        ]
        stated = state_figures(rows, arguments.stated, budgets, arguments.seeds)
        for line in report(rows, stated, rows.head["plan"]["player"]["iterations"]):
            print(line)


if __name__ == "__main__":
    main()
