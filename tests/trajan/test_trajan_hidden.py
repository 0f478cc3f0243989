"""Determinization of Trajan, section 10: is uniform; the kit sees that nothing leaks."""

import itertools
from collections import Counter

import pytest
from random_games import positions
from scipy.stats import chisquare

from trajan_ai.core.game import Random
from trajan_ai.trajan import GAME

SMALLEST_P = 1e-4  # fixed seeds: a test that passes goes on passing


def late(players, seed, ply):
    start = GAME.start(players, seed)
    position = next(itertools.islice(positions(start, seed), ply, None))
    assert position.player is not None
    return position


def frequencies(position, observer, part, samples):
    """Count what `part` finds in the full views of many samples."""
    return Counter(
        part(GAME.rules.view(position.determinized(observer, seed), None))
        for seed in range(samples)
    )


def arrangements(names):
    """Return every distinct order of a stack's contents."""
    return set(itertools.permutations(names))


@pytest.mark.slow
@pytest.mark.parametrize("stack", ["demands", "extra_supply"])
def test_every_order_of_a_small_stack_is_equally_likely(stack):
    position = late(2, 11, 200)
    view = GAME.rules.view(position, None)
    orders = arrangements(view["hidden"][stack])
    assert 2 <= len(orders) <= 120
    found = frequencies(position, 0, lambda full: tuple(full["hidden"][stack]), 1500)
    assert set(found) <= orders
    assert chisquare([found[order] for order in sorted(orders)]).pvalue > SMALLEST_P


@pytest.mark.slow
@pytest.mark.parametrize(("stack", "number"), [("cards", 24), ("plus2", 12)])
def test_every_order_of_a_trajan_stack_is_equally_likely(stack, number):
    """Four tiles below the top; in plus2 two of them are equal."""
    position = late(4, 10, 300)
    orders = sorted(
        arrangements(GAME.rules.view(position, None)["hidden"]["trajan_stacks"][stack][1:])
    )
    assert len(orders) == number
    found = frequencies(
        position, 0, lambda full: tuple(full["hidden"]["trajan_stacks"][stack][1:]), 2000
    )
    assert chisquare([found[order] for order in orders]).pvalue > SMALLEST_P


@pytest.mark.slow
def test_a_tile_lies_anywhere_in_a_large_stack():
    position = GAME.start(2, seed=2)
    supply = GAME.rules.view(position, None)["hidden"]["forum_supply"]
    single = next(name for name in supply if supply.count(name) == 1)
    found = frequencies(
        position, 0, lambda full: full["hidden"]["forum_supply"].index(single), 1500
    )
    assert chisquare([found[place] for place in range(len(supply))]).pvalue > SMALLEST_P


@pytest.mark.slow
def test_unknown_cards_of_a_hand_are_drawn_from_all_unseen_goods():
    position = late(2, 8, 150)
    view = GAME.rules.view(position, 0)
    own = view["players"][1]
    unknown = own["hand_size"] - sum(own["known_cards"].values())
    assert unknown > 0
    full = GAME.rules.view(position, None)
    unseen = Counter(full["hidden"]["goods_deck"]) + Counter(full["players"][1]["hand"])
    unseen -= Counter(own["known_cards"])
    found = Counter()
    samples = 2000
    for seed in range(samples):
        hand = GAME.rules.view(position.determinized(0, seed), None)["players"][1]["hand"]
        found += Counter(hand) - Counter(own["known_cards"])
    expected = [samples * unknown * n / unseen.total() for n in unseen.values()]
    # Draws without replacement vary less than chi-square expects: only a small p is wrong.
    assert chisquare([found[good] for good in unseen], expected).pvalue > SMALLEST_P
    assert set(found) <= set(unseen)


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, -1])
def test_the_first_and_the_last_card_of_the_deck_are_uniform(place):
    position = late(3, 2, 60)
    full = GAME.rules.view(position, None)
    unseen = Counter(full["hidden"]["goods_deck"])
    for own in full["players"][1:]:
        unseen += Counter(own["hand"]) - Counter(own["known_cards"])
    found = frequencies(position, 0, lambda view: view["hidden"]["goods_deck"][place], 2000)
    expected = [2000 * n / unseen.total() for n in unseen.values()]
    assert chisquare([found[good] for good in unseen], expected).pvalue > SMALLEST_P


def test_cards_taken_from_a_pile_stay_known_until_one_leaves_the_hand():
    position = GAME.start(2, seed=4, markers="random")
    left = GAME.rules.view(position, 1)["discard_piles"]["left"][-1]
    position = position.after("goods left").after("goods deck").after("goods deck")
    assert GAME.rules.view(position, 1)["players"][0]["known_cards"] == {left: 1}
    for seed in range(50):
        hand = GAME.rules.view(position.determinized(1, seed), None)["players"][0]["hand"]
        assert hand.get(left, 0) >= 1
        assert sum(hand.values()) == 3


@pytest.mark.slow
def test_nothing_of_the_stacks_is_known_while_markers_are_placed():
    position = GAME.start(2, seed=4)
    view = GAME.rules.view(position, 0)
    assert view["trajan_tops"] == {}
    assert view["bonus_offer"] == []
    assert view["discard_piles"] == {"left": [], "right": []}
    tops = frequencies(
        position, 0, lambda full: full["hidden"]["trajan_stacks"]["points"][0], 1800
    )
    assert len(tops) == 9
    assert chisquare(list(tops.values())).pvalue > SMALLEST_P


@pytest.mark.slow
def test_a_pending_choice_of_another_keeps_a_choice():
    found = 0
    random = Random(6)
    for seed in range(12):
        for position in positions(GAME.start(2, seed, markers="random"), seed):
            if position.player is None:
                break
            pending = GAME.rules.view(position, None)["to_decide"]["decision"]
            if pending in ("play", "pair", "card"):
                found += 1
                sample = position.determinized(1 - position.player, random.below(1000))
                assert len(sample.legal_moves()) >= 2
    assert found > 5
