"""What a move is worth: figures with standard errors, and the values of one move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from trajan_ai.analysis.decision.vp_sources import Sources
from trajan_ai.analysis.decision.whole_turns import Turn

Grade = Literal["quick", "verified", "rollout"]


class Estimate(float):
    """A number with its standard error.

    Attributes:
        error: the standard error, in the unit of the number.
    """

    error: float

    def __new__(cls, mean: float, error: float) -> Estimate:
        """Create an estimate from a mean and its standard error."""
        result = super().__new__(cls, mean)
        result.error = error
        return result

    @property
    def mean(self) -> float:
        """The number without its error."""
        return float(self)

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.mean, self.error

    def __repr__(self) -> str:
        return f"{self.mean!r} ± {self.error!r}"

    def to_dict(self) -> dict[str, float]:
        """Return the estimate as plain data."""
        return {"mean": self.mean, "error": self.error}


@dataclass(frozen=True, kw_only=True)
class MoveValue:
    """What a move is worth to the player to decide.

    The defaults describe a move that no search tried, and whose figures are therefore None.

    Attributes:
        player: the player to decide.
        action: the action string.
        move: the move number.
        grade: how the figures were computed, ``quick``, ``verified`` or ``rollout``.
        visits: the visits of the move in searches among all moves.
        share: the move's fraction of all such visits.
        win: the expected share of the win, from 0 to 1.
        margin: the player's expected VP minus those of the best opponent.
        scores: the expected final VP by player.
        gain: the margin minus the margin of the best move.
        line: the expected continuation, as (player, action), beginning with the move.
        turn: the whole turn that the move is expected to begin.
        sources: the expected VP by player and source, or None if they were not requested.
        source_errors: the standard errors of `sources`, or None with fewer than two searches of
            the move.
    """

    player: int
    action: str
    move: int
    grade: Grade = "quick"
    visits: int = 0
    share: float = 0.0
    win: Estimate | None = None
    margin: Estimate | None = None
    scores: tuple[Estimate, ...] | None = None
    gain: Estimate | None = None
    line: tuple[tuple[int, str], ...] = ()
    turn: Turn
    sources: Sources | None = None
    source_errors: Sources | None = None

    @property
    def score(self) -> Estimate | None:
        """The expected final VP of the player to decide."""
        return self.scores[self.player] if self.scores else None

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain data, as ``suggest --json`` prints it."""
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


@dataclass(frozen=True, kw_only=True)
class TriedMove(MoveValue):
    """A move that a search tried and that therefore has figures."""

    win: Estimate
    margin: Estimate
    scores: tuple[Estimate, ...]
