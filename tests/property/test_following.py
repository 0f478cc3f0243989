"""Games followed from public moves and stated reveals alone: nothing more and less is known."""

import json
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import following, records
from trajan_ai.core.errors import TrajanError
from trajan_ai.gamekit.following import Unstated

GOLDEN = Path(__file__).parent.parent / "golden"
RESAMPLED = 9  # every so many decisions a sample of both positions is compared, too


def table_of(position, observer):
    """A table that has nothing of the position but the observer's view."""
    return following.follow(position.game.rules.from_view(position.view(observer)), observer)


def followed(entry, observer, until=None):
    """Follow a record; check the knowledge at every decision; return the table."""
    table = None
    for ply, (position, move) in enumerate(following.witnessed(entry, observer)):
        if table is None:
            table = table_of(position, observer)
        assert table.view == position.view(observer), f"ply {ply}"
        if ply % RESAMPLED == 0:
            sample = position.determinized(observer, ply)
            assert table.position.determinized(observer, ply) == sample, f"ply {ply}"
        seen = table.legal()
        noticed = [position.observed(move, observer) for move in position.legal_moves()]
        legal = {position.game.actions[one] for one in noticed if one is not None}
        assert not seen or legal <= set(seen), f"ply {ply}"
        if ply == until:
            break
        if move is not None:
            table.play(move.action, move.shown)
    return table


@pytest.mark.parametrize("observer", [0, 1, 2])
@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_followed_game_gives_the_knowledge_of_the_record_at_every_decision(name, observer):
    followed(next(records.scan(GOLDEN / f"{name}_3p.jsonl")), observer)


def test_either_of_two_tiles_taken_may_be_the_one_that_was_kept():
    followed(next(records.scan(GOLDEN / "forum_trajanum_3p_options.jsonl")), 0)


def test_a_tile_of_the_grid_used_as_the_last_move_of_a_round_is_seen():
    followed(trajan_ai.play("forum_trajanum", ["random"] * 3, seed=106), 1)


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
@pytest.mark.parametrize("players", [2, 4])
def test_other_numbers_of_players_are_followed_too(name, players):
    entry = trajan_ai.play(name, ["greedy"] * players, seed=players)
    followed(entry, observer=players - 1)


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_table_is_saved_loaded_and_taken_back(name, tmp_path):
    entry = next(records.scan(GOLDEN / f"{name}_3p.jsonl"))
    table = followed(entry, 1, until=90)
    table.save(tmp_path / "table.json")
    again = following.load(tmp_path / "table.json")
    assert (again.moves, again.view) == (table.moves, table.view)
    count = len(again.moves)
    again.undo(20)
    assert again.moves == table.moves[: count - 20]
    for move in table.moves[count - 20 :]:
        again.play(move.action, move.shown)
    assert again.view == table.view
    assert trajan_ai.positions.parse(again.position_file()).view(1) == table.view


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_witnessed_record_holds_the_game_to_its_end_and_is_verified_on_reading(name):
    entry = next(records.scan(GOLDEN / f"{name}_3p.jsonl"))
    table = followed(entry, 1)
    witness = json.loads(json.dumps(table.record()))
    assert (witness["scores"], witness["ranks"]) == (entry["scores"], entry["ranks"])
    assert following.restore(witness).record() == witness


def test_a_witnessed_record_that_is_wrong_is_refused_with_the_place():
    witness = followed(next(records.scan(GOLDEN / "forum_trajanum_3p.jsonl")), 1).record()
    number, shows = next(
        (number, move[2])
        for number, move in enumerate(witness["moves"])
        if any(move[2].values()) and number > 20
    )
    key = next(key for key, names in shows.items() if names)
    for wrong, complaint in [
        ({"scores": [1, 2, 3]}, r"scores: \[1, 2, 3\] recorded, its moves lead to"),
        ({"moves": witness["moves"][:-1]}, "scores: .* lead to nothing: the game is not over"),
        ({"observer": 0}, "start: its observer is 0"),
        ({"observer": True}, "observer is the number of a player"),
        ({"moves": {}}, "moves is a list"),
        ({"moves": [[0]]}, r"move 1: a move is \[player, action or null"),
        ({"version": 2}, "version is 1, got 2"),
        ({"castle": 1}, "unknown key 'castle'"),
        (
            {"moves": [*witness["moves"][:number], [*witness["moves"][number][:2], {}]]},
            f"move {number + 1}: .* state {key}",
        ),
    ]:
        with pytest.raises(TrajanError, match=f"witness.json: {complaint}"):
            following.restore(witness | wrong, "witness.json")


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_what_a_move_showed_must_be_stated(name):
    entry = next(records.scan(GOLDEN / f"{name}_3p.jsonl"))
    table = None
    asked = 0
    for position, move in following.witnessed(entry, 0):
        if table is None:
            table = table_of(position, 0)
        if move is None:
            continue
        open_things = {key: names for key, names in move.shown.items() if names}
        if open_things and "then" not in open_things:
            before = table.view
            with pytest.raises(Unstated) as unstated:
                table.play(move.action)
            assert table.view == before
            stated = {ask.key: ask for ask in unstated.value.asks}
            assert {key for key in stated if not key.startswith("paid")} <= set(move.shown)
            for key, ask in stated.items():
                assert set(open_things.get(key, [])) <= set(ask.names), key
            asked += 1
        table.play(move.action, move.shown)
    assert asked > 20


def test_a_reveal_that_contradicts_what_is_known_is_refused():
    entry = next(records.scan(GOLDEN / "trajan_3p.jsonl"))
    for ply, (position, move) in enumerate(following.witnessed(entry, 0)):  # noqa: B007
        if position.player == 0 and move and move.action.startswith("start ") and move.shown:
            break
    table = followed(entry, 0, until=ply)
    (key, shown), *_ = move.shown.items()
    there = table.view["trajan_tops"][key.removeprefix("stack ")]
    with pytest.raises(TrajanError, match=f"{key}: 1 x {there} cannot be"):
        table.play(move.action, {key: [there]})
    with pytest.raises(TrajanError, match="there is no 'points-blue-red'"):
        table.play(move.action, {key: ["points-blue-red"]})
    with pytest.raises(TrajanError, match="demands shows 0 things, 1 are stated"):
        table.play(move.action, {key: shown, "demands": ["bread"]})
    with pytest.raises(TrajanError, match="there is no 'demand' to state; did you mean 'demands'"):
        table.play(move.action, {key: shown, "demand": ["bread"]})
    assert len(table.moves) == ply


def test_another_player_is_offered_what_any_hand_allows_and_no_more():
    entry = next(records.scan(GOLDEN / "trajan_3p.jsonl"))
    position = next(
        position
        for position, _ in following.witnessed(entry, 0)
        if position.player == 1 and position.view(0)["to_decide"]["decision"] == "seaport"
    )
    table = table_of(position, 0)
    offered = {
        action for seed in range(300) for action in table.position.determinized(0, seed).legal()
    }
    assert offered <= set(table.legal())
    size = position.view(0)["players"][1]["hand_size"]
    for action in table.legal():
        if action.startswith("ship equal "):
            assert int(action.split()[3]) <= size
    with pytest.raises(TrajanError, match="not legal for player 1"):
        table.play("sow I")


@pytest.mark.parametrize(("players", "observer"), [(2, 1), (3, 0), (4, 2)])
def test_a_step_one_that_is_open_is_followed_too(players, observer):
    """Also where it depends on what does not show whether a take without a choice follows."""
    entry = trajan_ai.play("forum_trajanum", ["random"] * players, seed=3, step_one="open")
    table = followed(entry, observer)
    assert table.position.scores == entry["scores"]
    again = following.restore(json.loads(json.dumps(table.record())))
    assert again.view == table.view
    asked = [move for move in table.moves if "then" in move.shown or "took 1" in move.shown]
    assert asked or players > 2
    passed = [key for move in table.moves for key in move.shown if key.startswith("passed")]
    assert len(passed) > 5
