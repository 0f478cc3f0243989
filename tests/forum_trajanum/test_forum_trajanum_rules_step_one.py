"""Rulings on step 1: taking, keeping, passing (rules, A2 and A3)."""

import pytest
from forum_trajanum_boards import built, cranes, place, play, player, to_step_1

from trajan_ai.forum_trajanum import GAME
from trajan_ai.forum_trajanum.hidden import arrangements


def equal_cards(**options):
    setup = GAME.start(2, 3).origin[2]
    cards = sorted(card for deck in setup["street_decks"] for card in deck)
    setup["street_decks"] = [cards[:8], cards[8:16], cards[16:]]
    return to_step_1(GAME.restore(2, setup, **options))


def test_two_cards_of_one_symbol_are_resolved_in_order():
    """Ruling 2 and merging: card 1 first."""
    position = equal_cards()
    assert all(action.startswith("take 1") for action in position.legal())
    taken = position.after("take 1 B1")
    assert all(action.startswith("take 2") for action in taken.legal())
    assert "take 2 B1" not in taken.legal()


def test_others_know_which_of_two_equal_cards_was_resolved():
    """Ruling 2, an open step 1: it was the first."""
    taken = equal_cards(step_one="open").after("take 1 B1")
    assert arrangements(taken.to_bytes()) == [taken.to_bytes()]


def step_1(first, **decide):
    table = {"stage": "take", "to_decide": {"player": 0, "decision": "take", "open_cards": [1, 2]}}
    table["to_decide"] |= decide
    return place(first, **table)


def test_a_tile_at_the_crossing_serves_one_card():
    """Ruling 3: two tiles are taken, one for each card."""
    first = {"face_down": ["B1", "A2"], "unseen": {"builder+red": 1, "builder+green": 1}}
    position = step_1(first)
    after = position.after("take 1 A1")  # the corner lies in both streets
    assert after.legal() == ["take 2 A2", "take 2 A6"]


def test_a_street_with_a_tile_must_be_served_unless_a_tribune_is_paid():
    """Ruling 4."""
    first = {"face_down": ["B1", "B3"], "unseen": {"builder+red": 1, "builder+green": 1}}
    assert not built(step_1(first), "skip")
    paid = step_1({**first, "resources": {"tribune": 1}})
    assert "take 1 B3 tribune" in paid.legal()
    assert "take 1 B1 tribune" not in paid.legal()  # it lies in the street
    assert "take 2 B1 tribune" in paid.legal()


def test_an_empty_street_may_be_skipped():
    """A3: a single tile is kept and nothing passed; the neighbour may use their reserve."""
    corners = {"cranes": cranes(yellow="covered"), "face_up": {"F6": "coin+tribune"}}
    first = {
        **corners,
        "face_down": ["B1", "C1"],
        "resources": {"tribune": 1},
        "unseen": {"builder+red": 1, "builder+green": 1},
    }
    position = step_1(first)
    assert {"skip 2", "take 2 B1 tribune", "take 1 B1"} <= set(position.legal())
    assert "skip 1" not in position.legal()
    after = play(position, "skip 2", "take 1 B1")
    assert player(after)["kept"] != "unknown"
    assert "passed" not in player(after)


def first_players(**options):
    """Who chooses first in step 1 of each round, and at each end of a phase in wages."""
    position = GAME.start(3, 1, **options)
    first = {}
    while position.player is not None:
        view = position.view(0)
        if view["stage"] in ("take", "wages"):
            first.setdefault((view["stage"], view["round"]), position.player)
        position = position.after(position.legal()[0])
    return first


def test_the_first_player_of_a_round_rotates_backwards():
    """Ruling 5, A14: the holder of round r is (-r) mod n, in wages that of the next round."""
    for (stage, round_), player_ in first_players().items():
        assert player_ == -(round_ - 1 + (stage == "wages")) % 3


def test_the_figure_passes_twice_at_the_end_of_a_phase_by_option():
    """Ruling 5, A14: before the wages and after the scoring."""
    for (stage, round_), player_ in first_players(phase_handover="twice").items():
        passed = round_ - 1 + (round_ - 1) // 4 + (stage == "wages")
        assert player_ == -passed % 3


def received_nothing(**table):
    """Player 0 received nothing and chooses from the reserve."""
    first = {
        "kept": "builder+coin",
        "passed": "builder+red",
        "reserve": ["merchant-m", "builder+tribune"],
        "resources": {"tribune": 2},
        "face_up": {"A1": "patrician-f", "F1": "merchant-f", "F6": "coin+tribune"},
        "cranes": cranes(blue="covered", green="covered", yellow="covered"),
    }
    second = {"kept": "unknown", "unseen": {"builder+blue": 1, "blue+coin": 1}}
    decide = {"player": 0, "decision": "reserve"}
    return place(first, second, stage="reserve", to_decide=decide, **table)


def test_a_used_reserve_tile_leaves_the_game():
    """A3."""
    after = play(received_nothing(), "reserve builder+tribune", "use received")
    assert player(after)["reserve"] == ["merchant-m"]


def test_a_reserve_tile_not_used_returns():
    """Ruling 28."""
    after = play(received_nothing(), "reserve builder+tribune", "use own")
    assert player(after)["reserve"] == ["merchant-m", "builder+tribune"]


def test_a_citizen_of_the_reserve_is_seated():
    after = play(received_nothing(), "reserve merchant-m", "use received", "seat 4")
    assert player(after)["citizens"] == {"4": 1}
    assert player(after)["reserve"] == ["builder+tribune"]


@pytest.mark.parametrize(
    ("cells", "skip", "ways"), [(["C3", "D4"], "skip 1", 2), (["C1", "D4"], "skip 2", 1)]
)
def test_others_know_which_card_was_skipped_where_only_one_could_be(cells, skip, ways):
    """A14, an open step 1: with a tile in one of the streets it was the other's card."""
    first = {
        "cranes": cranes(),
        "face_up": {},
        "face_down": cells,
        "resources": {"tribune": 2},
        "unseen": {"builder+red": 1, "builder+green": 1},
    }
    decide = {"player": 0, "decision": "take", "open_cards": [1, 2]}
    position = place(first, stage="take", options={"step_one": "open"}, to_decide=decide)
    assert len(arrangements(position.after(skip).to_bytes())) == ways
