"""What players of Forum Trajanum can tell of tiles kept and passed; the kit looks at all else."""

import pytest
from drawn import assert_in_proportion

from trajan_ai.core.errors import TrajanError
from trajan_ai.games.forum_trajanum import GAME, rules


def first_take(players):
    """The first decision after the setup."""
    position = GAME.start(players, 1)
    while rules.fields(position.to_bytes())["stage"] < rules.STAGE_TAKE:
        position = position.after_move(position.legal_moves()[0])
    return position


def opponent_kept(kept, shown, given, unseen, seeds, *, players=2, other=1):
    """Tiles that the opponent kept, by seed: one of two, of which one had lain open."""
    fields = rules.fields(first_take(players).to_bytes())
    chooser = fields["player"][other]
    chooser.update(kept=kept, given=given, shown=[0, shown], ship_tile=unseen[0], tiles=0b11110)
    chooser["tile"] = [0, *unseen[1:5], *[0] * 43]
    fields.update(stage=rules.STAGE_RESERVE, decider=0, begun=1, decision=rules.DECIDE_RESERVE)
    fields["player"][0].update(reserve=[given, *[0] * 11], reserve_count=1)
    state = GAME.from_bytes(rules.state_bytes(fields))
    drawn = [state.determinized(0, seed).to_bytes() for seed in seeds]
    return [rules.fields(one)["player"][other]["kept"] for one in drawn]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_tile_passed_tells_what_was_kept(players):
    """Passed X where an X lay open: the kept tile is X with probability 2c / (N + c)."""
    passed, others = 7, [7, 8, 9, 10, 11]  # the open tile is a 7; unseen: a 7 and 4 others
    kept = opponent_kept(others[1], 7, passed, [7, 9, 10, 11, 12], range(4000), players=players)
    assert_in_proportion(kept, dict.fromkeys([others[1], 9, 10, 11, 12], 1) | {7: 2})


def test_a_different_tile_passed_gives_the_kept_one_away():
    assert set(opponent_kept(7, 7, 8, [9, 10, 11, 12, 13], range(50))) == {7}


@pytest.mark.parametrize(("players", "other"), [(3, 2), (4, 2), (4, 3)])
def test_of_a_tile_passed_to_another_either_may_be_the_open_one(players, other):
    kept = opponent_kept(8, 7, 7, [9, 10, 11, 12, 13], range(4000), players=players, other=other)
    assert_in_proportion(kept, {7: 6} | dict.fromkeys(range(8, 14), 1))


def test_unknown_players_are_refused():
    with pytest.raises(TrajanError, match="player must be 0 to 1"):
        GAME.start(2).determinized(2, 1)
