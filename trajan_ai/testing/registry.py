"""The list of checks. A check is a function; its docstring is the promise it checks."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from trajan_ai.core.game import Game
from trajan_ai.testing.courses import Course, Flaw
from trajan_ai.testing.probe import Overrun

MOST_FINDINGS = 3  # of one check in one course, or over all courses: more would say the same


@dataclass(frozen=True)
class Finding:
    """What a check found; the place is that of its course, if it has one."""

    message: str
    course: Course | None = None
    ply: int | None = None


CourseCheck = Callable[[Course], Iterator[str]]
GroupCheck = Callable[[Game, Sequence[Course]], Iterator[Finding]]


@dataclass(frozen=True)
class Check:
    """One promise, and the function that looks for where it is broken.

    It is run on all courses of a game (scope game) or of one number of players. A `careful`
    check calls the game through the probe alone, so it runs on courses with a flaw, too.
    """

    name: str
    promise: str
    function: GroupCheck
    per_game: bool
    careful: bool

    def run(
        self, game: Game, courses: Sequence[Course], flaws: Sequence[Flaw] = ()
    ) -> tuple[list[Finding], list[str]]:
        """Return the findings on the courses, and why something was not looked at.

        `flaws` are those of all courses of the game: one is enough for it not to be trusted.
        """
        own = {
            course: flaw
            for course in courses
            if (flaw := course.flaw) is not None and flaw.check == self.name
        }
        findings = [Finding(flaw.message, course, flaw.ply) for course, flaw in own.items()]
        if not self.careful and flaws:
            return findings, [f"{self.name}: {flaws[0].message} ({flaws[0].check})"]
        skipped = []
        sound = [course for course in courses if course not in own]
        for course in sound:
            course.now = None
        try:
            findings += islice(self.function(game, sound) if sound else (), MOST_FINDINGS)
        except Overrun as error:
            skipped.append(f"{self.name}: {error}")
        except Exception as error:  # whatever a stranger's code raises
            findings.append(Finding(_told(error), *_place(sound)))
        return findings[:MOST_FINDINGS], skipped


CHECKS: dict[str, Check] = {}


def per_course(*, careful: bool = False, needs: str = "") -> Callable[[CourseCheck], CourseCheck]:
    """Register a check of single courses, which yields messages about the ply `course.now`.

    A game that lacks the optional entry it `needs` passes.
    """

    def register(function: CourseCheck) -> CourseCheck:
        @functools.wraps(function)
        def over_all(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
            for course in courses:
                if needs in course.probe.missing:
                    return
                for message in function(course):
                    yield Finding(message, course, course.now)
                    break  # the first one of a course: what follows often follows from it

        _register(over_all, per_game=False, careful=careful)
        return function

    return register


def per_group(
    *, per_game: bool = False, careful: bool = False
) -> Callable[[GroupCheck], GroupCheck]:
    """Register a check of all courses of a number of players, or of the whole game."""

    def register(function: GroupCheck) -> GroupCheck:
        _register(function, per_game=per_game, careful=careful)
        return function

    return register


def promises_table() -> str:
    """Return the checks and what they promise as a Markdown table."""
    rows = [f"| `{check.name}` | {check.promise} |" for check in CHECKS.values()]
    return "\n".join(["| check | promise |", "|---|---|", *rows]) + "\n"


def found_while_playing(name: str, promise: str) -> None:
    """Register a check that every course makes at each of its plies while it is played."""
    CHECKS[name] = Check(name, promise, lambda game, courses: iter(()), False, True)


def _register(function: GroupCheck, *, per_game: bool, careful: bool) -> None:
    name = function.__name__
    promise = (function.__doc__ or "").strip().partition("\n\n")[0]
    CHECKS[name] = Check(name, " ".join(promise.split()), function, per_game, careful)


def _told(error: Exception) -> str:
    """Say what was raised and where, innermost line first."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"raises {text} in {frame.filename}:{frame.lineno}"


def _place(courses: Sequence[Course]) -> tuple[Course | None, int | None]:
    """Return the course that was being looked at, which is the last one begun."""
    begun = [course for course in courses if course.now is not None]
    return (begun[-1], begun[-1].now) if begun else (None, None)
