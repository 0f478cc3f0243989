"""Everything that the tables, the report and the exports say about a pool of results."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.tournaments.ratings import (
    NO_BOT,
    NO_FAILURE,
    SEATS,
    Floats,
    RatingOptions,
    Ratings,
    Results,
    estimate_elo,
    find_components,
    get_t_quantile,
    make_pairs,
    rated,
)

CONVERGENCE_POINTS = 12
CONVERGENCE_BOTS = 50  # a picture of more lines shows nothing


@dataclass(frozen=True)
class Standing:
    """One row of the rating table. `low` and `high` bound the 95 % interval of `elo`.

    `margin` is the lead in VP over an average bot of the pool, or over the anchor. Where `elo` is
    not bounded above or below, the prior alone bounds it there. `superiority` is the probability
    of being stronger than the next row's bot. Means of scores are over games that were played to
    the end.
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
    seats: int  # more than games where the bot sat twice at a table
    wins: float
    mean_score: float
    score_half_width: float
    mean_rank: float
    seconds_per_turn: float
    cpu_per_turn: float
    failures: int
    cheats: bool


@dataclass(frozen=True)
class SeatLine:
    """How the bots did at one seat of tables of one size; Elo is against the mean seat."""

    players: int
    seat: int
    elo: float
    low: float
    high: float
    games: int
    wins: float
    mean_score: float


@dataclass(frozen=True)
class Summary:
    """All tables. Matrices are by bot number, in the order of `bots`."""

    bots: tuple[str, ...]
    games: int
    blocks: int
    standings: tuple[Standing, ...]
    superiority: Floats
    cross: Floats  # (bots, bots): points of the row against the column
    cross_games: Floats  # comparisons behind them
    seats: tuple[SeatLine, ...]
    by_players: tuple[tuple[int, tuple[Standing, ...]], ...]
    saved: tuple[float, float]  # variance with duplicate deals to without: points, lead in VP
    convergence: tuple[tuple[int, tuple[float, ...]], ...]  # games, Elo by bot
    warnings: tuple[str, ...]


def summarize(
    results: Results,
    options: RatingOptions,
    cheats: Collection[str] = (),
) -> Summary:
    """Rate the bots and compute every table; `cheats` names the bots that see hidden things."""
    ratings = rated(results, options)
    sizes = sorted(set(results.players.tolist()))
    by_players = []
    if len(sizes) > 1:
        for players in sizes:
            part = results.only(results.players == players)
            by_players.append((players, _standings(part, rated(part, options), cheats)))
    cross, cross_games = _cross_table(results)
    return Summary(
        results.bots,
        len(results),
        int(results.block.max()) + 1 if len(results) else 0,
        _standings(results, ratings, cheats),
        ratings.superiority,
        cross,
        cross_games,
        _seat_lines(results, ratings),
        tuple(by_players),
        measure_variance_ratios(results),
        _convergence(results, options, ratings.elo),
        tuple(_warnings(results)),
    )


def drop_absent_bots(results: Results) -> Results:
    """Return the results without the bots that played no game."""
    there = sorted(set(results.seats[results.seats != NO_BOT].tolist()))
    number = np.full(len(results.bots) + 1, NO_BOT, dtype=np.int64)
    number[there] = np.arange(len(there))
    names = tuple(results.bots[bot] for bot in there)
    return replace(results, bots=names, seats=number[results.seats])


def estimate_block_mean(values: Floats, blocks: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean and the half width of its 95 % interval; values of a block are dependent.

    The ratio estimator of cluster sampling (Cochran, "Sampling Techniques", 1977, section 9A).
    """
    if not len(values):
        return float("nan"), float("nan")
    mean = float(values.mean())
    _, where = np.unique(blocks, return_inverse=True)
    sums = np.bincount(where, values - mean)
    count = len(sums)
    if count < 2:
        return mean, float("nan")
    error = np.sqrt(count / (count - 1) * float(sums @ sums)) / len(values)
    return mean, float(error * get_t_quantile(count - 1))


def compute_points(results: Results) -> Floats:
    """Return each seat's mean score against the other bots of its table, (G, SEATS), or nan."""
    pairs = make_pairs(results)
    size = len(results) * SEATS
    own = pairs.game * SEATS + pairs.first_seat
    other = pairs.game * SEATS + pairs.second_seat
    points = np.bincount(own, pairs.twice / 2.0, size) + np.bincount(
        other, 1.0 - pairs.twice / 2.0, size
    )
    count = np.bincount(own, minlength=size) + np.bincount(other, minlength=size)
    with np.errstate(invalid="ignore"):
        return np.asarray(points / np.where(count > 0, count, np.nan)).reshape(-1, SEATS)


def measure_variance_ratios(results: Results) -> tuple[float, float]:
    """Return how duplicate deals change the variance of a bot's mean points and mean lead in VP.

    The ratio to the same number of games with a new deal each, seats balanced alike: below 1 the
    rotations of a deal cancel luck. nan where there are no repeated deals to tell from.
    """
    return (
        _variance_ratio(results, compute_points(results)),
        _variance_ratio(results, _leads(results)),
    )


def _leads(results: Results) -> Floats:
    """Return each seat's VP above the mean of the others, (G, SEATS), or nan."""
    scores = results.scores
    others = (np.nansum(scores, axis=1, keepdims=True) - scores) / (results.players[:, None] - 1)
    return np.asarray(scores - others)


def _variance_ratio(results: Results, values: Floats) -> float:
    """Residuals from each (table, bot, seat)'s mean, summed by block, against game by game."""
    tables = np.unique(np.sort(results.seats, axis=1), axis=0, return_inverse=True)[1].ravel()
    seat = np.broadcast_to(np.arange(SEATS), results.seats.shape)
    there = (results.seats != NO_BOT) & ~np.isnan(values)
    bots = len(results.bots) + 1
    group_of_game = np.broadcast_to(tables[:, None], results.seats.shape)[there]
    bot, value = results.seats[there], values[there]
    key = (group_of_game * bots + bot) * SEATS + seat[there]
    groups, where = np.unique(key, return_inverse=True)
    means = np.bincount(where, value) / np.maximum(np.bincount(where), 1)
    residual = value - means[where] if len(groups) else value
    block = np.broadcast_to(results.block[:, None], results.seats.shape)[there]
    sums = np.bincount(np.unique(block * bots + bot, return_inverse=True)[1].ravel(), residual)
    alone = float(residual @ residual)
    return float(sums @ sums) / alone if alone > 0 else float("nan")


def _standings(
    results: Results, ratings: Ratings, cheats: Collection[str]
) -> tuple[Standing, ...]:
    seats_of = _seats_of(results)
    order = sorted(range(len(results.bots)), key=lambda bot: (-ratings.elo[bot], bot))
    wins = _win_shares(results)
    rows = []
    for place, (bot, below) in enumerate(pairwise([*order, None]), start=1):
        assert bot is not None
        at = seats_of[bot]
        games, seats = at // SEATS, at % SEATS
        scores = results.scores[games, seats]
        scored = ~np.isnan(scores)
        mean, half = estimate_block_mean(scores[scored], results.block[games[scored]])
        ranks = results.ranks[games, seats]
        turns = int(results.turns[games, seats].sum())
        rows.append(
            Standing(
                place,
                results.bots[bot],
                float(ratings.elo[bot]),
                float(ratings.low[bot]),
                float(ratings.high[bot]),
                float(ratings.margin[bot]),
                float(ratings.margin_half_width[bot]),
                bool(ratings.bounded_below[bot]),
                bool(ratings.bounded_above[bot]),
                float("nan") if below is None else float(ratings.superiority[bot, below]),
                len(np.unique(games)),
                len(at),
                float(wins[games, seats].sum()),
                mean,
                half,
                float(ranks[ranks > 0].mean()) if (ranks > 0).any() else float("nan"),
                float(results.seconds[games, seats].sum() / turns) if turns else float("nan"),
                float(results.cpu[games, seats].sum() / turns) if turns else float("nan"),
                int((seats == results.failed[games]).sum()),
                results.bots[bot] in cheats,
            )
        )
    return tuple(rows)


def _seats_of(results: Results) -> list[NDArray[np.int64]]:
    """Return for every bot the places game * SEATS + seat where it sat, in order."""
    flat = results.seats.ravel()
    order = np.argsort(flat, kind="stable")
    bounds = np.searchsorted(flat[order], np.arange(len(results.bots) + 1))
    return [order[begin:end] for begin, end in pairwise(bounds)]


def _win_shares(results: Results) -> Floats:
    """Return each seat's share of its game's win; a failure gives a table of two its winner."""
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


def _seat_lines(results: Results, ratings: Ratings) -> tuple[SeatLine, ...]:
    elo = {(n, s): rest for n, s, *rest in ratings.seat_elo}
    wins = _win_shares(results)
    lines = []
    for players in sorted(set(results.players.tolist())):
        games = results.players == players
        for seat in range(players):
            scores = results.scores[games, seat]
            scores = scores[~np.isnan(scores)]
            value, low, high = elo.get((players, seat), [float("nan")] * 3)
            lines.append(
                SeatLine(
                    players,
                    seat,
                    value,
                    low,
                    high,
                    int(games.sum()),
                    float(wins[games, seat].sum()),
                    float(scores.mean()) if len(scores) else float("nan"),
                )
            )
    return tuple(lines)


def _convergence(
    results: Results, options: RatingOptions, whole: Floats
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Rate growing parts of the deal blocks, taken in the order of their identities.

    `whole` is the Elo by all of them. Nothing for a pool of more than CONVERGENCE_BOTS.
    """
    if len(results.bots) > CONVERGENCE_BOTS:
        return ()
    blocks = int(results.block.max()) + 1 if len(results) else 0
    sizes = sorted(
        {round(blocks * (k / CONVERGENCE_POINTS) ** 2) for k in range(2, CONVERGENCE_POINTS + 1)}
    )
    points = []
    for size in sizes:
        part = results.only(results.block < size)
        if size and len(part):
            elo = whole if size == blocks else estimate_elo(part, options)
            points.append((len(part), tuple(float(value) for value in elo)))
    return tuple(points)


def _warnings(results: Results) -> list[str]:
    problems = []
    groups = find_components(results)
    if len(groups) > 1:
        parts = "; ".join(", ".join(results.bots[bot] for bot in group) for group in groups)
        problems.append(f"no games connect these groups, their ratings do not compare: {parts}")
    pairs = make_pairs(results)
    own = np.concatenate([pairs.first, pairs.second])
    twice = np.concatenate([pairs.twice, 2 - pairs.twice])
    count, total = (np.bincount(own, w, len(results.bots)) for w in (None, twice))
    for name, comparisons, won in zip(results.bots, count, total, strict=True):
        if comparisons and won in (0, 2 * comparisons):
            what = "won" if won else "lost"
            problems.append(f"{name} {what} every comparison: only the prior bounds its rating")
    unknown = int((results.failed < NO_FAILURE).sum())
    if unknown:
        problems.append(f"{unknown} games were lost to no bot's known fault and rate nobody")
    return problems


def export_summary(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain data without any time: equal games give equal data."""
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
    """Return the times of the summary: what differs from run to run."""
    return {
        row.bot: {
            "seconds_per_turn": round_value(row.seconds_per_turn),
            "cpu_seconds_per_turn": round_value(row.cpu_per_turn),
        }
        for row in summary.standings
    }


def round_value(value: Any) -> Any:
    """Round to what intervals can tell; JSON has no nan."""
    if isinstance(value, float):
        return round(value, 4) if np.isfinite(value) else None
    return value


def _matrix(values: Floats) -> list[list[Any]]:
    return [[round_value(float(value)) for value in row] for row in values]
