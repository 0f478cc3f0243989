"""Rulings on the setup (rules, A1, A9)."""

from forum_trajanum_boards import play, player

from trajan_ai.forum_trajanum import GAME


def test_the_introductory_game_has_a_card_in_the_third_phase_only():
    position = GAME.start(2, 4, introductory=True)
    assert len(position.view(0)["trajan_cards"]) == 1


def test_novices_have_a_coin_and_a_second_citizen():
    """A9, A14: after everybody's setup, a female citizen from a corner; its crane opens."""
    position = GAME.start(2, 4, novices=[1])
    while position.view(0)["stage"] != "novices":
        position = position.after(position.legal()[0])
    assert position.player == 1
    assert player(position, 1)["resources"]["coin"] == 2
    assert len(position.legal()) == 2
    corner = position.legal()[0].split()[1]
    seated = position.after(position.legal()[0])
    seated = seated.after(seated.legal()[0])
    assert player(seated, 1)["cranes"][corner].endswith("open")
    assert sum(player(seated, 1)["citizens"].values()) == 2


def test_the_slider_is_flipped_for_good_by_the_first_merchant():
    """A6, ruling 33: at setup too."""
    position = GAME.start(2, 1)
    setup = position.origin[2]
    setup["start_citizens"][0] = "merchant"
    position = GAME.restore(2, setup)
    position = play(position, *[position.legal()[0]])
    while "seat 3" not in position.legal():
        position = position.after(position.legal()[0])
    assert position.after("seat 3").view(0)["players"][0]["citizens"] == {"3": 1}
