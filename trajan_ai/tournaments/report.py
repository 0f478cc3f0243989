"""The report: a self-contained HTML page with tables and pictures."""

from __future__ import annotations

import base64
import io
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from trajan_ai.core import look, templates
from trajan_ai.core.local_address import HOST, PAGE_PORT
from trajan_ai.core.table_text import cut_middle
from trajan_ai.core.version import __version__
from trajan_ai.tournaments import rating_tables, summary
from trajan_ai.tournaments.ratings import NO_FAILURE, Floats, Results
from trajan_ai.tournaments.runner import TournamentRun
from trajan_ai.tournaments.store import FailureRow, GameRow, RunRow
from trajan_ai.tournaments.summary import (
    PairLine,
    SeatLine,
    Summary,
    measure_convergence,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEMPLATE = Path(__file__).with_name("report.html.j2")
SCRIPT = Path(__file__).with_name("report.js")
STANDINGS = ("rank", "bot", "Elo", "95 % interval", "games", "wins", "margin ±", "VP ±",
             "mean rank", "LOS", "s/turn", "CPU s/turn")  # fmt: skip
RATING = (
    "Elo is fitted to all games at once by comparing the ranks of each pair of bots, where a tie "
    "counts half, and includes an effect of the seats. ± and intervals have a confidence of 95 % "
    "and follow from the differences between whole deals. A side of an interval is open if no "
    "result bounds it. LOS: probability, in %, of being stronger than the next bot."
)
SAVED = (
    " Playing every deal in all rotations changed the variance of a bot's mean points by the "
    "factor {0:.2f}, and that of its mean lead in VP by {1:.2f}."
)
WIDTH = 5.4  # inches: readable on a phone, where pictures shrink to the page's width
LINE = 0.17  # inches between labels
MAX_LABEL = 24  # characters
MAX_CONVERGENCE_BOTS = 50  # more lines in a picture are not readable
LISTED_GAMES = 60  # keeps the page small; games.csv contains all games

INK, ACCENT, SOFT, GRID = (look.COLOURS[name][0] for name in ("ink", "red", "edge", "line"))
COLOURS = tuple(light for light, _ in look.PLOT_COLOURS)
# In the page, the colours of pictures are variables with these names, whose values differ in the
# dark theme.
DARK = {
    INK: ("ink", look.COLOURS["ink"][1]),
    ACCENT: ("red", look.COLOURS["red"][1]),
    SOFT: ("edge", look.COLOURS["edge"][1]),
    GRID: ("line", look.COLOURS["line"][1]),
    **{
        light: (f"colour-{number}", dark) for number, (light, dark) in enumerate(look.PLOT_COLOURS)
    },
}

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "trajan_ai",  # so that the same picture gives the same bytes
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
    """The data of a report; `games` are the first LISTED_GAMES, with their records as lines.

    A report `is_live` while its games are played and no other output files exist.
    """

    plan: Mapping[str, Any]
    summary: Summary
    results: Results
    games: Sequence[tuple[GameRow, str]]
    failures: Sequence[FailureRow]
    run: TournamentRun
    runs: Sequence[RunRow]
    is_live: bool = False


def render_page(context: Context) -> str:
    """Return the HTML page."""
    plan, rating, run = context.plan, context.summary, context.run
    ended = f"Ended: {run.ended}." if run.ended else "The games are being played."
    intro = (
        f"{plan['game']}, {', '.join(map(str, plan['players']))} players; {rating.games} games of "
        f"{rating.blocks} deals between {len(rating.bots)} bots. {ended}"
    )
    has_failures = any(row.failures for row in rating.standings)
    heads = (*STANDINGS, rating_tables.FAILED) if has_failures else STANDINGS
    texts = [intro, *_describe_runs(context.runs)]
    return templates.render(
        TEMPLATE,
        title=f"{plan['name']} — tournament report",
        is_live=context.is_live,
        colours=[(name, light, dark) for light, (name, dark) in DARK.items()],
        texts=[*texts, *(f"Warning: {warning}" for warning in rating.warnings)],
        note=RATING + ("" if np.isnan(rating.saved[0]) else SAVED.format(*rating.saved)),
        standings_heads=heads,
        standings=rating_tables.format_cells(rating.standings, heads),
        verdict=None if run.test is None else rating_tables.format_verdict(run.test),
        by_players=[
            (players, rating_tables.format_cells(rows, heads))
            for players, rows in rating.by_players
        ],
        pictures=pictures(context),
        cross_heads=["bot", *map(str, range(1, len(rating.standings) + 1))],
        superiority=_superiority(rating),
        cross=_cross(rating),
        pairs=_pairs(context),
        seats=[*map(_seat, rating.seats)],
        failures=[*map(_failure, context.failures)],
        games=[(link(record), *_game(game)) for game, record in context.games],
        more=len(context.results) - LISTED_GAMES,
        runs=[*map(_run, context.runs)],
        plan=yaml.safe_dump(dict(plan), sort_keys=False, allow_unicode=True),
        version=__version__,
        engine=run.engine,
        script=SCRIPT.read_text("utf-8"),
    )


def _describe_runs(runs: Sequence[RunRow]) -> Iterator[str]:
    """Yield a sentence about when and where the games were played, and for how long."""
    if runs:
        seconds = sum(run.ended - run.started for run in runs)
        days = sorted({_format_time(time, "%Y-%m-%d") for run in runs
                       for time in (run.started, run.ended)})  # fmt: skip
        machines = "; ".join(dict.fromkeys(run.machine for run in runs))
        yield (
            f"Played on {' to '.join(days[:1] + days[1:][-1:])} in "
            f"{format_duration(seconds)} on {machines}."
        )


def _run(run: RunRow) -> list[str]:
    duration = format_duration(run.ended - run.started)
    started = _format_time(run.started, "%Y-%m-%d %H:%M")
    return [started, duration, str(run.games), str(run.jobs), run.machine]


def _format_time(time: float, form: str) -> str:
    return datetime.fromtimestamp(time, UTC).strftime(form)


def format_duration(seconds: float) -> str:
    """Return a duration as text."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def _order(rating: Summary) -> list[int]:
    """Return the numbers of the bots, ordered by rating."""
    return [rating.bots.index(row.bot) for row in rating.standings]


def _superiority(rating: Summary) -> list[list[Any]]:
    """Return a row per bot: its name, and its superiority over every bot, in %.

    Superiority is the probability of being stronger. The diagonal, where a bot meets itself,
    contains None.
    """
    order = _order(rating)
    return [
        [f"{place} {rating.bots[i]}",
         *(None if i == j else round(100 * rating.superiority[i, j]) for j in order)]
        for place, i in enumerate(order, start=1)
    ]  # fmt: skip


def _cross(rating: Summary) -> list[list[str]]:
    order = _order(rating)
    points, games = rating.cross, rating.cross_games
    return [
        [f"{place} {rating.bots[i]}",
         *(f"{points[i, j]:g} / {games[i, j]:g}" if i != j and games[i, j] else "–"
           for j in order)]
        for place, i in enumerate(order, start=1)
    ]  # fmt: skip


def _pairs(context: Context) -> list[list[str]]:
    """Return the results of every pair of bots, as seen by the bot that is rated higher."""
    place = {row.bot: row.place for row in context.summary.standings}
    lines = [
        line
        if place[line.bot] < place[line.against]
        else PairLine(line.against, line.bot, line.deals[::-1], line.games[::-1])
        for line in summary.count_pair_results(context.results)
    ]
    lines.sort(key=lambda line: (place[line.bot], place[line.against]))
    return [
        [line.bot, line.against, *map(str, (sum(line.deals), *line.deals, *line.games))]
        for line in lines
    ]


def link(record: str) -> str:
    """Return the page's address for a record; browsers do not send what follows # to servers."""
    data = base64.urlsafe_b64encode(zlib.compress(record.encode(), 9)).decode().rstrip("=")
    return f"http://{HOST}:{PAGE_PORT}/#record/{data}"


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
    """Return (id, caption, inline SVG) for every picture, or nothing without matplotlib."""
    drawn: list[tuple[str, str, Callable[[Context], Figure]]] = [
        ("rating", "Rating with 95 % intervals from whole deals.", _rating),
        ("scores", "Final VP by bot and seat: median, quartiles, 5 to 95 %.", _scores),
        ("cost", "Strength against CPU time.", _cost),
    ]
    if len(context.summary.bots) <= MAX_CONVERGENCE_BOTS:
        drawn.append(("convergence", "Rating after growing numbers of games.", _convergence))
    if context.run.llr:
        drawn.append(("llr", "Course of the sequential test, with its bounds.", _llr))
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


def _axes(height: float, grid: str) -> tuple[Figure, Any]:
    """Return a figure of this height in inches, and its axes, with grid lines along `grid`."""
    figure = _library().figure.Figure(figsize=(WIDTH, height))
    axes = figure.add_subplot()
    axes.grid(axis=grid, color=GRID, linewidth=0.6)
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
    for colour, (variable, _) in DARK.items():
        text = text.replace(colour, f"var(--{variable})")
    label = f'<svg role="img" aria-label="{name}"'
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL).replace("<svg", label, 1)


def _rating(context: Context) -> Figure:
    rows = list(reversed(context.summary.standings))
    figure, axes = _axes(0.8 + 0.3 * len(rows), "x")
    for height, row in enumerate(rows):
        axes.plot([row.low, row.high], [height, height], color=SOFT, linewidth=5)
        axes.plot([row.elo], [height], "o", color=ACCENT, markersize=6)
    axes.set_yticks(range(len(rows)), [_shorten(row.bot) for row in rows])
    axes.set_xlabel("Elo")
    return figure


def _scores(context: Context) -> Figure:
    """Draw boxes of the final VP: axes for each number of players, a row for each bot and seat."""
    results, rating = context.results, context.summary
    sizes = sorted(set(results.players.tolist()))
    order = _order(rating)[::-1]  # the first row is drawn at the bottom
    heights = [0.14 * (players + 1) * len(order) + 0.7 for players in sizes]
    figure: Figure = _library().figure.Figure(figsize=(WIDTH, sum(heights)))
    every = figure.subplots(len(sizes), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, players in zip(every, sizes, strict=True):
        thickness = 1 / (players + 1)
        for seat in range(players):
            for row, bot in enumerate(order):
                at = (results.players == players) & (results.seats[:, seat] == bot)
                values = results.scores[at, seat]
                values = values[~np.isnan(values)]
                if len(values):
                    height = row + ((players - 1) / 2 - seat) * thickness
                    _draw_box(axes, values, height, 0.8 * thickness, COLOURS[seat])
            axes.plot([], [], "s", color=COLOURS[seat], label=f"seat {seat + 1}")
        axes.set_yticks(range(len(order)), [_shorten(rating.bots[bot]) for bot in order])
        axes.set_ylim(-0.6, len(order) - 0.4)
        axes.set_xlabel(f"VP, {players} players")
        axes.legend(frameon=False, ncols=players, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    figure.tight_layout()
    return figure


def _draw_box(axes: Any, values: Floats, height: float, thickness: float, colour: str) -> None:
    """Draw the median, the quartiles, and the 5 % and 95 % quantiles as a horizontal box."""
    low, first, median, third, high = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95))
    axes.plot([low, high], [height, height], color=colour, linewidth=1)
    axes.barh(height, third - first, thickness, left=first, color=colour)
    half = thickness / 2
    axes.plot([median, median], [height - half, height + half], color=INK, linewidth=1.5)


def _cost(context: Context) -> Figure:
    rows = context.summary.standings
    figure, axes = _axes(max(3.0, 0.8 + LINE * len(rows)), "both")
    ends = []
    for row in rows:
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
        ends.append((cost, row.elo, row.bot, INK))
    costs = [cost for cost, *_ in ends]
    if max(costs) > 10 * min(costs):  # else a logarithmic axis could have no labels
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(_library().ticker.NullFormatter())
    axes.xaxis.set_major_formatter("{x:g}")  # no powers of ten, which take long to draw
    axes.set_xlabel("CPU milliseconds per turn")
    axes.set_ylabel("Elo")
    _label_ends(axes, ends)
    return figure


def _convergence(context: Context) -> Figure:
    rating = context.summary
    figure, axes = _axes(max(3.0, 0.8 + LINE * len(rating.bots)), "both")
    final = {row.bot: row.elo for row in rating.standings}
    convergence = measure_convergence(
        context.results,
        context.run.plan.settings.rating,
        np.array([final[bot] for bot in rating.bots]),
    )
    games = [count for count, _ in convergence]
    ends = []
    for number, row in enumerate(rating.standings):
        bot = rating.bots.index(row.bot)
        values = [elo[bot] for _, elo in convergence]
        colour = COLOURS[number % len(COLOURS)]
        axes.plot(games, values, color=colour, marker=".")
        ends.append((games[-1], values[-1], row.bot, colour))
    axes.set_xlabel("games")
    axes.set_ylabel("Elo")
    axes.margins(x=0.02)
    axes.xaxis.set_major_locator(_library().ticker.MaxNLocator(integer=True))
    _label_ends(axes, ends)
    return figure


def _llr(context: Context) -> Figure:
    test = context.run.test
    assert test is not None
    figure, axes = _axes(2.4, "both")
    deals, values = zip(*context.run.llr, strict=True)
    axes.plot(deals, values, color=ACCENT, marker="." if len(deals) < 100 else "")
    for bound, verdict in ((test.state.lower, "H0"), (test.state.upper, "H1")):
        axes.axhline(bound, color=INK, linewidth=0.8, linestyle="--")
        axes.annotate(verdict, (1.01, bound), xycoords=("axes fraction", "data"), va="center")
    axes.set_xlabel("deals")
    axes.set_ylabel("log-likelihood ratio")
    axes.xaxis.set_major_locator(_library().ticker.MaxNLocator(integer=True))
    return figure


def _label_ends(axes: Any, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Write names in a column to the right of the axes, each with a line to its point.

    `ends` are (x, y, name, colour).
    """
    height = axes.get_position().height * axes.figure.get_figheight()
    to_axes = axes.transData + axes.transAxes.inverted()
    axes.autoscale_view()
    places = spread([float(to_axes.transform((x, y))[1]) for x, y, *_ in ends], LINE / height)
    for (x, y, name, colour), place in zip(ends, places, strict=True):
        axes.annotate(
            _shorten(name),
            (x, y),
            xytext=(1.04, place),
            textcoords="axes fraction",
            va="center",
            color=colour,
            arrowprops={"arrowstyle": "-", "color": SOFT, "linewidth": 0.6, "relpos": (0.0, 0.5)},
        )


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Return places at least `gap` apart, in the same order and near the given places.

    The places are at most 1 if there is enough room above 0.
    """
    order = sorted(range(len(places)), key=lambda number: places[number])
    result = [0.0] * len(places)
    below = -math.inf
    for number in order:
        below = result[number] = max(places[number], below + gap)
    above = max(1.0, gap * (len(places) - 1)) + gap
    for number in reversed(order):
        above = result[number] = min(result[number], above - gap)
    return result


def _shorten(name: str) -> str:
    return cut_middle(name, MAX_LABEL)
