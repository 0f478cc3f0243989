"""Profile searches: phases, tree shape, memory, and the hottest functions."""

from __future__ import annotations

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trajan_ai.analysis import advice, measure
from trajan_ai.analysis.budgets import PROFILE_SECONDS
from trajan_ai.analysis.decision import one_tree
from trajan_ai.analysis.signature import by_rule
from trajan_ai.bots import Bot
from trajan_ai.bots.processes import run_command
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.table_text import text_table
from trajan_ai.games import game as game_named
from trajan_ai.mcts import Settings, search

PLAYOUTS = 2000
STAGES = (("opening", 0.0), ("middle", 0.5), ("late", 0.85))  # fraction of the decisions
SAMPLES_PER_SECOND = 500
HOTTEST = 15


def pick_positions(game_name: str, players: int, seed: int = 1) -> list[tuple[str, Position]]:
    """Return an opening, a middle and a late position of a game played by a fixed rule."""
    game = game_named(game_name)
    opening = game.start(players, derive_seed("profile", seed))
    line = by_rule(opening, lambda ply: derive_seed(ply, seed))
    return [(name, line[int(share * (len(line) - 1))]) for name, share in STAGES]


def _settings(bot: Bot | str, position: Position) -> Settings:
    """Return the settings of a bot in play, but never one shared tree if moves are hidden."""
    settings = advice.settings_of(bot).model_copy(update={"early_stop": False})
    return settings if settings.algorithm == "own" else one_tree(settings, position.game)


def run(
    game_name: str, players: int, bot: str | None = None, seconds: float = PROFILE_SECONDS
) -> dict[str, Any]:
    """Profile searches of about `seconds` each; return the data that ``--json`` prints.

    The default bot is that of `trajan_ai.search`; ``note`` says if another one replaces it.
    """
    chosen, note = advice.choose_bot(game_named(game_name), bot)
    stages = []
    for name, position in pick_positions(game_name, players):
        plain, timed = (
            search(
                InformationSet(position),
                _settings(chosen, position),
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
                "bytes_per_node": plain.memory_bytes / max(plain.nodes, 1),
                "depths": list(plain.depths),
                "branching": {str(k): v for k, v in sorted(plain.branching.items())},
            }
        )
    return {
        "game": game_name,
        "players": players,
        "bot": chosen.name if bot is None else bot,
        **({} if note is None else {"note": note}),
        "playouts_per_second": _playouts_per_second(game_name, players),
        "stages": stages,
    }


def _playouts_per_second(game_name: str, players: int) -> float:
    opening = game_named(game_name).start(players, derive_seed("profile", 1))
    measure.playouts([opening], PLAYOUTS // 10, 1)
    begin = time.perf_counter()
    measure.playouts([opening], PLAYOUTS, 1)
    return PLAYOUTS / (time.perf_counter() - begin)


def format_table(result: dict[str, Any]) -> str:
    """Return the result of `run` as text, with the hottest functions if they are in it."""
    stages = result["stages"]
    phases = list(dict.fromkeys(name for stage in stages for name in stage["phases"]))
    lines = [
        f"{result['game']}, {result['players']} players, bot {result['bot']}: "
        f"{result['playouts_per_second']:,.0f} bare playouts per second from the opening",
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
        ("bytes per node", lambda s: f"{s['bytes_per_node']:.1f}"),
        ("tree, MiB", lambda s: f"{s['memory_bytes'] / 2**20:.1f}"),
        ("depth, mean", lambda s: f"{_mean(enumerate(s['depths'])):.1f}"),
        ("depth, max", lambda s: f"{len(s['depths']) - 1}"),
        ("children, mean", lambda s: f"{_mean(s['branching'].items()):.1f}"),
        ("children, max", lambda s: f"{max(map(int, s['branching']), default=0)}"),
    ]
    heads = ["", *(stage["stage"] for stage in stages)]
    lines.append(text_table(heads, [[name, *map(cell, stages)] for name, cell in rows]))
    if "functions" in result:
        lines += ["", "hottest functions"]
        lines += [f"{share:>7.1%}  {name}" for name, share in result["functions"]]
    return "\n".join(lines)


def _mean(histogram: Iterable[tuple[int | str, int]]) -> float:
    """Return the mean of (number, count) pairs, 0 if there are none."""
    counts = [(int(number), count) for number, count in histogram]
    return sum(n * count for n, count in counts) / max(sum(count for _, count in counts), 1)


def sample(
    game_name: str,
    players: int,
    bot: str,
    seconds: float,
    out: Path | None = None,
) -> list[tuple[str, float]]:
    """Sample a search with py-spy; return the hottest functions with their fraction of the time.

    With `out`, also write the samples: a flame graph (.svg) or a speedscope file (.json). Raises
    TrajanError if py-spy is missing or may not attach.
    """
    spy = find_profiler()
    workload = [sys.executable, "-P", "-m", __name__, game_name, str(players), bot, str(seconds)]
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
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


def list_hottest(raw: str) -> list[tuple[str, float]]:
    """Return the functions on top of the collapsed stacks `raw` with fractions, hottest first.

    Only stacks inside the search count, not imports and the start.
    """
    counts: collections.Counter[str] = collections.Counter()
    for line in raw.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if any("ismcts" in frame for frame in frames):
            counts[re.sub(r":\d+\)$", ")", frames[-1])] += int(count)
    total = sum(counts.values())
    return [(name, count / total) for name, count in counts.most_common(HOTTEST)]


def run_workload(game_name: str, players: str, bot: str, seconds: str) -> None:
    """Search the profiled positions; py-spy samples this."""
    for _, position in pick_positions(game_name, int(players)):
        search(InformationSet(position), _settings(bot, position), seconds=float(seconds), seed=1)


if __name__ == "__main__":
    run_workload(*sys.argv[1:])
