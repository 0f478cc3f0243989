"""Correct the figures of a search by the results of finished games.

The playouts of a search play worse than the engine, so the search expects too few VP, and the
leads it expects differ from those that the engine achieves. A calibration predicts the result if
the engine plays on. It is a file of the game, which ``trajan-ai learn`` made (docs/learn.md) and
tested on held-out games.

The corrections depend on the number of players, on the fraction of the player's turns that is left
(linear between `KNOTS`), and on the logarithm of the iterations that the search spent on the move.
The longer the search, the higher are its figures for the player to decide: in trees of own moves,
the opponents' replies are those to an average player, so a longer search fits its plan more
closely to these replies.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, Strict, model_validator

from trajan_ai.analysis.outcomes import margin_of
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasCalibration
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import read_yaml, validate
from trajan_ai.mcts.remaining import turns_left
from trajan_ai.mcts.result import MoveResult

KNOTS = (0.0, 0.05, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0)  # fractions of the turns that are left
USUAL_VISITS = 2000  # visits for which corrections hold; `growth` adapts them to other numbers
MIN_WIN = 0.002  # smaller chances of a win count as this one
TURN_SAMPLES = 16  # random games from which the number of turns left is estimated
MAX_LOG_ODDS = 7.0  # limits the chance of a win to 0.999
LAST = 0.02  # added to the fraction of turns left, to limit the effect of a lead near the end

Number = Annotated[float, Field(allow_inf_nan=False)]
Numbers = Annotated[tuple[Number, ...], Strict(False)]  # a list in a file


@dataclass(frozen=True)
class Outlook:
    """A player's expected share of the win and margin, and the expected VP of every player."""

    win: float
    margin: float
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Stage:
    """The stage of a game: the fraction of turns left, the player to decide, and VP so far."""

    left: float
    player: int
    scores: tuple[int, ...]


def stage_of(position: Position) -> Stage:
    """Return the stage of a position, from what the player to decide knows."""
    assert position.player is not None
    left = turns_left(position, TURN_SAMPLES, derive_seed("stage"))
    past = position.turn / position.players
    return Stage(left / (left + past), position.player, tuple(position.scores))


def hats(left: float) -> tuple[float, ...]:
    """Return the weights of the `KNOTS`, which sum to 1, for a fraction of turns left."""
    weights = [0.0] * len(KNOTS)
    above = min(max(bisect_left(KNOTS, left), 1), len(KNOTS) - 1)
    share = (left - KNOTS[above - 1]) / (KNOTS[above] - KNOTS[above - 1])
    weights[above - 1], weights[above] = 1.0 - share, share
    return tuple(weights)


def log_visits(visits: int, tested: Sequence[int]) -> float:
    """Return the natural logarithm of the ratio of `visits` to `USUAL_VISITS`.

    `tested` contains the smallest and the largest number of visits in the data; a number outside
    this range is replaced by the nearer of the two.
    """
    return log(min(max(visits, tested[0]), tested[1]) / USUAL_VISITS)


def odds_of(left: float, margin: float, win: float) -> tuple[float, float, float]:
    """Return predictors for the log odds of a win; a lead counts more if few turns are left."""
    return 1.0, margin / (10.0 * sqrt(left + LAST)), logit(win)


def logit(share: float) -> float:
    """Return the log odds of a probability, bounded by `MIN_WIN`."""
    bounded = min(max(share, MIN_WIN), 1.0 - MIN_WIN)
    return log(bounded / (1.0 - bounded))


class Corrections(Description):
    """The corrections for a given number of players. Most are lists with one number per knot.

    Attributes:
        visits: the smallest and the largest number of visits in the data.
        total: factors for the mean of all players' future VP.
        spread: factors for each player's difference from that mean.
        mover: VP added for the player to decide.
        lead: factors for the lead; empty with two players, whose lead follows from the VP.
        ahead: VP added to the lead; empty with two players.
        growth: for each attribute above except `visits`, how much its numbers grow when the visits
            grow by a factor of e.
        win: factors for the predictors that `odds_of` returns.
        sources: a factor for each source of VP.
    """

    visits: Annotated[tuple[int, int], Strict(False)]
    total: Numbers
    spread: Numbers
    mover: Numbers
    lead: Numbers
    ahead: Numbers
    growth: dict[str, Numbers]
    win: Numbers
    sources: dict[str, Number]

    def outlook(
        self, stage: Stage, visits: int, win: float, scores: Sequence[float], margin: float
    ) -> Outlook:
        """Return the corrected figures of a search that visited a move `visits` times."""
        weights, longer = hats(stage.left), log_visits(visits, self.visits)

        def at(name: str) -> float:
            usual = sum(map(float.__mul__, weights, getattr(self, name)))
            return usual + longer * sum(map(float.__mul__, weights, self.growth[name]))

        players = len(scores)
        come = [vp - now for vp, now in zip(scores, stage.scores, strict=True)]
        mean = sum(come) / players
        total, spread, mover = at("total"), at("spread"), at("mover")
        expected = tuple(
            now
            + total * mean
            + spread * (vp - mean)
            + (mover if player == stage.player else -mover / (players - 1))
            for player, (now, vp) in enumerate(zip(stage.scores, come, strict=True))
        )
        if players == 2:
            lead = margin_of(expected, stage.player)
        else:
            ahead = margin_of(stage.scores, stage.player)
            lead = ahead + at("lead") * (margin - ahead) + at("ahead")
        odds = sum(map(float.__mul__, self.win, odds_of(stage.left, lead, win)))
        odds = min(max(odds, -MAX_LOG_ODDS), MAX_LOG_ODDS)
        # Rounded, because the last digit of an exponential differs between machines.
        return Outlook(round(1.0 / (1.0 + exp(-odds)), 9), lead, expected)


class Calibration(Description):
    """A game's corrections for each number of players, and a card that describes their data."""

    by_players: dict[int, Corrections] = Field(alias="players")
    card: dict[str, Any]

    @model_validator(mode="after")
    def _check_counts(self) -> Calibration:
        problems = []
        for players, corrections in self.by_players.items():
            counts = dict.fromkeys(("total", "spread", "mover"), len(KNOTS))
            counts |= dict.fromkeys(("lead", "ahead"), 0 if players == 2 else len(KNOTS))
            for name, count in counts.items():
                for numbers, place in (
                    (getattr(corrections, name), (name,)),
                    (corrections.growth.get(name, ()), ("growth", name)),
                ):
                    if len(numbers) != count:
                        message = f"must be {count} numbers, got {len(numbers)}"
                        problems.append(Problem(message, ("players", players, *place)))
            if len(corrections.win) != (count := len(odds_of(1.0, 0.0, 0.5))):
                message = f"must be {count} numbers, got {len(corrections.win)}"
                problems.append(Problem(message, ("players", players, "win")))
        if problems:
            raise TrajanError(*problems)
        return self

    def outlook(self, stage: Stage, result: MoveResult) -> Outlook:
        """Return the corrected figures for a move that a search tried.

        If there are no corrections for the number of players, the figures do not change.
        """
        assert result.win is not None
        assert result.scores is not None
        assert result.margin is not None
        corrections = self.by_players.get(len(result.scores))
        if corrections is None:
            return Outlook(result.win, result.margin, result.scores)
        return corrections.outlook(stage, result.visits, result.win, result.scores, result.margin)

    def factor(self, players: int, source: str) -> float:
        """Return the factor that corrects the expected VP from a source."""
        corrections = self.by_players.get(players)
        return 1.0 if corrections is None else corrections.sources.get(source, 1.0)


UNCALIBRATED = Calibration(players={}, card={})


def calibration_of(game: Game) -> Calibration:
    """Return the calibration of a game, or one that changes nothing if the game has none."""
    rules = offered(game.rules, HasCalibration)
    return UNCALIBRATED if rules is None else read_calibration(rules.calibration)


@cache
def read_calibration(path: Path) -> Calibration:
    """Read the calibration in a file; raise TrajanError if it is not valid."""
    return validate(Calibration, read_yaml(path))
