"""Profile searches: phases, tree shape, memory, and the hottest functions and lines."""

import collections
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from trajan_ai.analysis.budgets import PROFILE_SECONDS
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import without_early_stop
from trajan_ai.analysis.measurement import measure
from trajan_ai.analysis.measurement.signature import by_rule
from trajan_ai.bots.processes import run_command
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.table_text import text_table
from trajan_ai.games import game as game_named
from trajan_ai.mcts import search

PLAYOUTS = 2000
STAGES = (("opening", 0.0), ("middle", 0.5), ("late", 0.85))  # fraction of the decisions
SAMPLES_PER_SECOND = 500
HOTTEST = 15
NO_LINES = "compiled modules have no line numbers; rebuild them with TRAJAN_CFLAGS=-g"
Stages = Sequence[tuple[str, Position]]  # positions to search, by name


def pick_positions(game_name: str, players: int, seed: int = 1) -> Stages:
    """Return an opening, a middle and a late position of a game played by a fixed rule."""
    game = game_named(game_name)
    opening = game.start(players, derive_seed("profile", seed))
    line = by_rule(opening, lambda ply: derive_seed(ply, seed))
    return [(name, line[int(share * (len(line) - 1))]) for name, share in STAGES]


def run(
    positions: Stages, bot: str | None = None, seconds: float = PROFILE_SECONDS
) -> dict[str, Any]:
    """Profile searches of about `seconds` each; return the data that ``--json`` prints.

    The default bot is that of `trajan_ai.search`; ``note`` says if another one replaces it.
    """
    _, first = positions[0]
    chosen, note = advice.choose_bot(first.game, bot)
    stages = []
    for name, position in positions:
        plain, timed = (
            search(
                InformationSet(position),
                without_early_stop(advice.settings_of(chosen)),
                seconds=seconds,
                seed=1,
                timed=timed,
            )
            for timed in (False, True)
        )
        spent = sum(timed.phases.values()) or 1.0
        stages.append(
            {
                "stage": name,
                "ply": position.ply,
                "legal_moves": len(position.legal_moves()),
                "iterations": plain.iterations,
                "iterations_per_second": plain.iterations / plain.seconds,
                "phases": {phase: part / spent for phase, part in timed.phases.items()},
                "nodes": plain.nodes,
                "memory_bytes": plain.memory_bytes,
                "tree_full": plain.tree_full,
                "depths": list(plain.depths),
                "branching": {str(k): v for k, v in sorted(plain.branching.items())},
            }
        )
    return {
        "game": first.game.name,
        "players": first.players,
        "bot": chosen.name if bot is None else bot,
        **({} if note is None else {"note": note}),
        "playouts_per_second": _playouts_per_second(first),
        "stages": stages,
    }


def _playouts_per_second(position: Position) -> float:
    measure.playouts([position], PLAYOUTS // 10, 1)
    begin = time.perf_counter()
    measure.playouts([position], PLAYOUTS, 1)
    return PLAYOUTS / (time.perf_counter() - begin)


def format_table(result: dict[str, Any]) -> str:
    """Return the result of `run` as text, with the hottest functions and lines in it."""
    stages = result["stages"]
    phases = list(dict.fromkeys(name for stage in stages for name in stage["phases"]))
    speed = f"{result['playouts_per_second']:,.0f} bare playouts per second"
    lines = [
        f"{result['game']}, {result['players']} players, bot {result['bot']}: {speed} from the "
        f"{stages[0]['stage']}",
        *([result["note"]] if "note" in result else []),
        "",
    ]
    rows: list[tuple[str, Any]] = [
        ("ply", lambda s: f"{s['ply']}"),
        ("legal moves", lambda s: f"{s['legal_moves']}"),
        ("iterations/s", lambda s: f"{s['iterations_per_second']:,.0f}"),
    ]
    rows += [(f"{name} %", lambda s, n=name: f"{s['phases'].get(n, 0):.1%}") for name in phases]
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
    for kind in ("functions", "lines"):
        if kind in result:
            lines += ["", f"hottest {kind}"]
            lines += [f"{share:>7.1%}  {name}" for name, share in result[kind]]
            lines += [] if result[kind] else [NO_LINES]
    return "\n".join(lines)


def _mean(histogram: Iterable[tuple[int | str, int]]) -> float:
    """Return the mean of (number, count) pairs, 0 if there are none."""
    counts = [(int(number), count) for number, count in histogram]
    return sum(n * count for n, count in counts) / max(sum(count for _, count in counts), 1)


def sample(
    positions: Stages, bot: str, seconds: float, out: Path | None = None
) -> dict[str, list[tuple[str, float]]]:
    """Sample searches with py-spy; return the hottest functions and lines: see `list_hottest`.

    With `out`, also write the samples: a flame graph (.svg) or a speedscope file (.json). Raises
    TrajanError if py-spy is missing or may not attach.
    """
    spy = find_profiler()
    with tempfile.TemporaryDirectory() as folder:
        raw, searched = Path(folder) / "raw", Path(folder) / "positions"
        searched.write_bytes(pickle.dumps([position for _, position in positions]))
        workload = [sys.executable, "-P", "-m", __name__, str(searched), bot, str(seconds)]
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

    Each has its fraction of the samples. Only stacks inside the search count, not imports and the
    start. Frames without a line number are no lines.
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


def run_workload(searched: str, bot: str, seconds: str) -> None:
    """Search pickled positions of this user; py-spy samples this."""
    for position in pickle.loads(Path(searched).read_bytes()):
        settings = without_early_stop(advice.settings_of(bot))
        search(InformationSet(position), settings, seconds=float(seconds), seed=1)


if __name__ == "__main__":
    run_workload(*sys.argv[1:])
