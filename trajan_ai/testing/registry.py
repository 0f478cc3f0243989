"""The registered checks: each is a function whose docstring states the promise that it checks."""

import functools
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from trajan_ai.core.game import Game
from trajan_ai.testing.courses import Course, Flaw
from trajan_ai.testing.probe import Overrun

MAX_FINDINGS = 3  # findings of one check that are reported, since others would be similar


@dataclass(frozen=True)
class Finding:
    """A finding of a check, with the course and the ply if it concerns a single course."""

    message: str
    course: Course | None = None
    ply: int | None = None


CourseCheck = Callable[[Course], Iterator[str]]
GroupCheck = Callable[[Game, Sequence[Course]], Iterator[Finding]]


@dataclass(frozen=True)
class Check:
    """A promise, and the function that looks for violations of it.

    Attributes:
        name, promise: the name of the check, and the promise in words.
        function: yields findings on courses.
        per_game: whether the check runs on all courses of a game together, not separately for each
            number of players.
        careful: whether the check calls the game only through the probe, so that it can safely run
            on courses with flaws.
    """

    name: str
    promise: str
    function: GroupCheck
    per_game: bool
    careful: bool

    def run(
        self, game: Game, courses: Sequence[Course], flaws: Sequence[Flaw] = ()
    ) -> tuple[list[Finding], list[str]]:
        """Return the findings on the courses, and the reasons why the check was skipped.

        `flaws` are the flaws of all courses of the game. A single one makes the game unsafe for
        checks that are not careful.
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
            findings += islice(self.function(game, sound) if sound else (), MAX_FINDINGS)
        except Overrun as error:
            skipped.append(f"{self.name}: {error}")
        except Exception as error:  # third-party code may raise anything
            findings.append(Finding(_describe(error), *_place(sound)))
        return findings[:MAX_FINDINGS], skipped


CHECKS: dict[str, Check] = {}


def per_course(*, careful: bool = False, needs: str = "") -> Callable[[CourseCheck], CourseCheck]:
    """Register a check that examines one course and yields messages about the ply `course.now`.

    A game passes if it lacks the optional entry that `needs` names.
    """

    def register(function: CourseCheck) -> CourseCheck:
        @functools.wraps(function)
        def over_all(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
            for course in courses:
                if needs in course.probe.missing:
                    return
                for message in function(course):
                    yield Finding(message, course, course.now)
                    break  # later findings in a course are often consequences

        _register(over_all, per_game=False, careful=careful)
        return function

    return register


def per_group(
    *, per_game: bool = False, careful: bool = False
) -> Callable[[GroupCheck], GroupCheck]:
    """Register a check of all courses together: of one number of players, or of a game."""

    def register(function: GroupCheck) -> GroupCheck:
        _register(function, per_game=per_game, careful=careful)
        return function

    return register


def register_flaw(name: str, promise: str) -> None:
    """Register a check that every course makes at each of its plies while it is played."""
    CHECKS[name] = Check(name, promise, lambda game, courses: iter(()), False, True)


def _register(function: GroupCheck, *, per_game: bool, careful: bool) -> None:
    name = function.__name__
    promise = (function.__doc__ or "").strip().partition("\n\n")[0]
    CHECKS[name] = Check(
        name=name,
        promise=" ".join(promise.split()),
        function=function,
        per_game=per_game,
        careful=careful,
    )


def _describe(error: Exception) -> str:
    """Return the type, message and innermost line of an exception."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return f"raises {text} in {frame.filename}:{frame.lineno}"


def _place(courses: Sequence[Course]) -> tuple[Course | None, int | None]:
    """Return the last course that a check has examined, and its ply in this course."""
    examined = [course for course in courses if course.now is not None]
    return (examined[-1], examined[-1].now) if examined else (None, None)
