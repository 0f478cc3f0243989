"""Set up a game at a real table, to follow it from its start, by asking for the open pieces."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import SystemRandom
from typing import Any

from trajan_ai.core.errors import check_seat
from trajan_ai.core.rules import needed
from trajan_ai.core.rules_following import HasOpening, OpenThings
from trajan_ai.core.rules_words import name_of
from trajan_ai.games import game as game_named
from trajan_ai.page.position_editor import check
from trajan_ai.page.views import find_pieces
from trajan_ai.records import position_files

Answers = Mapping[str, Sequence[str | None]]


def set_up_table(
    game: str, players: int, observer: int, answers: Answers, chance: Sequence[str]
) -> dict[str, Any]:
    """Return the questions, the answers so far and, after all answers, the checked position file.

    Missing answers to the questions in `chance` are drawn at random from the pieces that the other
    answers leave.
    """
    check_seat(observer, players, "observer:")
    handle = game_named(game)
    questions = needed(handle, HasOpening).list_open(players)
    names = {one.key: _valid_names(one, answers.get(one.key, ())) for one in questions}
    for one in questions:
        if one.key in chance:
            names[one.key] = _draw_missing(one, names, questions)
    state = {
        "questions": [_describe_question(handle.rules, one) for one in questions],
        "answers": names,
    }
    if any(None in row for row in names.values()):
        return state
    opening = position_files.position_file(handle.start(players), observer)
    text = position_files.dumps(needed(handle, HasOpening).lay_open(opening, names))
    return state | {"text": text, **check(text)}


def _valid_names(one: OpenThings, names: Sequence[str | None]) -> list[str | None]:
    """Return a name or None for each place of a question."""
    valid = [name if name in one.choices else None for name in names[: len(one.places)]]
    return valid + [None] * (len(one.places) - len(valid))


def _draw_missing(
    one: OpenThings, names: Mapping[str, Sequence[str | None]], questions: Sequence[OpenThings]
) -> list[str | None]:
    """Return the answer to a question, its gaps filled at random from the remaining supply."""
    alike = [other for other in questions if other.supply == one.supply]
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


def _describe_question(rules: Any, one: OpenThings) -> dict[str, Any]:
    return {
        "key": one.key,
        "text": one.text,
        "places": list(one.places),
        "of": dict(one.choices),
        "stock": dict(one.stock),
        "supply": one.supply,
        "names": {name: name_of(rules, name) for name in one.choices},
        "pieces": find_pieces(rules, one.choices),
    }
