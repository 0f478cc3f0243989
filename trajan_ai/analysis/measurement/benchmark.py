"""Measure the speed of the engine and the machine on fixed work, and hash what was played."""

import hashlib
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from trajan_ai.analysis.measurement import measure
from trajan_ai.analysis.measurement.signature import by_rule, play_signature
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.table_text import text_table
from trajan_ai.core.version import __version__
from trajan_ai.games import game as game_named
from trajan_ai.games.registry import BUILT_IN
from trajan_ai.mcts import Settings, search

OPENINGS = 16  # deals that the playouts start from
PLAYOUTS = 3000  # playouts per repetition, which take about 0.1 s with two players
DETERMINIZATIONS = 100_000
ITERATIONS = 5000
DECISIONS = 20_000  # decisions of the loops driven from Python
REPETITIONS = 5  # the median is reported, because other work disturbs single repetitions
BASELINE = 2_000_000  # repetitions of the small operations

# The columns of the table: the head, the key of an entry, and the format.
COLUMNS = (
    ("game", "game", ""),
    ("players", "players", ""),
    ("playouts/s", "playouts_per_second", ",.0f"),
    ("ns/transition", "ns_per_transition", ".1f"),
    ("iterations/s", "iterations_per_second", ",.0f"),
    ("ns/determin.", "ns_per_determinization", ".0f"),
    ("py str ns", "ns_per_python_decision_strings", ".0f"),
    ("py int ns", "ns_per_python_decision_numbers", ".0f"),
    ("bytes", "state_bytes", ""),
    ("decisions", "decisions", ".1f"),
    ("turns", "turns", ".1f"),
)

Progress = Callable[[str], None]


def silent(text: str) -> None:
    """Report nothing."""


def run(progress: Progress = silent, games: Sequence[str] = tuple(BUILT_IN)) -> dict[str, Any]:
    """Measure `games` and return the object that ``trajan-ai bench --json`` prints.

    Times are medians of `REPETITIONS` runs. ``signature``, the benchmark signature, is a
    hash of the play of all games, not of the speed.
    """
    progress("baseline")
    result: dict[str, Any] = {"version": __version__, "baseline_ns": measure_baseline()}
    signature = hashlib.sha256()
    entries = []
    for game in [game_named(name) for name in games]:
        signature.update(play_signature(game).encode())
        for players in game.player_counts:
            progress(f"{game.name}, {players} players")
            entry, played = measure_game(game, players)
            entries.append(entry)
            signature.update(repr(played).encode())
    return result | {"signature": signature.hexdigest()[:16], "results": entries}


def measure_baseline() -> dict[str, float]:
    """Return the nanoseconds that three small operations take, to compare machines."""
    return {
        "copy_1_kib": _nanoseconds(measure.copy_kibibyte, BASELINE),
        "xoshiro_bounded": _nanoseconds(
            lambda count: measure.bounded_random(count, 1), 4 * BASELINE
        ),
        "choose_among_10": _nanoseconds(lambda count: measure.choose_of_ten(count, 1), BASELINE),
    }


def measure_game(game: Game, players: int) -> tuple[dict[str, Any], Any]:
    """Return the entry of ``results`` for a game, and what was played, for the signature."""
    openings = [game.start(players, derive_seed("bench", deal)) for deal in range(OPENINGS)]
    transitions, turns, digest = measure.playouts(openings, PLAYOUTS, 1)
    playout_ns = _nanoseconds(lambda count: measure.playouts(openings, count, 1), PLAYOUTS)
    course = by_rule(openings[0], int)
    middle = course[len(course) // 2]
    opening = InformationSet(openings[0])
    observer = middle.player
    assert observer is not None
    settings = Settings(iterations=ITERATIONS, early_stop=False)
    searched = search(opening, settings, seed=1)
    search_ns = _nanoseconds(lambda count: search(opening, settings, seed=1), ITERATIONS)
    entry = {
        "game": game.name,
        "players": players,
        "playouts_per_second": 1e9 / playout_ns,
        "transitions_per_second": 1e9 / playout_ns * transitions / PLAYOUTS,
        "ns_per_transition": playout_ns * PLAYOUTS / transitions,
        "iterations_per_second": 1e9 / search_ns,
        "ns_per_determinization": _nanoseconds(
            lambda count: measure.determinizations(middle, observer, count, 1), DETERMINIZATIONS
        ),
        "ns_per_python_decision_strings": _nanoseconds(
            lambda count: _loop(openings[0], count, Position.legal, Position.after), DECISIONS
        ),
        "ns_per_python_decision_numbers": _nanoseconds(
            lambda count: _loop(openings[0], count, Position.legal_moves, Position.after_move),
            DECISIONS,
        ),
        "state_bytes": game.state_bytes,
        "decisions": transitions / PLAYOUTS,
        "turns": turns / PLAYOUTS,
    }
    visits = [(move.action, move.visits) for move in searched.moves]
    return entry, (game.name, players, transitions, turns, digest, visits)


def format_table(result: dict[str, Any]) -> str:
    """Return the result of `run` as text."""
    baseline = result["baseline_ns"]
    rows = [[f"{entry[key]:{form}}" for _, key, form in COLUMNS] for entry in result["results"]]
    lines = [
        f"trajan-ai {result['version']}, benchmark signature {result['signature']}",
        f"baseline: copy 1 KiB {baseline['copy_1_kib']:.1f} ns, xoshiro + bounded "
        f"{baseline['xoshiro_bounded']:.2f} ns, choose among 10 "
        f"{baseline['choose_among_10']:.1f} ns",
        "",
        text_table([head for head, _, _ in COLUMNS], rows),
    ]
    return "\n".join(lines)


def _nanoseconds(work: Callable[[int], object], count: int) -> float:
    """Return the median time that one of `count` pieces of work takes, in nanoseconds."""
    times = []
    for _ in range(REPETITIONS):
        begin = time.perf_counter_ns()
        work(count)
        times.append((time.perf_counter_ns() - begin) / count)
    return statistics.median(times)


def _loop(
    start: Position,
    count: int,
    legal: Callable[[Position], Sequence[Any]],
    after: Callable[[Position, Any], Position],
) -> None:
    """Make `count` decisions from Python, with action strings or with move numbers."""
    position = start
    for turn in range(count):
        moves = legal(position)
        position = after(position, moves[turn % len(moves)]) if moves else start
