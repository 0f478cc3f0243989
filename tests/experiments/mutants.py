"""Plant faults in a copy of the sources, one after another, and report those that no test notices.

``python tests/experiments/mutants.py 'ext/trajan_ai/games/trajan/[r-s]*.p*' --tests tests/golden
tests/games/trajan --number 20 --folder FOLDER`` draws 20 faults by a seed, and for each compiles
the copy in FOLDER and runs the tests until one fails. What is already in
FOLDER is not repeated, so a killed run resumes.

A fault that does not compile is *refused*; one that makes a test fail, crash or run five times as
long as before is *killed*; what is left has *survived*. The faults are the usual ones (Offutt et
al., An Experimental Determination of Sufficient Mutant Operators, TOSEM 5, 1996, section 3),
chosen for what goes wrong in rules: a comparison, a constant by one, plus for minus, a lost
condition, a lost line, and for or, least for most.
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
SWAPPED = {
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
LOSABLE = re.compile(r"\s*[\w.\[\]]+(\(.*\)|\s(=|[-+|&^]=)\s.*)$")  # a call or an assignment
CONDITION = re.compile(r"(\s*(?:if|elif) )(.+):$")
PATIENCE = 5  # times what the tests take without a fault


class Fault(NamedTuple):
    """Text `old` at a line and column, both from 1, that becomes `new`."""

    file: str
    line: int
    column: int
    old: str
    new: str

    def planted(self, source):
        """Return the source with this fault."""
        lines = source.splitlines(keepends=True)
        text, start = lines[self.line - 1], self.column - 1
        lines[self.line - 1] = text[:start] + self.new + text[start + len(self.old) :]
        return "".join(lines)


def faults(file, source):
    """Return every fault that can be planted in a source text, from top to bottom."""
    lines, found, in_text = source.splitlines(), [], set()
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
            found.append(Fault(file, number, column + 1, token.string, new))
        elif token.string in SWAPPED and binary(before, token, after):
            found.append(Fault(file, number, column + 1, token.string, SWAPPED[token.string]))
    for number, text in code.items():
        if LOSABLE.match(text) and text.count("(") == text.count(")"):
            indent = len(text) - len(text.lstrip())
            found.append(Fault(file, number, indent + 1, text.strip(), "pass"))
        if condition := CONDITION.match(text):
            start, old = condition.groups()
            found += [Fault(file, number, len(start) + 1, old, new) for new in ("True", "False")]
    return sorted(found)


def binary(before, token, after):
    """Whether an operator stands between two operands, or a word is used as itself."""
    if token.string.isidentifier():
        return not token.string.startswith(("min", "max")) or after.string == "("
    operand = before.type in (tokenize.NAME, tokenize.NUMBER) or before.string in (")", "]")
    spaced = before.line[: token.start[1]].endswith(" ")
    pointer = token.string in ("*", "&", "-", "+") and not spaced
    return operand and not pointer and before.string not in ("return", "in", "if", "and", "or")


def copy(folder):
    """Copy the sources to `folder`, and what was made from them."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    made = [*ROOT.glob("ext/**/*.c"), *ROOT.glob("trajan_ai/**/*.so")]
    for path in [*(ROOT / name for name in names.split("\0") if name), *made]:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if os.path.lexists(path):
            shutil.copy2(path, target, follow_symlinks=False)


def build(tree):
    """Compile the copy; return the ended process."""
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    environment = os.environ | {"TRAJAN_CFLAGS": "-O1"}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False)


def tested(tree, tests, limit):
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


def fate_of(fault, tree, tests, limit):
    """Plant one fault, tell its fate, and take it away."""
    source = (ROOT / fault.file).read_text()
    (tree / fault.file).write_text(fault.planted(source))
    try:
        if build(tree).returncode:
            return {"fate": "refused"}
        by = tested(tree, tests, limit)
        return {"fate": "killed", "by": by} if by else {"fate": "survived"}
    finally:
        (tree / fault.file).write_text(source)


def main():
    """Try faults, note their fates, and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", help="files that get faults, as patterns")
    parser.add_argument("--tests", nargs="+", required=True, help="as patterns, in this order")
    parser.add_argument("--number", type=int, default=20, help="of faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "mutants"))
    arguments = parser.parse_args()
    tree, notes = arguments.folder.resolve() / "tree", arguments.folder / "fates.jsonl"
    files = sorted({file for one in arguments.sources for file in glob.glob(one, root_dir=ROOT)})
    every = [fault for file in files for fault in faults(file, (ROOT / file).read_text())]
    drawn = random.Random(arguments.seed).sample(every, min(arguments.number, len(every)))
    copy(tree)
    build(tree).check_returncode()
    begin = time.monotonic()
    if fails := tested(tree, arguments.tests, None):
        sys.exit(f"without a fault: {fails}")
    limit = PATIENCE * (time.monotonic() - begin)
    lines = notes.read_text().splitlines() if notes.exists() else []
    known = {Fault(*fault): fate for fault, fate in map(json.loads, lines)}
    for fault in drawn:
        if fault not in known:
            known[fault] = fate_of(fault, tree, arguments.tests, limit)
            with notes.open("a") as file:
                file.write(json.dumps([fault, known[fault]]) + "\n")
        where = f"{fault.file}:{fault.line}:{fault.column}"
        told = " by ".join(known[fault].values())
        print(f"{where}: `{fault.old}` -> `{fault.new}`: {told}", flush=True)
    print(dict(Counter(known[fault]["fate"] for fault in drawn)))


if __name__ == "__main__":
    main()
