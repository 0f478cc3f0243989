"""Show boards whose hashes differ from those in a commit, old next to new, in both themes.

    python tests/experiments/compare_boards.py [--commit HEAD] [--out boards.html]

The boards are those of tests/snapshots/test_drawings.py. The commit's Python files draw the old
boards with the compiled modules of the working tree.
"""

from __future__ import annotations

import argparse
import html
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from trajan_ai.core.look import style_sheet

ROOT = Path(__file__).parent.parent.parent
DRAW = """
import json, sys
sys.path[:0] = sys.argv[1:]
from test_drawings import TABLES, draw_boards
boards = (board for game, table in TABLES for board in draw_boards(game, table))
print(json.dumps({label: svg for label, svg, _ in boards}))
"""
PAGE = """<!doctype html>
<meta charset="utf-8">
<title>Boards that differ</title>
<style>
body {{ font-family: sans-serif; }}
section {{ display: grid; grid-template-columns: 1fr 1fr; gap: 8px; }}
h2 {{ grid-column: 1 / -1; margin: 1em 0 0; }}
iframe {{ width: 100%; height: 820px; border: 1px solid #888; }}
</style>
<h1>{count} of {all} boards differ: {commit} on the left, now on the right, light above dark</h1>
{body}
"""


def draw(package: Path) -> dict[str, str]:
    """Return the boards that the package in the folder `package` draws, as SVG by label."""
    tests = [str(ROOT / "tests" / name) for name in ("snapshots", "helpers")]
    run = subprocess.run(
        [sys.executable, "-c", DRAW, str(package), *tests],
        stdout=subprocess.PIPE, check=True, cwd=package, text=True,
    )  # fmt: skip
    boards: dict[str, str] = json.loads(run.stdout)
    return boards


def extract(commit: str, folder: Path) -> None:
    """Extract a commit's package to a folder, with the compiled modules of the working tree."""
    archive = subprocess.run(
        ["git", "archive", commit, "trajan_ai"], stdout=subprocess.PIPE, check=True, cwd=ROOT
    )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    for module in (ROOT / "trajan_ai").rglob("*.so"):
        os.symlink(module, folder / module.relative_to(ROOT))


def frame(svg: str, theme: str) -> str:
    """Return a drawing in a separate document, since both drawings use the same ids."""
    page = f'<html data-theme="{theme}"><style>{style_sheet()} svg {{ width: 100% }}</style>{svg}'
    return f'<iframe loading="lazy" srcdoc="{html.escape(page)}"></iframe>'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--out", type=Path, default=Path("boards.html"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        extract(arguments.commit, Path(folder))
        old = draw(Path(folder))
    new = draw(ROOT)
    differing = [label for label in new if old.get(label) != new[label]]
    body = "".join(
        f"<section><h2>{label}</h2>"
        + "".join(
            frame(boards.get(label, ""), theme)
            for theme in ("light", "dark")
            for boards in (old, new)
        )
        + "</section>"
        for label in differing
    )
    page = PAGE.format(count=len(differing), all=len(new), commit=arguments.commit, body=body)
    arguments.out.write_text(page, encoding="utf-8")
    print(f"{len(differing)} of {len(new)} boards differ: {arguments.out}")


if __name__ == "__main__":
    main()
