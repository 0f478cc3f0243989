"""Analyse a decision: compute what each move is worth, with whole turns and reasons.

Every interface shows this analysis: terminal, JSON, engine process, page, `follow` and annotated
games. An analysis searches as the bot does when it plays, and uses only what the player to decide
knows. There are three grades:

quick     one search among all moves, as in play, so the first move is the one that the bot plays.
          The figures are rough; those of a rarely tried move are less certain, and too low.
verified  such a search, then separate searches of each of the best moves, with several seeds.
rollout   such a search, then whole games after each of the best moves (see `rollout`).

Win, VP and margin predict the result if the engine plays on (see `calibration`). Standard errors
come from the differences between searches with different seeds. They cannot be computed from the
number of playouts, because the playouts in one tree depend on each other. Rolled-out figures are
means of results that the engine achieved, so they need no correction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, hypot, sqrt
from typing import Any, TypedDict, Unpack

from trajan_ai.analysis.budgets import (
    CHOICE_ITERATIONS,
    QUICK_ITERATIONS,
    ROLLOUT_ITERATIONS,
    ROLLOUT_REDEALS,
    VERIFIED_ITERATIONS,
)
from trajan_ai.analysis.decision import wording
from trajan_ai.analysis.decision.calibration import (
    UNCALIBRATED,
    Outlook,
    Stage,
    calibration_of,
    stage_of,
)
from trajan_ai.analysis.decision.move_values import Estimate, Grade, MoveValue, TriedMove
from trajan_ai.analysis.decision.rollout import MIN_REDEALS, Figure, Rollout, RolloutResults
from trajan_ai.analysis.decision.vp_sources import errors_of_sources, sources_of_move
from trajan_ai.analysis.decision.whole_turns import whole_turn
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.shown_actions import show_line
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.result import MoveResult
from trajan_ai.mcts.settings import LIMITS

SEEDS = 4  # separate searches of each move in a verified analysis
MIN_SEARCHES = 2  # minimum number of separate searches of a move, even with few iterations
CHOICE_SHARE = 0.75  # share of a verified analysis's budget for the search among all moves
ROLLOUT_CHOICE_SHARE = 0.125  # the same for the time limit of a rollout
EXAMINED = 5  # number of the most tried moves that an analysis examines separately by default
RIVALS = 3  # further moves, those with the best figures, that a verified analysis examines as well
MIN_SHARE = 0.01  # share of the visits; a move below it is examined only as a rival or for `top`
BEHIND = 1.0  # a move counts as worse if it is more than this number of standard errors behind
OFTEN = 0.25  # share of the most tried move's visits; moves below it come last in quick figures
MIN_VERIFIED = 20_000  # with fewer iterations, an analysis is quick by default
MIN_VERIFIED_SECONDS = 1.0  # with less time, an analysis is quick by default
MIN_SURE = 40  # playouts that must agree on a move that ends the game to make it certain
PRIOR_SEARCHES = 3.0  # weight of the expected spread, as a number of searches
WIN_SPREAD = 0.5  # part of the spread of wins that corrected win rates keep
PRIOR_SPREAD = 1.5  # expected spread, in standard errors of independent playouts
ROLLOUT_MEGABYTES = 8.0  # size of a rollout's trees, which its iterations never fill
MOVE_ONLY = ("action", "share", "line", "sources")  # keys of moves that turns do not repeat

# A search among all moves makes all moves but the best one look worse than they are: in rollouts,
# they lose only this part of what the search predicts (docs/lab/truth.md).
QUICK_LOSS = 0.6

# How far figures are from rolled-out ones (docs/lab/truth.md), in addition to the spread between
# seeds: a fraction of a playout's standard deviation or, for LOSS_OFF, of the loss that a quick
# figure assigns to a move. The part of the error that all moves of a decision share is larger than
# the part that differs between them.
VALUE_OFF = 0.4
WIN_OFF = 0.6
GAIN_OFF = 0.2
QUICK_OFF = 0.15
LOSS_OFF = 0.5


@dataclass(frozen=True)
class Analysis:
    """What the moves of a decision are worth, best first.

    Attributes:
        game: the name of the game.
        player: the player to decide.
        grade: ``verified`` if the best moves were searched separately, ``rollout`` if they were
            rolled out, else ``quick``.
        bot: the name of the bot that searched.
        calibrated: whether a calibration, learned from finished games, corrects the figures of
            searches.
        iterations: the iterations of all searches, including those of rolled-out games.
        seconds: the time of all searches.
        searches: the number of searches, including those of rolled-out games.
        redeals: the number of redeals on which the best moves were rolled out.
        memory_bytes: the memory of the largest search, most of it for its tree.
        tree_full: whether a tree stopped growing because its memory was used up.
        moves: every legal move, best first.
    """

    game: str
    player: int
    grade: Grade
    bot: str
    calibrated: bool
    iterations: int
    seconds: float
    searches: int
    redeals: int
    memory_bytes: int
    tree_full: bool
    moves: tuple[MoveValue, ...]

    @property
    def tried(self) -> tuple[TriedMove, ...]:
        """The moves that a search tried, best first; these moves have figures."""
        return tuple(move for move in self.moves if isinstance(move, TriedMove))

    @property
    def best(self) -> TriedMove:
        """The move to play; raises TrajanError if no search has tried a move."""
        best = self.moves[0]
        if not isinstance(best, TriedMove):
            raise TrajanError(f"{self.game}: no search has tried a move")
        return best

    def __str__(self) -> str:
        return wording.text(self)

    def _repr_html_(self) -> str:
        return wording.html(self)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain data with the `top` best moves, as ``suggest --json`` prints it."""
        moves = self.moves[:top]
        turns = [
            move.turn.to_dict()
            | {key: value for key, value in move.to_dict().items() if key not in MOVE_ONLY}
            for move in moves
            if move.margin is not None
        ]
        return vars(self) | {"moves": [move.to_dict() for move in moves], "turns": turns}


@dataclass(frozen=True)
class SearchRequest:
    """A search that an analysis needs next.

    Attributes:
        seed: the seed of the search.
        allowed: the moves to compare; empty for all.
        behind: the only move that the search examines, or None if it compares several moves.
        iterations: the number of iterations, or None without a limit.
        seconds: the time limit, or None without one.
    """

    seed: int
    allowed: tuple[int, ...] = ()
    behind: int | None = None
    iterations: int | None = None
    seconds: float | None = None


class AnalysisOptions(TypedDict, total=False):
    """The optional arguments of an analysis; `advice.search` describes them."""

    grade: Grade | None
    iterations: int | None
    seconds: float | None
    redeals: int | None
    seed: int
    top: int | None
    named: Sequence[int]
    among: Sequence[int]


class AnalysisRun:
    """An analysis in progress. It requests searches one by one and collects their results.

    It runs no search itself, so it can be used with threads, an event loop or a browser. When all
    searches are finished, `next_rollout` returns the games to play, if any. `analysis` returns the
    current result at any time.
    """

    def __init__(
        self,
        information: InformationSet,
        settings: Settings,
        *,
        bot: str = "",
        calibrated: bool = True,
        sources: bool = False,
        threads: int = 1,
        **options: Unpack[AnalysisOptions],
    ) -> None:
        """Prepare the analysis of an information set.

        Args:
            information: what the player to decide knows.
            settings: the settings of the searches.
            bot: the name of the bot, for the result.
            calibrated: whether to correct the figures; this is sound only for settings that search
                as the default bot does.
            sources: whether to compute VP by source.
            threads: the number of threads that share the rollouts.
            options: see `advice.search`.
        """
        self.information, self.with_sources, self.bot = information, sources, bot
        self.settings = without_early_stop(settings)
        iterations, self.seconds = options.get("iterations"), options.get("seconds")
        self.grade: Grade = options.get("grade") or choose_grade(iterations, self.seconds)
        self.redeals, self.threads = options.get("redeals"), threads
        if self.grade == "rollout":
            iterations = iterations or CHOICE_ITERATIONS
            if self.redeals is None and self.seconds is None:
                self.redeals = ROLLOUT_REDEALS
        elif iterations is None and self.seconds is None:
            iterations = QUICK_ITERATIONS if self.grade == "quick" else VERIFIED_ITERATIONS
        self.iterations = iterations
        self.seed, self.top = options.get("seed", 0), options.get("top")
        self.named, self.among = tuple(options.get("named", ())), tuple(options.get("among", ()))
        self.calibration = calibration_of(information.game) if calibrated else UNCALIBRATED
        self.stage = stage_of(information.canonical)
        self.spent = 0  # iterations of the completed searches
        self.allotted = 0.0  # seconds that the completed searches were allowed to take
        self.contenders: list[int] = []  # examined moves that get all searches
        self.first: Result | None = None  # result of the search among all moves
        self.behind: dict[int, list[Result]] = {}  # results of separate searches, by move
        self.rollout: Rollout | None = None

    def next_search(self) -> SearchRequest | None:
        """Return the next search to make, or None when all searches are complete.

        A verified analysis first makes `MIN_SEARCHES` searches of every examined move, and then
        further searches of the moves that may be the best.
        """
        if self.first is None:
            return self._choice_request()
        if self.grade != "verified":
            return None
        self.behind = self.behind or {move: [] for move in self._examined(self.first)}
        number = min(map(len, self.behind.values()))
        usual = min(len(self.behind), EXAMINED)  # contenders
        if number >= MIN_SEARCHES:
            self.contenders = self.contenders or self._contenders()
            number, usual = min(len(self.behind[m]) for m in self.contenders), len(self.contenders)
        among = self.contenders or [*self.behind]
        missing = sum(max(MIN_SEARCHES - len(done), 0) for done in self.behind.values())
        later = (SEEDS - max(number, MIN_SEARCHES)) * usual
        later -= sum(len(self.behind[move]) > number for move in self.contenders)
        move = next(move for move in among if len(self.behind[move]) == number)
        return self._request(1 + number, move, missing + later)

    def _choice_request(self) -> SearchRequest:
        """Return the search among all moves."""
        iterations, seconds = self.iterations, self.seconds
        if iterations is not None and self.grade == "verified":
            iterations = ceil(iterations * CHOICE_SHARE)
        if seconds is not None and self.grade != "quick":
            seconds *= CHOICE_SHARE if self.grade == "verified" else ROLLOUT_CHOICE_SHARE
        seed = derive_seed("analysis", self.seed, 0)
        return SearchRequest(seed, self.among, iterations=iterations, seconds=seconds)

    def _request(self, number: int, move: int, left: int) -> SearchRequest | None:
        """Return the next of `left` searches of single moves, which share the remaining budget."""
        iterations = None
        if self.iterations is not None and left:
            least = int(number <= MIN_SEARCHES)
            iterations = max(-(-(self.iterations - self.spent) // left), least)
        if not left or iterations == 0:
            return None
        return SearchRequest(
            seed=derive_seed("analysis", self.seed, number),
            allowed=(move,),
            behind=move,
            iterations=iterations,
            seconds=None if self.seconds is None else (self.seconds - self.allotted) / left,
        )

    def next_rollout(self) -> Rollout | None:
        """Return the rollouts to play after all searches, or None if none are needed or left."""
        if self.grade != "rollout":
            return None
        assert self.first is not None
        if self.rollout is None:
            seconds = None if self.seconds is None else self.seconds - self.first.seconds
            self.rollout = Rollout(
                self.information,
                rollout_settings(self.settings),
                self._examined(self.first),
                lambda redeal: derive_seed("redeal", self.seed, redeal),
                redeals=self.redeals,
                seconds=seconds,
            )
        return None if self.rollout.is_complete() else self.rollout

    def extend(self, *, redeals: int | None = None, seconds: float | None = None) -> None:
        """Continue completed rollouts up to a total number of redeals, or for some seconds.

        `next_rollout` then returns the rollouts again, unless the best move is certain. Without a
        limit, they continue until the best move is certain.
        """
        assert self.rollout is not None
        self.rollout.extend(redeals, seconds)

    def add_result(self, request: SearchRequest, result: Result) -> None:
        """Add the result of a requested search."""
        self.spent += result.iterations
        self.allotted += request.seconds or 0.0
        if request.behind is None:
            self.first = result
        else:
            self.behind[request.behind].append(result)

    def _examined(self, first: Result) -> list[int]:
        """Return the moves to examine: the most tried ones, rivals, and the `named` moves."""
        tried = [move for move in first.moves if move.visits]
        most = self.top or EXAMINED
        worth = [m.move for m in tried[:most] if self.top or m.share >= MIN_SHARE]
        chosen = worth if len(worth) > 1 else [move.move for move in tried[:2]]
        # The figures of a rarely tried move may be too low.
        if not self.top and self.grade == "verified":
            rest = [move for move in tried if move.move not in chosen and move.margin is not None]
            rest.sort(key=lambda move: -(move.margin or 0.0))
            chosen += [move.move for move in rest[:RIVALS]]
        return [*chosen, *(move for move in self.named if move not in chosen)]

    def _contenders(self) -> list[int]:
        """Return the examined moves that may be best (at least two), and the `named` moves."""
        moves = [move for move in self.analysis().moves if move.move in self.behind]
        return [
            move.move
            for number, move in enumerate(moves)
            if number < MIN_SEARCHES
            or move.move in self.named
            or move.gain is None
            or not _is_behind(move.gain)
        ]

    def analysis(self, running: Result | None = None) -> Analysis:
        """Return the current analysis.

        `running` is the interim result of a search among all moves that is not complete. A search
        of a single move counts only when it is complete. At least one search must have begun.
        """
        first = self.first or running
        assert first is not None
        every = [first, *(one for done in self.behind.values() for one in done)]
        behind = {m: list(done) for m, done in self.behind.items() if len(done) >= MIN_SEARCHES}
        rolled = None if self.rollout is None else self.rollout.results()
        if rolled is not None and len(rolled.ends) < MIN_REDEALS:
            rolled = None
        moves = _Values(self, _forget_past(first), behind, rolled).moves()
        played = 0 if rolled is None else rolled.decisions
        rollout_seconds = 0.0 if self.rollout is None else self.rollout.seconds
        return Analysis(
            game=self.information.game.name,
            player=self.stage.player,
            grade=next((move.grade for move in moves if move.grade != "quick"), "quick"),
            bot=self.bot,
            calibrated=len(self.stage.scores) in self.calibration.by_players,
            iterations=sum(one.iterations for one in every) + played * ROLLOUT_ITERATIONS,
            seconds=sum(one.seconds for one in every) + rollout_seconds,
            searches=len(every) + played,
            redeals=0 if rolled is None else len(rolled.ends),
            memory_bytes=max((one.memory_bytes for one in every), default=0),
            tree_full=any(one.tree_full for one in every),
            moves=moves,
        )


def _forget_past(result: Result) -> Result:
    """Return a result in which moves that only an earlier search visited count as untried."""
    moves = [replace(m, visits=0, share=0.0) if m.win is None else m for m in result.moves]
    return replace(result, moves=tuple(sorted(moves, key=lambda move: not move.visits)))


def without_early_stop(settings: Settings) -> Settings:
    """Return settings without early stops: figures still improve after the choice is settled."""
    return settings.model_copy(update={"early_stop": False})


def rollout_settings(settings: Settings) -> Settings:
    """Return the settings with which a bot plays rolled-out games."""
    limits = dict.fromkeys(LIMITS) | {"iterations": ROLLOUT_ITERATIONS}
    return settings.model_copy(update=limits | {"tree_megabytes": ROLLOUT_MEGABYTES})


def choose_grade(iterations: int | None, seconds: float | None) -> Grade:
    """Return ``quick`` if a limit is too low for a verified analysis, else ``verified``."""
    is_small = iterations is not None and iterations < MIN_VERIFIED
    is_short = seconds is not None and seconds < MIN_VERIFIED_SECONDS
    return "quick" if is_small or is_short else "verified"


@dataclass(frozen=True)
class _Sample:
    """What one search found about a move: corrected figures, and the spread of its playouts."""

    outlook: Outlook
    visits: int
    spread: float  # standard deviation of a playout's margin
    win_spread: float


class _Values:
    def __init__(
        self,
        run: AnalysisRun,
        first: Result,
        behind: dict[int, list[Result]],
        rolled: RolloutResults | None,
    ) -> None:
        self.run, self.first, self.behind, self.rolled = run, first, behind, rolled
        self.position = run.information.canonical
        self.stage: Stage = run.stage

    def moves(self) -> tuple[MoveValue, ...]:
        """Return every legal move, the best first."""
        visits = {move.move: move.visits for move in self.first.moves}
        ranked = [*visits]  # the first is the move to play, and usually has the most visits
        values = self._searched() if self.rolled is None else self._rolled_out(self.rolled)
        # The values of unexamined moves are relative to the move that the search tried most.
        examined = {value.move: value for value in values}
        sure = next((examined[move] for move in ranked if move in examined), None)
        quick = [self._quick(move, sure) for move in self.first.moves if move.move not in examined]
        often = OFTEN * visits[ranked[0]]

        def order(value: MoveValue) -> tuple[bool, bool, bool, float]:
            figure = value.margin.mean if value.margin else 0.0
            is_other = value.move != ranked[0]
            return is_other, value.margin is None, visits[value.move] < often, -figure

        values += sorted(quick, key=order)
        total = sum(visits.values()) or 1
        return tuple(
            replace(
                value if value.move in examined else _against(value, values[0]),
                visits=visits[value.move],
                share=visits[value.move] / total,
            )
            for value in values
        )

    def _searched(self) -> list[MoveValue]:
        """Return the values of the moves that were searched separately, best first.

        The best is the move that the bot plays, unless another move is better by more than the
        error of the difference: of several uncertain margins, the highest is often too high.
        """
        samples = {
            move: [self._sample(result.moves[0]) for result in self.behind[move]]
            for move in self.behind
        }
        if not samples:
            return []
        order = sorted(samples, key=lambda move: (-_mean(samples[move], "margin"), move))
        played, best = self.first.moves[0].move, order[0]
        if played in samples and not _is_behind(self._gain(samples, played, best)):
            best = played
        order.sort(key=lambda move: move != best)
        return [self._verified(move, samples, best) for move in order]

    def _rolled_out(self, rolled: RolloutResults) -> list[MoveValue]:
        """Return the values of the rolled-out moves, best first."""
        results = {result.move: result for result in self.first.moves}
        best, values = rolled.best(), []
        for index, move in enumerate(rolled.moves):
            gain = Estimate(0.0, 0.0) if index == best else rolled.gain(index, best)
            value = self._value(
                "rollout", [results[move]], results[move], partial(rolled.estimate, index)
            )
            values.append(replace(value, gain=gain))
        return sorted(values, key=lambda value: (-(value.margin or 0.0), value.move))

    def _sample(self, result: MoveResult) -> _Sample:
        assert result.win is not None
        assert result.margin_error is not None
        # If all playouts agree, they have no spread, but another playout might differ by one VP or
        # in who wins. If the game is over after the move, a few agreeing playouts make the result
        # certain.
        is_sure = self._is_last(result.move) and result.visits >= MIN_SURE
        unseen = 0.0 if is_sure else 1.0 / (result.visits + 1)
        win = result.win + unseen * (0.5 - result.win)
        return _Sample(
            self._outlook(result),
            result.visits,
            sqrt(result.margin_error**2 * max(result.visits - 1, 1) + unseen),
            WIN_SPREAD * sqrt(max(win * (1.0 - win), 0.0)),
        )

    def _outlook(self, result: MoveResult) -> Outlook:
        if self._is_last(result.move):  # the game is over: there is nothing to correct
            assert result.win is not None
            assert result.margin is not None
            assert result.scores is not None
            return Outlook(result.win, result.margin, result.scores)
        return self.run.calibration.outlook(self.stage, result)

    def _is_last(self, move: int) -> bool:
        legal = move in self.position.legal_moves()
        return legal and self.position.after_move(move).player is None

    def _verified(self, move: int, samples: dict[int, list[_Sample]], best: int) -> MoveValue:
        own, ends = samples[move], self._is_last(move)

        def estimate(figure: Figure) -> Estimate:
            spread = _spread_of(own, figure)
            return _estimate_of(own, figure, spread, 0.0 if ends else _off(figure) * spread)

        longest = max(self.behind[move], key=lambda result: result.iterations).moves[0]
        results = [result.moves[0] for result in self.behind[move]]
        value = self._value("verified", results, longest, estimate)
        return replace(value, gain=self._gain(samples, move, best))

    def _gain(self, samples: dict[int, list[_Sample]], move: int, best: int) -> Estimate:
        """Return the difference between the margins of two moves; its error is paired."""
        if move == best:
            return Estimate(0.0, 0.0)
        own, other = samples[move], samples[best]
        pairs = list(zip(own, other, strict=False))
        ends = self._is_last(move) and self._is_last(best)
        spread = _root_mean([sample.spread for sample in (*own, *other)])
        paired = _estimate(
            [one.outlook.margin - another.outlook.margin for one, another in pairs],
            [hypot(*(side.spread / sqrt(side.visits) for side in pair)) for pair in pairs],
            0.0 if ends else GAIN_OFF * spread,
        )
        # not the mean of the pairs, because the moves may have different numbers of searches
        return Estimate(_mean(own, "margin") - _mean(other, "margin"), paired.error)

    def _quick(self, result: MoveResult, sure: MoveValue | None) -> MoveValue:
        """Return a move's value in the search among all moves, relative to `sure` if given."""
        if not result.visits:
            player, action = self.stage.player, result.action
            turn = whole_turn(self.run.information, [(player, action)])
            return MoveValue(player=player, action=action, move=result.move, turn=turn)
        own, anchor = self._sample(result), self._sample(self.first.moves[0])
        ends = self._is_last(result.move)

        def gain(figure: Figure) -> Estimate:
            """Return the difference from the anchor."""
            spread = _spread_of([own], figure)
            part = 1.0 if ends else QUICK_LOSS
            below = part * (_figure(anchor.outlook, figure) - _figure(own.outlook, figure))
            beyond = 0.0 if ends else hypot(QUICK_OFF * spread, LOSS_OFF * below)
            return Estimate(-below, _estimate_of([own], figure, spread, beyond).error)

        def estimate(figure: Figure) -> Estimate:
            lost = gain(figure)
            if sure is None:
                common = 0.0 if ends else _off(figure) * _spread_of([own], figure)
                top = Estimate(_figure(anchor.outlook, figure), common)
            else:
                top = _figure(sure, figure)
            return Estimate(top.mean + lost.mean, hypot(top.error, lost.error))

        value = self._value("quick", [result], result, estimate)
        return replace(value, gain=gain("margin"))

    def _value(
        self,
        grade: Grade,
        results: Sequence[MoveResult],
        first: MoveResult,
        estimate: Callable[[Figure], Estimate],
    ) -> TriedMove:
        """Return the value of a move, with the line of the `first` result."""
        information, run = self.run.information, self.run
        win = estimate("win")
        win = Estimate(min(max(win.mean, 0.0), 1.0), win.error)
        scores = tuple(estimate(player) for player in range(self.position.players))
        # Quick searches visit the end of a turn too rarely to show that continuations are equal.
        lines = [result.line for result in results] if grade == "verified" else []
        line = first.line or ((self.stage.player, first.action),)
        sources = errors = None
        if run.with_sources:
            sources = sources_of_move(information, results, scores, run.calibration)
            errors = errors_of_sources(information, results, run.calibration)
        return TriedMove(
            player=self.stage.player,
            action=first.action,
            move=first.move,
            grade=grade,
            win=win,
            margin=estimate("margin"),
            scores=scores,
            line=show_line(information, line),
            turn=whole_turn(information, line, lines),
            sources=sources,
            source_errors=errors,
        )


def _is_behind(gain: Estimate) -> bool:
    """Return whether a move with this gain over another one counts as worse."""
    return gain.mean + BEHIND * gain.error < 0.0


def _figure(value: Outlook | MoveValue, figure: Figure) -> Any:
    """Return one figure of an outlook or a value: the win, the margin or a player's VP."""
    if isinstance(figure, int):
        return value.scores[figure] if value.scores else None
    return getattr(value, figure)


def _off(figure: Figure) -> float:
    """Return how far a figure is from a rolled-out one, in standard deviations of a playout."""
    return WIN_OFF if figure == "win" else VALUE_OFF


def _spread_of(samples: Sequence[_Sample], figure: Figure) -> float:
    """Return the standard deviation that a figure has in a single playout."""
    if figure == "win":
        return _root_mean([sample.win_spread for sample in samples])
    spread = _root_mean([sample.spread for sample in samples])
    return spread if figure == "margin" else spread / sqrt(2.0)


def _mean(samples: Sequence[_Sample], figure: Figure) -> float:
    whole: float = sum(_figure(sample.outlook, figure) for sample in samples)
    return whole / len(samples)


def _root_mean(values: Sequence[float]) -> float:
    return sqrt(sum(value * value for value in values) / len(values))


def _against(value: MoveValue, best: MoveValue) -> MoveValue:
    """Return a quick value with its gain over the best move, not over the most tried one."""
    if value.margin is None or best.margin is None or value.gain is None:
        return value
    if value.move == best.move:
        return replace(value, gain=Estimate(0.0, 0.0))
    gain = Estimate(value.margin.mean - best.margin.mean, value.gain.error)
    return replace(value, gain=gain)


def _estimate_of(
    samples: Sequence[_Sample], figure: Figure, spread: float, beyond: float
) -> Estimate:
    """Return the mean figure of searches with its error; `spread` is that of one playout."""
    naive = [spread / sqrt(sample.visits) for sample in samples]
    return _estimate([_figure(sample.outlook, figure) for sample in samples], naive, beyond)


def _estimate(values: Sequence[float], naive: Sequence[float], beyond: float) -> Estimate:
    """Return the mean of searches with different seeds, and its standard error.

    A few values estimate their spread badly, so a prior spread gets the weight of `PRIOR_SEARCHES`
    more values. It is `PRIOR_SPREAD` times `naive`, the standard errors that independent playouts
    would have (a moderated variance: Smyth, "Linear models and empirical Bayes methods", 2004).
    `beyond` is an additional error that all values share.
    """
    count = len(values)
    mean = sum(values) / count
    usual = (PRIOR_SPREAD * _root_mean(naive)) ** 2
    squares = sum((value - mean) ** 2 for value in values)
    variance = (PRIOR_SEARCHES * usual + squares) / (PRIOR_SEARCHES + count - 1)
    return Estimate(mean, hypot(sqrt(variance / count), beyond))
