"""Annotate games: judge every decision, and compute what it cost and what luck brought.

Each decision is judged by a verified analysis that uses only what its player knew. The loss is the
value of the best move minus that of the move played, in win rate and in margin (VP); a played move
whose margin is at least that of the advised move counts as the best. Luck is computed separately:
if a move revealed something, luck is the value after the move minus the mean value over redraws of
everything that was unknown before it. This is the zero-mean term that Zinkevich et al., "Optimal
Unbiased Estimators for Evaluating Agent Performance", 2006, and luck statistics in backgammon use.
Luck is estimated from playouts by the game's policy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import hypot, sqrt
from statistics import fmean, stdev
from typing import Any

from trajan_ai import records
from trajan_ai.analysis.budgets import ANNOTATION_ITERATIONS, ROUGH_ITERATIONS
from trajan_ai.analysis.decision import advice, outlook
from trajan_ai.analysis.decision.advice import Advisor, AnyBot
from trajan_ai.analysis.decision.move_values import Estimate, MoveValue
from trajan_ai.analysis.outcomes import margin_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.events import Event
from trajan_ai.core.foresight import word_turn
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_words import HasParts
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named
from trajan_ai.records.following import AnyRecord, FollowedGame, RecordedGame

FORMAT = "trajan-ai/annotation"
VERSION = 1
EXAMINED = 3  # moves of a decision that get separate searches, besides the move played
LUCK_SHARE = 0.03  # playouts before and after a reveal, as a fraction of the iterations
MIN_PLAYOUTS = 16
BEFORE = "unknown"  # the source of VP scored before a record begins
WIN_APART = 0.5  # part of a win rate's error that two moves do not share (docs/lab/truth.md)
SURE = 1.0  # minimum loss that counts as a mistake, in standard errors

# Grades, the worst first, each with the losses of win rate and of margin (VP) that suffice for it.
LOSS_GRADES = (("blunder", 0.10, 8.0), ("mistake", 0.05, 4.0), ("inaccuracy", 0.02, 2.0))
FINE = "fine"

Progress = Callable[[int, int], None]


def no_progress(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Value:
    """A player's expected share of the win and margin over the best opponent, with errors."""

    win: float
    win_error: float
    margin: float
    margin_error: float


@dataclass(frozen=True)
class Decision:
    """One judged decision of a game.

    Attributes:
        ply: the number of the move, from 0.
        player: the player who decided.
        turn: the number of the turn, from 0.
        quarter: the part of the game, such as a quarter or a phase, from 1.
        kind: the kind of decision.
        action: the action that was played.
        words: the action that was played, in words.
        best: the best action: the one played if its margin is at least that of the advised one.
        better: the expected turn that begins with the best action.
        better_words: that turn in words.
        expected: the value of the best action.
        made: the value of the action that was played.
        loss: the value of the best action minus that of the action that was played.
        grade: a name of `LOSS_GRADES`, or `FINE`.
        effects: the change in every player's margin due to the choice, in VP: negative for the
            player who decided, positive for players whom the choice helped. None if the best
            action was played.
        luck: the change in every player's margin due to what the action revealed, in VP. None if
            the action revealed nothing.
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


@dataclass(frozen=True)
class FinishedGame:
    """A finished game, replayed.

    Attributes:
        data: the record.
        positions: the position before each move, then the final one.
        moves: the moves as (player, action); the action is None if a witness did not see it.
        events: the events of each move; in a witnessed record, as the witness saw them.
        names: the names of the players.
        observer: in a witnessed record, the witness: the positions contain only what that player
            knew, and only that player's decisions can be judged. In any other record, None.
    """

    data: AnyRecord
    positions: tuple[Position, ...]
    moves: tuple[tuple[int, str | None], ...]
    events: tuple[Sequence[Event], ...]
    names: tuple[str, ...]
    observer: int | None

    @property
    def final(self) -> Position:
        """The final position."""
        return self.positions[-1]

    def list_plies(self) -> list[int]:
        """Return the numbers of the moves that can be judged."""
        return [
            number
            for number, (player, action) in enumerate(self.moves)
            if self.observer in (None, player) and action is not None
        ]


def replay_game(entry: RecordedGame) -> FinishedGame:
    """Replay a record, or take the positions of a witnessed record.

    Raises TrajanError if the record cannot be replayed, is not finished, or has no decision.
    """
    if isinstance(entry, FollowedGame):
        game = FinishedGame(
            data=entry.record(),
            positions=entry.positions,
            moves=tuple((move.player, move.action) for move in entry.moves),
            events=tuple(entry.events),
            names=tuple(map(records.default_name, range(entry.start.players))),
            observer=entry.observer,
        )
    else:
        positions = tuple(records.replay_all(entry))
        moves = tuple((player, action) for player, action in entry["actions"])
        game = FinishedGame(
            data=entry,
            positions=positions,
            moves=moves,
            events=tuple(
                before.events(action)
                for before, (_, action) in zip(positions, moves, strict=False)
            ),
            names=records.player_names(entry),
            observer=None,
        )
    name = game.final.game.name
    if game.final.player is not None:
        raise TrajanError(
            f"{name}: only finished games can be annotated, but this game stops at ply "
            f"{len(game.moves)}, where player {game.final.player} must decide"
        )
    if not game.list_plies():
        raise TrajanError(f"{name}: the game has no decision to judge")
    return game


@dataclass(frozen=True)
class Annotation:
    """An annotated game.

    Attributes:
        played: the game.
        bot: the name of the bot that judged.
        limits: the iterations and seconds for each decision, and the seed of all searches.
        decisions: the judged decisions.
        start: the expected margin of every player at the first decision.
        brought: (ply, player, source, VP) for each source from which a move brought VP.
        scores: the final VP.
    """

    played: FinishedGame
    bot: str
    limits: dict[str, Any]
    decisions: tuple[Decision, ...]
    start: tuple[Estimate, ...]
    brought: tuple[tuple[int, int, str, int], ...]
    scores: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the annotation as plain data."""
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
    """Return a dataclass with estimates as plain data."""

    def estimates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: _plain(one) for name, one in pairs}

    return asdict(value, dict_factory=estimates)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.to_dict() if isinstance(value, Estimate) else value


def annotate(
    entry: RecordedGame,
    bot: AnyBot | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> Annotation:
    """Annotate a record; in a witnessed record, judge only the decisions of the witness.

    Args:
        entry: the record of a finished game.
        bot: the bot that judges; the default is that of `trajan_ai.search`.
        iterations: the iterations for each decision, by default 10,000.
        seconds: the time for each decision, in seconds.
        seed: the seed of all searches.
        progress: a function that is called with the numbers of judged and of all decisions.

    Raises TrajanError as `replay_game` does.
    """
    judge = prepare_judge(game_of(entry), bot, iterations=iterations, seconds=seconds, seed=seed)
    return Judging(entry, judge).annotate(progress)


class Judging:
    """The decisions of one game, judged in any order. Calls of `judge` may overlap.

    Attributes:
        played: the game, replayed.
        plies: the numbers of the moves that can be judged.
        start: the expected margin of every player at the first decision, None before it is judged.
    """

    def __init__(self, entry: RecordedGame, judge: Judge | None = None) -> None:
        """Replay a record; by default, `prepare_judge` makes the judge.

        Raises TrajanError as `replay_game` does.
        """
        self.played = replay_game(entry)
        self.plies = self.played.list_plies()
        self._judge = judge or prepare_judge(self.played.final.game)
        self.start: tuple[Estimate, ...] | None = None

    def judge(self, ply: int, iterations: int | None = None) -> Decision:
        """Judge a move; if `iterations` is given, only roughly, with that many iterations."""
        judge = self._judge
        if iterations is not None:
            judge = replace(judge, iterations=iterations, seconds=None)
        before, after = self.played.positions[ply : ply + 2]
        turns = self.played.final.turn + 1
        decision, best = judge.judge(ply, before, str(self.played.moves[ply][1]), after, turns)
        if ply == self.plies[0]:
            self.start = _margins(best)
        return decision

    def judge_quickly(self, ply: int) -> Decision:
        """Judge a move as the page does: roughly, then thoroughly if it may be a mistake."""
        rough = self.judge(ply, ROUGH_ITERATIONS)
        return self.judge(ply) if is_doubtful(rough) else replace(rough, grade=FINE)

    def annotate(self, progress: Progress = no_progress) -> Annotation:
        """Judge every decision and return the annotation."""
        decisions = []
        for ply in self.plies:
            decisions.append(self.judge(ply))
            progress(len(decisions), len(self.plies))
        return self.annotation(decisions)

    def annotation(self, decisions: Sequence[Decision]) -> Annotation:
        """Return an annotation with `decisions`; the game's first one must have been judged."""
        assert self.start is not None
        return Annotation(
            played=self.played,
            bot=self._judge.advisor.bot,
            limits=self._judge.limits,
            decisions=tuple(decisions),
            start=self.start,
            brought=tuple(_list_brought_vp(self.played)),
            scores=tuple(self.played.final.scores),
        )


def game_of(entry: RecordedGame) -> Game:
    """Return the game of a record, witnessed or not."""
    if isinstance(entry, FollowedGame):
        return entry.start.game
    return game_named(entry["game"])


def prepare_judge(
    game: Game,
    bot: AnyBot | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
) -> Judge:
    """Return a judge of decisions of `game`; the arguments are those of `annotate`."""
    if iterations is None and seconds is None:
        iterations = ANNOTATION_ITERATIONS
    advice.check_limits(iterations, seconds)
    return Judge(
        advisor=advice.prepare(game, bot),
        iterations=iterations,
        seconds=seconds,
        seed=seed,
    )


@dataclass(frozen=True)
class Judge:
    """A bot with its limits, ready to judge decisions of one game.

    Attributes:
        advisor: the prepared bot.
        iterations: the iterations for each decision, or None.
        seconds: the time for each decision in seconds, or None.
        seed: the seed of all searches.
    """

    advisor: Advisor
    iterations: int | None
    seconds: float | None
    seed: int

    @property
    def limits(self) -> dict[str, Any]:
        """The limits and the seed, in the form of the annotation's data."""
        return {"iterations": self.iterations, "seconds": self.seconds, "seed": self.seed}

    def describe_task(self, entry: AnyRecord) -> dict[str, Any]:
        """Return the part of an annotation's data that determines all other parts."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "record": records.fingerprint(records.dumps(entry)),
            "bot": self.advisor.bot,
            "limits": self.limits,
        }

    def judge(
        self, ply: int, position: Position, action: str, after: Position, turns: int
    ) -> tuple[Decision, MoveValue]:
        """Judge action number `ply`, which was played in `position` and led to `after`.

        Also return the value of the best move.

        `turns` is the number of turns in the game. If the rules do not divide a game into parts,
        every quarter of its turns counts as one part.
        """
        game, player = position.game, position.player
        assert player is not None
        move = game.move(action)
        analysis = self.advisor.analyse(
            InformationSet(position),
            grade="verified",
            iterations=self.iterations,
            seconds=self.seconds,
            seed=self._seed(position, "search"),
            top=EXAMINED,
            named=(move,),
        )
        actual = next(one for one in analysis.moves if one.move == move)
        # A played move that looks at least as good as the advised one loses nothing.
        assert actual.gain is not None
        best = actual if actual.gain.mean >= 0.0 else analysis.best
        has_reveal = outlook.reveals(position, move, player, self._seed(position, "look"))
        playouts = max(int(LUCK_SHARE * analysis.iterations), MIN_PLAYOUTS)
        view = game.rules.view(position, player)
        loss = _loss(best, actual)
        parts = offered(game.rules, HasParts)
        decision = Decision(
            ply=ply,
            player=player,
            turn=position.turn,
            quarter=parts.find_part(view) if parts else position.turn * 4 // turns + 1,
            kind=view.get("to_decide", {}).get("decision") or action.split(maxsplit=1)[0],
            action=action,
            words=word_turn(InformationSet(position), [action]),
            best=best.action,
            better=best.turn.actions,
            better_words=best.turn.words,
            expected=_value(best),
            made=_value(actual),
            loss=loss,
            grade=FINE if actual is best else grade_loss(loss),
            effects=None if actual is best else _effects(best, actual, player),
            luck=self._luck(position, move, after, playouts) if has_reveal else None,
        )
        return decision, best

    def _seed(self, position: Position, purpose: str) -> int:
        return derive_seed("annotate", self.seed, purpose, position.ply)

    def _luck(
        self, position: Position, move: int, after: Position, count: int
    ) -> tuple[Estimate, ...]:
        """Return the change in every player's margin due to what a move revealed.

        One half of the playouts redraws everything that the player did not know before the move,
        including the reveal. The other half redraws only what is unknown after the move.
        """
        player = position.player
        assert player is not None
        seed = self._seed(position, "playouts")

        def margins(place: Position, line: list[int]) -> list[list[float]]:
            """Return every player's margin in each playout."""
            data = outlook.playouts(place, player, line, count, seed)
            ends = zip(*[iter(data)] * position.players, strict=True)
            return [
                [margin_of(scores, seat) for seat in range(position.players)] for scores in ends
            ]

        pairs = zip(margins(after, []), margins(position, [move]), strict=True)
        changes = [[one - other for one, other in zip(*pair, strict=True)] for pair in pairs]
        return tuple(
            Estimate(fmean(vp), stdev(vp) / sqrt(count)) for vp in zip(*changes, strict=True)
        )


def _value(move: MoveValue) -> Value:
    assert move.win is not None
    assert move.margin is not None
    return Value(move.win.mean, move.win.error, move.margin.mean, move.margin.error)


def _loss(best: MoveValue, actual: MoveValue) -> Value:
    """Return the loss of a move against the best one; the error of its margin is paired."""
    if actual is best:
        return Value(0.0, 0.0, 0.0, 0.0)
    assert best.win is not None
    assert actual.win is not None
    assert actual.gain is not None
    return Value(
        best.win.mean - actual.win.mean,
        WIN_APART * max(best.win.error, actual.win.error),
        -actual.gain.mean,
        actual.gain.error,
    )


def _margins(move: MoveValue) -> tuple[Estimate, ...]:
    """Return every player's expected VP after a move, minus those of the best opponent."""
    scores = move.scores
    assert scores is not None
    rivals = [max([*scores[:player], *scores[player + 1 :]]) for player in range(len(scores))]
    return tuple(
        Estimate(own - rival, hypot(own.error, rival.error))
        for own, rival in zip(scores, rivals, strict=True)
    )


def _effects(best: MoveValue, actual: MoveValue, player: int) -> tuple[Estimate, ...]:
    """Return how the choice of the actual move changed every player's margin."""
    gain = actual.gain
    assert gain is not None
    changes = [now - then for now, then in zip(_margins(actual), _margins(best), strict=True)]
    if len(changes) == 2:
        changes = [-gain, -gain]
    changes[player] = gain
    return tuple(Estimate(change, gain.error) for change in changes)


def is_doubtful(decision: Decision) -> bool:
    """Return whether a roughly judged decision may be a mistake."""
    _, win, vp = LOSS_GRADES[-1]
    return decision.loss.win >= win or decision.loss.margin >= vp


def grade_loss(loss: Value) -> str:
    """Return the worst grade for which the loss of win rate or of margin is large enough.

    A loss must also be significant: at least `SURE` times its standard error. Return `FINE` if
    there is no such grade.
    """
    for name, win, vp in LOSS_GRADES:
        if loss.win >= max(win, SURE * loss.win_error):
            return name
        if loss.margin >= max(vp, SURE * loss.margin_error):
            return name
    return FINE


def _list_brought_vp(game: FinishedGame) -> list[tuple[int, int, str, int]]:
    """Return (ply, player, source, VP) for each source from which a move brought VP.

    The source is `BEFORE` for VP scored before the record begins.
    """
    names = game.final.game.vp_sources
    if not names:
        return []
    start = game.positions[0].scores
    brought = [(0, player, BEFORE, vp) for player, vp in enumerate(start) if vp]
    for ply, events in enumerate(game.events):
        sums: Counter[tuple[int, str]] = Counter()
        for event in events:
            if event.player is not None and event.source is not None:
                sums[event.player, event.source] += event.vp
        brought += [(ply, player, source, vp) for (player, source), vp in sums.items() if vp]
    return brought
