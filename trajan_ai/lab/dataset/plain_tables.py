"""Make the plain tables of the data set, which any game can have: games, seats and moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trajan_ai import records
from trajan_ai.lab.dataset.batches import best_other
from trajan_ai.lab.dataset.dataset_files import arrow

PLAIN_TABLES = ("games", "seats", "moves")


@dataclass(frozen=True)
class PlainGame:
    """A replayed game.

    Attributes:
        head: the columns of `games` that do not follow from the moves.
        moves: the turn, seat, move number and action of each decision.
        scores, ranks: the result by seat; ranks are 0 in an unfinished game.
    """

    head: Mapping[str, Any]
    moves: list[tuple[int, int, int, str]]
    scores: list[int]
    ranks: list[int]

    @classmethod
    def of(cls, entry: records.Record, head: Mapping[str, Any]) -> PlainGame:
        """Replay a record; raise TrajanError if its moves do not lead to its result."""
        *line, end = records.replay_all(entry)
        moves = []
        for position, (seat, action) in zip(line, entry["actions"], strict=True):
            move = position.game.move(action)
            moves.append((position.turn, seat, move, position.game.actions[move]))
        return cls(head, moves, end.scores, end.ranks or [0] * end.players)


def plain_tables(games: Sequence[PlainGame]) -> dict[str, Any]:
    """Return the Arrow tables by name, or no tables if there are no games."""
    if not games:
        return {}
    return {"games": _games(games), "seats": _seats(games), "moves": _moves(games)}


def _games(games: Sequence[PlainGame]) -> Any:
    pa = arrow()
    kinds = {"id": pa.int64(), "place": pa.int32()}
    heads = {
        name: pa.array([one.head[name] for one in games], kinds.get(name, pa.string()))
        for name in games[0].head
    }
    moves = [[move for _, _, move, _ in one.moves] for one in games]
    return pa.table(
        heads
        | {
            "moves": pa.array(moves, pa.list_(pa.uint16())),
            "scores": pa.array([one.scores for one in games], pa.list_(pa.int32())),
            "ranks": pa.array([one.ranks for one in games], pa.list_(pa.int8())),
        }
    )


def _seats(games: Sequence[PlainGame]) -> Any:
    pa, rows = arrow(), []
    for one in games:
        leads = (np.array(one.scores) - best_other(np.array(one.scores))).tolist()
        for seat, result in enumerate(zip(one.scores, one.ranks, leads, strict=True)):
            turns = {turn for turn, mover, _, _ in one.moves if mover == seat}
            rows.append((one.head["id"], seat, *result, len(turns)))
    kinds = {
        "id": pa.int64(),
        "seat": pa.int8(),
        "score": pa.int32(),
        "rank": pa.int8(),
        "lead": pa.int32(),
        "turns": pa.int16(),
    }
    return _table(rows, kinds)


def _moves(games: Sequence[PlainGame]) -> Any:
    pa = arrow()
    rows = [
        (one.head["id"], ply, *decision) for one in games for ply, decision in enumerate(one.moves)
    ]
    kinds = {
        "id": pa.int64(),
        "ply": pa.int32(),
        "turn": pa.int32(),
        "seat": pa.int8(),
        "move": pa.uint16(),
        "action": pa.string(),
    }
    return _table(rows, kinds)


def _table(rows: Sequence[tuple[Any, ...]], kinds: Mapping[str, Any]) -> Any:
    """Return rows as a table; `kinds` contains the column types, because there may be no rows."""
    columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
    return arrow().table(
        {
            name: arrow().array(column, kind)
            for (name, kind), column in zip(kinds.items(), columns, strict=True)
        }
    )
