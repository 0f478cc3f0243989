"""Which tables to play next so that games shrink the chosen uncertainty most."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournaments.ratings import ELO, Floats, Results, fit

# Elo of the prior standard deviation while pairing: before games tell otherwise bots are taken to
# be within a few hundred Elo of each other, so that the first round meets everybody.
PAIRING_PRIOR = 300.0


def choose(
    results: Results,
    tables: Sequence[tuple[int, ...]],
    dealt: Sequence[int],
    count: int,
    *,
    focus: Sequence[int] = (),
    rotations: str = "cyclic",
) -> list[int]:
    """Return the indices of the next `count` tables, one a deal block; equal input, equal choice.

    Greedy A-optimal design (Fedorov, "Theory of Optimal Experiments", 1972): each block in turn
    goes to the table that most reduces the summed variance of the differences between all bots,
    or between each `focus` bot and all others, per game played. `dealt` are the blocks each table
    has had; the less often dealt, then the earlier table, wins a tie.
    """
    bots = len(results.bots)
    contrasts = _contrasts(bots, focus)
    theta = fit(results, resamples=0, prior_elo=PAIRING_PRIOR, seat_effect=False).point[:bots]
    information = np.eye(bots) * (ELO / PAIRING_PRIOR) ** 2
    every = np.stack([_information(table, theta) for table in tables])
    games = np.array([_games(table, rotations) for table in tables], dtype=np.float64)
    played = np.asarray(dealt, dtype=np.int64).copy()
    information += np.einsum("t,tpq->pq", played * games, every)
    target = contrasts.T @ contrasts
    chosen = []
    for _ in range(count):
        gains = _gains(information, every * games[:, None, None], target) / games
        best = np.flatnonzero(gains >= gains.max() * (1 - 1e-9))
        pick = int(best[np.argmin(played[best])])
        chosen.append(pick)
        played[pick] += 1
        information = information + games[pick] * every[pick]
    return chosen


def _gains(information: Floats, blocks: Floats, target: Floats) -> Floats:
    """Return by how much a block of each table lowers the trace of target times covariance."""
    covariance = np.linalg.inv(information)
    after = np.linalg.inv(information[None] + blocks)
    gains = np.trace(target @ covariance) - np.einsum("pq,tqp->t", target, after)
    return np.asarray(gains)


def _contrasts(bots: int, focus: Sequence[int]) -> Floats:
    rows = [
        np.eye(bots)[i] - np.eye(bots)[j]
        for i in (focus or range(bots))
        for j in range(bots)
        if i != j and (focus or i < j)
    ]
    return np.array(rows)


def _information(table: tuple[int, ...], theta: Floats) -> Floats:
    """Return the Fisher information of one game's pairs, (bots, bots)."""
    result = np.zeros((len(theta), len(theta)))
    for a, i in enumerate(table):
        for j in table[a + 1 :]:
            if i != j:
                share = 1.0 / (1.0 + np.exp(theta[j] - theta[i]))
                weight = share * (1.0 - share)
                result[[i, j], [i, j]] += weight
                result[[i, j], [j, i]] -= weight
    return result


def _games(table: tuple[int, ...], rotations: str) -> int:
    return len(table) if rotations == "cyclic" else int(np.prod(range(1, len(table) + 1)))
