"""What a command costs before it works: CPU of `--help`. Times are reported, not judged.

Run with ``pytest tests/bench/test_command_bench.py --benchmark-only``.
"""

import os
import resource
import subprocess
import sys

import pytest

from trajan_ai.cli.main import COMMANDS

ROUNDS = 5


def child_seconds():
    """CPU of the processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture
def process(benchmark):
    """Measures the CPU of Python with some arguments."""

    def measure(*arguments):
        before = child_seconds()
        benchmark.pedantic(
            subprocess.run,
            ([sys.executable, *arguments],),
            {"check": True, "stdout": subprocess.DEVNULL, "env": {**os.environ, "COLUMNS": "80"}},
            rounds=ROUNDS,
        )
        benchmark.extra_info["cpu_seconds"] = (child_seconds() - before) / ROUNDS

    return measure


def test_python_itself(process):
    process("-c", "pass")


def test_import(process):
    """The bar is 0.15 s."""
    process("-c", "import trajan_ai")


def test_version(process):
    """The bar is 0.25 s."""
    process("-m", "trajan_ai", "--version")


@pytest.mark.parametrize("command", COMMANDS)
def test_help(process, command):
    """The bar is 0.25 s."""
    process("-m", "trajan_ai", command, "--help")
