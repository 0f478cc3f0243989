"""Annotated games: every decision evaluated, what it lost, and what luck brought.

Each decision is searched with what its player knew. The loss is the value of the best move minus
that of the one made, in win and in VP of margin. Luck is apart: where a move revealed something,
it is the value afterwards minus its mean over redraws of what had not been known (the zero-mean
terms of Zinkevich et al., "Optimal Unbiased Estimators for Evaluating Agent Performance", 2006,
and of backgammon's luck figures), by playouts of the game's policy.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai import records
from trajan_ai.analysis import explain, outlook, suggest
from trajan_ai.analysis.defaults import ANNOTATION_ITERATIONS
from trajan_ai.analysis.explain import Mean
from trajan_ai.bots import Bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import in_words
from trajan_ai.core.seeds import derive_seed
from trajan_ai.following import Table
from trajan_ai.games import game as game_named
from trajan_ai.mcts import Result
from trajan_ai.mcts.driver import Engine
from trajan_ai.mcts.result import MoveResult

FORMAT = "trajan-ai/annotation"
VERSION = 1
THIN = 0.15  # of the iterations: a move with fewer is searched on its own
FURTHER = 0.5  # of a decision's budget: what that search may spend
LUCK_SHARE = 0.03  # of the iterations: playouts on either side of a reveal
START_PLAYOUTS = 400
UNKNOWN = "unknown"  # where VP came from that a witness cannot tell
PAIRED_SHARE = 0.03  # of the iterations: playouts after the best move and after the one made
LEAST_PLAYOUTS = 16
SURE = 2.0  # standard errors that a loss must have to be called a mistake

# Grades, the worst first: a loss of so much win, or of so many VP of margin.
GRADES = (("blunder", 0.10, 8.0), ("mistake", 0.05, 4.0), ("inaccuracy", 0.02, 2.0))
FINE = "fine"

Progress = Callable[[int, int], None]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Value:
    """What a player may expect: share of the win, and VP over the best opponent, with errors."""

    win: float
    win_error: float
    margin: float
    margin_error: float


@dataclass(frozen=True)
class Decision:
    """One decision of a game: what was best, what was made, what it lost, what luck brought.

    ``effects`` are what the choice cost each player's margin (below 0 for who made it, above for
    those it helped), ``luck`` what was revealed brought each; both with errors, both None where
    there is none. ``better`` is how the turn was expected to go on after the best move.
    """

    ply: int
    player: int
    turn: int
    quarter: int
    kind: str
    action: str
    words: str
    best: str
    better: tuple[str, ...]
    better_words: str
    expected: Value
    made: Value
    loss: Value
    grade: str
    effects: tuple[Mean, ...] | None
    luck: tuple[Mean, ...] | None
    scores: tuple[int, ...]


@dataclass(frozen=True)
class Played:
    """A finished game: the position before each move and after the last, and the moves.

    ``data`` is its record. Of a witnessed one ``observer`` is who saw it: the positions hold what
    they know, only their decisions can be judged, and moves of which nothing was seen are None.
    """

    data: records.Record
    positions: tuple[Position, ...]
    moves: tuple[tuple[int, str | None], ...]
    names: tuple[str, ...]
    observer: int | None

    @property
    def final(self) -> Position:
        """The end of the game."""
        return self.positions[-1]

    def judged(self) -> list[int]:
        """Return the numbers of the moves that can be judged."""
        return [
            number
            for number, (player, action) in enumerate(self.moves)
            if self.observer in (None, player) and action is not None
        ]


def played(entry: records.Record | Table) -> Played:
    """Return the game of a record or of a witnessed one.

    Raises TrajanError where it does not replay, is not finished, or has nothing to judge.
    """
    if isinstance(entry, Table):
        game = Played(
            entry.record(),
            entry.positions,
            tuple((move.player, move.action) for move in entry.moves),
            tuple(f"player {player}" for player in range(entry.start.players)),
            entry.observer,
        )
    else:
        records.replay(entry)
        positions = tuple(records.positions(entry))
        moves = tuple((player, action) for player, action in entry["actions"])
        game = Played(entry, positions, moves, player_names(entry), None)
    if game.final.player is not None or not game.judged():
        raise TrajanError(
            f"{game.final.game.name}: only finished games are annotated; this one stops at ply "
            f"{len(game.moves)} with player {game.final.player} to decide"
        )
    return game


@dataclass(frozen=True)
class Annotation:
    """An annotated game; ``brought`` are [ply, player, source, VP] of every VP made.

    A ply is the number of a move, from 0.
    """

    played: Played
    bot: str
    limits: dict[str, Any]
    decisions: tuple[Decision, ...]
    start: tuple[Mean, ...]
    brought: tuple[tuple[int, int, str, int], ...]
    scores: tuple[int, ...]
    search_seconds: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without what differs from run to run."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "record": fingerprint(self.played.data),
            "game": self.played.final.game.name,
            "players": self.played.final.players,
            "observer": self.played.observer,
            "names": list(self.played.names),
            "bot": self.bot,
            "limits": self.limits,
            "scores": list(self.scores),
            "ranks": self.played.final.ranks,
            "start": [asdict(one) for one in self.start],
            "decisions": [asdict(decision) for decision in self.decisions],
            "brought": [list(one) for one in self.brought],
        }


def fingerprint(entry: records.Record) -> str:
    """Return 16 hex digits that stand for a record."""
    return hashlib.blake2b(records.dumps(entry).encode(), digest_size=8).hexdigest()


def player_names(entry: records.Record) -> tuple[str, ...]:
    """Return who played: the bots' names where the record has them, else player 0, 1, .."""
    bots = entry.get("x_bots")
    players = range(entry["players"])
    if isinstance(bots, list) and len(bots) == entry["players"]:
        names = [bot.get("name") if isinstance(bot, dict) else None for bot in bots]
        return tuple(str(names[player] or f"player {player}") for player in players)
    return tuple(f"player {player}" for player in players)


def annotate(
    entry: records.Record | Table,
    bot: Bot | str | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress = lambda done, total: None,
) -> Annotation:
    """Annotate a record; `iterations` or `seconds` are those of each decision's search.

    Of a witnessed record the decisions of who saw it are judged. Raises TrajanError as `played`
    does.
    """
    started = time.monotonic()
    game = played(entry)
    final = game.final
    asked = task(game.data, bot, iterations=iterations, seconds=seconds, seed=seed)
    limits = asked["limits"]
    chosen, _ = suggest.chosen_bot(final.game, bot)
    settings, _, _ = suggest.limited(chosen, limits["iterations"], limits["seconds"])
    critic = _Critic(final, Engine(final.game, settings), limits)
    numbers = game.judged()
    decisions = []
    for ply in numbers:
        position, after = game.positions[ply : ply + 2]
        decisions.append(critic.judge(ply, position, str(game.moves[ply][1]), after))
        progress(len(decisions), len(numbers))
    first = game.positions[numbers[0]]
    return Annotation(
        played=game,
        bot=chosen.name,
        limits=limits,
        decisions=tuple(decisions),
        start=critic.start(first, first.game.move(decisions[0].best)),
        brought=tuple(_brought(game)),
        scores=tuple(final.scores),
        search_seconds=critic.search_seconds,
        seconds=time.monotonic() - started,
    )


def task(
    entry: records.Record,
    bot: Bot | str | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Return what an annotation depends on, as its data has it: equal for the same work."""
    chosen, _ = suggest.chosen_bot(_game_of(entry), bot)
    if iterations is None and seconds is None:
        iterations = ANNOTATION_ITERATIONS
    suggest.limited(chosen, iterations, seconds)
    return {
        "format": FORMAT,
        "version": VERSION,
        "record": fingerprint(entry),
        "bot": chosen.name,
        "limits": {"iterations": iterations, "seconds": seconds, "seed": seed},
    }


def _game_of(entry: records.Record) -> Game:
    """Return the game of a record, witnessed or not."""
    return game_named(entry["game"] if "game" in entry else entry["start"]["game"])


class _Critic:
    """Judges the decisions of one game; keeps the time that its searches took."""

    def __init__(
        self,
        final: Position,
        engine: Engine,
        limits: dict[str, Any],
    ) -> None:
        self.engine = engine
        self.iterations: int | None = limits["iterations"]
        self.seconds: float | None = limits["seconds"]
        self.seed: int = limits["seed"]
        self.turns = final.turn + 1
        self.weights = outlook.default_weights(final.game)
        self.search_seconds = 0.0

    def judge(self, ply: int, position: Position, action: str, after: Position) -> Decision:
        """Evaluate the action that was made, against the best one, and what it revealed."""
        game, player = position.game, position.player
        assert player is not None
        move = game.move(action)
        result = self._search(position, player, 1.0)
        made = next(one for one in result.moves if one.move == move)
        shows = outlook.reveals(position, move, player, self._seed(position, "look"))
        loss, effects = self._loss(position, after, result, made, shows)
        expected = _value(result.best)
        better = _better_turn(position, result.best)
        view = game.rules.view(position, player)
        return Decision(
            ply=ply,
            player=player,
            turn=position.turn,
            quarter=view.get("quarter") or position.turn * 4 // self.turns + 1,
            kind=view.get("to_decide", {}).get("decision") or action.split(maxsplit=1)[0],
            action=action,
            words=in_words(game.rules, [action]),
            best=result.best.action,
            better=better,
            better_words=in_words(game.rules, better),
            expected=expected,
            made=Value(
                expected.win - loss.win,
                hypot(expected.win_error, loss.win_error),
                expected.margin - loss.margin,
                hypot(expected.margin_error, loss.margin_error),
            ),
            loss=loss,
            grade=grade(loss),
            effects=effects,
            luck=self._luck(position, move, after, result.iterations) if shows else None,
            scores=tuple(position.scores),
        )

    def start(self, position: Position, best: int) -> tuple[Mean, ...]:
        """Return the margin that each player may expect when the game begins."""
        begun = self._played_out(position, position, [[best]], START_PLAYOUTS)[0]
        return tuple(_difference(margins, np.zeros_like(margins)) for margins in begun.margins)

    def _seed(self, position: Position, purpose: str) -> int:
        return derive_seed("annotate", self.seed, purpose, position.ply)

    def _search(self, position: Position, player: int, share: float) -> Result:
        begun = time.monotonic()
        result = self.engine.search(
            position,
            self._seed(position, "search"),
            observer=player,
            iterations=None if self.iterations is None else max(int(share * self.iterations), 2),
            seconds=None if self.seconds is None else share * self.seconds,
        )
        self.search_seconds += time.monotonic() - begun
        return result

    def _loss(
        self, position: Position, after: Position, result: Result, made: MoveResult, shows: bool
    ) -> tuple[Value, tuple[Mean, ...] | None]:
        """Return what the move lost, and what that did to each player's margin."""
        if made.move == result.best.move:
            return Value(0.0, 0.0, 0.0, 0.0), None
        player, players = position.player, position.players
        assert player is not None
        two = players == 2
        paired = None
        thin = made.visits < THIN * result.iterations
        if not thin:
            value = _value(made)
        elif not shows and after.player is not None and (after.player == player or two):
            value = _pooled(self._search(after, player, FURTHER))
            if after.player != player:
                value = Value(1.0 - value.win, value.win_error, -value.margin, value.margin_error)
        else:
            paired = self._paired(position, result, made)
            value = _against(
                _value(result.best),
                paired[0].wins[player],
                paired[1].wins[player],
                paired[0].margins[player],
                paired[1].margins[player],
            )
        best = _value(result.best)
        loss = Value(
            best.win - value.win,
            hypot(best.win_error, value.win_error),
            best.margin - value.margin,
            hypot(best.margin_error, value.margin_error),
        )
        own = Mean(-loss.margin, loss.margin_error)
        if two:
            return loss, tuple(
                own if one == player else Mean(loss.margin, loss.margin_error) for one in (0, 1)
            )
        ours = paired or self._paired(position, result, made)
        return loss, tuple(
            own if one == player else _difference(ours[1].margins[one], ours[0].margins[one])
            for one in range(players)
        )

    def _paired(
        self, position: Position, result: Result, made: MoveResult
    ) -> tuple[_PlayedOut, _PlayedOut]:
        """Play out after the best move and after the one made, with the same draws."""
        lines = [
            explain.own_line(position, one) if one.line else [one.move]
            for one in (result.best, made)
        ]
        count = max(int(PAIRED_SHARE * result.iterations), LEAST_PLAYOUTS)
        best, other = self._played_out(position, position, lines, count)
        return best, other

    def _played_out(
        self, decided: Position, position: Position, lines: list[list[int]], count: int
    ) -> list[_PlayedOut]:
        """Play `position` out with what the player to decide in `decided` knows of it."""
        player, players = decided.player, decided.players
        assert player is not None
        data = outlook.playouts(
            position,
            player,
            lines,
            count,
            self._seed(decided, "playouts"),
            self.weights,
            False,
        )
        shape = (len(lines), count, players, 2)
        return [_PlayedOut.of(games) for games in np.frombuffer(data, np.float32).reshape(shape)]

    def _luck(
        self, position: Position, move: int, after: Position, iterations: int
    ) -> tuple[Mean, ...]:
        """Return what the reveal after a move brought each player's margin.

        In one half of the playouts everything that the player did not know before the move is
        drawn anew, what it revealed included; in the other what they still do not know after it.
        """
        count = max(int(LUCK_SHARE * iterations), LEAST_PLAYOUTS)
        redrawn = self._played_out(position, position, [[move]], count)[0]
        revealed = self._played_out(position, after, [[]], count)[0]
        return tuple(
            _difference(revealed.margins[player], redrawn.margins[player])
            for player in range(position.players)
        )


@dataclass(frozen=True)
class _PlayedOut:
    """Playouts after one line: by player, the win shares and the margins."""

    wins: Floats
    margins: Floats

    @classmethod
    def of(cls, games: Floats) -> _PlayedOut:
        """Take playouts by players by (win, VP)."""
        scores = games[:, :, 1].T.astype(float)
        others = [np.delete(scores, player, axis=0).max(axis=0) for player in range(len(scores))]
        return cls(games[:, :, 0].T.astype(float), scores - np.array(others))


def _difference(ours: Floats, others: Floats) -> Mean:
    """Return the mean difference of pairs."""
    gained = ours - others
    return Mean(float(gained.mean()), float(gained.std(ddof=1) / sqrt(gained.size)))


def _against(
    best: Value,
    best_wins: Floats,
    wins: Floats,
    best_margins: Floats,
    margins: Floats,
) -> Value:
    """Return the value of a move from that of the best and paired playouts of both."""
    win, margin = _difference(wins, best_wins), _difference(margins, best_margins)
    return Value(best.win + win.mean, win.error, best.margin + margin.mean, margin.error)


def _value(move: MoveResult) -> Value:
    if move.win is None or move.margin is None:
        return Value(0.0, 0.0, 0.0, 0.0)
    return Value(move.win, move.win_error or 0.0, move.margin, move.margin_error or 0.0)


def _pooled(result: Result) -> Value:
    """Return the value of a searched position to the player to decide there.

    As the value of a move, it is the mean over all that was tried after it.
    """
    tried = [move for move in result.moves if move.visits and move.win is not None]
    total = sum(move.visits for move in tried) or 1
    values = [(move.visits / total, _value(move)) for move in tried]
    return Value(
        sum(share * value.win for share, value in values),
        sqrt(sum((share * value.win_error) ** 2 for share, value in values)),
        sum(share * value.margin for share, value in values),
        sqrt(sum((share * value.margin_error) ** 2 for share, value in values)),
    )


def grade(loss: Value) -> str:
    """Return the grade of a loss: that of the win or the VP, the worse of those that are sure."""
    for name, win, vp in GRADES:
        if loss.win >= max(win, SURE * loss.win_error):
            return name
        if loss.margin >= max(vp, SURE * loss.margin_error):
            return name
    return FINE


def _better_turn(position: Position, best: MoveResult) -> tuple[str, ...]:
    """Return the best move and how its player was expected to go on with the turn."""
    actions = position.game.actions
    return tuple(actions[move] for move in explain.own_line(position, best))


def _brought(game: Played) -> list[tuple[int, int, str, int]]:
    """Return [ply, player, source, VP] wherever a move brought VP from a source.

    In a witnessed game what another player's move brought may come from what is not seen: then,
    and for VP made before it begins, the source is `UNKNOWN`.
    """
    names = game.final.game.vp_sources
    if not names:
        return []
    begun = game.positions[0].scores
    events = [(0, player, UNKNOWN, vp) for player, vp in enumerate(begun) if vp]
    for ply, (_, action) in enumerate(game.moves):
        before, after = game.positions[ply : ply + 2]
        gained = [new - old for new, old in zip(after.scores, before.scores, strict=True)]
        rows = _booked(before, action)
        if rows is None or [sum(row) for row in rows] != gained:
            events += [(ply, player, UNKNOWN, vp) for player, vp in enumerate(gained) if vp]
            continue
        events += [
            (ply, player, names[which], count)
            for player, row in enumerate(rows)
            for which, count in enumerate(row)
            if count
        ]
    return events


def _booked(before: Position, action: str | None) -> Sequence[Sequence[int]] | None:
    """Return VP by player and source that an action brought, None where it cannot be made."""
    if action is None or action not in before.legal():
        return None
    return outlook.booked(before, before.game.move(action))[1]
