"""Check that everything a player has never seen, such as the deck and secrets, is drawn again.

The other checks compare a state with its determinizations, which keep everything that
`determinize` forgets to draw. This check compares games from different deals that look the same to
a player.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import islice
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position, Random
from trajan_ai.core.seeds import derive_seed
from trajan_ai.testing.courses import Course, Deal, first_difference
from trajan_ai.testing.registry import per_course

SWAPS = 60  # pairs of entries of a setup that are exchanged
DEALS = 1000  # deals that are tried if the player can see each of these exchanges
FIRST_DEAL = 3_000_000  # first seed of these deals, far from the seeds of the courses
PARTNERS = 4  # games compared with the game of a course, for each player
AHEAD = 24  # decisions of each game
DRAWS = 2  # determinizations per decision


@per_course()
def unseen_state_is_drawn(course: Course) -> Iterator[str]:
    """Everything that differs between deals and that a player has not seen is drawn again: games
    with the same views of the player and the same moves that the player noticed have the same
    determinizations."""
    course.now = 0
    start = course.position()
    swapped = list(_swapped(course.deal, start))
    for observer in course.observers:
        view = _view(start, observer)
        partners = [one for one in swapped if _view(one, observer) == view] or (
            one
            for one in course.deal.other_starts(FIRST_DEAL, DEALS)
            if one != start and _view(one, observer) == view
        )
        for partner in islice(partners, PARTNERS):
            yield from _compare(course, partner, observer)


def _compare(course: Course, other: Position, observer: int) -> Iterator[str]:
    """Play `other` in parallel with the course, as long as the observer sees no difference."""
    for ply in range(min(course.end, AHEAD) + 1):
        course.now = ply
        one = course.position()
        if (one.player, one.turn, _result(one)) != (other.player, other.turn, _result(other)):
            return
        for seed in range(DRAWS):
            drawn = [each.determinized(observer, seed).to_bytes() for each in (one, other)]
            if drawn[0] != drawn[1]:
                yield (
                    f"byte {first_difference(*drawn)} is fixed for player {observer}, although it "
                    "differs between deals and this player has never seen it: determinize() must "
                    "draw it, or a view must show it"
                )
        if ply == course.end:
            return
        move = _like(one, course.moves[ply], other, observer)
        if move is None or _noticed(one, course.moves[ply], observer) != _noticed(
            other, move, observer
        ):
            return
        other = other.after_move(move)
        course.now = ply + 1
        if _view(course.position(), observer) != _view(other, observer):
            return


def _like(one: Position, move: int, other: Position, observer: int) -> int | None:
    """Return a move in the other position that looks like `move`: `move` itself if it is legal."""
    legal = other.legal_moves()
    if move in legal:
        return move
    visible = one.observed(move, observer)
    return next((each for each in legal if other.observed(each, observer) == visible), None)


def _noticed(position: Position, move: int, observer: int) -> list[Any]:
    """Return what the observer notices of a move, and of the forced moves after it."""
    return [
        (_view(at, observer), at.observed(number, observer))
        for at, number in position.heard(move, observer)
    ]


def _result(position: Position) -> Any:
    """Return the result of a finished game, which everybody knows."""
    return position.player is None and (position.scores, position.ranks)


def _view(position: Position, observer: int) -> Any:
    return position.game.rules.view(position, observer)


def _swapped(deal: Deal, start: Position) -> Iterator[Position]:
    """Yield the first decisions of setups in which two entries of a list are exchanged."""
    assert start.origin is not None
    players, options, setup = start.origin
    places = list(_lists(setup, ()))
    random = Random(derive_seed("unseen", deal.seed))
    for _ in range(SWAPS if places else 0):
        changed = copy.deepcopy(setup)
        entries: Any = changed
        for key in places[random.below(len(places))]:
            entries = entries[key]
        first, second = random.below(len(entries)), random.below(len(entries))
        if entries[first] == entries[second]:
            continue
        entries[first], entries[second] = entries[second], entries[first]
        try:
            yield deal.game.restore(players, changed, **options)
        except TrajanError:
            continue  # the rules do not accept this setup


def _lists(data: Any, place: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each list in plain data that has at least two entries."""
    if isinstance(data, list) and len(data) > 1:
        yield place
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _lists(value, (*place, key))
