"""The values that the tables, the report and the exports show for a pool of results."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.tournaments.ratings import (
    NO_BOT,
    NO_FAILURE,
    SEATS,
    Floats,
    Ints,
    RatingOptions,
    Ratings,
    Results,
    estimate_elo,
    find_bounded_groups,
    find_components,
    get_t_quantile,
    make_pairs,
    rated,
)

CONVERGENCE_POINTS = 12


@dataclass(frozen=True, kw_only=True)
class Standing:
    """One row of the rating table.

    low, high      the 95 % interval of `elo`
    margin         lead in VP over an average bot of the pool, or over the anchor; nan for a bot
                   without a complete game against another bot
    bounded_below  whether results, and not only the prior, bound `elo` from below
    superiority    probability of being stronger than the bot of the next row
    seats          number of seats, more than `games` if the bot had several seats in a game
    mean_score     mean VP, and its half width, over complete games
    """

    place: int
    bot: str
    elo: float
    low: float
    high: float
    margin: float
    margin_half_width: float
    bounded_below: bool
    bounded_above: bool
    superiority: float
    games: int
    seats: int
    wins: float
    mean_score: float
    score_half_width: float
    mean_rank: float
    seconds_per_turn: float
    cpu_per_turn: float
    failures: int
    cheats: bool


@dataclass(frozen=True, kw_only=True)
class SeatLine:
    """The results of one seat for one number of players. Elo is relative to the mean seat."""

    players: int
    seat: int
    elo: float
    low: float
    high: float
    games: int
    wins: float
    mean_score: float


@dataclass(frozen=True, kw_only=True)
class Summary:
    """All tables of `results`. Matrices are indexed by bot number, in the order of `bots`."""

    results: Results
    bots: tuple[str, ...]
    games: int
    blocks: int
    standings: tuple[Standing, ...]
    superiority: Floats
    cross: Floats  # (bots, bots): points of the row against the column
    cross_games: Floats  # comparisons behind these points
    seats: tuple[SeatLine, ...]
    by_players: tuple[tuple[int, tuple[Standing, ...]], ...]
    warnings: tuple[str, ...]

    @cached_property
    def saved(self) -> tuple[float, float]:
        """How duplicate deals change the variance; see `measure_variance_ratios`."""
        return measure_variance_ratios(self.results)


def summarize(
    results: Results,
    options: RatingOptions,
    cheats: Collection[str] = (),
) -> Summary:
    """Rate the bots and compute every table; `cheats` are names of bots that see hidden cards."""
    ratings = rated(results, options)
    sizes = sorted(set(results.players.tolist()))
    by_players = []
    if len(sizes) > 1:
        for players in sizes:
            part = results.only(results.players == players)
            by_players.append((players, _make_standings(part, rated(part, options), cheats)))
    cross, cross_games = _cross_table(results)
    return Summary(
        results=results,
        bots=results.bots,
        games=len(results),
        blocks=count_blocks(results),
        standings=_make_standings(results, ratings, cheats),
        superiority=ratings.superiority,
        cross=cross,
        cross_games=cross_games,
        seats=_make_seat_lines(results, ratings),
        by_players=tuple(by_players),
        warnings=tuple(_find_warnings(results)),
    )


def count_blocks(results: Results) -> int:
    """Return the number of deal blocks."""
    return int(results.block.max()) + 1 if len(results) else 0


def drop_absent_bots(results: Results) -> Results:
    """Return the results without the bots that played no game."""
    there = sorted(set(results.seats[results.seats != NO_BOT].tolist()))
    number = np.full(len(results.bots) + 1, NO_BOT, dtype=np.int64)
    number[there] = np.arange(len(there))
    names = tuple(results.bots[bot] for bot in there)
    return replace(results, bots=names, seats=number[results.seats])


def estimate_block_mean(values: Floats, blocks: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean of values and the half width of its 95 % interval.

    The values of a block are dependent, so this is the ratio estimator of cluster sampling
    (Cochran, "Sampling Techniques", 1977, section 9A).
    """
    if not len(values):
        return math.nan, math.nan
    mean = float(values.mean())
    _, where = np.unique(blocks, return_inverse=True)
    sums = np.bincount(where, values - mean)
    count = len(sums)
    if count < 2:
        return mean, math.nan
    error = np.sqrt(count / (count - 1) * float(sums @ sums)) / len(values)
    return mean, float(error * get_t_quantile(count - 1))


def compute_points(results: Results) -> Floats:
    """Return each seat's mean points against the other bots of its game, (G, SEATS), or nan."""
    pairs = make_pairs(results)
    points = np.zeros((len(results), SEATS))
    count = np.zeros((len(results), SEATS), dtype=np.int8)
    for seat, own in ((pairs.first_seat, pairs.twice), (pairs.second_seat, 2 - pairs.twice)):
        np.add.at(points, (pairs.game, seat), own / 2.0)
        np.add.at(count, (pairs.game, seat), 1)
    with np.errstate(invalid="ignore"):
        points /= count
    return points


def measure_variance_ratios(results: Results) -> tuple[float, float]:
    """Return how duplicate deals change the variance of a bot's mean points and mean lead in VP.

    The variance is divided by that of the same number of games in which seats are balanced and
    every game has a new deal. A ratio below 1 means that the rotations of a deal cancel luck. Both
    ratios are nan if every table has only one deal.
    """
    values = compute_points(results)
    group = _group_by_table(results)
    points = _measure_variance_ratio(results, group, values)
    return points, _measure_variance_ratio(results, group, _compute_leads(results))


def _compute_leads(results: Results) -> Floats:
    """Return each seat's lead in VP over the other seats' mean, (G, SEATS), or nan."""
    scores = results.scores
    others = (np.nansum(scores, axis=1, keepdims=True) - scores) / (results.players[:, None] - 1)
    return np.asarray(scores - others)


def _group_by_table(results: Results) -> Ints:
    """Return a number for each (table, bot, seat), (G, SEATS)."""
    bots = len(results.bots) + 1
    table = np.zeros(len(results), dtype=np.int64)
    for column in np.sort(results.seats, axis=1).T:
        table = table * bots + column + 1
    table = np.unique(table, return_inverse=True)[1]
    wide = len(table) * bots * SEATS > np.iinfo(np.int32).max
    group: Any = table.astype(np.int64 if wide else np.int32)[:, None] * bots
    group = group + results.seats
    group *= SEATS
    group += np.arange(SEATS, dtype=np.int32)
    return np.asarray(group)


def _measure_variance_ratio(results: Results, group: Ints, values: Floats) -> float:
    """Return the variance of block sums, divided by the variance of single games.

    Both are variances of the residuals, the differences between values and the means of their
    groups.
    """
    there = (results.seats != NO_BOT) & ~np.isnan(values)
    residual = values[there]
    where = np.unique(group[there], return_inverse=True)[1].astype(np.int32)
    means = np.bincount(where, residual) / np.maximum(np.bincount(where), 1)
    residual -= means[where]
    del where
    block = np.broadcast_to(results.block[:, None], there.shape)[there].astype(np.int64)
    block *= len(results.bots)
    block += results.seats[there]
    sums = np.bincount(np.unique(block, return_inverse=True)[1], residual)
    alone = float(residual @ residual)
    return float(sums @ sums) / alone if alone > 0 else math.nan


def _make_standings(
    results: Results, ratings: Ratings, cheats: Collection[str]
) -> tuple[Standing, ...]:
    places = _find_seats(results)
    order = sorted(range(len(results.bots)), key=lambda bot: (-ratings.elo[bot], bot))
    wins = _compute_win_fractions(results)
    rows = []
    for place, (bot, below) in enumerate(pairwise([*order, None]), start=1):
        assert bot is not None
        at = places[bot]
        games, seats = at // SEATS, at % SEATS
        scores = results.scores[games, seats]
        scored = ~np.isnan(scores)
        mean, half = estimate_block_mean(scores[scored], results.block[games[scored]])
        ranks = results.ranks[games, seats]
        turns = int(results.turns[games, seats].sum())
        rows.append(
            Standing(
                place=place,
                bot=results.bots[bot],
                elo=float(ratings.elo[bot]),
                low=float(ratings.low[bot]),
                high=float(ratings.high[bot]),
                margin=float(ratings.margin[bot]),
                margin_half_width=float(ratings.margin_half_width[bot]),
                bounded_below=bool(ratings.bounded_below[bot]),
                bounded_above=bool(ratings.bounded_above[bot]),
                superiority=math.nan if below is None else float(ratings.superiority[bot, below]),
                games=len(np.unique(games)),
                seats=len(at),
                wins=float(wins[games, seats].sum()),
                mean_score=mean,
                score_half_width=half,
                mean_rank=float(ranks[ranks > 0].mean()) if (ranks > 0).any() else math.nan,
                seconds_per_turn=_divide(results.seconds[games, seats], turns),
                cpu_per_turn=_divide(results.cpu[games, seats], turns),
                failures=int((seats == results.failed[games]).sum()),
                cheats=results.bots[bot] in cheats,
            )
        )
    return tuple(rows)


def _divide(seconds: Floats, turns: int) -> float:
    return float(seconds.sum(dtype=np.float64)) / turns if turns else math.nan


def _find_seats(results: Results) -> list[NDArray[np.int64]]:
    """Return the places, game * SEATS + seat, of every bot in order."""
    flat = results.seats.ravel()
    order = np.argsort(flat, kind="stable")
    bounds = np.searchsorted(flat[order], np.arange(len(results.bots) + 1))
    return [order[begin:end] for begin, end in pairwise(bounds)]


def _compute_win_fractions(results: Results) -> Floats:
    """Return each seat's share of the win. If one of two bots fails, the other wins."""
    first = results.ranks == 1
    shares = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
    forfeit = (results.players == 2) & (results.failed >= 0)
    rows = np.flatnonzero(forfeit)
    shares[rows, 1 - results.failed[rows]] = 1.0
    return np.asarray(shares, dtype=np.float64)


def _cross_table(results: Results) -> tuple[Floats, Floats]:
    pairs = make_pairs(results)
    bots = len(results.bots)
    key = pairs.first * bots + pairs.second
    games = np.bincount(key, minlength=bots * bots).reshape(bots, bots).astype(np.float64)
    points = np.bincount(key, pairs.twice / 2.0, minlength=bots * bots).reshape(bots, bots)
    return points + (games - points).T, games + games.T


def _make_seat_lines(results: Results, ratings: Ratings) -> tuple[SeatLine, ...]:
    elo = {(n, s): rest for n, s, *rest in ratings.seat_elo}
    wins = _compute_win_fractions(results)
    lines = []
    for players in sorted(set(results.players.tolist())):
        games = results.players == players
        for seat in range(players):
            scores = results.scores[games, seat]
            scores = scores[~np.isnan(scores)]
            value, low, high = elo.get((players, seat), [math.nan] * 3)
            lines.append(
                SeatLine(
                    players=players,
                    seat=seat,
                    elo=value,
                    low=low,
                    high=high,
                    games=int(games.sum()),
                    wins=float(wins[games, seat].sum()),
                    mean_score=float(scores.mean()) if len(scores) else math.nan,
                )
            )
    return tuple(lines)


@dataclass(frozen=True)
class PairLine:
    """The results of a bot against another bot.

    deals  deals in which the bot got no, less than half, half, more than half, or all points
    games  comparisons that it lost, tied and won
    """

    bot: str
    against: str
    deals: tuple[int, ...]
    games: tuple[int, ...]


def count_pair_results(results: Results) -> list[PairLine]:
    """Return the counts of results for all pairs of bots that met, in the order of the bots."""
    pairs = make_pairs(results)
    bots = len(results.bots)
    key = pairs.first.astype(np.int64) * bots + pairs.second
    games = np.bincount(key * 3 + pairs.twice, minlength=3 * bots * bots).reshape(-1, 3)
    # For each deal of two bots: the points, doubled, and the number of comparisons.
    deal, where = np.unique(key * count_blocks(results) + pairs.block, return_inverse=True)
    points = np.bincount(where, pairs.twice).astype(np.int64)
    count = np.bincount(where)
    more = np.sign(points - count)
    kind = 2 + more + np.where((points == 0) | (points == 2 * count), more, 0)
    kinds = deal // max(count_blocks(results), 1) * 5 + kind
    deals = np.bincount(kinds, minlength=5 * bots * bots).reshape(-1, 5)
    return [
        PairLine(
            results.bots[number // bots],
            results.bots[number % bots],
            tuple(deals[number].tolist()),
            tuple(games[number].tolist()),
        )
        for number in np.flatnonzero(games.sum(axis=1)).tolist()
    ]


def measure_convergence(
    results: Results, options: RatingOptions, final: Floats
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Return (games, Elo of each bot) for growing parts of the deal blocks, in order of identity.

    `final` is the Elo of each bot, computed from all games.
    """
    blocks = count_blocks(results)
    sizes = sorted(
        {round(blocks * (k / CONVERGENCE_POINTS) ** 2) for k in range(2, CONVERGENCE_POINTS + 1)}
    )
    points = []
    for size in sizes:
        part = results.only(results.block < size)
        if size and len(part):
            elo = final if size == blocks else estimate_elo(part, options)
            points.append((len(part), tuple(float(value) for value in elo)))
    return tuple(points)


def _find_warnings(results: Results) -> list[str]:
    problems = []

    def list_names(groups: Sequence[Sequence[int]]) -> str:
        return "; ".join(", ".join(results.bots[bot] for bot in group) for group in groups)

    groups = find_components(results)
    bounded = [group for group in find_bounded_groups(results) if len(group) > 1]
    if len(groups) > 1:
        problems.append(
            "no games connect these groups, so their ratings cannot be compared: "
            f"{list_names(groups)}"
        )
    elif len(bounded) > 1:
        problems.append(
            "on one side, only the prior bounds the difference between these groups, "
            f"because one of them won every comparison: {list_names(bounded)}"
        )
    pairs = make_pairs(results)
    own = np.concatenate([pairs.first, pairs.second])
    twice = np.concatenate([pairs.twice, 2 - pairs.twice])
    count, total = (np.bincount(own, w, len(results.bots)) for w in (None, twice))
    for name, comparisons, won in zip(results.bots, count, total, strict=True):
        if comparisons and won in (0, 2 * comparisons):
            what = "won" if won else "lost"
            problems.append(f"{name} {what} every comparison, so only the prior bounds its rating")
    unknown = int((results.failed < NO_FAILURE).sum())
    if unknown:
        problems.append(
            f"{unknown} games failed, but no bot is known to be at fault; they are not rated"
        )
    return problems


def export_summary(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain data without times, so that it depends on the games alone."""
    timeless = ("seconds_per_turn", "cpu_per_turn")

    def rows(standings: Sequence[Standing | SeatLine]) -> list[dict[str, Any]]:
        return [
            {key: round_value(value) for key, value in vars(row).items() if key not in timeless}
            for row in standings
        ]

    return {
        "bots": list(summary.bots),
        "games": summary.games,
        "deal_blocks": summary.blocks,
        "standings": rows(summary.standings),
        "superiority": _matrix(summary.superiority),
        "cross_table": {
            "points": _matrix(summary.cross),
            "comparisons": _matrix(summary.cross_games),
        },
        "seats": rows(summary.seats),
        "by_players": {str(players): rows(part) for players, part in summary.by_players},
        "duplicate_deals": {
            "points_variance_ratio": round_value(summary.saved[0]),
            "lead_variance_ratio": round_value(summary.saved[1]),
        },
        "warnings": list(summary.warnings),
    }


def export_timing(summary: Summary) -> dict[str, Any]:
    """Return the times of the summary, which differ from run to run."""
    return {
        row.bot: {
            "seconds_per_turn": round_value(row.seconds_per_turn),
            "cpu_seconds_per_turn": round_value(row.cpu_per_turn),
        }
        for row in summary.standings
    }


def round_value(value: Any) -> Any:
    """Round floats to 4 decimal places; return None for nan and infinity, which JSON lacks."""
    if isinstance(value, float):
        return round(value, 4) if np.isfinite(value) else None
    return value


def _matrix(values: Floats) -> list[list[Any]]:
    return [[round_value(float(value)) for value in row] for row in values]
