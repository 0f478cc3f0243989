"""Choose the next tables so that their games reduce uncertainty most."""

import math
from collections.abc import Sequence

import numpy as np

from trajan_ai.tournaments.ratings import ELO, Floats, Ints, Peak, Results, invert

# Standard deviation, in Elo, of the prior for pairing. Without results, bots are assumed to be
# within a few hundred Elo of each other, so that all bots meet in the first round.
PAIRING_PRIOR = 300.0
CHUNK = 50_000  # number of tables evaluated at a time, which takes a few MB


def choose(
    results: Results,
    tables: Sequence[tuple[int, ...]],
    dealt: Sequence[int],
    count: int,
    *,
    focus: Sequence[int] = (),
    rotations: str = "cyclic",
) -> list[int]:
    """Return the indices of the tables for the next `count` deal blocks.

    This is a greedy A-optimal design (Fedorov, "Theory of Optimal Experiments", 1972). Each block
    goes to the table that most reduces, per game, the summed variance of the differences between
    all bots, or between each `focus` bot and all others. `dealt` is the number of blocks of each
    table so far. If several tables are equally good, one with the fewest blocks is chosen, and of
    these the first. The same input always gives the same result.
    """
    bots = len(results.bots)
    theta = Peak(results, PAIRING_PRIOR, seat_effect=False).point
    every = _Tables(tables, theta, rotations)
    played = np.asarray(dealt, dtype=np.int64).copy()
    information = np.eye(bots) * (ELO / PAIRING_PRIOR) ** 2
    every.add(information, played)
    target = _target(bots, focus)
    chosen = []
    for _ in range(count):
        gains = every.gains(invert(information), target)
        best = np.flatnonzero(gains >= gains.max() * (1 - 1e-9))
        pick = int(best[np.argmin(played[best])])
        chosen.append(pick)
        played[pick] += 1
        every.add(information, np.eye(1, len(tables), pick, dtype=np.int64)[0])
    return chosen


class _Tables:
    """The information that a deal block of each table gives, as small matrices over its players.

    Tables of one size are stored together: `players` (T, n), `blocks` (T, n, n).
    """

    def __init__(self, tables: Sequence[tuple[int, ...]], theta: Floats, rotations: str) -> None:
        self.count = len(tables)
        self.tables = tables
        self.sizes: list[tuple[Ints, Ints, Floats, int]] = []
        for size in sorted({len(table) for table in tables}):
            where = np.array([t for t, table in enumerate(tables) if len(table) == size])
            players = np.array([tables[t] for t in where], dtype=np.int64)
            games = size if rotations == "cyclic" else math.factorial(size)
            self.sizes.append((where, players, _information(theta[players], players), games))

    def add(self, information: Floats, deals: Ints) -> None:
        """Add what `deals` deals of each table contribute to the `information` about all bots."""
        for where, players, blocks, games in self.sizes:
            dealt = np.flatnonzero(deals[where])
            gain = (games * deals[where[dealt]])[:, None, None] * blocks[dealt]
            here = players[dealt]
            np.add.at(information, (here[:, :, None], here[:, None, :]), gain)

    def gains(self, covariance: Floats, target: Floats) -> Floats:
        """Return how much a block of each table reduces trace(target covariance), per game.

        With the information K of a table about its players k, the covariance C becomes
        C - C[:, k] K (1 + C[k, k] K)^-1 C[k, :] (Woodbury); so only (C target C)[k, k] matters.
        """
        result = np.empty(self.count)
        spread = covariance @ target @ covariance
        for where, players, blocks, games in self.sizes:
            for begin in range(0, len(where), CHUNK):
                part = slice(begin, begin + CHUNK)
                rows, columns = players[part, :, None], players[part, None, :]
                gain = games * blocks[part]
                inner = np.eye(gain.shape[1]) + covariance[rows, columns] @ gain
                lowered = gain @ np.linalg.solve(inner, spread[rows, columns])
                result[where[part]] = np.trace(lowered, axis1=1, axis2=2) / games
        return result


def _target(bots: int, focus: Sequence[int]) -> Floats:
    """Return the summed outer products of contrasts, over all pairs or those with a focus bot."""
    met = np.zeros((bots, bots))
    met[list(focus) or slice(None)] = 1.0
    if not focus:
        met = np.triu(met, 1)
    np.fill_diagonal(met, 0.0)
    return np.asarray(np.diag(met.sum(axis=0) + met.sum(axis=1)) - met - met.T)


def _information(theta: Floats, players: Ints) -> Floats:
    """Return the Fisher information of one game's pairs of different bots at each table."""
    share = 1.0 / (1.0 + np.exp(theta[:, None, :] - theta[:, :, None]))
    weight = share * (1.0 - share) * (players[:, :, None] != players[:, None, :])
    size = players.shape[1]
    return np.asarray(np.eye(size) * weight.sum(axis=2)[:, :, None] - weight)
