"""The report: a self-contained HTML page with tables and pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from trajan_ai.core import templates
from trajan_ai.core.version import __version__
from trajan_ai.tournaments import rating_tables
from trajan_ai.tournaments.ratings import NO_FAILURE, Results
from trajan_ai.tournaments.runner import TournamentRun
from trajan_ai.tournaments.store import FailureRow, GameRow
from trajan_ai.tournaments.summary import (
    MAX_CONVERGENCE_BOTS,
    SeatLine,
    Summary,
    measure_convergence,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEMPLATE = Path(__file__).with_name("report.html.j2")
STANDINGS = ("rank", "bot", "Elo", "95 % interval", "games", "wins", "margin ±", "VP ±",
             "mean rank", "LOS", "s/turn", "CPU s/turn", rating_tables.FAILED)  # fmt: skip
RATING = (
    "Elo from one fit of all games: pairs of ranks, ties count half, with a seat effect. ± and "
    "intervals are 95 %, from the differences between whole deals. No result bounds an open side. "
    "LOS: probability, in %, of being stronger than the next bot."
)
SAVED = (
    " Playing every deal in all rotations changed the variance of a bot's mean points by the "
    "factor {0:.2f}, of its mean lead in VP by {1:.2f}."
)
WIDTH = 5.4  # inches: readable on a phone, where pictures shrink to the page's width
INK, ACCENT, SOFT = "#1f2430", "#8c2f1b", "#c9b79c"
COLOURS = ("#8c2f1b", "#2f5d8c", "#5d7f3a", "#a07a1f", "#6b4a86", "#3b8686", "#9a5a6b", "#555555")
LISTED_GAMES = 60  # keeps the page small; games.csv contains all

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "trajan_ai",  # equal pictures give equal bytes
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True, kw_only=True)
class Context:
    """The data of a report; `games` are the first LISTED_GAMES."""

    plan: Mapping[str, Any]
    summary: Summary
    results: Results
    games: Sequence[GameRow]
    failures: Sequence[FailureRow]
    run: TournamentRun


def render_page(context: Context) -> str:
    """Return the HTML page."""
    plan, rating, run = context.plan, context.summary, context.run
    intro = (
        f"{plan['game']}, {', '.join(map(str, plan['players']))} players; {rating.games} games of "
        f"{rating.blocks} deals between {len(rating.bots)} bots. Ended: {run.ended}."
    )
    return templates.render(
        TEMPLATE,
        title=f"{plan['name']} — tournament report",
        texts=[intro, *(f"Warning: {warning}" for warning in rating.warnings)],
        note=RATING + ("" if np.isnan(rating.saved[0]) else SAVED.format(*rating.saved)),
        standings_heads=STANDINGS,
        standings=rating_tables.format_cells(rating.standings, STANDINGS),
        verdict=None if run.test is None else rating_tables.format_verdict(run.test),
        by_players=[
            (players, rating_tables.format_cells(rows, STANDINGS))
            for players, rows in rating.by_players
        ],
        pictures=pictures(context),
        cross_heads=["bot", *(row.bot for row in rating.standings)],
        cross=_cross(rating),
        seats=[*map(_seat, rating.seats)],
        failures=[*map(_failure, context.failures)],
        games=[*map(_game, context.games[:LISTED_GAMES])],
        more=len(context.results) - LISTED_GAMES,
        plan=yaml.safe_dump(dict(plan), sort_keys=False, allow_unicode=True),
        version=__version__,
    )


def _cross(rating: Summary) -> list[list[str]]:
    order = [rating.bots.index(row.bot) for row in rating.standings]
    points, games = rating.cross, rating.cross_games
    return [
        [rating.bots[i], *(f"{points[i, j]:g} / {games[i, j]:g}" if i != j and games[i, j] else "–"
                         for j in order)]
        for i in order
    ]  # fmt: skip


def _seat(line: SeatLine) -> list[str]:
    elo, low, high = (
        rating_tables.format_number(value, 0) for value in (line.elo, line.low, line.high)
    )
    vp = rating_tables.format_number(line.mean_score, 1)
    counted = [str(line.games), f"{line.wins:g}"]
    return [str(line.players), str(line.seat), elo, f"{low} .. {high}", *counted, vp]


def _failure(row: FailureRow) -> list[str]:
    seat = "–" if row.seat is None else str(row.seat)
    return [row.id, row.bot or "unknown", row.kind, seat, str(row.ply), row.message]


def _game(game: GameRow) -> list[str]:
    ended = ["lost to a failure", ""]
    if game.failed == NO_FAILURE:
        ended = [" : ".join(map(str, values)) for values in (game.scores, game.ranks)]
    return [game.id, str(game.deal), str(game.rotation), ", ".join(game.bots), *ended]


def pictures(context: Context) -> list[tuple[str, str, str]]:
    """Return (id, caption, inline SVG) of every picture; none without matplotlib."""
    drawn: list[tuple[str, str, Callable[[Context], Figure]]] = [
        ("rating", "Rating with 95 % intervals from whole deals.", _rating),
        ("superiority", "Probability that the bot of the row is stronger, %.", _superiority),
        ("scores", "Final VP by bot and seat: median, quartiles, 5 to 95 %.", _scores),
        ("cost", "Strength against CPU time.", _cost),
        ("convergence", "Rating after growing numbers of games.", _convergence),
    ]
    if len(context.summary.bots) > MAX_CONVERGENCE_BOTS:
        drawn.pop()
    try:
        style = _library().rc_context(STYLE)
    except ModuleNotFoundError:
        return []
    with style:
        return [(name, caption, _svg(draw(context), name)) for name, caption, draw in drawn]


def _library() -> Any:
    import matplotlib.figure  # noqa: PLC0415
    import matplotlib.ticker  # noqa: PLC0415

    return matplotlib


def _axes(width: float, height: float, grid: str = "") -> tuple[Figure, Any]:
    """Return a figure of this size in inches, and its axes, with lines along `grid`."""
    figure = _library().figure.Figure(figsize=(width, height))
    axes = figure.add_subplot()
    if grid:
        axes.grid(axis=grid, color="#e6e0d4", linewidth=0.6)
        axes.set_axisbelow(True)
    return figure, axes


def _svg(figure: Figure, name: str) -> str:
    """Return the figure as an SVG element with ids that are unique on the page."""
    buffer = io.StringIO()
    figure.savefig(
        buffer, format="svg", bbox_inches="tight", metadata={"Date": None}, transparent=True
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'(id="|xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    label = f'<svg role="img" aria-label="{name}"'
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL).replace("<svg", label, 1)


def _rating(context: Context) -> Figure:
    rows = list(reversed(context.summary.standings))
    figure, axes = _axes(WIDTH, 0.8 + 0.3 * len(rows), "x")
    for height, row in enumerate(rows):
        axes.plot([row.low, row.high], [height, height], color=SOFT, linewidth=5)
        axes.plot([row.elo], [height], "o", color=ACCENT, markersize=6)
    axes.set_yticks(range(len(rows)), [row.bot for row in rows])
    axes.set_xlabel("Elo")
    return figure


def _superiority(context: Context) -> Figure:
    rating = context.summary
    order = [rating.bots.index(row.bot) for row in rating.standings]
    values = 100 * rating.superiority[np.ix_(order, order)]
    size = min(WIDTH, 1.8 + 0.45 * len(order))
    figure, axes = _axes(size, size)
    axes.imshow(values, cmap="RdYlGn", vmin=0, vmax=100, alpha=0.75)
    names = [rating.bots[bot] for bot in order]
    axes.set_xticks(range(len(order)), names, rotation=60, ha="right")
    axes.set_yticks(range(len(order)), names)
    if len(order) <= 16:
        for i in range(len(order)):
            for j in range(len(order)):
                if i != j:
                    text = f"{values[i, j]:.0f}"
                    axes.text(j, i, text, ha="center", va="center", fontsize=8)
    return figure


def _scores(context: Context) -> Figure:
    """Draw boxes of the final VP: axes for each number of players, a box for each bot and seat."""
    results, rating = context.results, context.summary
    sizes = sorted(set(results.players.tolist()))
    figure: Figure = _library().figure.Figure(figsize=(WIDTH, 2.6 * len(sizes)))
    order = [rating.bots.index(row.bot) for row in rating.standings]
    every = figure.subplots(len(sizes), 1, squeeze=False)[:, 0]
    for axes, players in zip(every, sizes, strict=True):
        for seat in range(players):
            boxes = []
            for bot in order:
                at = (results.players == players) & (results.seats[:, seat] == bot)
                values = results.scores[at, seat]
                boxes.append(values[~np.isnan(values)])
            places = [k + (seat - (players - 1) / 2) * 0.8 / players for k in range(len(order))]
            drawn = axes.boxplot(
                boxes,
                positions=places,
                widths=0.65 / players,
                whis=(5, 95),
                showfliers=False,
                patch_artist=True,
                medianprops={"color": INK},
            )
            for patch in drawn["boxes"]:
                patch.set(facecolor=COLOURS[seat], alpha=0.6)
            axes.plot([], [], "s", color=COLOURS[seat], alpha=0.6, label=f"seat {seat}")
        axes.set_xticks(
            range(len(order)), [rating.bots[bot] for bot in order], rotation=20, ha="right"
        )
        axes.set_ylabel(f"VP, {players} players")
        axes.legend(
            frameon=False, fontsize=8, ncols=players, loc="lower left", bbox_to_anchor=(0.0, 0.98)
        )
    figure.tight_layout()
    return figure


def _cost(context: Context) -> Figure:
    figure, axes = _axes(WIDTH, 3.0, "both")
    for row in context.summary.standings:
        cost = max(row.cpu_per_turn, 1e-6) * 1000
        axes.errorbar(
            [cost],
            [row.elo],
            yerr=[[row.elo - row.low], [row.high - row.elo]],
            fmt="o",
            color=ACCENT,
            ecolor=SOFT,
            elinewidth=3,
        )
        axes.annotate(row.bot, (cost, row.elo), xytext=(6, 4), textcoords="offset points")
    axes.set_xscale("log")
    for formatter in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
        formatter(_library().ticker.LogFormatter())  # 0.1, no powers, which take long to draw
    axes.margins(x=0.2)
    axes.set_xlabel("CPU milliseconds per turn")
    axes.set_ylabel("Elo")
    return figure


def _convergence(context: Context) -> Figure:
    rating = context.summary
    figure, axes = _axes(WIDTH, 3.0, "both")
    final = {row.bot: row.elo for row in rating.standings}
    convergence = measure_convergence(
        context.results,
        context.run.plan.settings.rating,
        np.array([final[bot] for bot in rating.bots]),
    )
    games = [count for count, _ in convergence]
    for number, row in enumerate(rating.standings):
        bot = rating.bots.index(row.bot)
        values = [elo[bot] for _, elo in convergence]
        axes.plot(games, values, color=COLOURS[number % len(COLOURS)], marker=".")
        end = (games[-1], values[-1])
        axes.annotate(row.bot, end, xytext=(5, -3), textcoords="offset points")
    axes.set_xlabel("games")
    axes.set_ylabel("Elo")
    axes.margins(x=0.02)
    axes.xaxis.set_major_locator(_library().ticker.MaxNLocator(integer=True))
    return figure
