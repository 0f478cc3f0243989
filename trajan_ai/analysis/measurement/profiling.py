"""Profile searches: phases, tree shape, memory, and the hottest functions and lines."""

import collections
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trajan_ai.analysis.budgets import PROFILE_SECONDS
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.advice import Advisor
from trajan_ai.analysis.decision.analysis_run import AnalysisRun
from trajan_ai.analysis.measurement import measure
from trajan_ai.analysis.measurement.signature import by_rule
from trajan_ai.bots.processes import run_command
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.table_text import text_table
from trajan_ai.games import game as game_named
from trajan_ai.mcts import Result

PLAYOUTS = 2000
STAGES = (("opening", 0.0), ("middle", 0.5), ("late", 0.85))  # fraction of decisions made
SAMPLES_PER_SECOND = 500
HOTTEST = 15
SEED = 1  # seed of the game whose positions are searched
COMPARED = ("game", "players", "bot", "analysis")  # results that differ here are not comparable
NO_LINES = "compiled modules have no line numbers; rebuild them with TRAJAN_CFLAGS=-g"
Stages = Sequence[tuple[str, Position]]  # positions to search, by name


def pick_positions(game_name: str, players: int) -> Stages:
    """Return an opening, a middle and a late position of a game played by a fixed rule."""
    game = game_named(game_name)
    opening = game.start(players, derive_seed("profile", SEED))
    line = by_rule(opening, lambda ply: derive_seed(ply, SEED))
    return [(name, line[int(share * (len(line) - 1))]) for name, share in STAGES]


@dataclass(frozen=True)
class _Measured:
    """Searches of one position, and the total time of the searches and of their analysis."""

    results: list[Result]
    seconds: float
    cpu_seconds: float


def run(
    positions: Stages,
    bot: str | None = None,
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    analysis: bool = False,
) -> dict[str, Any]:
    """Profile searches; return the data that ``--json`` prints.

    Every position has a limit of `seconds` or `iterations`, by default `PROFILE_SECONDS`. With
    `analysis`, a verified analysis of every position replaces the single search. The default bot
    is that of `trajan_ai.search`; ``note`` is included if another bot replaces the default.
    """
    if seconds is None and iterations is None:
        seconds = PROFILE_SECONDS
    _, first = positions[0]
    advisor = advice.prepare(first.game, bot)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    stages = []
    for name, position in positions:
        plain, timed = (
            _measure(
                _begin(
                    advisor, position, analysis=analysis, seconds=seconds, iterations=iterations
                ),
                timed,
            )
            for timed in (False, True)
        )
        count = sum(result.iterations for result in plain.results)
        phases = {
            phase: sum(result.phases[phase] for result in timed.results)
            for phase in timed.results[0].phases
        }
        spent = sum(phases.values()) or 1.0
        largest = max(plain.results, key=lambda result: result.nodes)
        stages.append(
            {
                "stage": name,
                "ply": position.ply,
                "legal_moves": len(position.legal_moves()),
                "searches": len(plain.results),
                "iterations": count,
                "seconds": plain.seconds,
                "cpu_seconds": plain.cpu_seconds,
                "limit_used": None if seconds is None else plain.seconds / seconds,
                "iterations_per_cpu_second": count / plain.cpu_seconds,
                "phases": {phase: part / spent for phase, part in phases.items() if part},
                "nodes": largest.nodes,
                "memory_bytes": largest.memory_bytes,
                "tree_full": largest.tree_full,
                "depths": list(largest.depths),
                "branching": {str(k): v for k, v in sorted(largest.branching.items())},
            }
        )
    return {
        "game": first.game.name,
        "players": first.players,
        "bot": advisor.bot if bot is None else bot,
        "analysis": analysis,
        **({} if advisor.note is None else {"note": advisor.note}),
        "load": load,
        "playouts_per_cpu_second": _playouts_per_cpu_second(first),
        "stages": stages,
    }


def _begin(
    advisor: Advisor,
    position: Position,
    *,
    analysis: bool,
    seconds: float | None,
    iterations: int | None = None,
) -> AnalysisRun:
    return advisor.begin(
        InformationSet(position),
        grade="verified" if analysis else "quick",
        seconds=seconds,
        iterations=iterations,
        seed=1,
    )


def _measure(run: AnalysisRun, timed: bool) -> _Measured:
    """Measure the searches of an analysis, and the computation of the figures that users see."""
    started, cpu_started = time.perf_counter(), time.process_time()
    results = advice.make_searches(run, timed=timed)
    run.analysis()
    return _Measured(results, time.perf_counter() - started, time.process_time() - cpu_started)


def _playouts_per_cpu_second(position: Position) -> float:
    measure.playouts([position], PLAYOUTS // 10, 1)
    begin = time.process_time()
    measure.playouts([position], PLAYOUTS, 1)
    return PLAYOUTS / (time.process_time() - begin)


def format_table(result: dict[str, Any], earlier: dict[str, Any] | None = None) -> str:
    """Return the result of `run` as text, with its hottest functions and lines if there are any.

    With an `earlier` result of the same searches, every cost is also shown as a fraction of the
    earlier cost.
    """
    stages = result["stages"]
    speed = f"{result['playouts_per_cpu_second']:,.0f} bare playouts per CPU second"
    load = "" if result["load"] is None else f"; load of the machine {result['load']:.1f}"
    lines = [
        f"{result['game']}, {result['players']} players, bot {result['bot']}: {speed} from the "
        f"{stages[0]['stage']}{load}",
        *([result["note"]] if "note" in result else []),
        "",
    ]
    rows: list[tuple[str, Any]] = [
        ("ply", lambda s: f"{s['ply']}"),
        ("legal moves", lambda s: f"{s['legal_moves']}"),
        ("searches", lambda s: f"{s['searches']}"),
        ("iterations", lambda s: f"{s['iterations']:,}"),
        ("iterations/CPU s", lambda s: f"{s['iterations_per_cpu_second']:,.0f}"),
    ]
    if stages[0]["limit_used"] is not None:
        rows.append(("time limit used", lambda s: f"{s['limit_used']:.1%}"))
    rows += [
        (f"{name} %", lambda s, n=name: f"{s['phases'].get(n, 0):.1%}") for name in _phases(stages)
    ]
    rows += [
        ("nodes", lambda s: f"{s['nodes']:,}"),
        ("memory, MiB", lambda s: f"{s['memory_bytes'] / 2**20:.1f}"),
        ("tree full", lambda s: "yes" if s["tree_full"] else "no"),
        ("depth, mean", lambda s: f"{_mean(enumerate(s['depths'])):.1f}"),
        ("depth, max", lambda s: f"{len(s['depths']) - 1}"),
        ("children, mean", lambda s: f"{_mean(s['branching'].items()):.1f}"),
        ("children, max", lambda s: f"{max(map(int, s['branching']), default=0)}"),
    ]
    heads = ["", *(stage["stage"] for stage in stages)]
    lines.append(text_table(heads, [[name, *map(cell, stages)] for name, cell in rows]))
    if earlier is not None:
        lines += ["", "CPU time of an iteration, relative to the earlier result", ""]
        pairs = list(zip(stages, earlier["stages"], strict=True))
        lines.append(
            text_table(
                heads,
                [
                    [name or "all", *(_ratio(now, then, name) for now, then in pairs)]
                    for name in ("", *_phases(stages))
                ],
            )
        )
    for kind in ("functions", "lines"):
        if kind in result:
            lines += ["", f"hottest {kind}"]
            lines += [f"{share:>7.1%}  {name}" for name, share in result[kind]]
            lines += [] if result[kind] else [NO_LINES]
    return "\n".join(lines)


def _phases(stages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the phases that take time in any stage, in the order in which they occur."""
    return list(dict.fromkeys(name for stage in stages for name in stage["phases"]))


def _ratio(now: Mapping[str, Any], then: Mapping[str, Any], phase: str) -> str:
    """Return a phase's time per iteration in `now` divided by that in `then`; "" is all phases."""
    costs = [
        stage["phases"].get(phase, 0.0 if phase else 1.0) / stage["iterations_per_cpu_second"]
        for stage in (now, then)
    ]
    return f"{costs[0] / costs[1]:.2f}" if costs[1] else "new"


def read_earlier(path: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """Return an earlier result, printed with ``--json``, of the same searches as `result`.

    Raises TrajanError if the file does not contain such a result.
    """
    try:
        earlier = json.loads(Path(path).read_text(encoding="utf-8"))
        pairs = [(key, earlier[key], result[key]) for key in COMPARED]
        pairs += [
            (f"{key} of the {now['stage']}", then[key], now[key])
            for then, now in zip(earlier["stages"], result["stages"], strict=True)
            for key in ("stage", "ply")
        ]
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise TrajanError(
            f"{path}: not a result of the same positions; give the output of profile --json for "
            "these positions"
        ) from None
    for key, then, now in pairs:
        if then != now:
            raise TrajanError(f"{path}: {key} was {then!r}, but is {now!r} here")
    return dict(earlier)


def _mean(histogram: Iterable[tuple[int | str, int]]) -> float:
    """Return the mean of (number, count) pairs, or 0 if there are none."""
    counts = [(int(number), count) for number, count in histogram]
    return sum(n * count for n, count in counts) / max(sum(count for _, count in counts), 1)


def sample(
    positions: Stages, bot: str, seconds: float, *, analysis: bool, out: Path | None = None
) -> dict[str, list[tuple[str, float]]]:
    """Sample searches with py-spy; return the hottest functions and lines (see `list_hottest`).

    With `analysis`, the searches are those of verified analyses. With `out`, also write the
    samples: a flame graph (.svg) or a speedscope file (.json). Raises TrajanError if py-spy is
    missing or is not allowed to attach.
    """
    spy = find_profiler()
    with tempfile.TemporaryDirectory() as folder:
        raw, work = Path(folder) / "raw", Path(folder) / "work"
        searched = [position for _, position in positions]
        work.write_bytes(pickle.dumps((searched, bot, seconds, analysis)))
        workload = [sys.executable, "-P", "-m", __name__, str(work)]
        _record(spy, "raw", raw, workload)
        if out is not None:
            _record(spy, "flamegraph" if out.suffix == ".svg" else "speedscope", out, workload)
        return list_hottest(raw.read_text(encoding="utf-8"))


def find_profiler() -> str:
    """Return the path of py-spy; raise TrajanError if it is not installed."""
    beside = Path(sys.executable).parent / "py-spy"
    spy = str(beside) if beside.exists() else shutil.which("py-spy")
    if spy is None:
        raise TrajanError(
            "py-spy is not installed; install it with pip install 'trajan-ai[profile]'"
        )
    return spy


def _record(spy: str, form: str, out: Path, workload: list[str]) -> None:
    command = [spy, "record", "--native", "--rate", str(SAMPLES_PER_SECOND)]
    path = os.pathsep.join(path or "." for path in sys.path)
    try:
        run_command(
            [*command, "--format", form, "--output", str(out), "--", *workload],
            environment=os.environ | {"PYTHONPATH": path},
        )
        reason = "" if out.exists() else "it wrote no samples"
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or ["no message"])[-1]
    if reason:
        raise TrajanError(f"py-spy could not sample the search: {reason}")


def list_hottest(raw: str) -> dict[str, list[tuple[str, float]]]:
    """Return the ``functions`` and ``lines`` on top of the collapsed stacks `raw`, hottest first.

    Each entry comes with its fraction of the samples. Only stacks inside the search count, not
    those of imports and start-up. Frames without a line number do not count as lines.
    """
    functions: collections.Counter[str] = collections.Counter()
    lines: collections.Counter[str] = collections.Counter()
    for line in raw.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if any("ismcts" in frame for frame in frames):
            functions[re.sub(r":\d+\)$", ")", frames[-1])] += int(count)
            if re.search(r":\d+\)$", frames[-1]):
                lines[frames[-1]] += int(count)
    total = sum(functions.values())
    return {
        name: [(frame, count / total) for frame, count in counts.most_common(HOTTEST)]
        for name, counts in (("functions", functions), ("lines", lines))
    }


def run_workload(work: str) -> None:
    """Search the positions in a pickle file of the same user, while py-spy takes samples."""
    positions, bot, seconds, analysis = pickle.loads(Path(work).read_bytes())
    for position in positions:
        advisor = advice.prepare(position.game, bot)
        advice.make_searches(_begin(advisor, position, analysis=analysis, seconds=seconds))


if __name__ == "__main__":
    run_workload(*sys.argv[1:])
