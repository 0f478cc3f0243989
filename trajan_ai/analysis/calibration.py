"""What the figures of a search mean: corrections learned from finished games.

A search values a position by playouts that play worse than the engine does, so it expects too few
VP, and leads that are not what the engine makes of them. A game's calibration says what was made
in the end, where the engine played on, of what searches had expected: a file of the game, learned
by ``trajan-ai learn`` (see docs/learn.md) and tested on games to which it was not fitted.

Its corrections depend on the number of players and on the share of the player's turns that is left
(linear between `KNOTS`). Of the iterations of a search they need not know: behind a move, in one
tree, from 1,000 to 6,000 of them change no factor by more than a hundredth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, Strict, model_validator

from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import HasCalibration, offered
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import read_yaml, validate
from trajan_ai.mcts.greedy import turns_left
from trajan_ai.mcts.result import MoveResult

KNOTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # shares of the turns that are left
SURE_WIN = 0.002  # a chance as small as this is not told apart from none
TURN_SAMPLES = 16  # to estimate the turns that are left
MOST_ODDS = 7.0  # of the win, as a logarithm: more than 0.999 is never sure
LAST = 0.02  # of the turns: a lead counts as much as with so many left

Number = Annotated[float, Field(allow_inf_nan=False)]
Numbers = Annotated[tuple[Number, ...], Strict(False)]  # a list in a file


@dataclass(frozen=True)
class Outlook:
    """What a player may expect: share of the win, VP over the best opponent, VP by player."""

    win: float
    margin: float
    scores: tuple[float, ...]


@dataclass(frozen=True)
class Stage:
    """Where a decision stands in its game: the share of turns left, who decides, VP so far."""

    left: float
    player: int
    scores: tuple[int, ...]


def stage_of(position: Position) -> Stage:
    """Return where a decision stands; the same for positions that look alike to who decides."""
    assert position.player is not None
    left = turns_left(position, TURN_SAMPLES, derive_seed("stage"))
    made = position.turn / position.players
    return Stage(left / (left + made), position.player, tuple(position.scores))


def hats(left: float) -> tuple[float, ...]:
    """Return the weights of the `KNOTS` at a share of turns left: they sum to 1."""
    step = KNOTS[1]
    return tuple(max(0.0, 1.0 - abs(left - knot) / step) for knot in KNOTS)


def odds_of(left: float, margin: float, win: float) -> tuple[float, float, float]:
    """Return what the log odds of the win are made of; a lead counts by the turns left."""
    return 1.0, margin / (10.0 * sqrt(left + LAST)), logit(win)


def margin_of(scores: Sequence[float], player: int) -> float:
    """Return a player's VP over the best opponent's."""
    return scores[player] - max(vp for other, vp in enumerate(scores) if other != player)


def logit(share: float) -> float:
    """Return the logarithm of the odds of a share, kept from the extremes."""
    kept = min(max(share, SURE_WIN), 1.0 - SURE_WIN)
    return log(kept / (1.0 - kept))


class Table(Description):
    """The corrections at a number of players: numbers by knot.

    VP still to come are split in their mean over the players, multiplied by ``total``, and each
    player's difference from it, multiplied by ``spread``; ``mover`` VP are added for who decides.
    With more than two players the lead has factors (``lead``) and an offset (``ahead``) of its
    own. ``win`` are the factors of what `odds_of` returns, ``sources`` factors by source of VP.
    """

    total: Numbers
    spread: Numbers
    mover: Numbers
    lead: Numbers
    ahead: Numbers
    win: Numbers
    sources: dict[str, Number]

    def outlook(self, stage: Stage, win: float, scores: Sequence[float], margin: float) -> Outlook:
        """Return what the engine makes of what a search expects."""
        weights = hats(stage.left)

        def at(numbers: Sequence[float]) -> float:
            return sum(map(float.__mul__, weights, numbers))

        players = len(scores)
        come = [vp - now for vp, now in zip(scores, stage.scores, strict=True)]
        mean = sum(come) / players
        mover = at(self.mover)
        known = tuple(
            now
            + at(self.total) * mean
            + at(self.spread) * (vp - mean)
            + (mover if player == stage.player else -mover / (players - 1))
            for player, (now, vp) in enumerate(zip(stage.scores, come, strict=True))
        )
        if players == 2:
            lead = margin_of(known, stage.player)
        else:
            ahead = margin_of(stage.scores, stage.player)
            lead = ahead + at(self.lead) * (margin - ahead) + at(self.ahead)
        odds = sum(map(float.__mul__, self.win, odds_of(stage.left, lead, win)))
        odds = min(max(odds, -MOST_ODDS), MOST_ODDS)
        # Rounded, since exponentials differ in their last digit between machines.
        return Outlook(round(1.0 / (1.0 + exp(-odds)), 9), lead, known)


class Calibration(Description):
    """A game's corrections by number of players, and what they were made of."""

    tables: dict[int, Table] = Field(alias="players")
    card: dict[str, Any]

    @model_validator(mode="after")
    def _as_many_numbers_as_knots(self) -> Calibration:
        problems = []
        for players, table in self.tables.items():
            counts = dict.fromkeys(("total", "spread", "mover"), len(KNOTS))
            counts |= dict.fromkeys(("lead", "ahead"), 0 if players == 2 else len(KNOTS))
            for name, count in (counts | {"win": len(odds_of(1.0, 0.0, 0.5))}).items():
                if len(getattr(table, name)) != count:
                    place = ("players", players, name)
                    problems.append(Problem(f"must be {count} numbers", place))
        if problems:
            raise TrajanError(*problems)
        return self

    def outlook(self, stage: Stage, found: MoveResult) -> Outlook:
        """Return what the engine makes of what a search expects after a move.

        Without a table for so many players that is what the search says. The move must have been
        tried.
        """
        assert found.win is not None
        assert found.scores is not None
        assert found.margin is not None
        table = self.tables.get(len(found.scores))
        if table is None:
            return Outlook(found.win, found.margin, found.scores)
        return table.outlook(stage, found.win, found.scores, found.margin)

    def factor(self, players: int, source: str) -> float:
        """Return what VP that are expected from a source are multiplied by."""
        table = self.tables.get(players)
        return 1.0 if table is None else table.sources.get(source, 1.0)


UNCALIBRATED = Calibration(players={}, card={})


def calibration_of(game: Game) -> Calibration:
    """Return the calibration that a game's rules name, or the one that corrects nothing."""
    rules = offered(game.rules, HasCalibration)
    return UNCALIBRATED if rules is None else read_calibration(rules.calibration)


@cache
def read_calibration(path: Path) -> Calibration:
    """Return the calibration of a file; raises TrajanError where it holds something else."""
    return validate(Calibration, read_yaml(path))
