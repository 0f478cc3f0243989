"""Why a move is worth what it is: expected final VP by source, from the same searches.

What brings VP is booked in playouts of the searches that value the move (one in eight of them is
played to its end for that), corrected like the VP, and made to add up to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trajan_ai.analysis import outlook
from trajan_ai.analysis.calibration import Calibration
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.result import MoveResult

SO_FAR = "so_far"  # VP of which the sources are not known
TOTAL = "total"


# Expected final VP of each player by source, adding up to their ``TOTAL``.
Sources = tuple[dict[str, float], ...]


def source_names(game: Game) -> tuple[str, ...]:
    """Return the names of what brings VP in a game; raises TrajanError if it tells none apart."""
    if not game.vp_sources:
        raise TrajanError(f"{game.name}: this game does not tell its sources of VP apart")
    return game.vp_sources


def booked_so_far(positions: Iterable[Position], moves: Sequence[int]) -> list[list[int]]:
    """Return VP by player and source after the moves of a game, made at `positions` in turn."""
    total: list[list[int]] = []
    for position, move in zip(positions, moves, strict=False):
        _, vp = outlook.booked(position, move)
        total = total or [[0] * len(row) for row in vp]
        for row, brought in zip(total, vp, strict=True):
            row[:] = map(sum, zip(row, brought, strict=True))
    return total


def sources_of_move(
    known: InformationSet,
    found: Sequence[MoveResult],
    scores: Sequence[float],
    *,
    so_far: Sequence[Sequence[int]] | None,
    calibration: Calibration,
) -> Sources | None:
    """Return by source what is expected after a move, adding up to `scores`.

    `found` is what searches booked after it; None where they booked nothing.
    """
    booked = [one.sources for one in found if one.sources is not None]
    if not booked:
        return None
    names = source_names(known.game)
    factors = [calibration.factor(known.players, name) for name in names]

    def expected(player: int, total: float) -> dict[str, float]:
        rows = zip(*(sources[player] for sources in booked), strict=True)
        means = [sum(row) / len(booked) for row in rows]
        before = list(so_far[player]) if so_far else [0] * len(names)
        unknown = {} if so_far else {SO_FAR: float(known.scores[player])}
        come = total - sum(before) - sum(unknown.values())
        parts = adding_up([m * f for m, f in zip(means, factors, strict=True)], come)
        brought = {n: b + p for n, b, p in zip(names, before, parts, strict=True)}
        return brought | unknown | {TOTAL: total}

    return tuple(expected(player, total) for player, total in enumerate(scores))


def adding_up(parts: Sequence[float], total: float) -> list[float]:
    """Return parts changed in proportion to their sizes so that they add up to `total`."""
    sizes = [abs(part) for part in parts]
    whole = sum(sizes)
    missing = total - sum(parts)
    if not whole:
        return [missing / len(parts)] * len(parts)
    return [part + missing * size / whole for part, size in zip(parts, sizes, strict=True)]
