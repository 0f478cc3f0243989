"""Test mutants of the sources one by one, and report those that no test detects.

``python tests/experiments/mutants.py 'trajan_ai/**/*.py' 'ext/**/*.p*' --number 300 --seed 46
--folder FOLDER`` draws 300 mutants with equal probability. It applies each mutant to a copy of the
sources in FOLDER, and runs tests until one fails. Results in FOLDER are not repeated, so a killed
run resumes.

A mutant in Python is tested with the quick tests that execute its line, the fastest first; the
package coverage records once which tests execute which line. Other mutants, and mutants that pass
these tests, are tested with the tests of their package. With --tests, mutants are tested only with
the named tests. Mutants in JavaScript require the packages that `npm ci` installs.

A mutant that does not compile is *rejected*. A mutant that makes a test fail, crash or take five
times as long is *killed*; every other mutant has *survived*. Of the usual operators (Offutt et
al., An Experimental Determination of Sufficient Mutant Operators, TOSEM 5, 1996, section 3), the
following suit rules of games: another comparison, a constant plus one, plus instead of minus, a
removed condition, a removed line, `and` instead of `or`, and `min` instead of `max`.
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
from itertools import accumulate, pairwise
from multiprocessing import Process
from pathlib import Path
from typing import NamedTuple

import pytest

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
# JavaScript
JS_SWAPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===",
    "+": "-", "-": "+", "+=": "-=", "-=": "+=", "*": "+", "&&": "||", "||": "&&",
    "min": "max", "max": "min", "true": "false", "false": "true",
}  # fmt: skip
JS_STATEMENT = re.compile(r"\s*[\w.]+(\(.*\)|\s[-+]?=\s.*);$")  # a call or an assignment
JS_TOKENS = """
const options = { ecmaVersion: "latest", sourceType: "module", loc: true };
const tokens = require("espree").tokenize(require("fs").readFileSync(0, "utf8"), options);
const rows = tokens.map(({ value, loc: { start } }) => [value, start.line, start.column]);
process.stdout.write(JSON.stringify(rows));
"""
PATIENCE = 5  # multiple of the duration of the tests without a mutant
MAX_SECONDS = 30  # maximum duration of the tests that execute a line, in seconds


class Mutant(NamedTuple):
    """The replacement of `old` by `new` at a line and a column, which are counted from 1."""

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
    if file.endswith(".js"):
        return list_javascript(file, source)
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


def list_javascript(file, source):
    """Return the mutants of a JavaScript file, found among the tokens of the linter's parser."""
    command = ["node", "-e", JS_TOKENS]
    done = subprocess.run(
        command, cwd=ROOT, input=source, text=True, capture_output=True, check=True
    )
    tokens, lines, mutants = json.loads(done.stdout), source.splitlines(), []
    for before, (text, number, column) in pairwise(tokens):
        operand = re.fullmatch(r"[\w$]+|[)\]]", before[0])
        if text.isdigit():
            mutants.append(Mutant(file, number, column + 1, text, str(int(text) + 1)))
        elif text in ("min", "max", "true", "false") or (text in JS_SWAPS and operand):
            mutants.append(Mutant(file, number, column + 1, text, JS_SWAPS[text]))
        elif text == "(" and before[0] == "if":
            start, end = column + 1, closing(lines[number - 1], column)
            if old := lines[number - 1][start:end]:
                mutants += [Mutant(file, number, start + 1, old, new) for new in ("true", "false")]
    for number, line in enumerate(lines, start=1):
        if JS_STATEMENT.match(line):
            indent = len(line) - len(line.lstrip())
            mutants.append(Mutant(file, number, indent + 1, line.strip(), ";"))
    return sorted(mutants)


def closing(line, start):
    """Return the index of the parenthesis that closes that at `start`, or `start` if none does."""
    depths = accumulate((char == "(") - (char == ")") for char in line[start:])
    return start + next((at for at, depth in enumerate(depths) if depth == 0), 0)


def is_binary(before, token, after):
    """Return whether an operator is binary, or a word is a keyword or a function."""
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


class Tracer:
    """A plugin of pytest that records which tests execute each line, fastest test first."""

    def __init__(self, tree):
        import coverage  # imported here because only mutants in Python need it

        sources = [str(tree / "trajan_ai")]
        self.coverage = coverage.Coverage(data_file=None, config_file=False, source=sources)
        self.coverage.set_option("run:disable_warnings", ["trace-changed"])
        self.coverage.start()
        self.seconds = {}  # seconds of each test that passes

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.coverage.stop()
        self.coverage.start()  # started again, since a test may have set another trace function
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.seconds[report.nodeid] = report.duration

    def save(self, tree, notes):
        self.coverage.stop()
        data = self.coverage.get_data()
        numbers = {test: number for number, test in enumerate(self.seconds)}
        lines = {
            str(Path(file).relative_to(tree)): {
                line: [numbers[test] for test in tests if test in numbers]
                for line, tests in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        notes.write_text(json.dumps([[*self.seconds.items()], lines]))


def trace(tree, notes):
    """Run the quick tests in this process, and write to a file which tests execute each line."""
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    tracer = Tracer(tree)
    pytest.main(["-p", "no:cacheprovider", "-m", "quick", "tests"], plugins=[tracer])
    tracer.save(tree, notes)


def tests_of(mutant, traced):
    """Return the tests that execute the mutant's line, or its file if the line runs on import.

    The fastest tests come first, and their seconds add up to at most MAX_SECONDS.
    """
    tests, files = traced
    lines = {int(line): numbers for line, numbers in files.get(mutant.file, {}).items()}
    start = max((line for line in lines if line <= mutant.line), default=0)
    numbers = lines.get(start) or {number for one in lines.values() for number in one}
    fastest = sorted((tests[number] for number in numbers), key=lambda test: test[1])
    sums = accumulate(seconds for _, seconds in fastest)
    return [name for (name, _), sum in zip(fastest, sums, strict=True) if sum < MAX_SECONDS]


def build(tree):
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    environment = os.environ | {"TRAJAN_CFLAGS": "-O1"}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False)


def run_tests(tree, tests, limit):
    """Run tests; return the name of the first failed test, another reason, or None if all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests]
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


class Judge:
    """Runs tests on mutants in a copy of the sources."""

    def __init__(self, folder, tests):
        self.tree = folder / "tree"
        self.tests = tests
        self.notes = folder / "lines.json"
        self.traced = None
        self.limits = {}  # time limits of test files, in seconds
        copy(self.tree)
        build(self.tree).check_returncode()

    def fate_of(self, mutant):
        """Apply one mutant, return its fate, and restore the source."""
        source = (ROOT / mutant.file).read_text()
        is_traced = mutant.file.endswith(".py") and not self.tests
        quick = self.traced_tests(mutant) if is_traced else []
        files = self.files_of(mutant)
        if files not in self.limits:
            begin = time.monotonic()
            if fails := run_tests(self.tree, files, None):
                sys.exit(f"without a mutant: {fails}")
            self.limits[files] = PATIENCE * (time.monotonic() - begin)
        (self.tree / mutant.file).write_text(mutant.apply(source))
        try:
            if not self.compiles(mutant):
                return {"fate": "rejected"}
            by = quick and run_tests(self.tree, quick, PATIENCE * MAX_SECONDS)
            by = by or run_tests(self.tree, files, self.limits[files])
            return {"fate": "killed", "by": by} if by else {"fate": "survived"}
        finally:
            (self.tree / mutant.file).write_text(source)

    def traced_tests(self, mutant):
        if not self.notes.exists():
            tracing = Process(target=trace, args=(self.tree, self.notes))
            tracing.start()
            tracing.join()
        self.traced = self.traced or json.loads(self.notes.read_text())
        return tests_of(mutant, self.traced)

    def files_of(self, mutant):
        """Return the test files for a mutant: the files of --tests, or of the mutant's package."""
        package = mutant.file.removeprefix("ext/").split("/")[1]
        patterns = self.tests or [f"tests/{package}/**/test_*.py"]
        lists = (glob.glob(one, root_dir=self.tree, recursive=True) for one in patterns)
        return tuple(dict.fromkeys(file for files in lists for file in sorted(files)))

    def compiles(self, mutant):
        if mutant.file.endswith(".js"):
            return True
        if not mutant.file.endswith(".py"):
            return build(self.tree).returncode == 0
        try:
            compile((self.tree / mutant.file).read_text(), mutant.file, "exec")
        except SyntaxError:
            return False
        return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", help="patterns of the files to mutate")
    parser.add_argument("--tests", nargs="+", help="patterns of test files, in running order")
    parser.add_argument("--number", type=int, default=20, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "mutants"))
    arguments = parser.parse_args()
    lists = (glob.glob(one, root_dir=ROOT, recursive=True) for one in arguments.sources)
    files = sorted({file for files in lists for file in files})
    every = [mutant for file in files for mutant in list_mutants(file, (ROOT / file).read_text())]
    if not every:
        parser.error(f"nothing to change in {', '.join(files) or 'these files: there are none'}")
    drawn = random.Random(arguments.seed).sample(every, min(arguments.number, len(every)))
    notes = arguments.folder / "fates.jsonl"
    judge = Judge(arguments.folder.resolve(), arguments.tests)
    lines = notes.read_text().splitlines() if notes.exists() else []
    fates = {Mutant(*mutant): fate for mutant, fate in map(json.loads, lines)}
    for mutant in drawn:
        if mutant not in fates:
            fates[mutant] = judge.fate_of(mutant)
            with notes.open("a") as file:
                file.write(json.dumps([mutant, fates[mutant]]) + "\n")
        where = f"{mutant.file}:{mutant.line}:{mutant.column}"
        result = " by ".join(fates[mutant].values())
        print(f"{where}: `{mutant.old}` -> `{mutant.new}`: {result}", flush=True)
    print(dict(Counter(fates[mutant]["fate"] for mutant in drawn)))


if __name__ == "__main__":
    main()
