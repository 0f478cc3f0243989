"""Run the checks on a whole game, or as cases for pytest."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
    unseen_checks,
    view_checks,
)
from trajan_ai.testing.courses import MAX_PLIES, Course, Deals
from trajan_ai.testing.findings import BrokenPromise, ConformanceError, Report
from trajan_ai.testing.registry import CHECKS, Check, Finding

# Games are played until they have MIN_DECISIONS decisions together, but at most MAX_COURSES games,
# so that short games are played more often.
MIN_DECISIONS, MAX_COURSES = 100, 50


@dataclass
class Kit:
    """The deals for each number of players, and their random games, played on first use."""

    game: Game
    deals: dict[int, Deals]
    scale: float = 1
    max_plies: int = MAX_PLIES
    courses: dict[int, list[Course]] = field(default_factory=dict)

    def of(self, players: int) -> list[Course]:
        """Return the random games of one number of players."""
        if players not in self.courses:
            deals = self.deals[players]
            courses: list[Course] = []
            while len(courses) < deals.length or _are_short(courses):
                courses.append(Course.play(deals[len(courses)], self.max_plies))
            count = max(1, round(self.scale * len(courses)))
            further = range(len(courses), count)
            courses += [Course.play(deals[number], self.max_plies) for number in further]
            self.courses[players] = courses[:count]
        return self.courses[players]

    def run(self, check: Check, players: int | None) -> tuple[list[BrokenPromise], list[str]]:
        """Run a check for one number of players, or for all if `players` is None.

        Returns the broken promises, and the reasons why something was skipped.
        """
        counts = list(self.deals) if players is None else [players]
        courses = [course for count in counts for course in self.of(count)]
        flaws = [c.flaw for count in self.deals for c in self.of(count) if c.flaw is not None]
        findings, skipped = check.run(self.game, courses, flaws)
        return [_problem(self.game, check, finding, players) for finding in findings], skipped


def _are_short(courses: Sequence[Course]) -> bool:
    """Return whether more games are needed for enough decisions."""
    return (
        len(courses) < MAX_COURSES
        and sum(course.end for course in courses) < MIN_DECISIONS
        and not any(course.flaw for course in courses)
    )


def _problem(game: Game, check: Check, finding: Finding, players: int | None) -> BrokenPromise:
    if finding.course is None:
        return BrokenPromise(check.name, finding.message, game.reference, players)
    deal = finding.course.deal
    defaults = game.rules.check(deal.players, {})
    options = {k: v for k, v in deal.options.items() if k not in defaults or v != defaults[k]}
    return BrokenPromise(
        check=check.name,
        message=finding.message,
        game=game.reference,
        players=deal.players,
        options=options,
        seed=deal.seed,
        ply=finding.ply,
    )


class Scope(TypedDict, total=False):
    """The part of a game that is checked; see :func:`check_game`."""

    players: Sequence[int] | None
    options: Mapping[str, Sequence[Any]] | None
    seed: int
    scale: float
    max_plies: int


def make_kit(
    game: Game,
    *,
    players: Sequence[int] | None = None,
    options: Mapping[str, Sequence[Any]] | None = None,
    seed: int = 0,
    scale: float = 1,
    max_plies: int = MAX_PLIES,
) -> Kit:
    """Return the kit for `game`; the arguments are those of :func:`check_game`."""
    counts = list(players or game.player_counts)
    if not counts:
        raise TrajanError(f"{game.name}: rules.check() accepts no number of players from 2 to 4")
    if not scale > 0:
        raise TrajanError(f"scale must be above 0, got {scale}")
    return Kit(game, {n: Deals(game, n, seed, options) for n in counts}, scale, max_plies)


def run_checks(kit: Kit, checks: Sequence[str] | None) -> Report:
    """Run the named checks, or all if `checks` is None, and return their report."""
    unknown = set(checks or ()) - set(CHECKS)
    if unknown:
        raise TrajanError(
            f"no check is called {', '.join(sorted(unknown))}; checks are {', '.join(CHECKS)}"
        )
    chosen = [check for name, check in CHECKS.items() if checks is None or name in checks]
    problems: list[BrokenPromise] = []
    skipped: list[str] = []
    for check in chosen:
        for players in [None] if check.per_game else list(kit.deals):
            broken, reasons = kit.run(check, players)
            problems += broken
            skipped += reasons
    return _report(kit, chosen, kit.deals, problems, skipped)


def _report(
    kit: Kit,
    checks: Sequence[Check],
    counts: Iterable[int],
    problems: Sequence[BrokenPromise],
    skipped: Sequence[str],
) -> Report:
    """Return the report on `checks` of the random games; `counts` are their numbers of players."""
    courses = {players: kit.of(players) for players in counts}
    return Report(
        game=kit.game.reference,
        checks=tuple(check.name for check in checks),
        games_by_players={players: len(games) for players, games in courses.items()},
        decisions=sum(course.end for games in courses.values() for course in games),
        problems=tuple(problems),
        skipped=tuple(dict.fromkeys(skipped)),
    )


def check_game(
    game: Game, *, checks: Sequence[str] | None = None, **scope: Unpack[Scope]
) -> Report:
    """Check everything that a game must guarantee, and return the report.

    Parameters
    ----------
    game : Game
        The handle of the game.
    players : sequence of int, optional
        Numbers of players; by default all that the rules accept.
    options : mapping of str to sequence, optional
        Values to try for an option, if the kit cannot find any.
    seed : int
        Seed of the first deal; the seeds of the other deals follow it.
    scale : float
        Factor for the number of random games: 2 doubles it.
    max_plies : int
        Number of decisions after which a game counts as endless.
    checks : sequence of str, optional
        Names of the checks; by default all.

    Raises
    ------
    ConformanceError
        If a promise is broken, or a check was skipped. The message contains, for every broken
        promise, the check, the place, and the command that reproduces it.
    """
    report = run_checks(make_kit(game, **scope), checks)
    if not report.ok:
        raise ConformanceError(report)
    return report


@dataclass(frozen=True)
class Case:
    """A case for pytest: one check for one number of players, or for the whole game if None."""

    kit: Kit
    check: Check
    players: int | None

    def __str__(self) -> str:
        players = "" if self.players is None else f"-{self.players} players"
        return f"{self.kit.game.name}-{self.check.name}{players}"

    def run(self) -> None:
        """Run the check; raise ConformanceError with its report if it fails."""
        problems, skipped = self.kit.run(self.check, self.players)
        if problems or skipped:
            counts = self.kit.deals if self.players is None else [self.players]
            raise ConformanceError(_report(self.kit, [self.check], counts, problems, skipped))


def conformance_cases(game: Game, **scope: Unpack[Scope]) -> list[Case]:
    """Return the checks as cases for pytest; the arguments are those of :func:`check_game`.

    Use them as ``@pytest.mark.parametrize("case", conformance_cases(GAME), ids=str)`` over a
    test that calls ``case.run()``.
    """
    kit = make_kit(game, **scope)
    return [
        Case(kit, check, count)
        for check in CHECKS.values()
        for count in ([None] if check.per_game else list(kit.deals))
    ]
