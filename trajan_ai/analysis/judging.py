"""Annotated games: every decision evaluated, what it lost, and what luck brought.

Each decision gets a verified analysis of what its player knew. The loss is the value of the best
move minus that of the one made, in win and in VP of margin. Luck is apart: where a move revealed
something, it is the value afterwards minus its mean over redraws of what had not been known (the
zero-mean terms of Zinkevich et al., "Optimal Unbiased Estimators for Evaluating Agent
Performance", 2006, and of backgammon's luck figures), by playouts of the game's policy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import hypot, sqrt
from statistics import fmean, stdev
from typing import Any, TypedDict, Unpack

from trajan_ai import records
from trajan_ai.analysis import advice, outlook
from trajan_ai.analysis.budgets import ANNOTATION_ITERATIONS, ROUGH_ITERATIONS
from trajan_ai.analysis.decision import Analysis, Estimate, MoveValue
from trajan_ai.bots import Bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import in_words
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named
from trajan_ai.records.following import Table

FORMAT = "trajan-ai/annotation"
VERSION = 1
EXAMINED = 3  # moves of a decision that are searched behind, besides the one made
LUCK_SHARE = 0.03  # of the iterations: playouts on either side of a reveal
LEAST_PLAYOUTS = 16
UNKNOWN = "unknown"  # where VP came from that a witness cannot tell
SURE = 2.0  # standard errors that a loss must have to be called a mistake

# Grades, the worst first: a loss of so much win, or of so many VP of margin.
GRADES = (("blunder", 0.10, 8.0), ("mistake", 0.05, 4.0), ("inaccuracy", 0.02, 2.0))
FINE = "fine"

Progress = Callable[[int, int], None]


class Limits(TypedDict, total=False):
    """Iterations or seconds of each decision's search, and the seed of all."""

    iterations: int | None
    seconds: float | None
    seed: int


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
    effects: tuple[Estimate, ...] | None
    luck: tuple[Estimate, ...] | None
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
    start: tuple[Estimate, ...]
    brought: tuple[tuple[int, int, str, int], ...]
    scores: tuple[int, ...]
    search_seconds: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without what differs from run to run."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "record": records.fingerprint(records.dumps(self.played.data)),
            "game": self.played.final.game.name,
            "players": self.played.final.players,
            "observer": self.played.observer,
            "names": list(self.played.names),
            "bot": self.bot,
            "limits": self.limits,
            "scores": list(self.scores),
            "ranks": self.played.final.ranks,
            "start": [one.to_dict() for one in self.start],
            "decisions": [plain(decision) for decision in self.decisions],
            "brought": [list(one) for one in self.brought],
        }


def plain(value: Any) -> dict[str, Any]:
    """Return a dataclass as plain data, with its estimates."""

    def estimates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: _plain(one) for name, one in pairs}

    return asdict(value, dict_factory=estimates)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.to_dict() if isinstance(value, Estimate) else value


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
    progress: Progress = lambda done, total: None,
    **limits: Unpack[Limits],
) -> Annotation:
    """Annotate a record; `iterations` or `seconds` are those of each decision's search.

    Of a witnessed record the decisions of who saw it are judged. Raises TrajanError as `played`
    does.
    """
    judging = Judging(entry, bot, **limits)
    decisions = []
    for ply in judging.plies:
        decisions.append(judging.judge(ply))
        progress(len(decisions), len(judging.plies))
    return judging.annotation(decisions)


class Judging:
    """Judges the decisions of one game in any order; the arguments are those of `annotate`.

    Calls of `judge` may overlap. `plies` are the numbers of the moves that can be judged.
    """

    def __init__(
        self, entry: records.Record | Table, bot: Bot | str | None = None, **limits: Unpack[Limits]
    ) -> None:
        self.started = time.monotonic()
        self.played = played(entry)
        self.plies = self.played.judged()
        self.limits: dict[str, Any] = task(self.played.data, bot, **limits)["limits"]
        self.bot, _ = advice.chosen_bot(self.played.final.game, bot)
        self.search_seconds = 0.0
        self.begun: tuple[Estimate, ...] | None = None

    def judge(self, ply: int, iterations: int | None = None) -> Decision:
        """Judge a move; with `iterations` on so many, which is rough."""
        limits = {"iterations": iterations, "seconds": None} if iterations else {}
        critic = _Critic(self.played.final, self.bot, self.limits | limits)
        before, after = self.played.positions[ply : ply + 2]
        decision, analysis = critic.judge(ply, before, str(self.played.moves[ply][1]), after)
        self.search_seconds += analysis.seconds
        if ply == self.plies[0]:
            self.begun = _margins(analysis.best)
        return decision

    def judged(self, ply: int) -> Decision:
        """Judge a move as games are judged in the page: roughly, then what may be a mistake."""
        rough = self.judge(ply, ROUGH_ITERATIONS)
        return self.judge(ply) if doubtful(rough) else replace(rough, grade=FINE)

    def annotation(self, decisions: Sequence[Decision]) -> Annotation:
        """Return the annotation with the decisions of every ply."""
        assert self.begun is not None
        return Annotation(
            played=self.played,
            bot=self.bot.name,
            limits=self.limits,
            decisions=tuple(decisions),
            start=self.begun,
            brought=tuple(_brought(self.played)),
            scores=tuple(self.played.final.scores),
            search_seconds=self.search_seconds,
            seconds=time.monotonic() - self.started,
        )


def task(
    entry: records.Record, bot: Bot | str | None = None, **limits: Unpack[Limits]
) -> dict[str, Any]:
    """Return what an annotation depends on, as its data has it: equal for the same work."""
    chosen, _ = advice.chosen_bot(game_of(entry), bot)
    iterations, seconds = limits.get("iterations"), limits.get("seconds")
    if iterations is None and seconds is None:
        iterations = ANNOTATION_ITERATIONS
    advice.limited(chosen, iterations, seconds)
    return {
        "format": FORMAT,
        "version": VERSION,
        "record": records.fingerprint(records.dumps(entry)),
        "bot": chosen.name,
        "limits": {"iterations": iterations, "seconds": seconds, "seed": limits.get("seed", 0)},
    }


def game_of(entry: records.Record) -> Game:
    """Return the game of a record, witnessed or not."""
    return game_named(entry["game"] if "game" in entry else entry["start"]["game"])


class _Critic:
    def __init__(self, final: Position, bot: Bot, limits: dict[str, Any]) -> None:
        self.bot = bot
        self.limits = limits
        self.turns = final.turn + 1
        self.weights = outlook.default_weights(final.game)

    def judge(
        self, ply: int, position: Position, action: str, after: Position
    ) -> tuple[Decision, Analysis]:
        """Evaluate the action that was made, against the best one, and what it revealed."""
        game, player = position.game, position.player
        assert player is not None
        move = game.move(action)
        analysis = advice.analyse(
            InformationSet(position),
            self.bot,
            grade="verified",
            iterations=self.limits["iterations"],
            seconds=self.limits["seconds"],
            seed=self._seed(position, "search"),
            top=EXAMINED,
            named=(move,),
        )
        best = analysis.best
        made = next(one for one in analysis.moves if one.move == move)
        shows = outlook.reveals(position, move, player, self._seed(position, "look"))
        luck = max(int(LUCK_SHARE * analysis.iterations), LEAST_PLAYOUTS)
        view = game.rules.view(position, player)
        decision = Decision(
            ply=ply,
            player=player,
            turn=position.turn,
            quarter=view.get("quarter") or position.turn * 4 // self.turns + 1,
            kind=view.get("to_decide", {}).get("decision") or action.split(maxsplit=1)[0],
            action=action,
            words=in_words(game.rules, [action]),
            best=best.action,
            better=best.turn.actions,
            better_words=best.turn.words,
            expected=_value(best),
            made=_value(made),
            loss=_loss(best, made),
            grade=FINE if made is best else grade(_loss(best, made)),
            effects=None if made is best else _effects(best, made, player),
            luck=self._luck(position, move, after, luck) if shows else None,
            scores=tuple(position.scores),
        )
        return decision, analysis

    def _seed(self, position: Position, purpose: str) -> int:
        return derive_seed("annotate", self.limits["seed"], purpose, position.ply)

    def _luck(
        self, position: Position, move: int, after: Position, count: int
    ) -> tuple[Estimate, ...]:
        """Return what the reveal after a move brought each player's margin.

        In one half of the playouts everything that the player did not know before the move is
        drawn anew, what it revealed included; in the other what they still do not know after it.
        """
        player = position.player
        assert player is not None
        seed = self._seed(position, "playouts")

        def margins(place: Position, line: list[int]) -> list[list[float]]:
            """Return the margins of every player in each playout."""
            data = outlook.playouts(place, player, line, count, seed, self.weights)
            ends = zip(*[iter(data)] * position.players, strict=True)
            return [
                [one - max(scores[:at] + scores[at + 1 :]) for at, one in enumerate(scores)]
                for scores in ends
            ]

        pairs = zip(margins(after, []), margins(position, [move]), strict=True)
        brought = [[one - other for one, other in zip(*pair, strict=True)] for pair in pairs]
        return tuple(
            Estimate(fmean(vp), stdev(vp) / sqrt(count)) for vp in zip(*brought, strict=True)
        )


def _value(move: MoveValue) -> Value:
    assert move.win is not None
    assert move.margin is not None
    return Value(move.win.mean, move.win.error, move.margin.mean, move.margin.error)


def _loss(best: MoveValue, made: MoveValue) -> Value:
    """Return what a move lost against the best one; of the margin the error is that of pairs."""
    if made is best:
        return Value(0.0, 0.0, 0.0, 0.0)
    assert best.win is not None
    assert made.win is not None
    assert made.gain is not None
    return Value(
        best.win.mean - made.win.mean,
        hypot(best.win.error, made.win.error),
        -made.gain.mean,
        made.gain.error,
    )


def _margins(move: MoveValue) -> tuple[Estimate, ...]:
    """Return every player's expected VP over the best opponent's expected VP after a move."""
    scores = move.scores
    assert scores is not None
    rivals = [max([*scores[:player], *scores[player + 1 :]]) for player in range(len(scores))]
    return tuple(
        Estimate(own - rival, hypot(own.error, rival.error))
        for own, rival in zip(scores, rivals, strict=True)
    )


def _effects(best: MoveValue, made: MoveValue, player: int) -> tuple[Estimate, ...]:
    """Return what choosing the move made, not the best one, did to each player's margin."""
    gain = made.gain
    assert gain is not None
    changes = [now - then for now, then in zip(_margins(made), _margins(best), strict=True)]
    if len(changes) == 2:
        changes = [-gain, -gain]
    changes[player] = gain
    return tuple(Estimate(change, gain.error) for change in changes)


def doubtful(decision: Decision) -> bool:
    """Whether a decision that was judged roughly may have lost something worth naming."""
    _, win, vp = GRADES[-1]
    return decision.loss.win >= win or decision.loss.margin >= vp


def grade(loss: Value) -> str:
    """Return the grade of a loss: that of the win or the VP, the worse of those that are sure."""
    for name, win, vp in GRADES:
        if loss.win >= max(win, SURE * loss.win_error):
            return name
        if loss.margin >= max(vp, SURE * loss.margin_error):
            return name
    return FINE


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
