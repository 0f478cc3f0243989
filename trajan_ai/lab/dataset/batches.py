"""Turn games with the same number of players into arrays, from which all tables are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from trajan_ai.core.events import EventKind
from trajan_ai.core.game import Game
from trajan_ai.core.rules import HasEvents
from trajan_ai.lab.dataset.state_layout import layout

Array = npt.NDArray[Any]
Columns = dict[str, Array]
# The result of tape.play and tape.replay.
GameTape = tuple[bytearray, bytearray, list[int], list[int] | None, bytearray]
EVENT = np.dtype(
    [("row", "<i4"), ("kind", "<i2"), ("player", "<i2"), ("thing", "<i2"), ("count", "<i2")]
)


Topic = tuple[str, str | None]  # a kind of event, and one of its things or None for all


def _events(game: Game) -> Sequence[EventKind]:
    return cast(HasEvents, game.rules).events


@cache
def _kinds(game: Game) -> dict[str, tuple[int, int, Sequence[str]]]:
    """Return the number of each kind of event, the number of its first topic, and its things."""
    kinds, first = {}, 0
    for number, kind in enumerate(_events(game)):
        kinds[kind.name] = number, first, kind.things
        first += len(kind.things) + 1
    return kinds


@dataclass(frozen=True)
class GameBatch:
    """Arrays of N games of P players, with D decisions, R rows and E events in all.

    A row is the position at the start of a turn, or the final position of a game.

    Attributes:
        game, players: the game, and the number of players P.
        moves, movers: the move number and the player of each decision (D).
        states: the state in each row, as a record (R).
        of_row: the index of each row's game (R).
        first: the index in `moves` of each row's first decision (R).
        ends: the row of each game's last state (N).
        vp: the VP of each player by source between a row and the next (R, P, sources).
        events: the events, as records of type `EVENT`, each with the index of the
            last row before the event (E).
        scores: the scores in VP (N, P).
        ranks: the ranks, from 1, or 0 in an unfinished game (N, P).
        lengths: the number of decisions in each game (N).
    """

    game: Game
    players: int
    moves: Array
    movers: Array
    states: Array
    of_row: Array
    first: Array
    ends: Array
    vp: Array
    events: Array
    scores: Array
    ranks: Array
    lengths: Array

    @classmethod
    def of(cls, game: Game, rules: Any, tapes: Sequence[GameTape]) -> GameBatch:
        """Return the arrays of the games in `tapes`; `rules` is the game's compiled module."""
        players, sources = len(tapes[0][2]), len(game.vp_sources)
        row_type = np.dtype(
            [("state", layout(rules)), ("ply", "<i4"), ("vp", "<i2", (players, sources))]
        )
        parts = [one[1] for one in tapes]
        decisions = np.frombuffer(b"".join(one[0] for one in tapes), "<u2").reshape(-1, 2)
        rows = np.frombuffer(b"".join(parts), row_type)
        lengths = np.array([len(one[0]) // 4 for one in tapes])
        sizes = np.array([len(part) // row_type.itemsize for part in parts])
        numbers, starts = np.arange(len(tapes)), np.cumsum(lengths) - lengths
        of_row = np.repeat(numbers, sizes)
        happened = [one[4] for one in tapes]
        events = np.frombuffer(bytearray().join(happened), EVENT)
        firsts = np.cumsum(sizes) - sizes
        events["row"] += np.repeat(firsts, [len(one) // EVENT.itemsize for one in happened])
        return cls(
            game=game,
            players=players,
            moves=decisions[:, 0],
            movers=decisions[:, 1],
            states=rows["state"],
            of_row=of_row,
            first=rows["ply"] + starts[of_row],
            ends=np.cumsum(sizes) - 1,
            vp=rows["vp"],
            events=events,
            scores=np.array([one[2] for one in tapes], np.int16),
            ranks=np.array([one[3] or [0] * players for one in tapes], np.int8),
            lengths=lengths,
        )

    @property
    def turns(self) -> Array:
        """The rows of turns: all rows except the final positions of games."""
        return np.setdiff1d(np.arange(len(self.states)), self.ends, assume_unique=True)

    @property
    def turns_by_seat(self) -> Array:
        """The number of turns of each seat, (N, P)."""
        rows = self.turns
        cell = self.of_row[rows] * self.players + self.movers[self.first[rows]]
        counts = np.bincount(cell, minlength=self.scores.size)
        return counts.reshape(self.scores.shape).astype(np.int16)

    def own(self, rows: Array, seats: Array) -> Array:
        """Return the player records of `seats` in the states of `rows`."""
        return self.states["player"][rows, seats]

    def is_kind(self, kind: str) -> Array:
        """Return whether each event is of the named kind (E)."""
        is_kind: Array = self.events["kind"] == _kinds(self.game)[kind][0]
        return is_kind

    def of_seats(self, column_of: Mapping[Topic, str], chosen: Array, *, counted: bool) -> Columns:
        """Return for each column how many events each seat has, (N, P).

        Args:
            column_of: the column of each topic; a topic is a kind and, if it matters, a thing.
            chosen: which events to include (E).
            counted: whether to return the sum of the events' counts instead of their number.
        """
        names = list(dict.fromkeys(column_of.values()))
        group_of = np.full(sum(len(kind.things) + 1 for kind in _events(self.game)), -1)
        for (kind, thing), column in column_of.items():
            _, first, things = _kinds(self.game)[kind]
            at = slice(first, first + len(things) + 1)
            if thing is not None:
                at = slice(first + 1 + things.index(thing), first + 2 + things.index(thing))
            group_of[at] = names.index(column)
        group = group_of[self._topics]
        included = np.flatnonzero(chosen & (group >= 0))
        events = self.events[included]
        cell = self.of_row[events["row"]] * self.players + events["player"]
        size = self.scores.size * len(names)
        weights = events["count"] if counted else None
        flat = np.bincount(cell * len(names) + group[included], weights, size).astype(np.int16)
        numbers = flat.reshape(*self.scores.shape, len(names))
        return {name: numbers[..., k] for k, name in enumerate(names)}

    @cached_property
    def _topics(self) -> Array:
        """The number of each event's topic among the topics of all kinds of events (E)."""
        firsts = np.array([first for _, first, _ in _kinds(self.game).values()])
        topics: Array = firsts[self.events["kind"]] + 1 + self.events["thing"]
        return topics

    def in_rows(self, chosen: Array, rows: Array, seats: Array) -> Array:
        """Return the index of the first chosen event that a seat has in a row, or -1 for none.

        `rows` and `seats` have one entry per result.
        """
        indices = np.flatnonzero(chosen)[::-1]  # so that the first event is written last
        first = np.full(len(self.states) * self.players, -1)
        first[self.cell(indices)] = indices
        events: Array = first[rows * self.players + seats]
        return events

    def count_in_rows(self, chosen: Array, rows: Array, seats: Array) -> Array:
        """Return the number of chosen events that a seat has in a row; see `in_rows`."""
        indices = np.flatnonzero(chosen)
        counts = np.bincount(self.cell(indices), minlength=len(self.states) * self.players)
        numbers: Array = counts[rows * self.players + seats].astype(np.int8)
        return numbers

    def cell(self, indices: Array) -> Array:
        """Return the row and the player of each event, combined into one number."""
        events = self.events[indices]
        cells: Array = events["row"].astype(np.int64) * self.players + events["player"]
        return cells


def vp_names(game: Game) -> list[str]:
    """Return the names of the columns with VP by source."""
    return [f"vp_{name.replace(' ', '_')}" for name in game.vp_sources]


def turn_table(batch: GameBatch, ids: Array, more: Any) -> Columns:
    """Return a row per turn: the seat, its VP by source, and the columns that `more` adds."""
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


def stage_table(batch: GameBatch, ids: Array, stage_of: Array, stages: int, more: Any) -> Columns:
    """Return a row per game, stage and seat: the stage's VP by source, and the score after it.

    `stage_of` (R) is the stage to which each row's VP belong, from 0; `more` adds columns of the
    shape (N, stages, P).
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
        **{name: values.ravel() for name, values in more(batch, stage_of).items()},
    }
    return columns | {name: vp[..., k].ravel() for k, name in enumerate(vp_names(batch.game))}


def best_other(scores: Array) -> Array:
    """Return for each seat (last axis) the best score of the other seats."""
    ordered = np.sort(scores, axis=-1)
    best, second = ordered[..., -1:], ordered[..., -2:-1]
    return np.where(scores == best, np.where(best == second, best, second), best)


def seat_table(batch: GameBatch, ids: Array, more: Columns) -> Columns:
    """Return a row per game and seat: the result, and the columns `more`, (N, P) each."""
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
