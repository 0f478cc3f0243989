"""Format tables as text for terminals."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from trajan_ai.core.errors import printable

Row = Sequence[str]
TABLE_WIDTH = 80  # columns of a terminal into which every table of results fits


@dataclass(frozen=True)
class Column:
    """A column of a text table.

    Attributes:
        head: the heading.
        align: ``<`` for text, ``>`` for numbers.
        width: the minimum width, to which narrower cells are padded.
        shorten: a function that cuts a text to a width, for text in a narrow terminal. Without
            this function, the cells are never cut.
        least: the smallest width to which cells are cut.
        omit: the rank of the column when columns are omitted in a narrow terminal. The column with
            the largest rank is omitted first, and a column with rank 0 is never omitted.
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

    A column given as a string is left-aligned if it is the first one, and right-aligned otherwise.
    Control characters in the cells are escaped.

    If the table is wider than `width`, texts are cut first, and then columns are omitted. If the
    table is still too wide, the columns that do not fit follow in further tables, each of which
    repeats the first column.
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
    """A column with its cells, the first of which is the heading."""

    def __init__(self, column: Column, cells: Sequence[str]) -> None:
        self.column = column
        self.cells = [printable(cell) for cell in (column.head, *cells)]
        self.most = max(column.width, *map(len, self.cells))
        self.least = min(self.most, column.least) if column.shorten else self.most

    def lay(self, width: int) -> list[str]:
        """Return the cells, padded or cut to this width."""
        cells = self.cells
        if self.column.shorten is not None:
            cells = [self.column.shorten(cell, width) for cell in cells]
        return [f"{cell:{self.column.align}{width}}" for cell in cells]


def _lines(columns: Sequence[Sequence[str]], width: int, gap: str) -> Iterator[str]:
    """Yield the lines of a table, or of several tables if the columns do not fit side by side."""
    first, *rest = columns
    count = len(rest)
    while count > 1 and len(gap.join(column[0] for column in (first, *rest[:count]))) > width:
        count -= 1
    for line in zip(first, *rest[:count], strict=True):
        yield gap.join(line).rstrip()
    if rest[count:]:
        yield from _lines([first, *rest[count:]], width, gap)


def cut_list(text: str, width: int) -> str:
    """Return the first entries of a list that fit into a width, or the beginning of the first
    one."""
    if len(text) <= width:
        return text
    return text[: width + 1].rpartition(", ")[0] or text[:width]


def cut_middle(text: str, width: int) -> str:
    """Return a text of at most `width` characters, with ``…`` instead of its middle."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"
