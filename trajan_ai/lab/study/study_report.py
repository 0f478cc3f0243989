"""Write the report of a study: figures as tables and pictures, and verdicts on its claims."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.core import templates
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import game as game_named
from trajan_ai.lab.dataset.dataset_files import import_extra, read_columns
from trajan_ai.lab.study.figures import Figure, FigureCollector, GameColumns
from trajan_ai.lab.study.study_plan import Claim, Condition, Study
from trajan_ai.lab.study.study_run import part_of

MIN_PICTURED = 4  # minimum number of figures in a picture
TEMPLATE = Path(__file__).with_name("study_report.html.j2")
INTRODUCTION = (
    "Intervals are simultaneous 95 % intervals: with a probability of 95 %, all intervals of a "
    'column contain the true values (Bonferroni, by deals). "Agree" counts the figures that agree '
    "within their intervals between the two halves of the games, which have different seeds. "
    "Engines: {engines}."
)
TABLES = ["game", "table", "games", "agree"]
CLAIMS = ["claim", "game", "table", "figure", "verdict"]
JUDGED = (
    'Claims are judged by the games of the second seed alone. "No figure" means that there are '
    "too few games, or that too few of them contain what the figure describes."
)
NO_FIGURE = "no figure"

Figures = dict[str, Figure]


@dataclass(frozen=True)
class ConditionFigures:
    """The figures of a condition: of all games, and of the games of each seed."""

    condition: Condition
    games: int
    all: Figures
    by_seed: tuple[Figures, Figures]

    @property
    def head(self) -> str:
        """The head of the condition's column."""
        name = f" {self.condition.name}" if self.condition.name else ""
        return f"{self.condition.players} players{name}, {self.condition.layer}"


@dataclass(frozen=True)
class Section:
    """A section of the report: a text, a table, and optionally a picture."""

    title: str
    text: str
    heads: list[str]
    rows: list[list[str]]
    picture: str | None = None

    def markdown(self) -> str:
        """Return the section for report.md, without the picture."""
        lines = (f"| {' | '.join(row)} |" for row in self.rows)
        table = "\n".join(
            [f"| {' | '.join(self.heads)} |", "|---" * len(self.heads) + "|", *lines]
        )
        return "\n\n".join(filter(None, [f"## {self.title}", self.text, table]))


def write(study: Study, folder: Path) -> str:
    """Write reports, figures and pictures to the study's folder; return the text to print."""
    results = list(_collect(study, folder))
    if not results:
        raise TrajanError(
            f"{folder}: no condition has games of both seeds; run the study without --report first"
        )
    games = list(dict.fromkeys(one.condition.game for one in results))
    claims = list(_verdicts(study.file.claims, results))
    engines = ", ".join(f"{game} {play_signature(game_named(game))}" for game in games)
    tables = [[one.condition.game, one.head, str(one.games), _agreeing(one)] for one in results]
    sections = [
        Section("Games", INTRODUCTION.format(engines=engines), TABLES, tables),
        Section("Claims", JUDGED, CLAIMS, claims),
        *(section for game in games for section in _sections(game, results, folder)),
    ]
    markdown = "\n\n".join(section.markdown() for section in sections)
    (folder / "report.md").write_text(f"# {study.name}\n\n{markdown}\n", encoding="utf-8")
    page = templates.render(TEMPLATE, title=study.name, sections=sections)
    (folder / "report.html").write_text(page, encoding="utf-8")
    data = [
        {"game": one.condition.game, "table": one.head, "games": one.games}
        | {"figures": {name: asdict(figure) for name, figure in one.all.items()}}
        for one in results
    ]
    (folder / "figures.json").write_text(json.dumps(data), encoding="utf-8")
    lines = [
        f"{claim}: {', '.join(filter(None, [game, head]))}: {cell and f'{cell}, '}{verdict}"
        for claim, game, head, cell, verdict in claims
    ]
    return "\n".join([*lines, f"report: {folder / 'report.html'}"])


def _collect(study: Study, folder: Path) -> Iterator[ConditionFigures]:
    """Yield the figures of each condition that has games of both seeds."""
    for condition in study.conditions:
        game = game_named(condition.game)
        collectors = [FigureCollector(game) for _ in range(3)]
        for chunk in study.chunks():
            if chunk.condition == condition and part_of(chunk, folder, "games").exists():
                games = GameColumns(partial(part_of, chunk, folder), game, condition.players)
                for one in (collectors[0], collectors[1 + study.file.seeds.index(chunk.seed)]):
                    one.add(games)
                    if chunk.judged and (path := part_of(chunk, folder, "decisions")).exists():
                        one.judge(read_columns(path), condition.players)
        whole, *halves = collectors
        if all(one.games for one in halves):
            first, second = (one.figures() for one in halves)
            yield ConditionFigures(condition, whole.games, whole.figures(), (first, second))


def _agreeing(result: ConditionFigures) -> str:
    """Return how many figures of both seeds agree within their intervals, as ``N of ALL``."""
    first, second = result.by_seed
    both = [(first[name], second[name]) for name in first.keys() & second.keys()]
    agreed = [
        abs(a.value - b.value) <= math.hypot(a.half_width(len(both)), b.half_width(len(both)))
        for a, b in both
    ]
    return f"{sum(agreed)} of {len(both)}"


def _verdicts(claims: list[Claim], results: list[ConditionFigures]) -> Iterator[list[str]]:
    """Yield a row of `CLAIMS` per claim and condition, with the figure of the second seed.

    If no condition has the figure of a claim, there is one row for this claim at the end.
    """
    judged = [
        (claim, one, one.by_seed[1][claim.figure])
        for claim in claims
        for one in results
        if one.condition.game == claim.game
        and one.condition.players in claim.players
        and not one.condition.name
        and claim.figure in one.by_seed[1]
    ]
    for claim, one, figure in judged:
        half_width = figure.half_width(len(judged))
        low, high = figure.value - half_width, figure.value + half_width
        above = -math.inf if claim.above is None else claim.above
        below = math.inf if claim.below is None else claim.below
        verdict = "open"
        if above < low and high < below:
            verdict = "holds"
        elif high < above or low > below:
            verdict = "fails"
        yield [claim.says, one.condition.game, one.head, _cell(figure, len(judged)), verdict]
    decided = [claim for claim, _, _ in judged]
    for claim in claims:
        if claim not in decided:
            yield [claim.says, claim.game, "", "", NO_FIGURE]


def _cell(figure: Figure | None, comparisons: int) -> str:
    """Return a figure and its half width, both with two significant digits of the half width."""
    if figure is None:
        return ""
    half_width = figure.half_width(comparisons)
    if not 0 < half_width < math.inf:
        return f"{figure.value:.3g}"
    digits = min(3, max(0, 1 - math.floor(math.log10(half_width))))
    return f"{figure.value:.{digits}f} ± {half_width:.{digits}f}".replace("-", "−")


def _sections(game: str, results: list[ConditionFigures], folder: Path) -> Iterator[Section]:
    """Yield a section per group of figures, with a column per number of players and layer."""
    columns = [one for one in results if one.condition.game == game]
    columns.sort(key=lambda one: (one.condition.players, one.condition.name))
    names = list(dict.fromkeys(name for one in columns for name in one.all))
    for title in dict.fromkeys(name.partition(": ")[0] for name in names):
        chosen = [name for name in names if name.startswith(f"{title}: ")]
        rows = [
            [name.partition(": ")[2], *(_cell(one.all.get(name), len(one.all)) for one in columns)]
            for name in chosen
        ]
        picture = None
        if len(chosen) >= MIN_PICTURED:
            picture = f"{game}-{title.replace(' ', '-').replace(',', '')}.png"
            _draw(columns, chosen, title, folder / "pictures" / picture)
        heads = ["", *(one.head for one in columns)]
        yield Section(title=f"{game}: {title}", text="", heads=heads, rows=rows, picture=picture)


def _draw(columns: list[ConditionFigures], names: list[str], title: str, path: Path) -> None:
    """Draw figures with their intervals: a panel per number of players, a colour per layer."""
    figures = import_extra("matplotlib.figure")
    plain = [one for one in columns if not one.condition.name]
    tables = sorted({one.condition.players for one in plain})
    height = 1.2 + 0.22 * len(names)
    figure = figures.Figure(figsize=(3 + 2.4 * len(tables), height), layout="constrained")
    axes = figure.subplots(1, len(tables), sharey=True, squeeze=False)[0]
    layers = list(dict.fromkeys(one.condition.layer for one in plain))
    named: dict[str, Any] = {}
    for one in plain:
        points: list[Any] = [(n, one.all[name]) for n, name in enumerate(names) if name in one.all]
        if not points:
            continue
        k = layers.index(one.condition.layer)
        places = np.array([n for n, _ in points]) + 0.5 * (k + 0.5) / len(layers) - 0.25
        half_widths = [f.half_width(len(one.all)) for _, f in points]
        axis = axes[tables.index(one.condition.players)]
        named[one.condition.layer] = axis.errorbar(
            [f.value for _, f in points], places, xerr=half_widths, fmt="o", ms=3, color=f"C{k}"
        )
    for axis, players in zip(axes, tables, strict=True):
        axis.set_title(f"{players} players", fontsize=9)
        axis.axvline(0, color="0.8", lw=0.8, zorder=0)
        axis.tick_params(labelsize=8)
    axes[0].set_yticks(range(len(names)), [name.partition(": ")[2] for name in names])
    axes[0].invert_yaxis()
    handles = list(named.values())
    figure.legend(handles, list(named), loc="outside lower center", ncols=len(named), fontsize=7)
    figure.suptitle(title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=80)
