"""Format small tables for terminals, notebooks and pages."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

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


def text_table(heads: Row, rows: Sequence[Row]) -> str:
    """Return a table as text: the first column left-aligned, the others right-aligned.

    Control characters in the cells are escaped.
    """
    lines = [[printable(cell) for cell in line] for line in (heads, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join(
        "  ".join(
            f"{cell:{'>' if i else '<'}{width}}"
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


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
