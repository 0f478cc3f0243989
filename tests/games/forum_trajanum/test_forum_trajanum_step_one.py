"""What players see of a hidden step 1 and of an open step 1.

The conformance kit checks that positions have equal views, samples and searches if they differ
only in the choices of other players (`observed_moves`, `views_hide_secrets`, `views_read_back`,
..).
"""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_games import options, positions

from trajan_ai.core.game import Random
from trajan_ai.games.forum_trajanum import GAME, rules
from trajan_ai.records import position_files as files

ROUNDS = st.integers(0, 11)


def stage(position):
    return rules.fields(position.to_bytes())["stage"]


def at_step_one(players, seed, round_, **chosen):
    """Return the first decision of step 1 of a round, after random play."""
    for position in positions(GAME.start(players, seed, **chosen), seed):
        fields = rules.fields(position.to_bytes())
        if fields["stage"] == rules.STAGE_TAKE and fields["round"] == round_:
            return position
    raise AssertionError(round_)


tables = st.tuples(st.integers(2, 4), st.integers(0, 2**32), ROUNDS, options(GAME))


@settings(max_examples=25, deadline=None)
@given(tables, st.integers(0, 2**32))
def test_cells_and_tribunes_are_visible_after_all_have_passed(table, seed):
    players, deal, round_, chosen = table
    position = at_step_one(players, deal, round_, **chosen | {"step_one": "hidden"})
    at, random = position, Random(seed)
    while at.player is not None and stage(at) == rules.STAGE_TAKE:
        moves = at.legal_moves()
        before, at = at, at.after_move(moves[random.below(len(moves))])
    if stage(at) not in (rules.STAGE_RESERVE, rules.STAGE_TURN):
        return
    acted = rules.fields(at.to_bytes())["begun"] > 1  # whether somebody has used a tile
    for observer in range(players):
        visible = at.view(observer)["players"]
        truth = rules.fields(at.to_bytes())["player"]
        for one, player in enumerate(visible):
            cells = len(player["face_down"]) + len(player["face_up"])
            assert cells == truth[one]["tiles"].bit_count()
            assert "took" not in player
        hidden = before.view(observer)["players"]
        for one in range(players):
            if one != observer and not acted:
                count = rules.fields(position.to_bytes())["player"][one]["tiles"].bit_count()
                assert len(hidden[one]["face_down"]) + len(hidden[one]["face_up"]) == count


def test_a_hidden_step_one_shows_nothing():
    """A14: player 0 takes two tiles, one for a tribune, yet player 1 sees 28 tiles face down."""
    setup = GAME.start(2, 1).origin[2]
    setup["street_decks"][0][:2] = ["b4", "w3"]
    cards = sorted(["b1", "b2", "b3", "b4", "b5", "b6", "w1", "w2", "w3", "w4", "w5", "w6"] * 2)
    for card in ("b4", "w3"):
        cards.remove(card)
    setup["street_decks"] = [["b4", "w3", *cards[:6]], cards[6:14], cards[14:]]
    position = GAME.restore(2, setup)
    while stage(position) != rules.STAGE_TAKE:
        position = position.after(position.legal()[0])
    before = position.view(1)["players"][0]
    for action in ("take 1 A4", "take 2 F5 tribune", "keep 2"):
        position = position.after(action)
    assert position.player == 1
    visible = position.view(1)["players"][0]
    assert visible == before
    assert len(visible["face_down"]) == 28
    assert visible["resources"]["tribune"] == 1
    assert len(position.view(0)["players"][0]["face_down"]) == 26
    assert position.view(0)["players"][0]["took"] == ["F5", "A4"]


def test_an_open_step_one_shows_cells_and_tribunes_at_once():
    position = at_step_one(2, 3, 0, step_one="open")
    taker = position.player
    before = position.view(1 - taker)["players"][taker]
    action = next(one for one in position.legal() if one.endswith("tribune"))
    after = position.after(action).view(1 - taker)["players"][taker]
    tiles = [len(view["face_down"]) + len(view["face_up"]) for view in (before, after)]
    assert tiles[0] - tiles[1] == 1
    assert before["resources"]["tribune"] - after["resources"].get("tribune", 0) == 1


@pytest.mark.parametrize("seed", range(3))
def test_samples_repeat_earlier_choices_uniformly_at_random(seed):
    """A14: the share of samples in which the previous player pays no tribune is that of random
    moves.

    The difference must be within the 99.9 % interval.
    """
    position = at_step_one(2, seed, 0)
    first = position.player
    moves = position.legal()
    for_card = [action for action in moves if not action.endswith("tribune")]
    while position.player == first:
        position = position.after(position.legal()[0])
    samples = 3000
    paid = sum(
        rules.fields(position.determinized(position.player, sample).to_bytes())["player"][first][
            "paid"
        ]
        == 0
        for sample in range(samples)
    )
    # The fraction of random choices that resolve both cards in succession without a tribune.
    share = free_share(at_step_one(2, seed, 0))
    assert len(for_card) < len(moves)
    assert abs(paid - samples * share) < 3.3 * (samples * share * (1 - share)) ** 0.5


def free_share(position):
    """Return the probability that uniformly random moves in step 1 cost no tribune."""
    player, moves = position.player, position.legal()
    if not moves[0].startswith(("take", "skip")):
        return 1.0
    total = 0.0
    for action in moves:
        if not action.endswith("tribune"):
            after = position.after(action)
            total += free_share(after) if after.player == player else 1.0
    return total / len(moves)


def test_a_position_file_in_step_one_is_complete():
    """The observer keeps the same tiles, and those of the other players are drawn again."""
    position = at_step_one(3, 5, 2)
    first = position.player
    while position.player == first:
        position = position.after(position.legal()[0])
    data = json.loads(json.dumps(files.position_file(position, first)))
    again = files.parse(data)
    assert again.view(first) == position.view(first)
    assert rules.fields(again.to_bytes())["player"][first]["took"][0] > 0
    other = files.parse(files.position_file(position, position.player))
    fields = rules.fields(other.to_bytes())["player"][first]
    assert fields["kept"] > 0
    assert fields["took"][0] > 0
