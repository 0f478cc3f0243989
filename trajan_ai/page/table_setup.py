"""A game that begins on a real table: what lies open is asked for, then it is followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import SystemRandom
from typing import Any

from trajan_ai.core.rules import HasOpening, HasPieces, OpenThings, name_of, needed, offered
from trajan_ai.games import game as game_named
from trajan_ai.page.position_editor import check
from trajan_ai.records import position_files

Answers = Mapping[str, Sequence[str | None]]


def table(
    game: str, players: int, observer: int, answers: Answers, chance: Sequence[str]
) -> dict[str, Any]:
    """Return what is asked, the answers so far, and once all are there the position file's check.

    Questions among `chance` are completed by chance from what the other answers leave.
    """
    handle = game_named(game)
    asked = needed(handle, HasOpening).list_open(players)
    names = {one.key: _fitting(one, answers.get(one.key, ())) for one in asked}
    for one in asked:
        if one.key in chance:
            names[one.key] = _completed(one, names, asked)
    told = {"questions": [_told(handle.rules, one) for one in asked], "answers": names}
    if any(None in here for here in names.values()):
        return told
    opening = position_files.position_file(handle.start(players), observer)
    text = position_files.dumps(needed(handle, HasOpening).lay_open(opening, names))
    return told | {"text": text, **check(text)}


def _fitting(one: OpenThings, names: Sequence[str | None]) -> list[str | None]:
    """Return an answer with a name, or nothing, for each place."""
    known = [name if name in one.choices else None for name in names[: len(one.places)]]
    return known + [None] * (len(one.places) - len(known))


def _completed(
    one: OpenThings, names: Mapping[str, Sequence[str | None]], asked: Sequence[OpenThings]
) -> list[str | None]:
    """Return an answer with what is missing drawn from what is left."""
    alike = [other for other in asked if other.supply == one.supply]
    gone = Counter(other.choices[n] for other in alike for n in names[other.key] if n)
    left = list((Counter(one.stock) - gone).elements())
    named = {name for name in names[one.key] if name}
    left = [of for of in left if one.usual is None or (of == one.usual) == (named <= {one.usual})]
    random = SystemRandom()
    random.shuffle(left)
    result: list[str | None] = []
    for name in names[one.key]:
        if name is None and left:
            copy = left.pop()
            name = random.choice([n for n, of in one.choices.items() if of == copy])  # noqa: PLW2901
        result.append(name)
    return result


def _told(rules: Any, one: OpenThings) -> dict[str, Any]:
    drawing = offered(rules, HasPieces)
    return {
        "key": one.key,
        "text": one.text,
        "places": list(one.places),
        "of": dict(one.choices),
        "stock": dict(one.stock),
        "supply": one.supply,
        "names": {name: name_of(rules, name) for name in one.choices},
        "pieces": {name: drawing.pieces(name) if drawing else [] for name in one.choices},
    }
