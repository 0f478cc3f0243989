"""Runs the checks: on a whole game at once, or as cases for pytest to spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict, Unpack

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.testing import (  # noqa: F401  importing them registers their checks
    hidden_checks,
    knowledge_checks,
    learner_checks,
    play_checks,
    rule_checks,
    search_checks,
    travel_checks,
    view_checks,
)
from trajan_ai.testing.courses import MOST_PLIES, Course, Table, make_tables, player_counts
from trajan_ai.testing.findings import ConformanceError, Problem, Report
from trajan_ai.testing.registry import CHECKS, Check, Finding

LEAST_DECISIONS = 100  # looked at for a number of players: short games are played more often ..
MOST_COURSES = 50  # .. up to so many


@dataclass
class Kit:
    """The tables of a game and the random games played there, made when first asked for."""

    game: Game
    tables: dict[int, list[Table]]
    most_plies: int = MOST_PLIES
    courses: dict[int, list[Course]] = field(default_factory=dict)

    def of(self, players: int) -> list[Course]:
        """Return the random games of one number of players."""
        if players not in self.courses:
            tables = self.tables[players]
            courses = [Course.play(table, self.most_plies) for table in tables]
            while len(courses) < MOST_COURSES and not any(course.flaw for course in courses):
                if sum(course.end for course in courses) >= LEAST_DECISIONS:
                    break
                again = tables[len(courses) % len(tables)]
                further = replace(again, seed=tables[0].seed + len(courses))
                courses.append(Course.play(further, self.most_plies))
            self.courses[players] = courses
        return self.courses[players]

    def run(self, check: Check, players: int | None) -> tuple[list[Problem], list[str]]:
        """Run a check for one number of players, or for all; return problems, and what was
        skipped."""
        counts = list(self.tables) if players is None else [players]
        courses = [course for count in counts for course in self.of(count)]
        flaws = [c.flaw for count in self.tables for c in self.of(count) if c.flaw is not None]
        findings, skipped = check.run(self.game, courses, flaws)
        return [_problem(self.game, check, finding, players) for finding in findings], skipped


def _problem(game: Game, check: Check, finding: Finding, players: int | None) -> Problem:
    if finding.course is None:
        return Problem(check.name, finding.message, game.reference, players)
    table = finding.course.table
    defaults = game.rules.check(table.players, {})
    options = {k: v for k, v in table.options.items() if k not in defaults or v != defaults[k]}
    return Problem(
        check.name,
        finding.message,
        game.reference,
        table.players,
        options,
        table.seed,
        finding.ply,
    )


class Tried(TypedDict, total=False):
    """What is tried of a game, see :func:`check_game`."""

    players: Sequence[int] | None
    options: Mapping[str, Sequence[Any]] | None
    seed: int
    scale: float
    most_plies: int


def make_kit(
    game: Game,
    *,
    players: Sequence[int] | None = None,
    options: Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    scale: float = 1,
    most_plies: int = MOST_PLIES,
) -> Kit:
    """Return the tables to check `game` at; the arguments are those of :func:`check_game`."""
    counts = list(players or player_counts(game))
    if not counts:
        raise TrajanError(f"{game.name}: rules.check() accepts no number of players from 2 to 4")
    tables = {n: make_tables(game, n, scale, seed, options) for n in counts}
    return Kit(game, tables, most_plies)


def run_checks(kit: Kit, checks: Sequence[str] | None = None) -> Report:
    """Run the named checks, by default all, and return what they found."""
    unknown = set(checks or ()) - set(CHECKS)
    if unknown:
        raise TrajanError(
            f"no check is called {', '.join(sorted(unknown))}; checks are {', '.join(CHECKS)}"
        )
    chosen = [check for name, check in CHECKS.items() if checks is None or name in checks]
    problems: list[Problem] = []
    skipped: list[str] = []
    for check in chosen:
        for players in [None] if check.per_game else list(kit.tables):
            found, left = kit.run(check, players)
            problems += found
            skipped += left
    courses = [course for players in kit.tables for course in kit.of(players)]
    return Report(
        kit.game.reference,
        tuple(check.name for check in chosen),
        len(courses),
        sum(course.end for course in courses),
        tuple(problems),
        tuple(dict.fromkeys(skipped)),
    )


def check_game(
    game: Game, *, checks: Sequence[str] | None = None, **tried: Unpack[Tried]
) -> Report:
    """Check everything that must hold for any game, and return the report.

    Parameters
    ----------
    game : Game
        The handle.
    players : sequence of int, optional
        Numbers of players; by default all that the rules accept.
    options : mapping of str to sequence, optional
        Values to try of an option, where the kit cannot find them by itself.
    seed : int
        Of the first table; the others count on.
    scale : float
        How many tables are played: 2 doubles the random games.
    most_plies : int
        Decisions after which a game counts as endless.
    checks : sequence of str, optional
        Names of the checks; by default all.

    Raises
    ------
    ConformanceError
        With every promise that is broken: check, place, and the command that shows it again.
    """
    report = run_checks(make_kit(game, **tried), checks)
    if not report.ok:
        raise ConformanceError(report)
    return report


@dataclass(frozen=True)
class Case:
    """One check of one number of players (None: of the game): a test for pytest."""

    kit: Kit
    check: Check
    players: int | None

    def __str__(self) -> str:
        table = "" if self.players is None else f"-{self.players} players"
        return f"{self.kit.game.name}-{self.check.name}{table}"

    def run(self) -> None:
        """Run the check; raises ConformanceError with what it finds."""
        problems, skipped = self.kit.run(self.check, self.players)
        if problems or skipped:
            names, courses = (self.check.name,), len(self.kit.courses)
            raise ConformanceError(
                Report(self.kit.game.reference, names, courses, 0, tuple(problems), tuple(skipped))
            )


def conformance_cases(game: Game, **tried: Unpack[Tried]) -> list[Case]:
    """Return the checks as cases for pytest; the arguments are those of :func:`check_game`.

    Use them as ``@pytest.mark.parametrize("case", conformance_cases(GAME), ids=str)`` over a
    test that says ``case.run()``.
    """
    kit = make_kit(game, **tried)
    return [
        Case(kit, check, count)
        for check in CHECKS.values()
        for count in ([None] if check.per_game else list(kit.tables))
    ]
