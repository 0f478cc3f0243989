"""Comparing two sets of games bot by bot, deal by deal: on points and on margin.

What is compared are the tables that both sets have. Where both have played the same deals, the
differences within a deal count (as in any paired test), otherwise the means of either side; never
ratings, which stand on anchors and opponents of their own.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from trajan_ai.tournaments.ratings import NO_FAILURE, PRIOR_BLOCKS, Floats, get_t_quantile
from trajan_ai.tournaments.schedule import get_shuffle
from trajan_ai.tournaments.sprt import PRIOR_VARIANCE
from trajan_ai.tournaments.store import GameRow

Table = tuple[str, ...]  # names of the bots, sorted
Deal = dict[tuple[str, ...], GameRow]  # the games of one deal by the bots at the seats
Deals = dict[str, Deal]  # by what blocks of the same deal have in common
Value = Callable[[GameRow, str], list[float]]  # what a bot got in a game, from each of its seats


@dataclass(frozen=True)
class Difference:
    """Means of either side and B's minus A's; `half_width` is of its 95 % interval."""

    a: float
    b: float
    difference: float
    half_width: float


@dataclass(frozen=True)
class Comparison:
    """How a bot did in A and in B, at the tables that both have.

    Points are its mean score against the others of a table (a better rank is 1, a shared one
    half), the margin its VP above their mean. Of the deal blocks `paired` are in both.
    """

    bot: str
    blocks_a: int
    blocks_b: int
    paired: int
    points: Difference
    margin: Difference


def compare(a: Iterable[GameRow], b: Iterable[GameRow]) -> list[Comparison]:
    """Compare the bots that meet at the same tables in both, in the order of their names."""
    ours, theirs = _by_table(a), _by_table(b)
    tables = [table for table in ours if table in theirs]
    result = []
    for bot in sorted({bot for table in tables for bot in table}):
        mine = [(ours[table], theirs[table]) for table in tables if bot in table]
        result.append(
            Comparison(
                bot,
                sum(len(deals) for deals, _ in mine),
                sum(len(deals) for _, deals in mine),
                sum(len(set(one) & set(two)) for one, two in mine),
                _difference([_sample(*deals, bot, get_points) for deals in mine], PRIOR_VARIANCE),
                _difference([_sample(*deals, bot, get_margins) for deals in mine], None),
            )
        )
    return result


def get_points(game: GameRow, bot: str) -> list[float]:
    """Return the bot's score against each other bot; a failed one lost to everybody."""
    places = [rank or int(seat == game.failed) for seat, rank in enumerate(game.ranks)]
    return [
        0.5 if places[seat] == places[other] else float(places[seat] < places[other])
        for seat, name in enumerate(game.bots)
        for other, other_name in enumerate(game.bots)
        if name == bot != other_name and game.failed in (NO_FAILURE, seat, other)
    ]


def get_margins(game: GameRow, bot: str) -> list[float]:
    """Return the bot's VP above the mean of the other bots; nothing of a failed game."""
    scores = [
        (name, vp) for name, vp in zip(game.bots, game.scores, strict=True) if vp is not None
    ]
    if game.failed != NO_FAILURE:
        return []
    mean = fmean(vp for name, vp in scores if name != bot)
    return [vp - mean for name, vp in scores if name == bot]


def _by_table(games: Iterable[GameRow]) -> dict[Table, Deals]:
    result: dict[Table, Deals] = defaultdict(lambda: defaultdict(dict))
    for game in games:
        if game.failed >= NO_FAILURE and len(set(game.bots)) > 1:
            table, deal = tuple(sorted(game.bots)), get_shuffle(game.block)
            result[table][deal][tuple(game.bots)] = game
    return result


@dataclass(frozen=True)
class _Sample:
    """A bot's values at one table, one a deal block; `a` and `b` are of the same if paired.

    `changed` is the share of the blocks in which the two sides' games are not the same.
    """

    a: Floats
    b: Floats
    paired: bool
    changed: float


def _sample(ours: Deals, theirs: Deals, bot: str, value: Value) -> _Sample:
    common = sorted(set(ours) & set(theirs))
    if not common:
        means = ([_mean(deal.values(), bot, value) for deal in side.values()]
                 for side in (ours, theirs))  # fmt: skip
        a, b = (np.array([mean for mean in side if not math.isnan(mean)]) for side in means)
        return _Sample(a, b, False, 1.0)
    rows, changed = [], 0
    for block in common:
        one, two = _alike(ours[block], theirs[block])
        rows.append((_mean(one, bot, value), _mean(two, bot, value)))
        changed += [(x.scores, x.failed) for x in one] != [(y.scores, y.failed) for y in two]
    table = np.array(rows)
    table = table[~np.isnan(table).any(axis=1)]
    return _Sample(table[:, 0], table[:, 1], True, changed / len(common))


def _alike(one: Deal, two: Deal) -> tuple[list[GameRow], list[GameRow]]:
    """Return the games of two sides in the seatings that both have; all where they share none."""
    seatings = sorted(set(one) & set(two))
    if not seatings:
        return list(one.values()), list(two.values())
    return [one[seats] for seats in seatings], [two[seats] for seats in seatings]


def _mean(games: Iterable[GameRow], bot: str, value: Value) -> float:
    values = [number for game in games for number in value(game, bot)]
    return fmean(values) if values else math.nan


def _difference(samples: Sequence[_Sample], expected: float | None) -> Difference:
    """Return the difference over all tables, each weighted by what it tells.

    `expected` is the variance of a block's value, which counts as PRIOR_BLOCKS blocks; where none
    is known it is estimated from the blocks of either side, for deals that are in both.
    """
    samples = [sample for sample in samples if len(sample.a) and len(sample.b)]
    if not samples:
        return Difference(math.nan, math.nan, math.nan, math.nan)
    paired = [sample for sample in samples if sample.paired]
    changed = float(np.mean([sample.changed for sample in paired])) if paired else 0.0
    sides = [side for sample in samples for side in (sample.a, sample.b)]
    usual = _pooled(sides, 0.0) if expected is None else expected
    within = _pooled([s.b - s.a for s in paired], 2.0 * usual * changed) if changed else 0.0
    apart = _pooled([side for s in samples if not s.paired for side in (s.a, s.b)], expected or 0)
    weights, leads, variances = [], [], []
    for sample in samples:
        share = 1 / len(sample.a) + 1 / len(sample.b)
        weights.append(2.0 / share)
        leads.append(float(sample.b.mean() - sample.a.mean()))
        variances.append(within / len(sample.a) if sample.paired else apart * share)
    weight = np.array(weights) / sum(weights)
    freedom = 0.0 if expected is None else PRIOR_BLOCKS
    freedom += sum(len(s.a) - 1 if s.paired else len(s.a) + len(s.b) - 2 for s in samples)
    error = math.sqrt(float(weight**2 @ np.array(variances)))
    half = float(get_t_quantile(freedom)) * error if freedom > 0 and error > 0 else error
    means = [float(weight @ [float(side.mean()) for side in sides])
             for sides in zip(*((s.a, s.b) for s in samples), strict=True)]  # fmt: skip
    return Difference(means[0], means[1], float(weight @ leads), half)


def _pooled(groups: Sequence[Floats], expected: float) -> float:
    """Return the variance within groups, `expected` counting as PRIOR_BLOCKS further values."""
    prior = PRIOR_BLOCKS if expected > 0 else 0.0
    freedom = sum(len(group) - 1 for group in groups) + prior
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    if freedom > 0:
        return (squares + prior * expected) / freedom
    return math.nan if groups else 0.0
