"""Format small tables for terminals, notebooks and pages."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from trajan_ai.core.errors import printable

Row = Sequence[str]
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 75rem; margin: 1rem auto; padding: 0 1rem; font: 15px/1.45 system-ui; }}
table {{ display: block; overflow-x: auto; border-collapse: collapse; margin: 1rem 0; }}
th, td {{ padding: 0.15rem 0.6rem; text-align: left; border-bottom: 1px solid #8886; }}
td:nth-child(n+2) {{ white-space: nowrap; font-variant-numeric: tabular-nums; }}
pre {{ overflow-x: auto; }}
figure {{ display: inline-block; margin: 1rem 0; break-inside: avoid; }}
figure svg {{ max-width: 100%; height: auto; background: #fffdf9; }}
@media print {{ body {{ max-width: none; font-size: 10pt; }} details {{ display: none; }} }}
</style>
<h1>{title}</h1>
{body}
</html>
"""


@dataclass(frozen=True)
class Column:
    """A column of a text table.

    Attributes:
        head: its head.
        align: ``<`` for text, ``>`` for figures.
        width: the least width, to which narrower cells are padded.
        shorten: a function that cuts a text to a width, for text in a narrow terminal. Without it
            the cells are never cut.
        least: the width below which cells are not cut.
        omit: narrow terminals omit the column with the largest number first, none with 0.
    """

    head: str
    align: Literal["<", ">"] = ">"
    width: int = 0
    shorten: Callable[[str, int], str] | None = None
    least: int = 0
    omit: int = 0


def text_table(
    heads: Sequence[str | Column], rows: Sequence[Row], width: int = sys.maxsize, gap: int = 2
) -> str:
    """Return a table as text, with `gap` spaces between columns.

    Where a head is not a `Column`, the first column is left-aligned and the others are
    right-aligned. Control characters in the cells are escaped.

    A table wider than `width` first cuts texts, then omits columns. If it is still too wide, the
    columns that do not fit follow in further tables, which repeat the first column.
    """
    columns = [
        _FilledColumn(
            Column(head, ">" if place else "<") if isinstance(head, str) else head,
            [row[place] for row in rows],
        )
        for place, head in enumerate(heads)
    ]
    while sum(filled.least + gap for filled in columns) - gap > width:
        first_to_go = max(columns, key=lambda filled: filled.column.omit)
        if not first_to_go.column.omit:
            break
        columns.remove(first_to_go)
    spare = max(0, width + gap - sum(filled.least + gap for filled in columns))
    laid = []
    for filled in columns:
        more = min(spare, filled.most - filled.least)
        spare -= more
        laid.append(filled.lay(filled.least + more))
    return "\n".join(_lines(laid, width, " " * gap))


class _FilledColumn:
    """A column with its cells, of which the first is its head."""

    def __init__(self, column: Column, cells: Sequence[str]) -> None:
        self.column = column
        self.cells = [printable(cell) for cell in (column.head, *cells)]
        self.most = max(column.width, *map(len, self.cells))
        self.least = min(self.most, column.least) if column.shorten else self.most

    def lay(self, width: int) -> list[str]:
        """Return the cells, each of this width."""
        cells = self.cells
        if self.column.shorten is not None:
            cells = [self.column.shorten(cell, width) for cell in cells]
        return [f"{cell:{self.column.align}{width}}" for cell in cells]


def _lines(columns: Sequence[Sequence[str]], width: int, gap: str) -> Iterator[str]:
    """Yield the lines of a table, or of several where the columns do not fit beside each other."""
    first, *rest = columns
    count = len(rest)
    while count > 1 and len(gap.join(column[0] for column in (first, *rest[:count]))) > width:
        count -= 1
    for line in zip(first, *rest[:count], strict=True):
        yield gap.join(line).rstrip()
    if rest[count:]:
        yield from _lines([first, *rest[count:]], width, gap)


def cut_end(text: str, width: int) -> str:
    """Return the first `width` characters of a text."""
    return text[:width]


def cut_middle(text: str, width: int) -> str:
    """Return a text of at most `width` characters, with ``…`` instead of its middle."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def html_table(heads: Row, rows: Sequence[Row], id: str = "") -> str:
    """Return a table as HTML, optionally with an id."""

    def line(cells: Row, tag: str) -> str:
        return "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    attribute = f' id="{id}"' if id else ""
    head = f"<thead><tr>{line(heads, 'th')}</tr></thead>"
    return f"<table{attribute}>{head}<tbody>{body}</tbody></table>"


def html_page(title: str, parts: Iterable[str]) -> str:
    """Return a complete page from parts that are HTML."""
    return "".join(stream_page(title, parts))


def stream_page(title: str, parts: Iterable[str]) -> Iterator[str]:
    """Yield a complete page from parts that are HTML, without keeping them."""
    head, _, foot = PAGE.format(title=escape(title), body="\0").partition("\0")
    yield head
    for number, part in enumerate(parts):
        yield f"\n{part}" if number else part
    yield foot


def html_section(title: str, text: str, heads: Row, rows: Sequence[Row], id: str = "") -> str:
    """Return a table below a title and an optional text."""
    parts = [f"<h2>{escape(title)}</h2>", f"<p>{escape(text, quote=False)}</p>" if text else ""]
    return "\n".join([*filter(None, parts), html_table(heads, rows, id)])
