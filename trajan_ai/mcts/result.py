"""What a search found: frozen data about every root move, best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from trajan_ai.core.table_text import html_table, text_table

HEADS = ("action", "visits", "win", "margin")


@dataclass(frozen=True)
class MoveResult:
    """One root move. Means are over this search's iterations through it, None without any.

    ``payoff`` is what the search maximises, ``win`` the expected share of the win, ``scores`` the
    expected final VP by player, ``margin`` the VP of the player to decide minus the best
    opponent's, with the standard error that independent playouts would have. ``line`` is the
    expected continuation. Where the search booked, ``sources`` are the VP from here to the end by
    player and source.
    """

    action: str
    move: int
    visits: int
    share: float
    payoff: float | None
    win: float | None
    scores: tuple[float, ...] | None
    margin: float | None
    margin_error: float | None
    sources: tuple[tuple[float, ...], ...] | None
    line: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Result:
    """A finished search, or an interim report of a running one.

    ``depths[d]`` counts iterations that left the tree d decisions deep, ``branching`` nodes by
    number of children, ``phases`` seconds (all 0 unless the search was timed); reports of a
    running search leave these out. ``seconds`` is wall time, ``memory_bytes`` that of the trees.
    """

    game: str
    player: int
    iterations: int
    seconds: float
    threads: int
    nodes: int
    memory_bytes: int
    settled: bool
    moves: tuple[MoveResult, ...]
    depths: tuple[int, ...] = ()
    branching: dict[int, int] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)

    @property
    def best(self) -> MoveResult:
        """The move to play."""
        return self.moves[0]

    def __str__(self) -> str:
        return text_table(HEADS, self._rows())

    def _repr_html_(self) -> str:
        return html_table(HEADS, self._rows())

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (move.action, f"{move.visits:,}", _shown(move.win, ".1%"), _shown(move.margin, "+.1f"))
            for move in self.moves
        ]


def _shown(figure: float | None, form: str) -> str:
    return "-" if figure is None else f"{figure:{form}}"


def mean_and_error(total: float, squares: float, count: int) -> tuple[float, float]:
    """Return the mean of `count` numbers and its standard error, from sums."""
    mean = total / count
    variance = max(squares / count - mean * mean, 0.0)
    return mean, sqrt(variance / max(count - 1, 1))


def ordered(stats: list[dict[str, Any]], final_move: str) -> list[dict[str, Any]]:
    """Return the root statistics, the move to play first; equal ones by move number."""

    def rank(stat: dict[str, Any]) -> tuple[float, ...]:
        visits = stat["visits"]
        if not visits:
            return (1.0, 0.0, 0.0, stat["move"])
        mean = stat["total"] / visits
        merit = (visits, mean) if final_move == "visits" else (mean, visits)
        return (0.0, -merit[0], -merit[1], stat["move"])

    return sorted(stats, key=rank)
