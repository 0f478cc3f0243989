"""`trajan-ai tournament`: play a plan, print the rating table, write results and a report."""

import argparse
import json
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

import yaml

from trajan_ai.cli.common import RESULTS_FOLDER, jobs_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import game_task, live, runner
from trajan_ai.tournaments.output import REPORT, render_live_report, write_outputs
from trajan_ai.tournaments.plan_file import Plan, read_plan
from trajan_ai.tournaments.report import format_duration
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import FILE, Store


def run(arguments: argparse.Namespace) -> int:
    """Play a tournament; the status is 1 if a bot failed or games are missing."""
    plan = read_plan(arguments.file)
    jobs = jobs_of(arguments, plan.settings.jobs)
    folder = Path(arguments.out or RESULTS_FOLDER / plan.name)
    if arguments.check:
        data = plan.resolved()
        text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
        print(json.dumps(data, ensure_ascii=False) if arguments.json else text.rstrip())
        return 0
    if arguments.plan:
        return _print_cost(plan, jobs, folder, arguments.json)
    if arguments.resume and not (folder / FILE).exists():
        raise TrajanError(f"{folder}: there is nothing to resume; omit --resume, or check --out")
    if not arguments.json:
        print(_describe_run(plan, jobs, folder), file=sys.stderr)
    notify = partial(print, file=sys.stderr, flush=True)

    def watch(run: runner.TournamentRun) -> AbstractContextManager[object]:
        return live.serve(partial(render_live_report, run), notify)

    state = runner.run(
        plan,
        folder,
        jobs,
        runner.get_terminal(),
        notify,
        watch=watch if arguments.live else nullcontext,
    )
    written = write_outputs(state)
    command = _make_resume_command(arguments, folder)
    if arguments.json:
        print(json.dumps(written.data | {"resume": command}, ensure_ascii=False))
    else:
        print(written.text)
        if written.data["games"]:
            print(f"\nreport: {folder / REPORT}")
    if state.interrupted:
        games = f"{written.data['games']} games, {state.played} of them in this run"
        print(f"interrupted after {games}; to resume: {command}", file=sys.stderr)
        raise KeyboardInterrupt
    if written.failures:
        print(
            f"{written.failures} games were lost to failing bots; to list the failures: "
            f"trajan-ai results {folder} --failures",
            file=sys.stderr,
        )
    return 1 if written.failures or state.missing else 0


def _describe_run(plan: Plan, jobs: int, folder: Path) -> str:
    games = sum(Schedule(plan).count_games().values())
    most = "at most " if plan.adaptive else ""
    return (
        f"{plan.name}: {plan.settings.game}, {len(plan.bots)} bots, {most}{games} games, "
        f"{jobs} jobs on {plan.settings.backend}, results in {folder}"
    )


def _print_cost(plan: Plan, jobs: int, folder: Path, as_json: bool) -> int:
    """Print the number of games and their expected time, after a short measurement of each bot.

    Games that are already stored in `folder` count as taking no time. The status is 1 if a bot
    failed, so that the time is not known.
    """
    schedule = Schedule(plan)
    games = schedule.count_games()
    finished = _count_finished(schedule, folder)
    seconds, measured = 0.0, [0] * len(plan.bots)
    failures: tuple[str, ...] = ()
    for players, count in games.items():
        if finished[players] == count:
            continue
        start = plan.get_start(0)
        cost = game_task.estimate_cost(
            plan.settings.game,
            players,
            plan.options,
            plan.bots,
            start=None if start is None else start.record,
            patience=plan.settings.limits.patience,
        )
        tables = [table for table in schedule.tables if len(table) == players]
        mean = sum(cost.seconds[bot] for table in tables for bot in table) / len(tables)
        seconds += (count - finished[players]) * mean
        measured = [sum(pair) for pair in zip(measured, cost.decisions, strict=True)]
        if failures := cost.failures:
            break
    data = {
        "games": {str(players): count for players, count in games.items()},
        "finished": {str(players): finished[players] for players in games},
        "at_most": plan.adaptive,
        "cpu_seconds": None if failures else round(seconds, 1),
        "jobs": jobs,
        "seconds": None if failures else round(seconds / jobs, 1),
        "failures": list(failures),
        "measured_decisions": dict(zip(plan.names, measured, strict=True)),
    }
    most = " at most" if plan.adaptive else ""
    lines = [
        f"{count} games with {players} players{most}"
        + (f", {finished[players]} of them already in {folder}" if finished[players] else "")
        for players, count in games.items()
    ]
    if all(finished[players] == count for players, count in games.items()):
        lines.append("all games are played")
    elif failures:
        lines += [f"the time is not known: {failure}" for failure in failures]
    else:
        time = f"about {format_duration(seconds / jobs)} with {jobs} jobs"
        lines.append(f"{time} ({format_duration(seconds)} of bots' time)")
        lines.append(_describe_measurement(measured))
    print(json.dumps(data) if as_json else "\n".join(lines))
    return 1 if failures else 0


def _count_finished(schedule: Schedule, folder: Path) -> Counter[int]:
    """Return for each number of players how many games of a schedule are stored in a folder."""
    finished: Counter[int] = Counter()
    if (folder / FILE).exists():
        with Store(folder) as store:
            stored = store.identities()
        for fixture in schedule.fixtures() if stored else ():
            finished[len(fixture.bots)] += fixture.id in stored
    return finished


def _describe_measurement(measured: Sequence[int]) -> str:
    """Return a sentence about the reliability of the estimate."""
    counts = sorted(filter(None, measured))
    if not counts:
        return "all bots are expected to use up their time limits"
    some = f"{counts[0]} to {counts[-1]}" if counts[0] < counts[-1] else f"{counts[0]}"
    return (
        f"measured in {some} decisions of each bot that does not use up a time limit; other "
        "decisions may take more or less time"
    )


def _make_resume_command(arguments: argparse.Namespace, folder: Path) -> str:
    options = ["--jobs", str(arguments.jobs)] if arguments.jobs else []
    options += ["--live"] if arguments.live else []
    words = ["trajan-ai", "tournament", arguments.file, *options, "--out", str(folder), "--resume"]
    return shlex.join(words)
