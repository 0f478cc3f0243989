"""Comparing the points and margins of each bot in two sets of games.

Only tables that occur in both sets are compared. If both sets contain the same deals, the
comparison uses the differences within each deal, as any paired test does. Otherwise it uses the
means of both sets. Ratings are not compared, because they depend on anchors and opponents.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from trajan_ai.tournaments.ratings import NO_FAILURE, PRIOR_BLOCKS, Floats, get_t_quantile
from trajan_ai.tournaments.schedule import get_shuffle
from trajan_ai.tournaments.store import GameRow

Table = tuple[str, ...]  # names of the bots, sorted
Deal = dict[tuple[str, ...], GameRow]  # the games of one deal by the bots at the seats
Deals = dict[str, Deal]  # deals by their shuffle, see `get_shuffle`
Value = Callable[[GameRow, str], list[float]]  # values of a bot in a game, one or more per seat


@dataclass(frozen=True)
class Difference:
    """Means of A and B, and the difference B - A with the half width of its 95 % interval."""

    a: float
    b: float
    difference: float
    half_width: float


@dataclass(frozen=True, kw_only=True)
class BotComparison:
    """The results of a bot in A and in B, at the tables that both sets have.

    paired  number of deal blocks in both
    points  mean points against every other bot: 1 for a better rank, 0.5 for a shared rank
    margin  VP above the mean of the other bots
    """

    bot: str
    blocks_a: int
    blocks_b: int
    paired: int
    points: Difference
    margin: Difference


def compare(a: Iterable[GameRow], b: Iterable[GameRow]) -> list[BotComparison]:
    """Return a comparison for each bot, at the tables in both sets, ordered by the bots' names."""
    ours, theirs = _by_table(a), _by_table(b)
    tables = [table for table in ours if table in theirs]
    result = []
    for bot in sorted({bot for table in tables for bot in table}):
        mine = [(ours[table], theirs[table]) for table in tables if bot in table]
        result.append(
            BotComparison(
                bot=bot,
                blocks_a=sum(len(deals) for deals, _ in mine),
                blocks_b=sum(len(deals) for _, deals in mine),
                paired=sum(len(set(one) & set(two)) for one, two in mine),
                points=_combine(
                    [_make_sample(*deals, bot, get_points) for deals in mine], has_prior=True
                ),
                margin=_combine(
                    [_make_sample(*deals, bot, get_margins) for deals in mine], has_prior=False
                ),
            )
        )
    return result


def get_points(game: GameRow, bot: str) -> list[float]:
    """Return the bot's points against every other bot; a bot that failed has 0 points."""
    places = [rank or int(seat == game.failed) for seat, rank in enumerate(game.ranks)]
    return [
        0.5 if places[seat] == places[other] else float(places[seat] < places[other])
        for seat, name in enumerate(game.bots)
        for other, other_name in enumerate(game.bots)
        if name == bot != other_name and game.failed in (NO_FAILURE, seat, other)
    ]


def get_margins(game: GameRow, bot: str) -> list[float]:
    """Return the bot's score minus the mean score of the other bots, or [] if the game failed."""
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


@dataclass(frozen=True, kw_only=True)
class _TableSample:
    """A bot's values at one table, one per deal block; if `paired`, `a` and `b` share deals.

    changed   fraction of the blocks in which the games of the two sides differ
    expected  variance of a block's mean points between equal bots
    """

    a: Floats
    b: Floats
    paired: bool
    changed: float
    expected: float


def _make_sample(ours: Deals, theirs: Deals, bot: str, value: Value) -> _TableSample:
    common = sorted(set(ours) & set(theirs))
    if not common:
        sides = [[list(deal.values()) for deal in side.values()] for side in (ours, theirs)]
        means = ([_mean(games, bot, value) for games in side] for side in sides)
        a, b = (np.array([mean for mean in side if not math.isnan(mean)]) for side in means)
        expected = _expect_variance(sides[0] + sides[1], bot)
        return _TableSample(a=a, b=b, paired=False, changed=1.0, expected=expected)
    pairs = [_match_seatings(ours[block], theirs[block]) for block in common]
    rows = [(_mean(one, bot, value), _mean(two, bot, value)) for one, two in pairs]
    changed = sum(
        [(x.scores, x.failed) for x in one] != [(y.scores, y.failed) for y in two]
        for one, two in pairs
    )
    table = np.array(rows)
    table = table[~np.isnan(table).any(axis=1)]
    return _TableSample(
        a=table[:, 0],
        b=table[:, 1],
        paired=True,
        changed=changed / len(common),
        expected=_expect_variance([games for pair in pairs for games in pair], bot),
    )


def _expect_variance(blocks: Sequence[Sequence[GameRow]], bot: str) -> float:
    """Return the variance of a block's mean points, for equal bots and independent games.

    In a game with n seats, of which the bot has k, the variance is (n + 1) / (12 k (n - k)) (Mann
    and Whitney, "On a test of whether one of two random variables is stochastically larger than
    the other", 1947).
    """
    seats = len(blocks[0][0].bots)
    own = blocks[0][0].bots.count(bot)
    games = fmean(len(block) for block in blocks)
    return (seats + 1) / (12 * own * (seats - own)) / games


def _match_seatings(one: Deal, two: Deal) -> tuple[list[GameRow], list[GameRow]]:
    """Return the games with seatings that both sides share; if they share none, all games."""
    seatings = sorted(set(one) & set(two))
    if not seatings:
        return list(one.values()), list(two.values())
    return [one[seats] for seats in seatings], [two[seats] for seats in seatings]


def _mean(games: Iterable[GameRow], bot: str, value: Value) -> float:
    values = [number for game in games for number in value(game, bot)]
    return fmean(values) if values else math.nan


def _combine(samples: Sequence[_TableSample], *, has_prior: bool) -> Difference:
    """Return the mean difference over all tables, each weighted by its number of blocks.

    With `has_prior`, the expected variance of each table counts as PRIOR_BLOCKS blocks, and
    variances are pooled in units of this variance. Otherwise only paired samples have a prior: the
    variance of the blocks within each side.
    """
    samples = [sample for sample in samples if len(sample.a) and len(sample.b)]
    if not samples:
        return Difference(math.nan, math.nan, math.nan, math.nan)
    units = [math.sqrt(sample.expected) if has_prior else 1.0 for sample in samples]
    paired = [(s, unit) for s, unit in zip(samples, units, strict=True) if s.paired]
    unpaired = [(s, unit) for s, unit in zip(samples, units, strict=True) if not s.paired]
    changed = fmean(sample.changed for sample, _ in paired) if paired else 0.0
    usual = 1.0 if has_prior else _pool([side for s in samples for side in (s.a, s.b)], 0.0)
    within = _pool([(s.b - s.a) / u for s, u in paired], 2.0 * usual * changed) if changed else 0.0
    between = _pool([side / u for s, u in unpaired for side in (s.a, s.b)], float(has_prior))
    weights, leads, variances = [], [], []
    for sample, unit in zip(samples, units, strict=True):
        share = 1 / len(sample.a) + 1 / len(sample.b)
        weights.append(2.0 / share)
        leads.append(float(sample.b.mean() - sample.a.mean()))
        variance = within / len(sample.a) if sample.paired else between * share
        variances.append(variance * unit**2)
    weight = np.array(weights) / sum(weights)
    freedom = PRIOR_BLOCKS if has_prior else 0.0
    freedom += sum(len(s.a) - 1 if s.paired else len(s.a) + len(s.b) - 2 for s in samples)
    error = math.sqrt(float(weight**2 @ np.array(variances)))
    half = float(get_t_quantile(freedom)) * error if freedom > 0 and error > 0 else error
    a, b = (float(weight @ [side.mean() for side in sides])
            for sides in zip(*((s.a, s.b) for s in samples), strict=True))  # fmt: skip
    return Difference(a, b, float(weight @ leads), half)


def _pool(groups: Sequence[Floats], expected: float) -> float:
    """Return the variance within groups; `expected` has the weight of PRIOR_BLOCKS values."""
    prior = PRIOR_BLOCKS if expected > 0 else 0.0
    freedom = sum(len(group) - 1 for group in groups) + prior
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    if freedom > 0:
        return (squares + prior * expected) / freedom
    return math.nan if groups else 0.0
