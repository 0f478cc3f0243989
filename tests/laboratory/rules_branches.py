"""The branches of the compiled rules that tests take.

``python tests/laboratory/rules_branches.py`` compiles a copy of the working tree with gcov's
counters, plays the golden games, the slow references and the property tests, and lists the
branches of the rules and the scoring of both games that were never taken. Needs gcc.
"""

import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from working_copy import ROOT, build, copy

ORIGIN = re.compile(r"\s*/\* \"(trajan_ai/[^\"]+)\":(\d+)$")
GAMES = ("trajan", "forum_trajanum")
MODULES = ("rules", "scoring")
TESTS = ("tests/golden", "tests/reference", "tests/*/test_*_play.py",
         "tests/*/test_*_rules_*.py", "tests/*/test_*_scoring.py")  # fmt: skip


def origins(text):
    """Return for each line of C the line of Cython that it was made from."""
    found, place = {}, None
    for number, line in enumerate(text.splitlines(), start=1):
        told = ORIGIN.match(line)
        place = (told[1], int(told[2])) if told else place
        if place:
            found[number] = place
    return found


def branches(folder, game):
    """Return how often each branch of each line of the Cython functions was taken."""
    taken = defaultdict(list)
    for module in MODULES:
        name = f"ext/trajan_ai/{game}/{module}"
        (counts,) = folder.glob(f"build/*/{name}.gcda")
        command = ["gcov", "--json-format", "--branch-probabilities", counts]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        of = origins((folder / f"{name}.c").read_text())
        told = json.loads(gzip.decompress((folder / f"{module}.gcov.json.gz").read_bytes()))
        (file,) = (file for file in told["files"] if file["file"].endswith(f"{name}.c"))
        here = defaultdict(list)
        for line in file["lines"]:
            if line.get("function_name", "").startswith("__pyx_f_"):
                here[of[line["line_number"]]] += [b["count"] for b in line["branches"]]
        for place, times in here.items():
            if f"trajan_ai/{game}/" in place[0] and len(times) > len(taken[place]):
                taken[place] = times
    return taken


def main():
    """Compile, play, and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(folder)
        build(folder, TRAJAN_CFLAGS="-O0 --coverage -w").check_returncode()
        tests = [file for one in TESTS for file in sorted(glob.glob(one, root_dir=ROOT))]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
            cwd=folder, env=os.environ | {"PYTHONPATH": name}, check=True,
        )  # fmt: skip
        taken = {game: branches(folder, game) for game in GAMES}
    for game, lines in taken.items():
        counts = [count for line in lines.values() for count in line]
        print(f"{game}: {sum(map(bool, counts))} of {len(counts)} branches taken")
        for (path, number), times in sorted(lines.items()):
            if not all(times):
                text = (ROOT / "ext" / path).read_text().splitlines()[number - 1].strip()
                print(f"{path}:{number}: {times.count(0)} of {len(times)} never: {text}")


if __name__ == "__main__":
    main()
