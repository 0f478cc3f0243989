"""The result of a search: data about every root move, best first."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from trajan_ai.core.table_text import text_table
from trajan_ai.core.templates import render_table

HEADS = ("action", "visits", "win", "margin")
MIN_TRIED = 4  # minimum number of iterations through a move for its payoffs to be compared
ROUNDING = 1e-9  # above the rounding error of a mean payoff, below the effect of a VP on it


@dataclass(frozen=True)
class MoveResult:
    """A root move. Means are over the iterations of this search through the move, or None without
    any.

    The default values are those of a move that no iteration tried.

    Attributes
    ----------
    action : str
    move : int
        Move number.
    visits : int
        Iterations through the move, including those of earlier searches in a reused tree.
    share : float
        Fraction of all visits, from 0 to 1.
    payoff : float or None
        Mean of the quantity that the search maximises, from 0 to 1.
    win : float or None
        Expected share of the win, from 0 to 1.
    scores : tuple of float or None
        Expected final VP by player.
    margin : float or None
        Expected VP of the player to move minus those of the best opponent.
    margin_error : float or None
        Standard error of `margin`, as if playouts were independent.
    sources : tuple of tuple of float or None
        Expected VP from here to the end by player and source, if the search recorded them.
    line : tuple of (int, str)
        The expected continuation: player and action.
    """

    action: str
    move: int
    visits: int = 0
    share: float = 0.0
    payoff: float | None = None
    win: float | None = None
    scores: tuple[float, ...] | None = None
    margin: float | None = None
    margin_error: float | None = None
    sources: tuple[tuple[float, ...], ...] | None = None
    line: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Result:
    """A finished search, or an interim report of a running one.

    Attributes
    ----------
    game : str
    player : int
        Player to move.
    iterations, threads, nodes : int
    seconds : float
        Wall time.
    memory_bytes : int
        Memory of the trees and of everything else that the search uses.
    tree_full : bool
        Whether moves were not added to the trees, because `tree_megabytes` was used up.
    settled : bool
        Whether the search stopped early, because its choice could not change.
    moves : tuple of MoveResult
        Best first.
    depths : tuple of int
        ``depths[d]`` is the number of iterations that left the tree at depth d, in decisions.
    branching : dict of int to int
        Number of nodes by number of children.
    phases : dict of str to float
        Seconds by phase, 0 unless the search was timed.

    Interim reports omit `depths`, `branching` and `phases`.
    """

    game: str
    player: int
    iterations: int
    seconds: float
    threads: int
    nodes: int
    memory_bytes: int
    tree_full: bool
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
        return render_table(HEADS, self._rows())

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                move.action,
                f"{move.visits:,}",
                _format(move.win, ".1%"),
                _format(move.margin, "+.1f"),
            )
            for move in self.moves
        ]


def _format(figure: float | None, form: str) -> str:
    return "-" if figure is None else f"{figure:{form}}"


def mean_and_error(total: float, squares: float, count: int) -> tuple[float, float]:
    """Return the mean of `count` numbers and its standard error.

    `total` is the sum of the numbers, and `squares` is the sum of their squares.
    """
    mean = total / count
    variance = max(squares / count - mean * mean, 0.0)
    return mean, sqrt(variance / max(count - 1, 1))


def sort_moves(stats: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return root statistics with the move to play first.

    The move to play is the one with the most visits (Browne et al., A Survey of Monte Carlo Tree
    Search Methods (2012), 3.1, robust child), unless the mean payoff of another move is above the
    greatest payoff of the most visited move; in this case, the move with the best mean is played.
    This happens mostly in the last turn, where payoffs vary little. The other moves are sorted by
    visits, then by mean payoff, then by move number.
    """

    def rank(stat: dict[str, Any]) -> tuple[float, ...]:
        visits = stat["visits"]
        if not visits:
            return (1.0, 0.0, 0.0, stat["move"])
        return (0.0, -visits, -stat["total"] / visits, stat["move"])

    ranked = sorted(stats, key=rank)
    tried = [stat for stat in ranked if stat["count"] >= MIN_TRIED]
    if tried and tried[0] is ranked[0]:
        best = max(tried, key=_mean_payoff)
        if _mean_payoff(best) > tried[0]["payoff_high"] + ROUNDING:
            ranked.remove(best)
            ranked.insert(0, best)
    return ranked


def _mean_payoff(stat: dict[str, Any]) -> float:
    return float(stat["payoff"] / stat["count"])
