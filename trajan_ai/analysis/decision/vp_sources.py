"""Explain what a move is worth: the expected final VP by source, which the same searches record.

Searches record the sources of VP in some playouts (one in eight, which is played to its end for
this purpose). The expected VP by source are corrected like a player's total VP, and add up to that
total. VP scored before the decision count as one source, `SO_FAR`, so that the explanation of a
position is the same whether its past is known or not.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import stdev

from trajan_ai.analysis.decision.calibration import Calibration
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.mcts.result import MoveResult

SO_FAR = "so_far"  # VP scored before the decision
TOTAL = "total"
# The smallest spread between searches that is assumed, in VP: a few searches may agree by chance.
MIN_SPREAD = 0.5


# For each player, the expected final VP from each source, and their sum as ``TOTAL``.
Sources = tuple[dict[str, float], ...]


def source_names(game: Game) -> tuple[str, ...]:
    """Return the names of a game's sources of VP; raise TrajanError if it has none."""
    if not game.vp_sources:
        raise TrajanError(f"{game.name}: this game does not define sources of VP")
    return game.vp_sources


def name_source(source: str) -> str:
    """Return the name of a source of VP in the user's language."""
    return tr(source.replace("_", " ").replace("trajan", "Trajan"))


def sources_of_move(
    information: InformationSet,
    results: Sequence[MoveResult],
    scores: Sequence[float],
    calibration: Calibration,
) -> Sources | None:
    """Return each player's expected VP from each source after a move; they add up to `scores`.

    `results` are the results of the move's searches. Returns None if none of them has sources.
    """
    noted = [one.sources for one in results if one.sources is not None]
    if not noted:
        return None
    names = source_names(information.game)
    factors = [calibration.factor(information.players, name) for name in names]

    def expected(player: int, total: float) -> dict[str, float]:
        rows = zip(*(sources[player] for sources in noted), strict=True)
        means = [sum(row) / len(noted) for row in rows]
        before = float(information.scores[player])
        parts = adding_up(_correct(means, factors, total - before), total - before)
        return dict(zip(names, parts, strict=True)) | {SO_FAR: before, TOTAL: total}

    return tuple(expected(player, total) for player, total in enumerate(scores))


def errors_of_sources(
    information: InformationSet, results: Sequence[MoveResult], calibration: Calibration
) -> Sources | None:
    """Return the standard errors of `sources_of_move`, estimated from the spread of the searches.

    Returns None if fewer than two searches have sources.
    """
    noted = [one.sources for one in results if one.sources is not None]
    if len(noted) < 2:
        return None
    names = source_names(information.game)
    factors = [calibration.factor(information.players, name) for name in names]
    return tuple(
        {
            name: factor * max(stdev(values), MIN_SPREAD) / sqrt(len(noted))
            for name, factor, values in zip(
                names, factors, zip(*(one[player] for one in noted), strict=True), strict=True
            )
        }
        for player in range(information.players)
    )


def _correct(means: Sequence[float], factors: Sequence[float], total: float) -> list[float]:
    """Return the means with that part of the correction that brings their sum closest to `total`.

    The factors are for a whole game. Near its end, only a part of the correction is applied, and
    none if the result is certain, because the means then add up without a correction.
    """
    changes = [mean * (factor - 1.0) for mean, factor in zip(means, factors, strict=True)]
    whole = sum(changes)
    part = min(max((total - sum(means)) / whole, 0.0), 1.0) if whole else 0.0
    return [mean + part * change for mean, change in zip(means, changes, strict=True)]


def adding_up(parts: Sequence[float], total: float) -> list[float]:
    """Return `parts`, changed in proportion to their sizes so that they add up to `total`."""
    sizes = [abs(part) for part in parts]
    whole = sum(sizes)
    missing = total - sum(parts)
    if not whole:
        return [missing / len(parts)] * len(parts)
    return [part + missing * size / whole for part, size in zip(parts, sizes, strict=True)]
