"""The branches of the compiled rules that tests take.

``python tests/laboratory/compilers/rules_branches.py`` compiles the rules and the scoring of both
games in a copy of the built working tree with gcov's counters, plays the golden games, the slow
references and the property tests, and lists the branches that were never taken. Needs gcc.
"""

import argparse
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections import defaultdict
from pathlib import Path

from working_copy import ROOT, copy

ORIGIN = re.compile(r"\s*/\* \"(trajan_ai/[^\"]+)\":(\d+)$")
GAMES = ("trajan", "forum_trajanum")
MODULES = ("rules", "scoring")
TESTS = ("tests/golden", "tests/reference", "tests/*/test_*_play.py",
         "tests/*/test_*_rare_rules.py")  # fmt: skip


def compile_counted(folder: Path, game: str, module: str) -> None:
    """Compile a module with counters, in place."""
    name = f"trajan_ai/{game}/{module}"
    c, o = folder / f"{game}-{module}.c", folder / f"{game}-{module}.o"
    library = folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
    cython = ["cython", "-3", "-o", c, f"ext/{name}.pyx"]
    directives = (
        "boundscheck=False",
        "wraparound=False",
        "cdivision=True",
        "initializedcheck=False",
    )
    cython += [part for one in directives for part in ("-X", one)]
    compiler = ["gcc", "-fPIC", "-O0", "--coverage", "-DNDEBUG", "-w", "-fno-strict-aliasing"]
    include = f"-I{sysconfig.get_path('include')}"
    for command in (
        [*cython, "-Iext", "--module-name", name.replace("/", ".")],
        [*compiler, include, "-c", c, "-o", o],
        [*compiler, "-shared", o, "-o", library],
    ):
        subprocess.run(command, cwd=folder, check=True)


def sources(text: str) -> dict[int, tuple[str, int]]:
    """Return for each line of C the line of Cython that it was made from."""
    found, place = {}, None
    for number, line in enumerate(text.splitlines(), start=1):
        told = ORIGIN.match(line)
        place = (told[1], int(told[2])) if told else place
        if place:
            found[number] = place
    return found


def branches(folder: Path) -> dict[tuple[str, int], list[int]]:
    """Return how often each branch of each line of the Cython functions was taken."""
    taken: dict[tuple[str, int], list[int]] = defaultdict(list)
    for game in GAMES:
        for module in MODULES:
            name = f"{game}-{module}"
            command = ["gcov", "--json-format", "--branch-probabilities", f"{name}.gcda"]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            of = sources((folder / f"{name}.c").read_text())
            told = json.loads(gzip.decompress((folder / f"{name}.gcov.json.gz").read_bytes()))
            (file,) = (file for file in told["files"] if file["file"].endswith(f"{name}.c"))
            here = defaultdict(list)
            for line in file["lines"]:
                if line.get("function_name", "").startswith("__pyx_f_"):
                    here[of[line["line_number"]]] += [b["count"] for b in line["branches"]]
            for place, counts in here.items():
                if f"trajan_ai/{game}/" in place[0] and len(counts) > len(taken[place]):
                    taken[place] = counts
    return taken


def main() -> None:
    """Compile, play, and print."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy(folder, "trajan_ai/**/*.so")
        for game in GAMES:
            for module in MODULES:
                compile_counted(folder, game, module)
        tests = [file for one in TESTS for file in sorted(glob.glob(one, root_dir=ROOT))]
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
            cwd=folder, env=os.environ | {"PYTHONPATH": name}, check=True,
        )  # fmt: skip
        taken = branches(folder)
        for game in GAMES:
            counts = [c for (path, _), line in taken.items() if f"/{game}/" in path for c in line]
            print(f"{game}: {sum(map(bool, counts))} of {len(counts)} branches taken")
        for (path, number), counts in sorted(taken.items()):
            if not all(counts):
                text = (ROOT / "ext" / path).read_text().splitlines()[number - 1].strip()
                print(f"{path}:{number}: {counts.count(0)} of {len(counts)} never: {text}")


if __name__ == "__main__":
    main()
