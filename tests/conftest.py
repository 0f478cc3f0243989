"""Select the tests and the number of cores, mark quick tests, and compare generated texts."""

import difflib
import gc
import os
import signal
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from trajan_ai.core.platform import usable_cores

# When the tests are started in the background without a terminal, SIGINT is ignored, and it would
# also be ignored in every process that they start and then interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Many tests start processes, each of which would compile our modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The threads of linear algebra libraries and PyTorch keep a core busy while they wait. On cores
# shared with other processes, small problems therefore took ten times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")

LINES_SHOWN = 40  # lines of a difference
BROWSERS = ("chromium", "firefox")
collect_ignore = ["bench"]  # unless it is named on the command line


def pytest_addoption(parser):
    parser.addoption(
        "--renew", action="store_true", help="rewrite the texts that would be compared"
    )
    parser.addoption("--long", action="store_true", help="also run the tests that take long")
    parser.addoption(
        "--skipped", type=Path, metavar="FILE",
        help="write the names of the tests that were skipped: pytest @FILE runs these",
    )  # fmt: skip
    parser.addoption(
        "--allowed-skips", type=Path, metavar="FILE",
        help="report every skipped test that FILE does not list as failed, as CI does",
    )  # fmt: skip


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads its options
def pytest_cmdline_main(config):
    """If pytest-xdist is installed, run all tests on every core, unless -n or --pdb is given.

    Use one process more than there are cores, since many tests wait for something.
    """
    option = config.option
    some = config.args_source is pytest.Config.ArgsSource.ARGS
    if hasattr(config, "workerinput") or some or option.usepdb:
        return
    if getattr(option, "numprocesses", 0) is None:
        option.numprocesses = usable_cores() + 1
        option.dist = "worksteal"


def pytest_configure(config):
    file = config.getoption("--skipped")
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skipped(file))
    if file := config.getoption("--allowed-skips"):
        config.pluginmanager.register(OnlyAllowedSkips(file))


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by mark
def pytest_collection_modifyitems(items):
    for item in items:
        if not item.get_closest_marker("slow") and not item.get_closest_marker("long"):
            item.add_marker(pytest.mark.quick)


def pytest_collection_finish():
    """Exempt modules and tests, which are kept until the end, from garbage collection.

    This saves 5 % of the time.
    """
    gc.freeze()


def pytest_runtest_setup(item):
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            if name in BROWSERS:
                # imported here, because tests of an installed package run without the helpers
                from browsers import COMMANDS, find_browser

                if not find_browser(name):
                    pytest.skip(f"needs {name}: apt-get install {COMMANDS[name][0]}")
            elif find_spec(name) is None:
                extra = "learners" if name in ("torch", "sb3_contrib") else "ci"
                pytest.skip(f"needs {name}: pip install -e '.[{extra}]'")
    if item.get_closest_marker("long") and not item.config.getoption("--long"):
        pytest.skip("takes long: python -m pytest --long")


class Skipped:
    """Records which tests were skipped."""

    def __init__(self, file):
        self.file = file
        self.tests = []

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            self.tests.append(report.nodeid)

    def pytest_sessionfinish(self):
        self.file.write_text("".join(f"{test}\n" for test in self.tests), encoding="utf-8")


class OnlyAllowedSkips:
    """Turns a skipped test into a failure unless the file lists the test."""

    def __init__(self, file):
        self.file = file
        self.entries = yaml.safe_load(file.read_text(encoding="utf-8"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self):
        return self.judge((yield))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(self):
        return self.judge((yield))

    def judge(self, report):
        if not report.skipped or hasattr(report, "wasxfail"):
            return report
        message = report.longrepr[2].removeprefix("Skipped: ")
        for entry in self.entries:
            if report.nodeid.startswith(entry["tests"]) and entry["environment"] == message:
                return report
        report.outcome = "failed"
        report.longrepr = f"skipped ({message}), but {self.file.name} does not allow that"
        return report


@pytest.fixture
def same_text(request):
    """Return a function (path, text) that compares a file with a text; --renew writes the file."""

    def compare(path, text):
        if request.config.getoption("--renew"):
            path.write_text(text, encoding="utf-8")
            return
        committed = path.read_text(encoding="utf-8") if path.exists() else ""
        if committed == text:
            return
        lines = difflib.unified_diff(
            committed.splitlines(), text.splitlines(), "committed", "now", lineterm="", n=1
        )
        root = request.config.rootpath
        test = request.path.relative_to(root)
        pytest.fail(
            "\n".join([*list(lines)[:LINES_SHOWN], ""])
            + f"{path.relative_to(root)} differs from the generated text. If this is intended:\n"
            f"    python -m pytest {test} --renew && git diff {path.relative_to(root)}",
            pytrace=False,
        )

    return compare
