"""An annotated game as one page that opens from disk: boards, graph, mistakes, accounts.

Drawings of successive positions differ in few elements. So the page holds every element once and
each drawing as its difference from the one before, all of it compressed.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from trajan_ai.analysis import accounts
from trajan_ai.analysis.accounts import PLACES, cells
from trajan_ai.analysis.judging import Annotation
from trajan_ai.core import languages
from trajan_ai.core.game import Position
from trajan_ai.core.rules import HasPicture
from trajan_ai.core.table_text import html_page, html_section

SCRIPT = Path(__file__).with_name("annotation.js")  # draws graphs and tables, here and elsewhere
PAGE = "annotation.html.j2"
MEANS = (
    "Means per game. Margin: final VP minus the best opponent's. Luck: what reveals brought. "
    "Errors: VP of margin lost by moves that were not the best, with the standard error; then "
    "blunders, mistakes and inaccuracies."
)
DIGITS = 4  # of a share: hundredths of a percent
_ELEMENT = re.compile(r"<[^>]*>[^<]*")


def page(annotation: Annotation, data: dict[str, Any]) -> str:
    """Return the page of an annotated game; `data` is what its JSON file holds."""
    elements, drawings = packed(drawn(annotation))
    content = json.dumps(
        {
            "game": json.loads(json.dumps(data), parse_float=lambda x: round(float(x), DIGITS)),
            "elements": elements,
            "drawings": drawings,
            "texts": dict(languages.read_catalogue(languages.get_language())),
        },
        separators=(",", ":"),
    )
    title = " – ".join(annotation.played.names)
    import jinja2  # noqa: PLC0415  # late: a tenth of what a browser imports before its first suggestion

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(PAGE).render(
        title=f"{annotation.played.final.game.name}: {title}",
        language=languages.get_language(),
        t=languages.tr,
        data=_text(content),
    )


def summary_page(rows: Sequence[dict[str, Any]], games: Sequence[dict[str, Any]]) -> str:
    """Return the page of a summary: its rows, and links to the pages of the games."""
    heads = ["player", *accounts.HEADS]
    where = [
        [row["name"], *(", ".join(accounts.lost(row, by)) for by, _ in PLACES)] for row in rows
    ]
    links = (
        f'<li><a href="{escape(game["page"])}">{escape(game["page"])}</a>: '
        f"{game['game']}, {escape(' – '.join(game['names']))}, "
        f"{' – '.join(map(str, game['scores']))} VP</li>"
        for game in games
    )
    parts = [
        html_section("Players", MEANS, heads, [[row["name"], *cells(row)] for row in rows]),
        html_section("VP lost per game", "", ["player", "by quarter", "by kind of action"], where),
        "<h2>Games</h2>\n<ul>", *links, "</ul>",
    ]  # fmt: skip
    return html_page("Annotated games", parts)


def drawn(annotation: Annotation) -> Iterable[str]:
    """Yield the drawing before every judged move, and of the end; last and best move marked.

    Positions are open: nothing of a finished game is hidden, but where it was witnessed. Of a game
    without pictures the boards are text.
    """
    game = annotation.played
    best = {decision.ply: decision.best for decision in annotation.decisions}
    last: tuple[int, str] | None = None
    for ply, position in enumerate(game.positions):
        if ply in best or ply == len(game.moves):
            yield _drawing(position, game.observer, last, best.get(ply))
        if ply < len(game.moves):
            player, action = game.moves[ply]
            last = None if action is None else (player, action)


def _drawing(
    position: Position, observer: int | None, last: tuple[int, str] | None, best: str | None
) -> str:
    rules = position.game.rules
    if isinstance(rules, HasPicture):
        view = rules.view(position, observer)
        return rules.picture(view, last=last, suggested=[best] if best else [])
    board = rules.draw(position, observer)
    return f"<pre>{board.replace('&', '&amp;').replace('<', '&lt;')}</pre>"


def packed(drawings: Iterable[str]) -> tuple[list[str], list[list[int]]]:
    """Return the different elements of drawings, and each drawing as what changes from the last.

    An entry is [equal elements at the start, elements to leave out, numbers to put there ..].
    """
    numbers: dict[str, int] = {}
    before: list[int] = []
    changes = []
    for drawing in drawings:
        now = [numbers.setdefault(part, len(numbers)) for part in _ELEMENT.findall(drawing)]
        start = _equal(before, now)
        end = _equal(before[start:][::-1], now[start:][::-1])
        changes.append([start, len(before) - start - end, *now[start : len(now) - end]])
        before = now
    return list(numbers), changes


def _equal(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many elements at the start of both are equal."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _text(content: str) -> str:
    """Return a text compressed, in characters that HTML leaves alone."""
    return base64.b64encode(zlib.compress(content.encode(), 9)).decode()
