"""Twins: two games that look alike to a player, but have different hidden cards.

The player has seen the same in both games, but the decisions may differ: a choice in one game may
be forced in the other. If the player then sees a difference between the two games, the game gives
away hidden information.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.testing.courses import Course

AHEAD = 3  # decisions by which twins are extended
MORE_DRAWS = 20  # factor for the number of draws, if moves depend on hidden information
BREADTH = 40  # maximum number of continuations of the second twin


@dataclass(frozen=True)
class Line:
    """A sequence of decisions as pairs (position, move), and the position after them."""

    decisions: tuple[tuple[Position, int], ...]
    end: Position

    def observations(self, player: int) -> list[tuple[InformationSet, int | None]]:
        """Return the player's knowledge before each move, and the move as the player sees it."""
        return [
            (InformationSet(at, player), at.observed(number, player))
            for position, move in self.decisions
            for at, number in position.heard(move, player)
        ]

    def events(self, player: int) -> list[Event]:
        """Return the events of all decisions as the player sees them."""
        return [
            event
            for position, move in self.decisions
            for event in position.events(position.game.actions[move], player)
        ]

    def extend(self, move: int) -> Line:
        """Return this line, extended by a decision for `move` at its end."""
        return Line((*self.decisions, (self.end, move)), self.end.after_move(move))


def twins(course: Course, player: int, draws: int) -> Iterator[tuple[Line, Line]]:
    """Yield pairs of lines whose starts and ends look alike to `player`; set `course.now`.

    The first line of a pair is that of the course. Each decision is tried with `draws`
    determinizations, or with more if moves depend on hidden information.
    """
    positions = [course.position(state) for state in course.walk()]
    looks = [InformationSet(position, player) for position in positions]
    for ply, move in enumerate(course.moves):
        course.now = ply
        here = positions[ply]
        ends: dict[InformationSet, Line] = {}
        line = Line((), here)
        for ahead in range(ply, min(ply + AHEAD, course.end)):
            line = line.extend(course.moves[ahead])
            ends.setdefault(looks[ahead + 1], line)
            if line.end.player in (None, player):
                break
        drawn = [here.determinized(player, seed) for seed in range(draws)]
        is_noticed = here.observed(move, player) is not None
        if is_noticed and any(one.legal_moves() != here.legal_moves() for one in drawn):
            more = range(draws, draws * MORE_DRAWS)
            drawn += [here.determinized(player, seed) for seed in more]
        for start in drawn:
            if start != here:
                yield from _twins_of(ends, (here, move), start, player)


def _twins_of(
    ends: dict[InformationSet, Line], first: tuple[Position, int], start: Position, player: int
) -> Iterator[tuple[Line, Line]]:
    """Yield a line that begins with `first`, and a line from `start` that is its twin.

    Lines that look alike to `player` are preferred, and so is a twin that begins with another
    move.
    """
    here, played = first
    visible = here.observed(played, player)
    moves = [move for move in start.legal_moves() if start.observed(move, player) == visible]
    moves.sort(key=lambda move: move == played)
    lines = [Line((), start).extend(move) for move in moves[:BREADTH]]
    for _ in range(AHEAD):
        looks = ((line, InformationSet(line.end, player)) for line in lines)
        pairs = [(ends[look], line) for line, look in looks if look in ends]
        if pairs:
            yield next((pair for pair in pairs if look_alike(*pair, player)), pairs[0])
            return
        longer = (
            line.extend(move)
            for line in lines
            if line.end.player not in (None, player)
            for move in line.end.legal_moves()
        )
        lines = list(islice(longer, BREADTH))


def look_alike(one: Line, other: Line, player: int) -> bool:
    """Return whether a player observes the same on both lines."""
    return one.observations(player) == other.observations(player)
