"""Games of one table size as arrays, side by side: what all tables of the data set are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from trajan_ai.core.game import Game
from trajan_ai.lab.dataset.state_layout import layout

Array = npt.NDArray[Any]
Columns = dict[str, Array]
Taped = tuple[bytearray, bytearray, list[int], list[int] | None]  # see tape.play


@dataclass(frozen=True)
class Batch:
    """Arrays of N games of P players: D decisions, R rows (starts of turns, and ends of games).

    ``moves``, ``movers``, ``of_move`` (D,): number, player and game of a decision; ``states`` (R,)
    records; ``of_row`` (R,): game; ``first`` (R,): the first decision of the row, in ``moves``;
    ``ends`` (N,): rows of the last states; ``vp`` (R, P, sources): brought until the next row;
    ``scores`` (N, P): VP; ``ranks`` (N, P): 0 in a game that was left; ``lengths`` (N,).
    """

    game: Game
    players: int
    moves: Array
    movers: Array
    of_move: Array
    states: Array
    of_row: Array
    first: Array
    ends: Array
    vp: Array
    scores: Array
    ranks: Array
    lengths: Array

    @classmethod
    def of(cls, game: Game, rules: Any, taped: Sequence[Taped]) -> Batch:
        """Return the arrays of games that `tape` made; `rules` is the game's compiled module."""
        players, sources = len(taped[0][2]), len(game.vp_sources)
        row_type = np.dtype(
            [("state", layout(rules)), ("ply", "<i4"), ("vp", "<i2", (players, sources))]
        )
        parts = [one[1] for one in taped]
        decisions = np.frombuffer(b"".join(one[0] for one in taped), "<u2").reshape(-1, 2)
        rows = np.frombuffer(b"".join(parts), row_type)
        lengths = np.array([len(one[0]) // 4 for one in taped])
        sizes = np.array([len(part) // row_type.itemsize for part in parts])
        numbers, starts = np.arange(len(taped)), np.cumsum(lengths) - lengths
        of_row = np.repeat(numbers, sizes)
        return cls(
            game,
            players,
            decisions[:, 0],
            decisions[:, 1],
            np.repeat(numbers, lengths),
            rows["state"],
            of_row,
            rows["ply"] + starts[of_row],
            np.cumsum(sizes) - 1,
            rows["vp"],
            np.array([one[2] for one in taped], np.int16),
            np.array([one[3] or [0] * players for one in taped], np.int8),
            lengths,
        )

    @property
    def turns(self) -> Array:
        """Rows that are turns: all but the ends of games."""
        return np.setdiff1d(np.arange(len(self.states)), self.ends, assume_unique=True)

    @property
    def turns_by_seat(self) -> Array:
        """How many turns each seat had, (N, P)."""
        rows = self.turns
        cell = self.of_row[rows] * self.players + self.movers[self.first[rows]]
        counts = np.bincount(cell, minlength=self.scores.size)
        return counts.reshape(self.scores.shape).astype(np.int16)

    def own(self, rows: Array, seats: Array) -> Array:
        """Return the player records of `seats` in the states of `rows`."""
        return self.states["player"][rows, seats]

    def counts(self, group_of: Array, groups: int) -> Array:
        """Return how often each seat made moves of each group, (N, P, groups).

        `group_of` tells the group of every move number, -1 for none.
        """
        group = group_of[self.moves]
        chosen = group >= 0
        cell = (self.of_move * self.players + self.movers) * groups + group
        size = len(self.scores) * self.players * groups
        flat = np.bincount(cell[chosen], minlength=size)
        return flat.reshape(len(self.scores), self.players, groups).astype(np.int16)


def vp_names(game: Game) -> list[str]:
    """Return the columns of what brought VP."""
    return [f"vp_{name.replace(' ', '_')}" for name in game.vp_sources]


def turn_table(batch: Batch, ids: Array, more: Any) -> Columns:
    """Return a row for each turn: its seat, the VP that it brought them, what the game adds."""
    rows = batch.turns
    seats = batch.movers[batch.first[rows]].astype(np.int64)
    starts = np.concatenate([[0], batch.ends[:-1] + 1])
    score = batch.own(rows, seats)["score"]
    columns = {
        "id": ids[batch.of_row[rows]],
        "turn": (rows - starts[batch.of_row[rows]]).astype(np.int16),
        "seat": seats.astype(np.int8),
        "score": score,
        **more(batch, rows, seats),
    }
    own = batch.vp[rows, seats]
    return columns | {name: own[:, k] for k, name in enumerate(vp_names(batch.game))}


def stage_table(batch: Batch, ids: Array, stage_of: Array, stages: int, more: Any) -> Columns:
    """Return a row for each stage and seat of a game: its VP by source and the score after it.

    `stage_of` (R,) is the stage in which a row's VP came, from 0.
    """
    games, players = batch.scores.shape
    vp = np.zeros((games, stages, players, batch.vp.shape[2]), np.int16)
    np.add.at(vp, (batch.of_row, stage_of), batch.vp)
    after = np.cumsum(vp.sum(axis=3), axis=1, dtype=np.int16)
    game, stage, seat = (one.ravel() for one in np.indices(after.shape))
    columns = {
        "id": ids[game],
        "stage": (stage + 1).astype(np.int8),
        "seat": seat.astype(np.int8),
        "score": after.ravel(),
        "lead": (after - best_other(after)).ravel(),
        **more(vp.reshape(-1, vp.shape[3])),
    }
    return columns | {name: vp[..., k].ravel() for k, name in enumerate(vp_names(batch.game))}


def best_other(scores: Array) -> Array:
    """Return for each seat (last axis) the best score of the others."""
    ordered = np.sort(scores, axis=-1)
    best, second = ordered[..., -1:], ordered[..., -2:-1]
    return np.where(scores == best, np.where(best == second, best, second), best)


def seat_table(batch: Batch, ids: Array, more: Columns) -> Columns:
    """Return a row for each seat of a game: its result, and what the game counts, (N, P) each."""
    game, seat = (one.ravel() for one in np.indices(batch.scores.shape))
    return {
        "id": ids[game],
        "seat": seat.astype(np.int8),
        "score": batch.scores.ravel(),
        "rank": batch.ranks.ravel(),
        "lead": (batch.scores - best_other(batch.scores)).ravel(),
        "turns": batch.turns_by_seat.ravel(),
        **{name: values.ravel().astype(np.int16) for name, values in more.items()},
    }
