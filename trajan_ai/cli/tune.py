"""`trajan-ai tune`: tune settings of a bot in games, and test the tuned bot."""

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from trajan_ai.cli.common import RESULTS_FOLDER, jobs_of
from trajan_ai.core.run_lock import lock_folder
from trajan_ai.core.table_text import text_table
from trajan_ai.lab import tuning
from trajan_ai.lab.tuning import Iteration, TunePlan
from trajan_ai.tournaments import rating_tables, runner
from trajan_ai.tournaments.runner import TournamentRun


def run(arguments: argparse.Namespace) -> int:
    """Tune; the status is 1 if games are missing or a bot failed."""
    plan = tuning.read_tune_plan(arguments.file)
    jobs = jobs_of(arguments, plan.file.jobs)
    folder = Path(arguments.out or RESULTS_FOLDER / plan.file.name)
    folder.mkdir(parents=True, exist_ok=True)
    with lock_folder(folder):
        return _tune(arguments, plan, folder, jobs)


def _tune(arguments: argparse.Namespace, plan: TunePlan, folder: Path, jobs: int) -> int:
    iterations, stopped = _iterations(plan, folder, jobs)
    test = None
    if stopped is None:
        test = tuning.final_test(plan, tuning.outcome(plan, iterations), folder, jobs)
        stopped = test if test is not None and (test.interrupted or test.missing) else None
    tuning.write(plan, folder, iterations)
    again = ["--jobs", str(arguments.jobs)] if arguments.jobs else []
    command = shlex.join(["trajan-ai", "tune", arguments.file, *again, "--out", str(folder)])
    data = _data(plan, iterations, test) | {"folder": str(folder), "resume": command}
    print(json.dumps(data, ensure_ascii=False) if arguments.json else _text(data, test, folder))
    if stopped is not None and stopped.interrupted:
        print(f"interrupted; to resume: {command}", file=sys.stderr)
        raise KeyboardInterrupt
    if stopped is not None:
        print(f"{stopped.ended}: {command}", file=sys.stderr)
    return 1 if stopped is not None or data["failures"] else 0


def _iterations(
    plan: TunePlan, folder: Path, jobs: int
) -> tuple[list[Iteration], TournamentRun | None]:
    """Return the iterations, and the run in which they stopped early, if there is one."""
    progress = runner.get_terminal()
    done: list[Iteration] = []
    total = plan.file.iterations
    with tqdm(total=total, unit="iteration", file=progress, disable=progress is None) as bar:
        for iteration, stopped in tuning.iterate(plan, folder, jobs):
            if stopped is not None:
                return done, stopped
            done.append(iteration)
            bar.set_postfix_str(
                ", ".join(f"{name} {value:g}" for name, value in iteration.values.items())
            )
            bar.update()
    return done, None


def _data(
    plan: TunePlan, iterations: list[Iteration], test: TournamentRun | None
) -> dict[str, Any]:
    tuned = tuning.outcome(plan, iterations)
    intervals = tuning.intervals(plan, iterations)
    return {
        "name": plan.file.name,
        "iterations": len(iterations),
        "of": plan.file.iterations,
        "settings": {
            dial.name: {
                "start": dial.value(dial.start),
                "tuned": dial.value(tuned[dial.name]),
                "interval": [intervals[dial.name].low, intervals[dial.name].high],
                "decided": intervals[dial.name].is_decided,
                "low": dial.setting.low,
                "high": dial.setting.high,
            }
            for dial in plan.dials
        },
        "test": None if test is None or test.test is None else test.test.export(),
        "failures": 0 if test is None else test.failures,
    }


def _text(data: dict[str, Any], test: TournamentRun | None, folder: Path) -> str:
    heads = ["start", "tuned", "interval", "low", "high"]
    rows = [
        [name, *(" .. ".join(f"{value:g}" for value in np.ravel(setting[head])) for head in heads)]
        for name, setting in data["settings"].items()
    ]
    lines = [
        f"{data['iterations']} of {data['of']} iterations",
        text_table(["setting", *heads], rows),
        *(
            f"{name}: too few iterations to decide"
            for name, setting in data["settings"].items()
            if not setting["decided"]
        ),
    ]
    if test is not None and test.test is not None:
        lines += ["", "tuned against start", rating_tables.format_verdict(test.test)]
    elif data["iterations"] == data["of"]:
        lines += ["", "the tuned bot equals the original, or the plan has no test"]
    return "\n".join([*lines, "", f"tuned bot: {folder / tuning.TUNED}"])
