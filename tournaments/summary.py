"""Everything that the tables, the report and the exports say about a pool of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tournaments.ratings import (
    NO_BOT,
    NO_FAILURE,
    SEATS,
    Floats,
    Ratings,
    Results,
    components,
    fit,
    pairs_of,
    rate,
    t_quantile,
)

CONVERGENCE_POINTS = 12


@dataclass(frozen=True)
class Rules:
    """How to rate: the part of a plan that a summary needs. `anchor` is a bot's name."""

    anchor: str | None = None
    elo: float = 0.0
    seat_effect: bool = True
    prior: float = 1000.0
    resamples: int = 1000
    seed: int = 1


@dataclass(frozen=True)
class Standing:
    """One row of the rating table. `low` and `high` bound the 95 % interval of `elo`."""

    place: int
    bot: str
    elo: float
    low: float
    high: float
    games: int
    wins: float
    mean_score: float
    score_half_width: float
    mean_rank: float
    seconds_per_turn: float
    cpu_per_turn: float
    failures: int


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


def summarize(results: Results, rules: Rules) -> Summary:
    """Rate the bots and compute every table."""
    ratings = _rated(results, rules)
    sizes = sorted(set(results.players.tolist()))
    by_players = []
    if len(sizes) > 1:
        for players in sizes:
            part = results.only(results.players == players)
            by_players.append((players, _standings(part, _rated(part, rules))))
    cross, cross_games = _cross_table(results)
    return Summary(
        results.bots,
        len(results),
        int(results.block.max()) + 1 if len(results) else 0,
        _standings(results, ratings),
        ratings.superiority,
        cross,
        cross_games,
        _seat_lines(results, ratings),
        tuple(by_players),
        variance_saved(results),
        _convergence(results, rules),
        tuple(_warnings(results)),
    )


def played_only(results: Results) -> Results:
    """Return the results without the bots that played no game."""
    there = sorted(set(results.seats[results.seats != NO_BOT].tolist()))
    number = np.full(len(results.bots) + 1, NO_BOT, dtype=np.int64)
    number[there] = np.arange(len(there))
    return Results(
        tuple(results.bots[bot] for bot in there),
        results.block,
        results.players,
        number[results.seats],
        results.ranks,
        results.scores,
        results.failed,
        results.turns,
        results.seconds,
        results.cpu,
    )


def block_mean(values: Floats, blocks: NDArray[np.int64]) -> tuple[float, float]:
    """Return the mean and the half width of its 95 % interval; values of a block are dependent.

    The ratio estimator of cluster sampling (Cochran, "Sampling Techniques", 1977, section 9A).
    """
    if not len(values):
        return float("nan"), float("nan")
    mean = float(values.mean())
    sums = np.bincount(blocks, values - mean)
    count = len(np.unique(blocks))
    if count < 2:
        return mean, float("nan")
    error = np.sqrt(count / (count - 1) * float(sums @ sums)) / len(values)
    return mean, float(error * t_quantile(count - 1))


def points_by_seat(results: Results) -> Floats:
    """Return each seat's mean score against the other bots of its table, (G, SEATS), or nan."""
    pairs = pairs_of(results)
    size = len(results) * SEATS
    own = pairs.game * SEATS + pairs.first_seat
    other = pairs.game * SEATS + pairs.second_seat
    points = np.bincount(own, pairs.twice / 2.0, size) + np.bincount(
        other, 1.0 - pairs.twice / 2.0, size
    )
    count = np.bincount(own, minlength=size) + np.bincount(other, minlength=size)
    with np.errstate(invalid="ignore"):
        return np.asarray(points / np.where(count > 0, count, np.nan)).reshape(-1, SEATS)


def variance_saved(results: Results) -> tuple[float, float]:
    """Return how duplicate deals change the variance of a bot's mean points and mean lead in VP.

    The ratio to the same number of games with a new deal each, seats balanced alike: below 1 the
    rotations of a deal cancel luck. nan where there are no repeated deals to tell from.
    """
    return (
        _variance_ratio(results, points_by_seat(results)),
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


def _rated(results: Results, rules: Rules) -> Ratings:
    anchor = results.bots.index(rules.anchor) if rules.anchor in results.bots else None
    fitted = fit(
        results,
        resamples=rules.resamples,
        seed=rules.seed,
        prior_elo=rules.prior,
        seat_effect=rules.seat_effect,
    )
    return rate(fitted, anchor=anchor, anchor_elo=rules.elo)


def _standings(results: Results, ratings: Ratings) -> tuple[Standing, ...]:
    order = sorted(range(len(results.bots)), key=lambda bot: (-ratings.elo[bot], bot))
    wins = _win_shares(results)
    rows = []
    for place, bot in enumerate(order, start=1):
        at = results.seats == bot
        scored = at & ~np.isnan(results.scores)
        blocks = np.broadcast_to(results.block[:, None], at.shape)
        mean, half = block_mean(results.scores[scored], blocks[scored])
        ranked = at & (results.ranks > 0)
        turns = int(results.turns[at].sum())
        seat_of_failure = np.arange(SEATS)[None, :] == results.failed[:, None]
        rows.append(
            Standing(
                place,
                results.bots[bot],
                float(ratings.elo[bot]),
                float(ratings.low[bot]),
                float(ratings.high[bot]),
                int(at.sum()),
                float(wins[at].sum()),
                mean,
                half,
                float(results.ranks[ranked].mean()) if ranked.any() else float("nan"),
                float(results.seconds[at].sum() / turns) if turns else float("nan"),
                float(results.cpu[at].sum() / turns) if turns else float("nan"),
                int((at & seat_of_failure).sum()),
            )
        )
    return tuple(rows)


def _win_shares(results: Results) -> Floats:
    """Return each seat's share of its game's win; a failure gives a table of two its winner."""
    first = results.ranks == 1
    shares = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
    forfeit = (results.players == 2) & (results.failed >= 0)
    rows = np.flatnonzero(forfeit)
    shares[rows, 1 - results.failed[rows]] = 1.0
    return np.asarray(shares, dtype=np.float64)


def _cross_table(results: Results) -> tuple[Floats, Floats]:
    pairs = pairs_of(results)
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


def _convergence(results: Results, rules: Rules) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Rate growing parts of the deal blocks, taken in the order of their identities."""
    blocks = int(results.block.max()) + 1 if len(results) else 0
    sizes = sorted(
        {round(blocks * (k / CONVERGENCE_POINTS) ** 2) for k in range(2, CONVERGENCE_POINTS + 1)}
    )
    points = []
    anchor = results.bots.index(rules.anchor) if rules.anchor in results.bots else None
    for size in sizes:
        part = results.only(results.block < size)
        if size and len(part):
            theta = fit(part, resamples=2, prior_elo=rules.prior, seat_effect=rules.seat_effect)
            elo = rate(theta, anchor=anchor, anchor_elo=rules.elo).elo
            points.append((len(part), tuple(float(value) for value in elo)))
    return tuple(points)


def _warnings(results: Results) -> list[str]:
    problems = []
    groups = components(results)
    if len(groups) > 1:
        parts = "; ".join(_joined(results.bots, group) for group in groups)
        problems.append(f"no games connect these groups, their ratings do not compare: {parts}")
    pairs = pairs_of(results)
    for bot, name in enumerate(results.bots):
        mine = np.concatenate(
            [pairs.twice[pairs.first == bot], 2 - pairs.twice[pairs.second == bot]]
        )
        if len(mine) and (mine == mine[0]).all() and mine[0] != 1:
            what = "lost" if mine[0] == 0 else "won"
            problems.append(f"{name} {what} every comparison: only the prior bounds its rating")
    unknown = int((results.failed < NO_FAILURE).sum())
    if unknown:
        problems.append(f"{unknown} games were lost to no bot's known fault and rate nobody")
    return problems


def _joined(bots: Sequence[str], group: Sequence[int]) -> str:
    return ", ".join(bots[bot] for bot in group)


def exported(summary: Summary) -> dict[str, Any]:
    """Return the summary as plain data without any time: equal games give equal data."""
    timeless = ("seconds_per_turn", "cpu_per_turn")

    def rows(standings: Sequence[Standing]) -> list[dict[str, Any]]:
        return [
            {key: _plain(value) for key, value in vars(row).items() if key not in timeless}
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
        "seats": [
            {key: _plain(value) for key, value in vars(line).items()} for line in summary.seats
        ],
        "by_players": {str(players): rows(part) for players, part in summary.by_players},
        "duplicate_deals": {
            "points_variance_ratio": _plain(summary.saved[0]),
            "lead_variance_ratio": _plain(summary.saved[1]),
        },
        "warnings": list(summary.warnings),
    }


def timing(summary: Summary) -> dict[str, Any]:
    """Return the times of the summary: what differs from run to run."""
    return {
        row.bot: {
            "seconds_per_turn": _plain(row.seconds_per_turn),
            "cpu_seconds_per_turn": _plain(row.cpu_per_turn),
        }
        for row in summary.standings
    }


def _plain(value: Any) -> Any:
    """Round to what intervals can tell; JSON has no nan."""
    if isinstance(value, float):
        return None if np.isnan(value) else round(value, 4)
    return value


def _matrix(values: Floats) -> list[list[Any]]:
    return [[_plain(float(value)) for value in row] for row in values]


def table(standings: Sequence[Standing]) -> str:
    """Return the rating table as text, units in the header."""
    width = max([len("bot"), *(len(row.bot) for row in standings)])
    failed = any(row.failures for row in standings)
    head = (
        f"{'rank':>4}  {'bot':<{width}}  {'Elo':>6}  {'95 % interval':>15}  {'games':>6}  "
        f"{'wins':>7}  {'mean VP':>14}  {'mean rank':>9}  {'s/turn':>7}"
    )
    lines = [head + ("  failed" if failed else "")]
    for row in standings:
        interval = f"{row.low:+.0f} .. {row.high:+.0f}"
        score = f"{row.mean_score:.1f} ± {row.score_half_width:.1f}"
        line = (
            f"{row.place:>4}  {row.bot:<{width}}  {row.elo:>+6.0f}  {interval:>15}  "
            f"{row.games:>6}  {row.wins:>7g}  {score:>14}  {row.mean_rank:>9.2f}  "
            f"{row.seconds_per_turn:>7.3f}"
        )
        lines.append(line + (f"  {row.failures:>6}" if failed else ""))
    return "\n".join(lines)
