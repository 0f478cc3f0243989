"""Test mutants of the sources one by one, and report those that no test detects.

``python tests/experiments/mutants.py 'ext/trajan_ai/games/trajan/[r-s]*.p*' --tests tests/golden
tests/games/trajan --number 20 --folder FOLDER`` draws 20 mutants by a seed. For each it compiles
the copy in FOLDER and runs the tests until one fails. Results in FOLDER are not repeated, so a
killed run resumes.

A mutant that does not compile is *rejected*. One that makes a test fail, crash or take five times
as long is *killed*; all others have *survived*. The operators are the usual ones (Offutt et al.,
An Experimental Determination of Sufficient Mutant Operators, TOSEM 5, 1996, section 3) that suit
rules: a comparison, a constant plus one, plus for minus, a removed condition, a removed line, and
for or, min for max.
"""

import argparse
import glob
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "+": "-", "-": "+", "+=": "-=", "-=": "+=", "*": "+", "//": "*", "<<": ">>", ">>": "<<",
    "&": "|", "|": "&", "and": "or", "or": "and", "min": "max", "max": "min",
    "min_int": "max_int", "max_int": "min_int", "True": "False", "False": "True",
    "break": "continue",
}  # fmt: skip
NOT_CODE = re.compile(
    r"\s*(#|@|import |from |cimport |cdef (?![^(]+ = )|cpdef |def |class |return$|ctypedef |raise "
    r"|assert )"
)
REMOVABLE = re.compile(r"\s*[\w.\[\]]+(\(.*\)|\s(=|[-+|&^]=)\s.*)$")  # a call or an assignment
CONDITION = re.compile(r"(\s*(?:if|elif) )(.+):$")
PATIENCE = 5  # times the duration of the tests without a mutant


class Mutant(NamedTuple):
    """Text `old` at a line and column, both from 1, that becomes `new`."""

    file: str
    line: int
    column: int
    old: str
    new: str

    def apply(self, source):
        lines = source.splitlines(keepends=True)
        text, start = lines[self.line - 1], self.column - 1
        lines[self.line - 1] = text[:start] + self.new + text[start + len(self.old) :]
        return "".join(lines)


def list_mutants(file, source):
    lines, mutants, in_text = source.splitlines(), [], set()
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token in tokens:
        if token.type == tokenize.STRING and token.start[0] != token.end[0]:
            in_text |= set(range(token.start[0], token.end[0] + 1))
    code = {
        number: text
        for number, text in enumerate(lines, start=1)
        if number not in in_text and not NOT_CODE.match(text)
    }
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        number, column = token.start
        if "->" in code.get(number, "->"):
            continue
        if token.type == tokenize.NUMBER and token.string.isdigit():
            new = str(int(token.string) + 1)
            mutants.append(Mutant(file, number, column + 1, token.string, new))
        elif token.string in SWAPS and is_binary(before, token, after):
            mutants.append(Mutant(file, number, column + 1, token.string, SWAPS[token.string]))
    for number, text in code.items():
        if REMOVABLE.match(text) and text.count("(") == text.count(")"):
            indent = len(text) - len(text.lstrip())
            mutants.append(Mutant(file, number, indent + 1, text.strip(), "pass"))
        if condition := CONDITION.match(text):
            start, old = condition.groups()
            mutants += [
                Mutant(file, number, len(start) + 1, old, new) for new in ("True", "False")
            ]
    return sorted(mutants)


def is_binary(before, token, after):
    """Whether an operator is between two operands, or a word is a keyword or function."""
    if token.string.isidentifier():
        return not token.string.startswith(("min", "max")) or after.string == "("
    operand = before.type in (tokenize.NAME, tokenize.NUMBER) or before.string in (")", "]")
    spaced = before.line[: token.start[1]].endswith(" ")
    pointer = token.string in ("*", "&", "-", "+") and not spaced
    return operand and not pointer and before.string not in ("return", "in", "if", "and", "or")


def copy(folder):
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    compiled = [*ROOT.glob("ext/**/*.c"), *ROOT.glob("trajan_ai/**/*.so")]
    for path in [*(ROOT / name for name in names.split("\0") if name), *compiled]:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if os.path.lexists(path):
            shutil.copy2(path, target, follow_symlinks=False)


def build(tree):
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    environment = os.environ | {"TRAJAN_CFLAGS": "-O1"}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False)


def run_tests(tree, tests, limit):
    """Run tests; return the one that fails, how else they ended, or None if all is well."""
    patterns = [sorted(glob.glob(one, root_dir=tree)) for one in tests]
    files = list(dict.fromkeys(file for one in patterns for file in one))
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "--long", *files]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True,
            timeout=limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "took too long"
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    return failed[1] if failed else f"status {done.returncode}" if done.returncode else None


def fate_of(mutant, tree, tests, limit):
    """Apply one mutant, return its fate, and restore the source."""
    source = (ROOT / mutant.file).read_text()
    (tree / mutant.file).write_text(mutant.apply(source))
    try:
        if build(tree).returncode:
            return {"fate": "rejected"}
        by = run_tests(tree, tests, limit)
        return {"fate": "killed", "by": by} if by else {"fate": "survived"}
    finally:
        (tree / mutant.file).write_text(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", help="patterns of the files to mutate")
    parser.add_argument(
        "--tests", nargs="+", required=True, help="patterns, in the order of running"
    )
    parser.add_argument("--number", type=int, default=20, help="of mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "mutants"))
    arguments = parser.parse_args()
    tree, notes = arguments.folder.resolve() / "tree", arguments.folder / "fates.jsonl"
    files = sorted({file for one in arguments.sources for file in glob.glob(one, root_dir=ROOT)})
    every = [mutant for file in files for mutant in list_mutants(file, (ROOT / file).read_text())]
    drawn = random.Random(arguments.seed).sample(every, min(arguments.number, len(every)))
    copy(tree)
    build(tree).check_returncode()
    begin = time.monotonic()
    if fails := run_tests(tree, arguments.tests, None):
        sys.exit(f"without a mutant: {fails}")
    limit = PATIENCE * (time.monotonic() - begin)
    lines = notes.read_text().splitlines() if notes.exists() else []
    fates = {Mutant(*mutant): fate for mutant, fate in map(json.loads, lines)}
    for mutant in drawn:
        if mutant not in fates:
            fates[mutant] = fate_of(mutant, tree, arguments.tests, limit)
            with notes.open("a") as file:
                file.write(json.dumps([mutant, fates[mutant]]) + "\n")
        where = f"{mutant.file}:{mutant.line}:{mutant.column}"
        result = " by ".join(fates[mutant].values())
        print(f"{where}: `{mutant.old}` -> `{mutant.new}`: {result}", flush=True)
    print(dict(Counter(fates[mutant]["fate"] for mutant in drawn)))


if __name__ == "__main__":
    main()
