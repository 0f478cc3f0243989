"""A pytest plugin that tries planted faults: a process forked for each, after the collection.

First a survey without a fault: which fault each test reaches, and how long it takes. Then for each
fault the tests that reach it, those first that found most faults for their time so far, until one
fails, crashes or takes five times as long. Nothing is imported and collected twice.
"""

import contextlib
import json
import os
import resource
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from trajan_planted import reached, switch_on

MEMORY = 8 << 30  # bytes of address space that a test may use
PATIENCE = 5  # times what a test took in the survey, and as many seconds
BROKEN = 70  # exit status
AT_IMPORT = "(import)"

settings.register_profile(
    "faults",
    phases=[Phase.explicit, Phase.generate],  # nobody reads the smallest example here
    database=None,
    derandomize=True,
    deadline=None,
)
settings.load_profile("faults")


def pytest_addoption(parser):
    parser.addoption("--survey", type=Path, help="file of the survey, made where there is none")
    parser.addoption("--wanted", type=Path, help="file with the numbers of the faults to try")
    parser.addoption("--most", type=float, help="seconds of tests for one fault")
    parser.addoption("--fates", type=Path, help="file that gets a line per fault")


class Trying:
    """What is known of the tests of one room."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.tests = {item.nodeid: item for item in session.items}
        self.seconds: dict[str, float] = {}
        self.reach: dict[str, set[int]] = {}
        self.found: Counter[str] = Counter()
        self.failed = False

    def forked(self, work) -> int:
        """Do some work in a process of its own; return its exit status, negative for a signal."""
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            status = BROKEN
            try:
                status = work()
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what the tests left behind
        code = os.waitstatus_to_exitcode(status)
        assert code != BROKEN, "the plugin failed, not a test"
        return code

    def run(self, item, following) -> bool:
        """Run one test; whether it passed or was skipped."""
        self.failed = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return not self.failed

    def pytest_runtest_logreport(self, report) -> None:
        """Note a failure."""
        self.failed |= report.failed

    def survey(self, path: Path) -> None:
        """Learn what each test reaches and takes, from a file or by running all of them."""
        if not path.exists():
            at_import = reached()

            def work() -> int:
                told = [[AT_IMPORT, 0.0, at_import]]
                items = self.session.items
                for item, following in zip(items, [*items[1:], None], strict=True):
                    reached()
                    begin = time.perf_counter()
                    if self.run(item, following):
                        told.append([item.nodeid, time.perf_counter() - begin, reached()])
                    else:
                        path.with_suffix(".failing").open("a").write(item.nodeid + "\n")
                path.write_text(json.dumps(told))
                return 0

            assert self.forked(work) == 0
        for name, seconds, numbers in json.loads(path.read_text()):
            self.seconds[name], self.reach[name] = seconds, set(numbers)

    def order(self, number: int) -> list[str]:
        """Return the tests that reach a fault, the most promising for their time first."""
        names = [n for n in self.reach if number in self.reach[n] and n in self.tests]
        return sorted(
            names, key=lambda name: -(self.found[name] + 0.1) / (self.seconds[name] + 0.002)
        )

    def tried(self, number: int, note: Path, most: float) -> dict:
        """Switch a fault on in a process of its own, and tell its fate."""
        every, names, left = self.order(number), [], most
        for name in every:
            left -= self.seconds[name]
            names += [name] if left >= 0 or not names else []
        note.write_text("")

        def work() -> int:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            items = [self.tests[name] for name in names]
            for item, following in zip(items, [*items[1:], None], strict=False):
                note.write_text(item.nodeid)
                limit = PATIENCE * (1 + self.seconds[item.nodeid])
                signal.setitimer(signal.ITIMER_PROF, limit)
                signal.setitimer(signal.ITIMER_REAL, 6 * limit)
                if not self.run(item, following):
                    return 1
            return 0

        begin = time.perf_counter()
        switch_on(number)
        status = self.forked(work)
        switch_on(0)
        seconds = round(time.perf_counter() - begin, 2)
        fate = {"number": number, "tests": len(names), "seconds": seconds}
        if status == 0:
            at_import = number in self.reach[AT_IMPORT]
            skipped = len(every) - len(names)
            return fate | {"fate": "survived", "at_import": at_import, "skipped": skipped}
        by = note.read_text()
        self.found[by] += 1
        slow = status in (-signal.SIGALRM, -signal.SIGPROF)
        how = "failed" if status == 1 else "took too long" if slow else f"status {status}"
        return fate | {"fate": "killed", "by": by, "how": how}


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Try the faults in place of running the tests."""
    options = session.config.option
    trying = Trying(session)
    session.config.pluginmanager.register(trying)
    switch_on(0)
    trying.survey(options.survey)
    for number in json.loads(options.wanted.read_text()):
        fate = trying.tried(number, options.survey.with_suffix(".now"), options.most)
        with options.fates.open("a") as file:
            file.write(json.dumps(fate) + "\n")
    return True
