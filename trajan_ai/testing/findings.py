"""What the kit has to say: problems, each with what reproduces it, and the report of a run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """A promise that a game breaks: where and how.

    `ply` counts the decisions of the kit's random game at that table; None where no single
    position is meant, as `players` is where no table is.
    """

    check: str
    message: str
    game: str
    players: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    ply: int | None = None

    @property
    def place(self) -> str:
        """Table and ply in words."""
        parts = []
        if self.players is not None:
            parts.append(f"{self.players} players")
        if self.seed is not None:
            parts.append(f"seed {self.seed}")
        if self.ply is not None:
            parts.append(f"ply {self.ply}")
        if self.options:
            parts.append(f"options {json.dumps(dict(self.options), default=repr)}")
        return ", ".join(parts)

    @property
    def command(self) -> str:
        """The command that finds the problem again."""
        words = ["python", "-m", "trajan_ai.testing", self.game, "--check", self.check]
        if self.players is not None:
            words += ["--players", str(self.players)]
        if self.seed is not None:
            words += ["--seed", str(self.seed)]
            if self.options:
                words += ["--options", json.dumps(dict(self.options), default=repr)]
        return shlex.join(words)

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"{self.check}: {self.message}{place}\n  again: {self.command}"


@dataclass(frozen=True)
class Report:
    """The outcome of a run of the kit."""

    game: str
    checks: tuple[str, ...]
    games: int
    decisions: int
    problems: tuple[Problem, ...]
    skipped: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check ran and found nothing."""
        return not self.problems and not self.skipped

    def __str__(self) -> str:
        lines = [
            f"{self.game}: {len(self.checks)} checks, {self.games} games, "
            f"{self.decisions} decisions"
        ]
        lines += [str(problem) for problem in self.problems]
        lines += [f"not checked: {reason}" for reason in self.skipped]
        if self.ok:
            lines.append("every promise is kept")
        else:
            names = sorted({problem.check for problem in self.problems})
            lines.append(f"broken: {', '.join(names) or 'nothing that could be checked'}")
        return "\n".join(lines)


class ConformanceError(AssertionError):
    """A game that breaks promises of the contract; `report` holds all that was found."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
