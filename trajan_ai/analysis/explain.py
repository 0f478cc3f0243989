"""Why a move is good, in a player's terms: expected final VP by source, for every player.

After each move the same number of games is played out by the game's policy, from positions drawn
from what the player to decide knows, with the same draws for every move. So each figure has a
standard error, and differences between moves have a smaller one of their own. What has been
scored before counts as `so_far` where nobody knows its sources (a position file), else by source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from trajan_ai.analysis import outlook
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts.result import MoveResult

PLAYOUTS = 400  # after each move
SO_FAR = "so_far"  # VP of which the sources are not known
TOTAL = "total"


@dataclass(frozen=True)
class Mean:
    """A mean and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class MoveOutlook:
    """What is expected after a move: by player a win share, and VP by source with their total.

    ``against`` holds the same figures minus those of the first move that was asked for, from
    paired playouts; it is None for that move.
    """

    move: int
    action: str
    win: tuple[Mean, ...]
    vp: tuple[dict[str, Mean], ...]
    win_against: tuple[Mean, ...] | None
    vp_against: tuple[dict[str, Mean], ...] | None

    def to_list(self) -> list[dict[str, Any]]:
        """Return ``sources`` of ``suggest --json``: by player, plain data."""
        return [
            {
                "player": player,
                "win": self.win[player].mean,
                "win_error": self.win[player].error,
                "vp": {name: value.mean for name, value in self.vp[player].items()},
                "error": {name: value.error for name, value in self.vp[player].items()},
            }
            | (
                {}
                if self.vp_against is None or self.win_against is None
                else {
                    "win_gain": self.win_against[player].mean,
                    "win_gain_error": self.win_against[player].error,
                    "gain": {n: v.mean for n, v in self.vp_against[player].items()},
                    "gain_error": {n: v.error for n, v in self.vp_against[player].items()},
                }
            )
            for player in range(len(self.vp))
        ]


def sources_of(game: Game) -> tuple[str, ...]:
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


def explain(
    position: Position,
    moves: Sequence[MoveResult],
    *,
    so_far: Sequence[Sequence[int]] | None = None,
    playouts: int = PLAYOUTS,
    seed: int = 0,
) -> list[MoveOutlook]:
    """Return what is expected after each of the moves; the others are set against the first.

    `moves` are those of a search: each is followed along its expected continuation as long as the
    player goes on deciding, so that what it prepares in this turn counts, and played out then.
    `so_far` is what brought the VP made before, by player and source. Raises TrajanError if the
    game does not tell sources apart, is over, or a move is not legal.
    """
    game, player = position.game, position.player
    names = sources_of(game)
    if player is None:
        raise TrajanError(f"{game.name}: the game is over, there is nothing to explain")
    if playouts < 2:
        raise TrajanError(f"playouts must be at least 2, got {playouts}")
    data = outlook.playouts(
        position,
        player,
        [own_line(position, move) for move in moves],
        playouts,
        derive_seed("explain", seed),
        outlook.default_weights(game),
        True,
    )
    samples = _Samples(data, position.players, len(names), playouts)
    asked = _Asked(samples, position, names, so_far)
    return [asked.outlook(number, move) for number, move in enumerate(moves)]


def own_line(position: Position, move: MoveResult) -> list[int]:
    """Return a searched move and what its player is expected to go on with in the same turn."""
    line = [move.move]
    for player, action in move.line[1:]:
        if player != position.player:
            break
        line.append(position.game.move(action))
    return line


class _Samples:
    """The playouts of several moves: columns of floats."""

    def __init__(self, data: Sequence[float], players: int, sources: int, count: int) -> None:
        self.data = data
        self.width = sources + 2
        self.row = players * self.width
        self.count = count

    def column(self, move: int, player: int, which: int) -> Sequence[float]:
        """Return one figure of a player in every playout after a move."""
        start = move * self.count * self.row + player * self.width + which
        return self.data[start : start + (self.count - 1) * self.row + 1 : self.row]

    def mean(self, move: int, player: int, which: int) -> Mean:
        return mean(self.column(move, player, which))

    def against(self, move: int, player: int, which: int) -> Mean:
        """Return the mean of the differences from the first move, playout by playout."""
        ours, firsts = self.column(move, player, which), self.column(0, player, which)
        return mean([one - other for one, other in zip(ours, firsts, strict=True)])


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of at least two values and its standard error."""
    count = len(values)
    middle = sum(values) / count
    squares = sum((value - middle) ** 2 for value in values)
    return Mean(middle, sqrt(squares / (count - 1) / count))


@dataclass(frozen=True)
class _Asked:
    """What outlooks of the moves of one position are made from."""

    samples: _Samples
    position: Position
    names: Sequence[str]
    so_far: Sequence[Sequence[int]] | None

    def outlook(self, number: int, move: MoveResult) -> MoveOutlook:
        players = range(self.position.players)
        wins = tuple(self.samples.mean(number, player, 0) for player in players)
        vp = tuple(self._by_source(number, player) for player in players)
        if number == 0:
            return MoveOutlook(move.move, move.action, wins, vp, None, None)
        win_against = tuple(self.samples.against(number, player, 0) for player in players)
        vp_against = tuple(self._differences(number, player) for player in players)
        return MoveOutlook(move.move, move.action, wins, vp, win_against, vp_against)

    def _by_source(self, number: int, player: int) -> dict[str, Mean]:
        known = self.so_far[player] if self.so_far else [0] * len(self.names)
        parts = {}
        for which, name in enumerate(self.names):
            here = self.samples.mean(number, player, 2 + which)
            parts[name] = Mean(here.mean + known[which], here.error)
        if not self.so_far:
            parts[SO_FAR] = Mean(float(self.position.scores[player]), 0.0)
        return parts | {TOTAL: self.samples.mean(number, player, 1)}

    def _differences(self, number: int, player: int) -> dict[str, Mean]:
        parts = {
            name: self.samples.against(number, player, 2 + which)
            for which, name in enumerate(self.names)
        }
        return parts | {TOTAL: self.samples.against(number, player, 1)}


def table(outlooks: Sequence[MoveOutlook], player: int, width: int) -> str:
    """Return the player's VP by source as text: a row per move, columns that matter most first.

    The first move with its figures, the others with what they gain over it; a dot stands for a
    difference within twice its standard error.
    """
    best = outlooks[0]
    names = [name for name in best.vp[player] if name != TOTAL]
    opponents = [other for other in range(len(best.vp)) if other != player]
    lines = ["why: expected final VP, in all, of the others and by source; below, the gain"]
    label = min(24, max(12, width // 4))
    heads = ["win", "VP", *(f"P{other}" for other in opponents)]
    cells = [
        [_percent(best.win[player]), _plain(best.vp[player][TOTAL])]
        + [_plain(best.vp[other][TOTAL]) for other in opponents]
        + [_plain(best.vp[player][name]) for name in names]
    ]
    for other_move in outlooks[1:]:
        assert other_move.vp_against is not None
        assert other_move.win_against is not None
        gains = other_move.vp_against
        cells.append(
            [_percent_gain(other_move.win_against[player]), _gain(gains[player][TOTAL])]
            + [_gain(gains[other][TOTAL]) for other in opponents]
            + [_gain(gains[player].get(name, Mean(0.0, 0.0))) for name in names]
        )
    heads += [name.replace("_", " ") for name in names]
    return "\n".join([*lines, *_columns(heads, outlooks, cells, label, width)])


def _columns(
    heads: Sequence[str],
    outlooks: Sequence[MoveOutlook],
    cells: Sequence[Sequence[str]],
    label: int,
    width: int,
) -> list[str]:
    """Lay columns out in as many blocks as the width asks for."""
    sizes = [max(len(head), *(len(row[i]) for row in cells)) + 2 for i, head in enumerate(heads)]
    lines: list[str] = []
    start = 0
    while start < len(heads):
        end, used = start, label
        while end < len(heads) and (end == start or used + sizes[end] <= width):
            used += sizes[end]
            end += 1
        if lines:
            lines.append("")
        columns = range(start, end)
        lines.append(" " * label + "".join(f"{heads[i]:>{sizes[i]}}" for i in columns))
        for one, row in zip(outlooks, cells, strict=True):
            text = "".join(f"{row[i]:>{sizes[i]}}" for i in columns)
            lines.append(f"{one.action[: label - 1]:<{label}}{text}")
        start = end
    return lines


def _plain(value: Mean) -> str:
    return f"{value.mean:.1f}"


def _percent(value: Mean) -> str:
    return f"{value.mean:.1%}"


def _gain(value: Mean) -> str:
    return "." if abs(value.mean) <= 2 * value.error or not value.mean else f"{value.mean:+.1f}"


def _percent_gain(value: Mean) -> str:
    return "." if abs(value.mean) <= 2 * value.error or not value.mean else f"{value.mean:+.1%}"
