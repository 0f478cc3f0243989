"""Checks of views, position files and pictures."""

import json
from collections.abc import Iterator
from typing import Any

import yaml

from trajan_ai.core.errors import NotSupported
from trajan_ai.records import position_files
from trajan_ai.testing.courses import Course
from trajan_ai.testing.registry import per_course

STATIONS = 6  # decisions of a game that a check examines
DRAWS = 2  # determinizations per decision
RESERVED = {"format", "version", "game"}  # keys of a position file that a view must not have


@per_course()
def views_are_plain(course: Course) -> Iterator[str]:
    """A view is a mapping of plain data that survives a round trip through JSON and YAML and has
    none of the reserved keys of position files; a picture is text."""
    rules = course.game.rules
    for state in course.stations(STATIONS):
        position = course.position(state)
        for observer in (None, *course.observers):
            view = rules.view(position, observer)
            if json.loads(json.dumps(view, allow_nan=False)) != view:
                yield f"the view of {_who(observer)} changes in a JSON round trip"
            if not isinstance(rules.draw(position, observer), str):
                yield f"draw() for {_who(observer)} does not return text"
            if RESERVED & set(view):
                yield f"the view has the reserved keys {sorted(RESERVED & set(view))}"
        file = position_files.position_file(position, 0)
        if yaml.safe_load(position_files.dumps(file)) != file:
            yield "a position file changes in a YAML round trip"


@per_course()
def views_hide_secrets(course: Course) -> Iterator[str]:
    """States that look alike to a player have the same view and picture for that player."""
    rules = course.game.rules
    for state in course.stations(STATIONS):
        for observer in course.observers:
            position = course.position(state)
            view, picture = rules.view(position, observer), rules.draw(position, observer)
            for seed in range(DRAWS):
                alike = position.determinized(observer, seed)
                if rules.view(alike, observer) != view:
                    where = _difference(view, rules.view(alike, observer))
                    yield (
                        f"view({observer}) differs in {where} between states that look alike to "
                        "this player"
                    )
                if rules.draw(alike, observer) != picture:
                    yield f"draw() for player {observer} shows hidden information"


@per_course()
def views_read_back(course: Course) -> Iterator[str]:
    """A view contains everything that the player knows: from_view() returns a position with the
    same view and the same determinizations."""
    rules = course.game.rules
    for state in course.decisions(STATIONS):
        position = course.position(state)
        for observer in course.observers:
            view = json.loads(json.dumps(rules.view(position, observer)))
            try:
                again = rules.from_view(view)
            except NotSupported:
                return
            if again.game is not course.game:
                yield f"from_view() returns a position of {again.game}"
            if rules.view(again, observer) != view:
                where = _difference(view, rules.view(again, observer))
                yield f"from_view() changes the view of player {observer} in {where}"
            for seed in range(DRAWS):
                if again.determinized(observer, seed) != position.determinized(observer, seed):
                    yield f"from_view() changes the determinizations for player {observer}"
            if not course.game.hidden_information and again != position:
                yield f"nothing is hidden, but from_view() changes the state for player {observer}"


def _who(observer: int | None) -> str:
    return "a reader who sees everything" if observer is None else f"player {observer}"


def _difference(one: Any, other: Any, at: str = "") -> str:
    """Return the first difference between two values of plain data."""
    if isinstance(one, dict) and isinstance(other, dict) and set(one) == set(other):
        for key in one:
            if one[key] != other[key]:
                return _difference(one[key], other[key], f"{at}.{key}" if at else str(key))
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            if a != b:
                return _difference(a, b, f"{at}[{i}]")
    return f"{at or 'all'} ({one!r:.30} / {other!r:.30})"
