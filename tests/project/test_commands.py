"""Every command in CONTRIBUTING's table, and every script on a page, runs in a short form."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from calls import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SCRIPT = re.compile(
    r"tests/(?!helpers/)[\w/]+/(?!test_)\w+\.(?:py|sh)|(?<=-m )trajan_ai\.lab[\w.]+\w"
)
IN_CI = "a step of .ci/run"
BUILD = "python setup.py -q build_ext --inplace"
MODULE = "ext/trajan_ai/mcts/remaining.pyx"  # compiled alone, because all modules take minutes

# The short form of each command in the table.
COMMANDS = {
    BUILD: BUILD,
    f"TRAJAN_DEBUG=1 {BUILD} --force": f"TRAJAN_DEBUG=1 {BUILD} --force",
    f"TRAJAN_PORTABLE=1 {BUILD} --force": f"TRAJAN_PORTABLE=1 {BUILD} --force",
    "python -m pytest tests/core/test_names.py": "python -m pytest tests/core/test_names.py",
    "python -m pytest -m quick": "python -m pytest -m quick tests/core/test_paths.py",
    "python -m pytest": "python -m pytest tests/core/test_paths.py",
    "python -m pytest --long": "python -m pytest --long tests/core/test_paths.py",
    "python -m pytest tests/bench --benchmark-only": (
        "python -m pytest tests/bench --benchmark-only -k scheduling"
    ),
    "python tests/experiments/page_speed.py": "python tests/experiments/page_speed.py 2 1",
    "python tests/simulation/fault_injection.py --seed 7": (
        "python tests/simulation/fault_injection.py --seed 7"
    ),
    "python tests/experiments/mutants.py 'ext/trajan_ai/games/trajan/*.p*' --tests tests/golden"
    " tests/games/trajan": (
        "python tests/experiments/mutants.py 'ext/trajan_ai/mcts/remaining.p*'"
        " --tests tests/mcts/test_search_clock.py --number 1 --folder mutants"
    ),
    "python -m pytest tests/snapshots tests/project/test_docs.py"
    " tests/games/drawing/test_pictures.py tests/service/test_engine_schema.py --renew": (
        "python -m pytest tests/snapshots --renew -k usages"
    ),
    "python tests/experiments/compare_boards.py": "python tests/experiments/compare_boards.py",
    "python tests/experiments/pictures.py": "python tests/experiments/pictures.py table",
    "trajan-ai tournament quick": "trajan-ai tournament doubling.yaml --out doubling",
    "trajan-ai board results/quick/records.jsonl --record 18 --ply 50 --suggest 5"
    " --out docs/images/suggest.svg": (
        "trajan-ai board doubling/records.jsonl --record 18 --ply 50 --suggest 0.1 --out board.svg"
    ),
    "python tests/experiments/claims.py": "python tests/experiments/claims.py",
    "ruff check . && ruff format --check . && mypy": IN_CI,
    "npm ci": IN_CI,
    "npm run check": IN_CI,
    f'TRAJAN_CFLAGS="-O1 -g -fsanitize=address" {BUILD} --force': (
        f'TRAJAN_CFLAGS="-O1 -g -fsanitize=address" {BUILD} --force'
    ),
    "LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0"
    " python tests/core/wrong_calls.py 600 1": (
        "LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0"
        " python tests/core/wrong_calls.py 2 1 mcts.remaining"
    ),
    f"TRAJAN_CFLAGS=-g {BUILD} --force": f"TRAJAN_CFLAGS=-g {BUILD} --force",
    # perf needs permissions that not every machine grants, and valgrind is slow.
    "perf record -g -- python -m trajan_ai bench": "python -m trajan_ai bench --help",
    "valgrind --tool=callgrind python -m trajan_ai bench": "python -m trajan_ai bench --help",
    "python -m sphinx -W docs site": "python -m sphinx --version",  # test_site.py builds the site
    "trajan-ai site --out build/site": IN_CI,
    "python -m pytest --long tests/site tests/page": (
        "python -m pytest --long tests/site tests/page --collect-only"
    ),
    ".ci/run": IN_CI,
}

# The short form of each script that is named on a page but not in the table.
SCRIPTS = {
    "tests/experiments/arm.sh": "bash -n tests/experiments/arm.sh",  # needs an emulator
    "tests/experiments/baseline.py": IN_CI,
    "tests/experiments/convergence.py": (
        "python tests/experiments/convergence.py trajan 2"
        " --openings 1 --middles 1 --seeds 1 --doublings 1"
    ),
    "tests/experiments/doublings.py": (
        "trajan-ai tournament doubling.yaml --out doubling"
        " && python tests/experiments/doublings.py doubling.png doubling"
    ),
    # Even the smallest run takes half a minute; the same holds for predictions and reasons.
    "tests/experiments/endgames.py": "python tests/experiments/endgames.py --help",
    "tests/experiments/instructions.py": (  # the command that it runs with valgrind
        "python tests/experiments/instructions.py --task trajan 2 expert 10"
    ),
    "tests/experiments/kills.py": "python tests/experiments/kills.py --rounds 1 --only serve",
    "tests/experiments/long_run.py": (
        "python tests/experiments/long_run.py --minutes 0.2 --only searches"
    ),
    "tests/experiments/openspiel.py": "python tests/experiments/openspiel.py 0.01",
    "tests/experiments/predictions.py": "python tests/experiments/predictions.py --help",
    "tests/experiments/reasons.py": "python tests/experiments/reasons.py --help",
    "tests/experiments/reliability.py": "python tests/experiments/reliability.py --draw",
    "tests/experiments/study_page.py": (  # needs the report of a study
        "python tests/experiments/study_page.py --help"
    ),
    "tests/experiments/threads.py": "python tests/experiments/threads.py 2",
    "tests/experiments/tuners.py": (  # needs the package cmaes
        "python -m py_compile tests/experiments/tuners.py"
    ),
    "tests/experiments/versions.sh": (  # needs other interpreters
        "bash -n tests/experiments/versions.sh"
    ),
    "tests/experiments/wheel.sh": IN_CI,
    "tests/experiments/workflows.py": "python tests/experiments/workflows.py",
    "tests/fuzz/fuzz.py": "python tests/fuzz/fuzz.py record --inputs 20 --blind",
    "tests/reference/many.py": "python tests/reference/many.py trajan 0 1",
    "trajan_ai.lab.simulation": "python -m trajan_ai.lab.simulation --runs 1",
    # The following programs run for hours; tests/lab/truth runs their code with a tiny plan.
    "trajan_ai.lab.truth.advice_errors": "python -m trajan_ai.lab.truth.advice_errors --help",
    "trajan_ai.lab.truth.rollouts": "python -m trajan_ai.lab.truth.rollouts --help",
    "trajan_ai.lab.truth.siblings": "python -m trajan_ai.lab.truth.siblings --help",
}
DOUBLING = """
{game: trajan, players: 2, deals: 20, bots: [
  {name: b-2, extends: ismcts, iterations: 2}, {name: b-4, extends: ismcts, iterations: 4}]}
"""

needs_what_commands_need = pytest.mark.needs(
    "PIL", "chromium", "matplotlib", "mcp", "playwright", "pyspiel", "sphinx"
)


def list_rows():
    """Return the commands in each row of the table."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, *rows = text.partition("| to | run |\n")[2].partition("\n\n")[0].splitlines()
    return [re.findall(r"`([^`]+)`", row.rpartition(" | ")[2]) for row in rows]


def list_scripts():
    """Return the scripts that pages name, except those that commands in the table run."""
    named = {name for page in PAGES for name in SCRIPT.findall(page.read_text(encoding="utf-8"))}
    return sorted(named - {name for row in list_rows() for name in SCRIPT.findall(" ".join(row))})


def copy_sources(folder):
    """Copy the sources and the files built from them, so that commands can change them."""
    unneeded = {".venv", "build", "node_modules", "results", "site"}
    shutil.copytree(
        ROOT,
        folder,
        symlinks=True,
        ignore=lambda path, _: unneeded if Path(path) == ROOT else (),
    )
    (folder / "doubling.yaml").write_text(DOUBLING, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    return copy_sources(tmp_path_factory.mktemp("all") / "sources")


@pytest.fixture(scope="module")
def one_module(tmp_path_factory):
    """Return a copy in which all modules except one are compiled already."""
    folder = copy_sources(tmp_path_factory.mktemp("one") / "sources")
    for path in folder.glob("ext/**/*.pyx"):
        if path != folder / MODULE:
            path.unlink()
    return folder


def run(command, folder):
    """Run a command as in a shell where the virtual environment is active."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = own | {"PATH": path, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_every_command_has_a_short_form():
    assert [command for row in list_rows() for command in row] == list(COMMANDS)


def test_every_script_of_the_pages_has_a_short_form():
    assert list_scripts() == list(SCRIPTS)


def test_ci_runs_the_commands_that_it_is_said_to_run():
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for command, short in (COMMANDS | SCRIPTS).items():
        if short == IN_CI and command != ".ci/run":
            assert all(part in steps for part in command.split(" && ")), command


@pytest.mark.long
@needs_what_commands_need
@pytest.mark.parametrize("row", list_rows(), ids=lambda row: row[0])
def test_commands_of_contributing_run(row, request):
    short = [COMMANDS[command] for command in row if COMMANDS[command] != IN_CI]
    builds = any(BUILD in command for command in short)
    run(" && ".join(short), request.getfixturevalue("one_module" if builds else "sources"))


@pytest.mark.long
@needs_what_commands_need
@pytest.mark.parametrize("name", list_scripts())
def test_scripts_of_the_pages_run(name, sources):
    if SCRIPTS[name] != IN_CI:
        run(SCRIPTS[name], sources)
