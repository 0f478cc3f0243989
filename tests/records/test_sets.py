"""Sets that people lay in any order: every order of a set leads to the same position."""

import random
from itertools import permutations

import pytest
from golden_games import GOLDEN
from trajan_boards import at_action, board, position

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.kit.sets import END, Sets
from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.components import COMPONENTS

RULES = GAME.rules
SHARE = 20  # one of this many sets is also named as another player sees it


def line(entry):
    """Return (position, move, next position) for every move of a record."""
    places = [*records.positions(entry)]
    actions = [action for _, action in entry["actions"]]
    return zip(places, actions, places[1:], strict=False)


def pairs(rng):
    """Return the same as `line`, but for moves that ship pairs from a hand with five pairs."""
    view = at_action(board(), "seaport")
    view["players"][0] |= {"hand": dict.fromkeys(rng.sample(COMPONENTS.goods, 5), 2)}
    view["players"][0]["forum_tiles"] = {"wild-goods": 2}
    place, steps = position(view).after("ship pairs"), []
    while not steps or (steps[-1][1] != END and place.player == 0):
        if place.legal()[0].split()[0] not in ("pair", END):
            break
        action = rng.choice(place.legal())
        steps.append((place, action, place.after(action)))
        place = steps[-1][2]
    return steps


def sets():
    """Yield (position, things, result): the pieces that were laid, and the resulting position."""
    rng = random.Random(5)
    lines = [
        line(entry)
        for players in (2, 3, 4)
        for entry in records.scan(GOLDEN / f"trajan_{players}p.jsonl")
    ]
    for steps in [*lines, *(pairs(rng) for _ in range(60))]:
        start, result = None, []
        for before, action, after in steps:
            if not result and action.split()[0] not in RULES.set_words:
                continue
            start = start if result else before
            laid, goes_on = [], False
            if action != END:
                laid, goes_on = RULES.continue_set(before, action, after)
                result += [action, *laid]
            if not goes_on:
                yield start, result, after
                result = []


SETS = [*sets()]


def name_things(place, things, observer=None):
    """Name pieces one after another, as a person would.

    Return the actions that are played, and the resulting position.
    """
    waiting, more, carried_out = [], [], []
    for thing in [*things, END]:
        sets = Sets(place, observer)
        if thing == END and not waiting and END not in sets.legal():
            break  # the game has continued
        assert thing in (more if waiting else sets.legal())
        waiting.append(thing)
        actions, more = sets.take(waiting)
        for action in actions:
            is_followed = observer is not None
            after = RULES.carry_out(place, observer, action, {})[0] if is_followed else None
            place = after or place.after(action)
        carried_out += actions
        waiting = [] if actions else waiting
    return carried_out, place


def test_sets_of_every_kind_are_tested():
    kinds = {things[0].split()[0] for _, things, _ in SETS if len(set(things)) > 1}
    assert kinds == set(RULES.set_words)
    assert len(SETS) > 500


def test_every_order_of_a_set_ends_in_the_same_position():
    for start, things, after in SETS:
        for order in permutations(things):
            assert name_things(start, order)[1] == after, order


def test_every_order_can_be_named_when_the_cards_of_others_are_unknown():
    for start, things, _ in SETS[::SHARE]:
        observer = (start.player + 1) % start.players
        position = RULES.from_view(start.view(observer))
        ways = {tuple(name_things(position, order, observer)[0]) for order in permutations(things)}
        assert len(ways) == 1


def test_the_view_of_laid_things_is_the_one_after_they_are_played():
    keys = ("hand", "hand_size", "display", "trays", "forum_tiles")
    tested = set()
    for start, things, _ in SETS:
        place = start
        for i, thing in enumerate(things[:-1], start=1):
            before, place = place, place.after(thing)
            if not RULES.continue_set(before, thing, place)[1]:
                break
            laid = RULES.lay_in_view(start.view(start.player), things[i - 1 :: -1])
            played = place.view(start.player)
            own, expected = (view["players"][start.player] for view in (laid, played))
            assert [own[key] for key in keys] == [expected[key] for key in keys]
            tested.add(thing.split()[0])
    assert tested == set(RULES.set_words)


def test_a_thing_that_ends_a_choice_comes_last():
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = {"pottery": 1, "cattle": 1}
    start = position(view)
    assert Sets(start).take(["play pottery"]) == (["play pottery"], [])
    assert Sets(start).take(["play cattle"]) == ([], ["play pottery", END])
    with pytest.raises(TrajanError, match="play cattle, play cattle: these cannot be combined"):
        Sets(start).take(["play cattle", "play cattle"])
