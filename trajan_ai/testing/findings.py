"""Broken promises, each with the command that reproduces it, and the report of a run."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class BrokenPromise:
    """A promise that a game breaks.

    Attributes:
        check: the name of the check.
        message: what is wrong.
        game: the reference of the game.
        players, options, seed: the deal, if the message is about a deal.
        ply: the number of decisions before the position in the kit's random game, if the message
            is about a position.
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
        """The deal and the ply in words."""
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
        """The command that reproduces the broken promise."""
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
    """The result of a run of the kit.

    Attributes:
        game: the reference of the game.
        checks: the names of the checks.
        games_by_players: the number of random games for each number of players.
        decisions: the number of decisions in all these games.
        problems: the broken promises.
        skipped: the reasons why checks were skipped.
    """

    game: str
    checks: tuple[str, ...]
    games_by_players: Mapping[int, int]
    decisions: int
    problems: tuple[BrokenPromise, ...]
    skipped: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        """The number of random games."""
        return sum(self.games_by_players.values())

    @property
    def ok(self) -> bool:
        """True if every check ran and found no broken promise."""
        return not self.problems and not self.skipped

    def __str__(self) -> str:
        parts = [f"{games} with {n} players" for n, games in self.games_by_players.items()]
        lines = [
            f"{self.game}: {len(self.checks)} checks, {self.games} games ({', '.join(parts)}), "
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
    """A game breaks promises of the contract, or checks were skipped; `report` lists both."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
