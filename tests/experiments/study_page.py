"""Regenerate the tables of docs/lab/study.md from the report of a study.

    python tests/experiments/study_page.py results/what-wins/report.md docs/lab/study.md

Two kinds of tables are regenerated. If the first heading is the name of a game, each row is a
figure of the report, called ``group: item``, and each column is a number of players and a layer.
If the first heading is ``claim``, each row is a claim and each column is a layer; a cell contains
verdicts and figures in the order of the numbers of players. Everything else on the page stays the
same.
"""

import argparse
from itertools import groupby
from pathlib import Path


def split_row(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def format_row(cells):
    return f"| {' | '.join(cells)} |"


def read_figures(report):
    """Return the rows of a report, each as a dictionary from column headings to cells.

    The result is keyed by ``(game, "group: item")`` and ``("claim", text)``.
    """
    figures, verdicts = {}, {}
    for section in report.split("\n## ")[1:]:
        title, *lines = section.replace(" players", "").splitlines()
        rows = [split_row(line) for line in lines if line.startswith("|")]
        game, _, group = title.partition(": ")
        if title == "Claims":
            for claim, _, head, figure, verdict in rows[2:]:
                _, _, layer = head.partition(", ")
                judged = verdicts.setdefault(("claim", claim), {}).setdefault(layer, [])
                judged.append((verdict, figure.partition(" ")[0]))
        elif group:
            for item, *cells in rows[2:]:
                figures[game, f"{group}: {item}"] = dict(zip(rows[0][1:], cells, strict=True))
    for key, layers in verdicts.items():
        figures[key] = {layer: format_verdicts(judged) for layer, judged in layers.items()}
    return figures


def format_verdicts(judged):
    """Return the verdicts, each followed by the figures to which it applies.

    >>> format_verdicts([("holds", "0.4"), ("fails", "−0.1"), ("fails", "−0.3")])
    '**holds** (0.4), **fails** (−0.1, −0.3)'
    """
    parts = []
    for verdict, part in groupby(judged, lambda one: one[0]):
        text = "open" if verdict == "open" else f"**{verdict}**"
        parts.append(f"{text} ({', '.join(figure for _, figure in part)})")
    return ", ".join(parts)


def regenerate_tables(page, figures):
    """Yield the lines of the page, in whose tables new cells replace those in the same places."""
    for is_table, block in groupby(page.splitlines(), lambda line: line.startswith("|")):
        lines = list(block)
        kind, _, *names = [split_row(line)[0] for line in lines] if is_table else ["", ""]
        if not any(of == kind for of, _ in figures):
            yield from lines
            continue
        rows = [figures[kind, name] for name in names]
        heads = split_row(lines[0])[1:]
        yield format_row([kind, *heads])
        yield "|" + "---|" * (1 + len(heads))
        for name, row in zip(names, rows, strict=True):
            yield format_row([name, *(row.get(head, "") for head in heads)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path)
    parser.add_argument("page", type=Path)
    paths = parser.parse_args()
    figures = read_figures(paths.report.read_text("utf-8"))
    lines = regenerate_tables(paths.page.read_text("utf-8"), figures)
    paths.page.write_text("\n".join(lines) + "\n", "utf-8")
