"""Determinization of Trajan is uniform late in a game.

The conformance kit checks the first decision, and the absence of leaks.
"""

import itertools
from collections import Counter

import pytest
from drawn import assert_in_proportion
from random_games import positions
from trajan_boards import full_view

from trajan_ai.core.game import Random
from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.rules import fields
from trajan_ai.games.trajan.witnessing import LAYING, decision_of


def late(players, seed, ply):
    start = GAME.start(players, seed)
    position = next(itertools.islice(positions(start, seed), ply, None))
    assert position.player is not None
    return position


def samples(position, count):
    return [full_view(position.determinized(0, seed)) for seed in range(count)]


def orders(names):
    """Return every distinct order of a stack's tiles, all with the same weight."""
    return dict.fromkeys(itertools.permutations(names), 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "stacks"),
    [
        ((2, 11, 200), {"demands": None, "extra_supply": None}),
        ((4, 10, 300), {"cards": 24, "plus2": 12}),  # two tiles of plus2 are identical
    ],
)
def test_every_order_of_a_small_stack_is_equally_likely(at, stacks):
    """The order of a Trajan stack means the order of the four tiles below its top tile."""
    position = late(*at)
    drawn = [hidden(full) for full in samples(position, 1500)]
    for stack, number in stacks.items():
        expected = orders(hidden(full_view(position))[stack])
        assert len(expected) == number or 2 <= len(expected) <= 120
        assert_in_proportion((tuple(tiles[stack]) for tiles in drawn), expected)


def hidden(full):
    """Return the hidden stacks by name; Trajan stacks are returned without their top tiles."""
    below = {stack: tiles[1:] for stack, tiles in full["hidden"]["trajan_stacks"].items()}
    return below | full["hidden"]


def unseen_goods(position):
    """Return the goods in the deck, and those in other hands that player 0 does not know."""
    full = full_view(position)
    unseen = Counter(full["hidden"]["goods_deck"])
    for own in full["players"][1:]:
        unseen += Counter(own["hand"]) - Counter(own["known_cards"])
    return unseen


@pytest.mark.slow
def test_unknown_cards_of_a_hand_are_drawn_from_all_unseen_goods():
    position = late(2, 8, 150)
    public = Counter(full_view(position)["players"][1]["known_cards"])
    counts = Counter()
    for full in samples(position, 2000):
        counts += Counter(full["players"][1]["hand"]) - public
    assert counts
    assert_in_proportion(counts, unseen_goods(position))


def test_cards_from_a_pile_stay_public_until_one_leaves_the_hand():
    position = GAME.start(2, seed=4, markers="random")
    left = GAME.rules.view(position, 1)["discard_piles"]["left"][-1]
    position = position.after("goods left").after("goods deck").after("goods deck")
    assert GAME.rules.view(position, 1)["players"][0]["known_cards"] == {left: 1}
    for seed in range(50):
        hand = full_view(position.determinized(1, seed))["players"][0]["hand"]
        assert hand.get(left, 0) >= 1
        assert sum(hand.values()) == 3


@pytest.mark.slow
def test_stacks_are_hidden_while_markers_are_placed():
    position = GAME.start(2, seed=4)
    view = GAME.rules.view(position, 0)
    assert view["trajan_tops"] == {}
    assert view["bonus_offer"] == []
    assert view["discard_piles"] == {"left": [], "right": []}
    points = full_view(position)["hidden"]["trajan_stacks"]["points"]
    tops = (full["hidden"]["trajan_stacks"]["points"][0] for full in samples(position, 1500))
    assert_in_proportion(tops, dict.fromkeys(points, 1))


@pytest.mark.slow
def test_samples_leave_another_player_a_choice():
    counts = 0
    random = Random(6)
    for seed in range(12):
        for position in positions(GAME.start(2, seed, markers="random"), seed):
            if decision_of(fields(position.to_bytes())) in LAYING:
                counts += 1
                sample = position.determinized(1 - position.player, random.below(1000))
                assert len(sample.legal_moves()) >= 2
    assert counts > 5
