"""The tables of docs/study.md, made again from the report of a study.

``python tests/laboratory/study_page.py results/what-wins/report.md docs/study.md``: in the page, a
table whose first head is a game has a row for each figure that it tells, by its name in the
report, ``group: item``, and a column for each table of the game that knows one of them; one whose
first head is ``claim`` has the claims. Other lines stay as they are.
"""

import argparse
from itertools import groupby
from pathlib import Path


def cells(line):
    """Return what is between the bars of a row."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def told(report):
    """Return by game and figure, or by claim, the cells by head."""
    found = {}
    for section in report.split("\n## ")[1:]:
        title, *lines = section.replace(" players", "").splitlines()
        rows = [cells(line) for line in lines if line.startswith("|")]
        game, _, group = title.partition(": ")
        if title == "Claims":
            for claim, _, head, figure, verdict in rows[2:]:
                said = "open" if verdict == "open" else f"**{verdict}**"
                found.setdefault(("claim", claim), {})[head] = f"{figure} {said}"
        elif group:
            for item, *figures in rows[2:]:
                found[game, f"{group}: {item}"] = dict(zip(rows[0][1:], figures, strict=True))
    return found


def renewed(page, found):
    """Yield the lines of the page with its tables told anew, without columns of nothing."""
    for is_table, block in groupby(page.splitlines(), lambda line: line.startswith("|")):
        lines = list(block)
        kind, _, *names = [cells(line)[0] for line in lines] if is_table else ["", ""]
        known = [row for (of, _), row in found.items() if of == kind]
        if not known:
            yield from lines
            continue
        rows = [found[kind, name] for name in names]
        heads = [
            head
            for head in dict.fromkeys(head for row in known for head in row)
            if "varied" not in head and any(row.get(head) for row in rows)
        ]
        yield row_of([kind, *heads])
        yield "|" + "---|" * (1 + len(heads))
        for name, row in zip(names, rows, strict=True):
            yield row_of([name, *(row.get(head, "") for head in heads)])


def row_of(values):
    """Return a row of a table."""
    return f"| {' | '.join(values)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("page", type=Path)
    paths = parser.parse_args()
    figures = told(paths.report.read_text("utf-8"))
    lines = list(renewed(paths.page.read_text("utf-8"), figures))
    paths.page.write_text("\n".join(lines) + "\n", "utf-8")
