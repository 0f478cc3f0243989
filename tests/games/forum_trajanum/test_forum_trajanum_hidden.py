"""Inferences about kept and passed tiles in Forum Trajanum; the kit checks everything else."""

import pytest
from drawn import assert_in_proportion
from random_games import positions

from trajan_ai.core.errors import TrajanError
from trajan_ai.games.forum_trajanum import GAME, rules

FACE_UP = 7  # the kind of the tile that everybody saw


def first_take(players):
    position = GAME.start(players, 1)
    while rules.fields(position.to_bytes())["stage"] < rules.STAGE_TAKE:
        position = position.after_move(position.legal_moves()[0])
    return position


def draw_own_tiles(own, passed, unseen, seeds, *, players=2, other=1):
    """Return, for each seed, which of two tiles an opponent kept; one of them was face up."""
    fields = rules.fields(first_take(players).to_bytes())
    chooser = fields["player"][other]
    chooser.update(kept=own, given=passed, shown=[0, FACE_UP], ship_tile=unseen[0], tiles=0b11110)
    chooser["tile"] = [0, *unseen[1:5], *[0] * 43]
    fields.update(stage=rules.STAGE_RESERVE, decider=0, begun=1, decision=rules.DECIDE_RESERVE)
    fields["player"][0].update(reserve=[passed, *[0] * 11], reserve_count=1)
    state = GAME.from_bytes(rules.state_bytes(fields))
    drawn = [state.determinized(0, seed).to_bytes() for seed in seeds]
    return [rules.fields(one)["player"][other]["kept"] for one in drawn]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_passed_tile_changes_the_odds_of_the_other(players):
    """If an X was face up and an X was passed, the kept tile is an X with probability 2c / (N +
    c), where c of the N unseen tiles are Xs."""
    passed, others = 7, [7, 8, 9, 10, 11]  # open: a 7; unseen: another 7, the kept 8 and 4 others
    tiles = draw_own_tiles(others[1], passed, [7, 9, 10, 11, 12], range(4000), players=players)
    assert_in_proportion(tiles, dict.fromkeys([others[1], 9, 10, 11, 12], 1) | {7: 2})


def test_passing_a_different_tile_reveals_the_other():
    assert set(draw_own_tiles(7, 8, [9, 10, 11, 12, 13], range(50))) == {7}


@pytest.mark.parametrize(("players", "other"), [(3, 2), (4, 2), (4, 3)])
def test_the_open_tile_may_be_either_if_it_was_passed_to_a_third_player(players, other):
    tiles = draw_own_tiles(8, 7, [9, 10, 11, 12, 13], range(4000), players=players, other=other)
    assert_in_proportion(tiles, {7: 6} | dict.fromkeys(range(8, 14), 1))


def test_unknown_players_are_rejected():
    with pytest.raises(TrajanError, match="player must be 0 to 1"):
        GAME.start(2).determinized(2, 1)


def test_a_start_citizen_is_visible_as_soon_as_its_owner_has_placed_all_cranes():
    position, kinds = GAME.start(3, 1), set()
    while position.view(0)["stage"] == "setup":
        kind = position.legal()[0].split()[0]
        drawn = [one < position.player + (kind != "crane") for one in range(3)]
        for observer in (0, 1, 2):
            boards = position.view(observer)["players"]
            assert ["start_citizen" in board for board in boards] == drawn
        kinds.add(kind)
        position = position.after_move(position.legal_moves()[0])
    assert kinds == {"crane", "seat", "corner"}


def test_either_street_card_may_be_resolved_unless_a_tile_taken_shows_which():
    unsure = set()
    for position in positions(GAME.start(2, 2, step_one="open"), 2):
        state = position.to_bytes()
        for other in rules.list_arrangements(state)[1:]:
            fields, swapped = rules.fields(state), rules.fields(other)
            unsure.add((fields["open_cards"], swapped["open_cards"]))
            assert fields["taken"] == swapped["taken"][::-1]
            assert rules.list_arrangements(other) == [other, state]
    assert unsure == {(0, 0), (1, 2), (2, 1)}
