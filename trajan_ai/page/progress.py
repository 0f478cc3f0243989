"""The progress of a user: solved exercises, repetitions, days of practice, and levels in games.

A missed exercise is repeated after growing intervals, as in spaced repetition.
"""

from datetime import date, timedelta
from typing import Annotated

from pydantic import AfterValidator, Field

from trajan_ai.core.description import Description

INTERVALS = (1, 3, 7, 16, 35)  # days until a missed exercise is repeated

Vp = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Day = Annotated[str, AfterValidator(lambda text: date.fromisoformat(text).isoformat())]


TreeId = Annotated[str, Field(alias="study")]  # named in files as in release 0.4.0


class Answered(Description):
    """A line of the practice file: the user's answer to an exercise on a day."""

    answer: str
    right: bool
    day: Day


class GameLevel(Description, populate_by_name=True):
    """The estimated level of the user in an analysed game; see `annotation.strength`."""

    tree: TreeId
    game: str
    players: int
    day: Day
    vp: Vp
    error: Vp


class Progress:
    """The progress of a user, from the answers in the order in which they were given.

    Attributes:
        solved: the exercises that were answered correctly at least once.
        levels: the user's level in each analysed game, by the id of the game.
    """

    def __init__(self) -> None:
        self.solved: set[str] = set()
        self.levels: dict[str, GameLevel] = {}
        self._right: dict[date, set[str]] = {}
        # by exercise: the number of the current interval, and the day on which it ends
        self._repeats: dict[str, tuple[int, date]] = {}

    def add(self, answered: Answered) -> None:
        """Add an answer."""
        id, day = answered.answer, date.fromisoformat(answered.day)
        if not answered.right:
            self._repeat(id, 0, day)
            return
        self.solved.add(id)
        self._right.setdefault(day, set()).add(id)
        if self.is_due(id, day):
            self._repeat(id, self._repeats.pop(id)[0] + 1, day)

    def _repeat(self, id: str, number: int, day: date) -> None:
        if number < len(INTERVALS):
            self._repeats[id] = number, day + timedelta(INTERVALS[number])

    def is_due(self, id: str, day: date) -> bool:
        """Return whether a missed exercise is due for repetition on a day."""
        return id in self._repeats and self._repeats[id][1] <= day

    def is_solved_on(self, id: str, day: date) -> bool:
        """Return whether an exercise was answered correctly on a day."""
        return id in self._right.get(day, ())

    def count_solved(self, day: date) -> int:
        """Return the number of exercises that were solved before `day`."""
        return len(set().union(*(ids for other, ids in self._right.items() if other < day)))

    def count_streak(self, day: date) -> int:
        """Return the number of consecutive days with a right answer, up to `day`.

        If `day` has no right answer yet, this does not end the streak.
        """
        last = day if day in self._right else day - timedelta(1)
        count = 0
        while last - timedelta(count) in self._right:
            count += 1
        return count
