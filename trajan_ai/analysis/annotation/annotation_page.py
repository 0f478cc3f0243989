"""Render an annotated game as a single page that opens from disk.

The page shows the boards, a graph, the mistakes and the accounts. Drawings of successive positions
differ in few elements, so the page contains every element only once, and each drawing as its
difference from the previous drawing. All of this is compressed.
"""

import base64
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.analysis.annotation import accounts
from trajan_ai.analysis.annotation.accounts import PLACES, format_cells
from trajan_ai.analysis.annotation.judging import Annotation
from trajan_ai.core import languages, look, templates
from trajan_ai.core.game import Position
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_drawing import HasPicture

SCRIPT = Path(__file__).with_name("annotation.js")  # draws graphs and tables
PAGE = Path(__file__).with_name("annotation.html.j2")
PAGE_SCRIPT = SCRIPT.with_name("annotated_page.js")
SUMMARY = Path(__file__).with_name("summary.html.j2")
IMPORT = re.compile(r"import \{[^}]*\} from \"\./annotation\.js\";\n")
MEANS = (
    "Means per game. Margin: final VP minus the best opponent's. Luck: change in the margin due "
    "to what moves revealed. Errors: VP of margin lost by moves that were not the best, with the "
    "standard error. The last columns count blunders, mistakes and inaccuracies."
)
DIGITS = 4  # decimals of a number; in a win rate, the last one is a hundredth of a percent
_ELEMENT = re.compile(r"<[^>]*>[^<]*")


def render(annotation: Annotation, data: dict[str, Any], title: str = "") -> str:
    """Return the page of an annotated game; `data` is the content of its JSON file.

    Without a title, the page is named after the game and the players.
    """
    names = name_players(annotation.played.names)
    elements, drawings = pack(draw(annotation, names))
    content = json.dumps(
        {
            "game": json.loads(
                json.dumps(data | {"names": names}), parse_float=lambda x: round(float(x), DIGITS)
            ),
            "elements": elements,
            "drawings": drawings,
            "texts": dict(languages.read_catalogue(languages.get_language())),
        },
        separators=(",", ":"),
    )
    return templates.render(
        PAGE,
        title=title or f"{annotation.played.final.game.name}: {' – '.join(names)}",
        language=languages.get_language(),
        t=languages.tr,
        source_colours=look.SOURCE_COLOURS,
        script=_join_scripts(),
        data=base64.b64encode(zlib.compress(content.encode(), 9)).decode(),
    )


def name_players(names: Sequence[str]) -> list[str]:
    """Return the names to display; players without a name are numbered from 1, not from 0."""
    return [
        languages.tr("Player {player}", player=player + 1)
        if name == records.default_name(player)
        else name
        for player, name in enumerate(names)
    ]


def _join_scripts() -> str:
    """Return the page's script, in which the imported module replaces the import."""
    module = SCRIPT.read_text("utf-8")
    return IMPORT.sub(lambda _: module, PAGE_SCRIPT.read_text("utf-8"), count=1)


def render_summary(
    rows: Sequence[dict[str, Any]], games: Iterable[dict[str, Any]]
) -> Iterator[str]:
    """Yield the parts of a summary page, which contains the rows and links to the games."""
    return templates.stream(
        SUMMARY,
        title="Annotated games",
        means=MEANS,
        heads=["player", *accounts.HEADS],
        players=[[row["name"], *format_cells(row)] for row in rows],
        losses=[
            [row["name"], *(", ".join(accounts.format_losses(row, by)) for by, _ in PLACES)]
            for row in rows
        ],
        games=games,
    )


def draw(annotation: Annotation, names: Sequence[str]) -> Iterable[str]:
    """Yield a drawing of the position before every judged move, and one of the final position.

    The drawings mark the last move and the best move. `names` are the players' names. Nothing is
    hidden, except in a witnessed game. If the game has no pictures, the boards are text.
    """
    game = annotation.played
    best = {decision.ply: decision.best for decision in annotation.decisions}
    last: tuple[int, str] | None = None
    for ply, position in enumerate(game.positions):
        if ply in best or ply == len(game.moves):
            yield _drawing(position, game.observer, names, last, best.get(ply))
        if ply < len(game.moves):
            player, action = game.moves[ply]
            last = None if action is None else (player, action)


def _drawing(
    position: Position,
    observer: int | None,
    names: Sequence[str],
    last: tuple[int, str] | None,
    best: str | None,
) -> str:
    rules = position.game.rules
    drawing = offered(rules, HasPicture)
    if drawing is None:
        return templates.render_board(rules.draw(position, observer))
    view = {**rules.view(position, observer), "names": names}
    return drawing.picture(view, last=last, suggested=[best] if best else [])


def pack(drawings: Iterable[str]) -> tuple[list[str], list[list[int]]]:
    """Return all distinct elements, and each drawing as a change from the previous drawing.

    A change is a list: the number of equal elements at the start, the number of elements to remove
    after these, and the numbers of the elements to insert in their place.
    """
    numbers: dict[str, int] = {}
    before: list[int] = []
    changes = []
    for drawing in drawings:
        now = [numbers.setdefault(part, len(numbers)) for part in _ELEMENT.findall(drawing)]
        start = _count_equal(before, now)
        end = _count_equal(before[start:][::-1], now[start:][::-1])
        changes.append([start, len(before) - start - end, *now[start : len(now) - end]])
        before = now
    return list(numbers), changes


def _count_equal(one: Sequence[int], other: Sequence[int]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
