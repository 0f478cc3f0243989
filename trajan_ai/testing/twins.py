"""Twins: two ways a game may have gone that are one to a player, with other hidden cards.

They share what the player saw, not what was decided: where in one there was a choice, in the other
there may have been none. Whatever is told of them differently gives away what is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.testing.courses import Course

AHEAD = 3  # decisions that either of two twins is followed
MORE_DRAWS = 20  # times as many where moves depend on what is hidden
BREADTH = 40  # ways to go on that are tried in the second


@dataclass(frozen=True)
class Line:
    """Decisions one after another, as (position, move), and the position they lead to."""

    decisions: tuple[tuple[Position, int], ...]
    end: Position

    def heard(self, player: int) -> list[tuple[InformationSet, int | None]]:
        """Return what a player hears on the way: what they knew before each move, and the move as
        they see it."""
        return [
            (InformationSet(at, player), at.observed(made, player))
            for position, move in self.decisions
            for at, made in position.heard(move, player)
        ]

    def then(self, move: int) -> Line:
        """Return the line with one more decision."""
        return Line((*self.decisions, (self.end, move)), self.end.after_move(move))


def twins(course: Course, player: int, draws: int) -> Iterator[tuple[Line, Line]]:
    """Yield pairs of lines that begin and end alike to `player`, the first one of the course.

    Every decision is tried with `draws` look-alikes, with more where moves depend on what is
    hidden. `course.now` follows.
    """
    positions = [course.position(state) for state in course.walk()]
    looks = [InformationSet(position, player) for position in positions]
    for ply, move in enumerate(course.moves):
        course.now = ply
        here = positions[ply]
        ends: dict[InformationSet, Line] = {}
        line = Line((), here)
        for ahead in range(ply, min(ply + AHEAD, course.end)):
            line = line.then(course.moves[ahead])
            ends.setdefault(looks[ahead + 1], line)
            if line.end.player in (None, player):
                break
        drawn = [here.determinized(player, seed) for seed in range(draws)]
        noticed = here.observed(move, player) is not None
        if noticed and any(one.legal_moves() != here.legal_moves() for one in drawn):
            more = range(draws, draws * MORE_DRAWS)
            drawn += [here.determinized(player, seed) for seed in more]
        for start in drawn:
            if start != here:
                yield from _twins_of(ends, (here, move), start, player)


def _twins_of(
    ends: dict[InformationSet, Line], first: tuple[Position, int], start: Position, player: int
) -> Iterator[tuple[Line, Line]]:
    """Yield a twin of what begins with `first`, from a start: one of which the player hears the
    same, and that begins with another move, if there are any."""
    here, made = first
    seen = here.observed(made, player)
    moves = [move for move in start.legal_moves() if start.observed(move, player) == seen]
    moves.sort(key=lambda move: move == made)
    lines = [Line((), start).then(move) for move in moves[:BREADTH]]
    for _ in range(AHEAD):
        known = ((line, InformationSet(line.end, player)) for line in lines)
        found = [(ends[look], line) for line, look in known if look in ends]
        if found:
            yield next((pair for pair in found if told_alike(*pair, player)), found[0])
            return
        longer = (
            line.then(move)
            for line in lines
            if line.end.player not in (None, player)
            for move in line.end.legal_moves()
        )
        lines = list(islice(longer, BREADTH))


def told_alike(one: Line, other: Line, player: int) -> bool:
    """Whether a player hears the same on both lines."""
    return one.heard(player) == other.heard(player)
