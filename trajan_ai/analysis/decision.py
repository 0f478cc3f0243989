"""One analysis of a decision: what each move is worth, with whole turns and reasons.

Every door shows this: terminal, JSON, engine process, page, `follow`, annotated games. An
analysis is a number of searches, each of what the player to decide knows. There are two grades:

quick     what searches among all moves know after a moment; rough. A move that they tried less is
          known less, and looks worse than it is.
verified  for each of the best moves searches of its own, behind it, by several seeds.

Win, VP and margin mean what happens where the engine plays on (see `calibration`). Errors come
from what searches of different seeds say, not from counting playouts, which a tree makes depend
on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import hypot, sqrt
from typing import Any, Literal, TypedDict, Unpack

from trajan_ai.analysis import turns, wording
from trajan_ai.analysis.budgets import QUICK_ITERATIONS, VERIFIED_ITERATIONS
from trajan_ai.analysis.calibration import (
    UNCALIBRATED,
    Outlook,
    Stage,
    calibration_of,
    stage_of,
)
from trajan_ai.analysis.turns import Turn
from trajan_ai.analysis.vp_sources import Sources, sources_of_move
from trajan_ai.core.game import Game
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.result import MoveResult

Grade = Literal["quick", "verified"]
_Which = Literal["win", "margin"] | int  # a figure; a player: that of their VP
_Estimating = Callable[[_Which, float], "Estimate"]

QUICK_SEARCHES = 2
SEEDS = 4  # searches behind each move of a verified analysis
LEAST_SEARCHES = 2  # behind a move, however few the iterations
RANKING = 8  # a verified analysis spends 1 / RANKING on choosing the moves
EXAMINED = 5  # moves, where it is not said how many are shown
LEAST_SHARE = 0.01  # of the visits: a move with fewer is examined only if asked for by `top`
LEAST_VERIFIED = 20_000  # iterations, or
LEAST_VERIFIED_SECONDS = 1.0  # with less an analysis is quick unless asked otherwise
OF_MOVES = ("action", "share", "line", "sources")  # what JSON does not say of turns
LEAST_SURE = 40  # iterations to the end of the game that agree: then its result is certain
PRIOR_SEARCHES = 3.0  # that the spread expected beforehand counts as much as
PRIOR_SPREAD = 1.5  # times the standard error of independent playouts: that spread

# How far figures lie from those of much longer searches, beside what other seeds show: shares of
# the standard deviation of a playout's margin, and of what a quick figure has a move lose. From
# tests/experiments/reference.py; docs/calibration.md has what they cover.
VERIFIED_OFF = 0.09
GAIN_OFF = 0.05
QUICK_OFF = 0.15
LOSS_OFF = 0.3


class Estimate(float):
    """A figure that is a number, with its standard error."""

    error: float

    def __new__(cls, mean: float, error: float) -> Estimate:
        """Make a figure of a mean and a standard error."""
        result = super().__new__(cls, mean)
        result.error = error
        return result

    @property
    def mean(self) -> float:
        """The figure as a plain number."""
        return float(self)

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.mean, self.error

    def __repr__(self) -> str:
        return f"{self.mean!r} ± {self.error!r}"

    def to_dict(self) -> dict[str, float]:
        """Return plain data."""
        return {"mean": self.mean, "error": self.error}


@dataclass(frozen=True)
class MoveValue:
    """What a move is worth to the player to decide.

    ``win`` is the expected share of the win, ``scores`` the expected final VP by player,
    ``margin`` the own VP minus the best opponent's, ``gain`` the margin minus that of the best
    move; all None for a move that was not tried. ``turn`` is how the player is expected to go on
    with the turn. ``sources`` are given where the analysis was asked for them.
    """

    player: int
    action: str
    move: int
    grade: Grade
    visits: int
    share: float
    win: Estimate | None
    margin: Estimate | None
    scores: tuple[Estimate, ...] | None
    gain: Estimate | None
    line: tuple[tuple[int, str], ...]
    turn: Turn
    sources: Sources | None = None

    @property
    def score(self) -> Estimate | None:
        """The expected final VP of the player to decide."""
        return self.scores[self.player] if self.scores else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as ``suggest --json`` prints it."""
        data: dict[str, Any] = {
            key: getattr(self, key) for key in ("action", "grade", "visits", "share")
        }
        for key in ("win", "score", "margin", "gain"):
            figure: Estimate | None = getattr(self, key)
            data[key] = None if figure is None else figure.mean
            data[f"{key}_error"] = None if figure is None else figure.error
        data["line"] = [list(step) for step in self.line]
        if self.sources is not None:
            data["sources"] = [{"player": p, "vp": vp} for p, vp in enumerate(self.sources)]
        return data


@dataclass(frozen=True)
class Analysis:
    """What the moves of a decision are worth, best first.

    ``calibrated`` says whether the figures are corrected by what finished games showed.
    ``seconds`` is the time that its ``searches`` took.
    """

    game: str
    player: int
    grade: Grade
    bot: str
    calibrated: bool
    iterations: int
    seconds: float
    searches: int
    memory_bytes: int
    moves: tuple[MoveValue, ...]

    @property
    def best(self) -> MoveValue:
        """The move to make."""
        return self.moves[0]

    def __str__(self) -> str:
        return wording.text(self)

    def _repr_html_(self) -> str:
        return wording.html(self)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return plain data, as ``suggest --json`` prints it."""
        shown = self.moves[:top]
        turns = [
            move.turn.to_dict()
            | {key: value for key, value in move.to_dict().items() if key not in OF_MOVES}
            for move in shown
            if move.margin is not None
        ]
        return vars(self) | {"moves": [move.to_dict() for move in shown], "turns": turns}


@dataclass(frozen=True)
class Ask:
    """A search that an analysis needs: among `allowed` moves, or among all.

    ``behind`` is the move that it looks behind, None where it compares moves.
    """

    seed: int
    allowed: tuple[int, ...]
    behind: int | None
    iterations: int | None
    seconds: float | None


class Asked(TypedDict, total=False):
    """What can be asked of an analysis: the fields of `Analysing` that have defaults."""

    grade: Grade | None
    iterations: int | None
    seconds: float | None
    seed: int
    top: int | None
    named: Sequence[int]
    so_far: Sequence[Sequence[int]] | None
    among: Sequence[int]
    one_search: bool


class Analysing:
    """An analysis under way: asks for searches, one after the other, and takes their results.

    It makes none itself, so that whoever has threads, an event loop or a browser can. `analysis`
    tells at any time what is known so far.
    """

    def __init__(
        self,
        known: InformationSet,
        settings: Settings,
        *,
        bot: str = "",
        calibrated: bool = True,
        books: bool = False,
        **asked: Unpack[Asked],
    ) -> None:
        """Begin. `iterations` or `seconds` are for all searches together.

        Only moves `among` these are compared; none: all. A quick analysis of `one_search` can be
        made in a tree that was searched before.
        Of a verified analysis as many moves as `top` says are examined, `named` ones in any case.
        With `books` there are VP by source; `so_far` is what brought those made before, by player
        and source. Only what searches like the engine is `calibrated`.
        """
        self.known, self.books, self.bot = known, books, bot
        self.settings = one_tree(settings, known.game)
        iterations, self.seconds = asked.get("iterations"), asked.get("seconds")
        self.grade: Grade = asked.get("grade") or chosen_grade(iterations, self.seconds)
        if iterations is None and self.seconds is None:
            iterations = QUICK_ITERATIONS if self.grade == "quick" else VERIFIED_ITERATIONS
        self.iterations = iterations
        self.seed, self.top = asked.get("seed", 0), asked.get("top")
        self.named, self.among = tuple(asked.get("named", ())), tuple(asked.get("among", ()))
        self.so_far = asked.get("so_far")
        self.quick_searches = 1 if asked.get("one_search") else QUICK_SEARCHES
        self.calibration = calibration_of(known.game) if calibrated else UNCALIBRATED
        self.stage = stage_of(known.canonical)
        self.spent = 0  # iterations of the searches that are done
        self.searches: list[Result] = []  # among all moves
        self.behind: dict[int, list[Result]] = {}  # by move examined

    def ask(self) -> Ask | None:
        """Return the next search to make, None when there is nothing left to do."""
        if self.grade == "quick":
            number = len(self.searches)
            return self._asked(number, None, self.quick_searches - number, self.quick_searches)
        if not self.searches:
            return self._asked(0, None, RANKING, RANKING)
        self.behind = self.behind or {move: [] for move in self._examined()}
        number, move = min((len(found), place) for place, found in enumerate(self.behind.values()))
        parts = SEEDS * len(self.behind)
        left = sum(SEEDS - len(found) for found in self.behind.values())
        share = parts * RANKING / (RANKING - 1)
        return self._asked(1 + number, list(self.behind)[move], left, share)

    def _asked(self, number: int, behind: int | None, left: int, parts: float) -> Ask | None:
        """Return one of `left` searches that share what iterations are left; of `parts`, time."""
        iterations = None
        if self.iterations is not None and left:
            least = int(behind is not None and number <= LEAST_SEARCHES)
            iterations = max(-(-(self.iterations - self.spent) // left), least)
        if not left or iterations == 0:
            return None
        seconds = None if self.seconds is None else self.seconds / parts
        allowed = self.among if behind is None else (behind,)
        seed = derive_seed("analysis", self.seed, number)
        return Ask(seed, allowed, behind, iterations, seconds)

    def take(self, ask: Ask, result: Result) -> None:
        """Take the result of a search that was asked for."""
        self.spent += result.iterations
        (self.searches if ask.behind is None else self.behind[ask.behind]).append(result)

    def _examined(self) -> list[int]:
        """Return the moves to search behind: those tried most, and those named."""
        tried = [move for move in self.searches[0].moves if move.visits]
        most = self.top or EXAMINED
        worth = [m.move for m in tried[:most] if self.top or m.share >= LEAST_SHARE]
        chosen = worth if len(worth) > 1 else [move.move for move in tried[:2]]
        return [*chosen, *(move for move in self.named if move not in chosen)]

    def analysis(self, running: Result | None = None) -> Analysis:
        """Return what is known so far, counting what a first search that still runs has found.

        One behind a move does not count before it is done. At least one must have begun.
        """
        behind = {move: list(found) for move, found in self.behind.items()}
        running = None if behind else running
        searches = [_since_begun(result) for result in (*self.searches, running) if result]
        every = [*searches, *(one for found in behind.values() for one in found)]
        values = _Values(
            self, searches, {m: f for m, f in behind.items() if len(f) >= LEAST_SEARCHES}
        )
        moves = values.moves()
        verified = any(move.grade == "verified" for move in moves)
        return Analysis(
            game=self.known.game.name,
            player=self.stage.player,
            grade="verified" if verified else "quick",
            bot=self.bot,
            calibrated=len(self.stage.scores) in self.calibration.tables,
            iterations=sum(one.iterations for one in every),
            seconds=sum(one.seconds for one in every),
            searches=len(every),
            memory_bytes=max((one.memory_bytes for one in every), default=0),
            moves=moves,
        )


def _since_begun(result: Result) -> Result:
    """Return a result in which what a kept tree knew of other moves before is as if untried."""
    moves = (replace(m, visits=0, share=0.0) if m.win is None else m for m in result.moves)
    return replace(result, moves=tuple(moves))


def one_tree(settings: Settings, game: Game) -> Settings:
    """Return settings as an analysis uses them: one tree, or one per player of what each sees.

    Trees of own moves play best, but what they believe drifts with their iterations. Exploration
    that grows mends their choice alone.
    """
    algorithm = "mo" if game.hidden_moves else "so"
    changes: dict[str, Any] = {"exploration_growth": {}, "control_variate": 0.0}
    changes |= {"algorithm": algorithm, "early_stop": False}
    return settings.model_copy(update=changes)


def chosen_grade(iterations: int | None, seconds: float | None) -> Grade:
    """Return the grade that a budget is enough for; without one it is verified."""
    small = iterations is not None and iterations < LEAST_VERIFIED
    short = seconds is not None and seconds < LEAST_VERIFIED_SECONDS
    return "quick" if small or short else "verified"


@dataclass(frozen=True)
class _Sample:
    """What one search says of a move: its figures corrected, and how its playouts spread."""

    outlook: Outlook
    visits: int
    spread: float  # standard deviation of a playout's margin
    win_spread: float


class _Values:
    def __init__(
        self, asked: Analysing, searches: Sequence[Result], behind: dict[int, list[Result]]
    ) -> None:
        self.asked, self.searches, self.behind = asked, searches, behind
        self.position = asked.known.canonical
        self.stage: Stage = asked.stage

    def moves(self) -> tuple[MoveValue, ...]:
        """Return every legal move, the best first."""
        compared = self.asked.among or self.position.legal_moves()
        visits: dict[int, int] = dict.fromkeys(compared, 0)
        for result in self.searches:
            for move in result.moves:
                visits[move.move] = visits.get(move.move, 0) + move.visits
        ranked = sorted(visits, key=lambda move: (-visits[move], move))
        samples = {
            move: [self._sample(result.moves[0]) for result in self.behind[move]]
            for move in self.behind
        }
        best = max(samples, key=lambda move: (_mean(samples[move], "margin"), -move), default=None)
        values = [self._verified(move, samples, best) for move in samples]
        values.sort(key=lambda value: (-(value.margin.mean if value.margin else 0.0), value.move))
        # What was not searched on its own is set below the move that the search tried most.
        anchor = next((move for move in ranked if move in samples), None)
        sure = next((value for value in values if value.move == anchor), None)
        quick = [self._quick(move, ranked[0], sure) for move in ranked if move not in samples]
        if sure is not None and values:
            quick = [_against(value, values[0]) for value in quick]
        total = sum(visits.values()) or 1
        return tuple(
            replace(value, visits=visits[value.move], share=visits[value.move] / total)
            for value in [*values, *quick]
        )

    def _sample(self, found: MoveResult) -> _Sample:
        assert found.win is not None
        assert found.margin_error is not None
        # Playouts that all agree show no spread, but one more might differ: by a VP, or in the
        # win. Only where the game is over after the move enough of them say how it ended.
        sure = self._ends(found.move) and found.visits >= LEAST_SURE
        unseen = 0.0 if sure else 1.0 / (found.visits + 1)
        win = found.win + unseen * (0.5 - found.win)
        return _Sample(
            self._outlook(found),
            found.visits,
            sqrt(found.margin_error**2 * max(found.visits - 1, 1) + unseen),
            sqrt(max(win * (1.0 - win), 0.0)),
        )

    def _outlook(self, found: MoveResult) -> Outlook:
        if self._ends(found.move):  # nothing is played on, so there is nothing to correct
            assert found.win is not None
            assert found.margin is not None
            assert found.scores is not None
            return Outlook(found.win, found.margin, found.scores)
        return self.asked.calibration.outlook(self.stage, found)

    def _ends(self, move: int) -> bool:
        """Whether the game is over after a move."""
        legal = move in self.position.legal_moves()
        return legal and self.position.after_move(move).player is None

    def _verified(
        self, move: int, samples: dict[int, list[_Sample]], best: int | None
    ) -> MoveValue:
        own, ends = samples[move], self._ends(move)

        def estimate(which: _Which, spread: float) -> Estimate:
            return _estimate_of(own, which, spread, 0.0 if ends else VERIFIED_OFF * spread)

        gain = Estimate(0.0, 0.0)
        if best is not None and move != best:
            pairs = list(zip(own, samples[best], strict=False))
            lost = _mean(own, "margin") - _mean(samples[best], "margin")
            paired = _estimate(
                [one.outlook.margin - other.outlook.margin for one, other in pairs],
                [hypot(*(side.spread / sqrt(side.visits) for side in pair)) for pair in pairs],
                0.0 if ends else GAIN_OFF * _root_mean([sample.spread for sample in own]),
            )
            gain = Estimate(lost, paired.error)  # of pairs the mean may be a rounding off
        longest = max(self.behind[move], key=lambda result: result.iterations).moves[0]
        found = [result.moves[0] for result in self.behind[move]]
        return replace(self._value("verified", found, longest, own, estimate), gain=gain)

    def _quick(self, move: int, most: int, sure: MoveValue | None) -> MoveValue:
        """Value a move by searches among all, or set it below one that is known better."""
        tried, mostly = (
            [
                found
                for result in self.searches
                for found in result.moves
                if found.move == which and found.visits
            ]
            for which in (move, most)
        )
        if not tried:
            return self._untried(move)
        own, anchor = ([self._sample(found) for found in several] for several in (tried, mostly))
        ends = self._ends(move)
        lost = _weighted(anchor, "margin") - _weighted(own, "margin")

        def estimate(which: _Which, spread: float) -> Estimate:
            known = None if sure is None else _figure(sure, which)
            top = _weighted(anchor, which)
            below = top - _weighted(own, which)
            unsure = 0.0 if ends or not lost else LOSS_OFF * abs(below)
            error = 0.0 if known is None else known.error
            beyond = hypot(0.0 if ends else QUICK_OFF * spread, unsure, error)
            above = top if known is None else known.mean
            return Estimate(above - below, _estimate_of(own, which, spread, beyond).error)

        first = max(tried, key=lambda found: found.visits)
        value = self._value("quick", tried, first, own, estimate)
        assert value.margin is not None
        gain = Estimate(-lost, value.margin.error) if move != most else Estimate(0.0, 0.0)
        return replace(value, gain=gain)

    def _value(
        self,
        grade: Grade,
        found: Sequence[MoveResult],
        first: MoveResult,
        own: Sequence[_Sample],
        estimate: _Estimating,
    ) -> MoveValue:
        """Return the value of a move, whose line is that of the `first` result."""
        known, asked = self.asked.known, self.asked
        spread = _root_mean([sample.spread for sample in own])
        win = estimate("win", _root_mean([sample.win_spread for sample in own]))
        win = Estimate(min(max(win.mean, 0.0), 1.0), win.error)
        margin = estimate("margin", spread)
        players = range(self.position.players)
        scores = tuple(estimate(player, spread / sqrt(2.0)) for player in players)
        sources = None
        if asked.books:
            sources = sources_of_move(
                known, found, scores, so_far=asked.so_far, calibration=asked.calibration
            )
        turn = turns.whole_turn(known, first.line)
        return MoveValue(
            self.stage.player, first.action, first.move, grade, 0, 0.0, win, margin, scores, None,
            first.line, turn, sources,
        )  # fmt: skip

    def _untried(self, move: int) -> MoveValue:
        line = ((self.stage.player, self.position.game.actions[move]),)
        turn = turns.whole_turn(self.asked.known, line)
        action = self.position.game.actions[move]
        player = self.stage.player
        return MoveValue(player, action, move, "quick", 0, 0.0, None, None, None, None, (), turn)


def _figure(value: Outlook | MoveValue, which: _Which) -> Any:
    """Return the win, the margin or a player's VP of what was expected or estimated."""
    if isinstance(which, int):
        return value.scores[which] if value.scores else None
    return getattr(value, which)


def _mean(samples: Sequence[_Sample], which: _Which) -> float:
    whole: float = sum(_figure(sample.outlook, which) for sample in samples)
    return whole / len(samples)


def _weighted(samples: Sequence[_Sample], which: _Which) -> float:
    """Return the mean of a figure over all playouts of several searches."""
    whole: float = sum(_figure(sample.outlook, which) * sample.visits for sample in samples)
    return whole / sum(sample.visits for sample in samples)


def _root_mean(values: Sequence[float]) -> float:
    return sqrt(sum(value * value for value in values) / len(values))


def _against(value: MoveValue, best: MoveValue) -> MoveValue:
    if value.margin is None or best.margin is None:
        return value
    gain = Estimate(value.margin.mean - best.margin.mean, value.margin.error)
    return replace(value, gain=gain)


def _estimate_of(
    samples: Sequence[_Sample], which: _Which, spread: float, beyond: float
) -> Estimate:
    """Return a figure of several searches, whose playouts spread so; see `_estimate`."""
    naive = [spread / sqrt(sample.visits) for sample in samples]
    return _estimate([_figure(sample.outlook, which) for sample in samples], naive, beyond)


def _estimate(values: Sequence[float], naive: Sequence[float], beyond: float) -> Estimate:
    """Return the mean of what searches of different seeds say, with its standard error.

    Few values show their spread badly, so the spread that is usual beforehand counts as
    `PRIOR_SEARCHES` more of them: `PRIOR_SPREAD` times `naive`, the standard errors that
    independent playouts would have (a moderated variance: Smyth, "Linear models and empirical
    Bayes methods", 2004). `beyond` is how far all of them may be off together.
    """
    count = len(values)
    mean = sum(values) / count
    usual = (PRIOR_SPREAD * _root_mean(naive)) ** 2
    squares = sum((value - mean) ** 2 for value in values)
    variance = (PRIOR_SEARCHES * usual + squares) / (PRIOR_SEARCHES + count - 1)
    return Estimate(mean, hypot(sqrt(variance / count), beyond))
