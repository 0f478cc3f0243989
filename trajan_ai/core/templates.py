"""Render HTML from the Jinja2 templates beside the modules that use them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajan_ai.core.look import style_sheet

if TYPE_CHECKING:
    import jinja2

CORE = Path(__file__).parent  # templates that others extend and import
BOARD = CORE / "board.html.j2"
TABLE = CORE / "table.html.j2"
CHUNK = 100  # parts of a template that are joined before they are written


def render(template: Path, **values: Any) -> str:
    """Render a template with these values, whose text is escaped unless it is marked as safe."""
    return _load(template).render(values)


def stream(template: Path, **values: Any) -> Iterator[str]:
    """Render a template in parts; iterators among the values are read as needed."""
    parts = _load(template).stream(values)
    parts.enable_buffering(CHUNK)
    return parts


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> str:
    """Return a table as HTML for notebooks, with a note below it."""
    return render(TABLE, heads=heads, rows=rows, note=note)


def render_board(text: str, svg: str | None = None) -> str:
    """Return a board as HTML: its text, or its picture with the text as its description."""
    data = None if svg is None else b64encode(svg.encode()).decode()
    return render(BOARD, text=text, data=data)


def _load(template: Path) -> jinja2.Template:
    return _environment(template.parent).get_template(template.name)


@cache
def _environment(folder: Path) -> jinja2.Environment:
    # Jinja2 is imported only here, because in a browser it would take a tenth of the time of all
    # imports before the first suggestion.
    import jinja2  # noqa: PLC0415

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, CORE]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["style_sheet"] = style_sheet
    return environment
