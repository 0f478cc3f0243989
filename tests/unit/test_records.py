"""Records: the format of docs/records.md, and what a reader refuses (with place and remedy)."""

import copy
import json
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import TrajanError, records

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture(scope="module")
def finished():
    return records.read(GOLDEN / "trajan_2p.jsonl")[0]


@pytest.fixture
def broken(finished):
    return copy.deepcopy(finished)


def test_round_trip_of_a_file(tmp_path):
    source = GOLDEN / "trajan_3p_options.jsonl"
    entries = records.read(source)
    path = tmp_path / "copy.jsonl"
    assert records.write(path, entries) == len(entries)
    assert records.read(path) == entries


def test_a_played_game_becomes_a_record_that_replays(tmp_path):
    start = trajan_ai.game("trajan").start(2, seed=5, lap_length=12)
    position, actions = start, []
    while position.player is not None:
        action = position.legal()[len(actions) % len(position.legal())]
        actions.append((position.player, action))
        position = position.after(action)
    entry = records.record(start, actions, position, x_note="kept")
    assert entry["options"] == {"lap_length": 12}
    again = json.loads(records.dumps(entry))
    assert records.replay(again) == position
    assert (again["scores"], again["ranks"]) == (position.scores, position.ranks)


def test_an_unfinished_record_replays_to_its_decision(broken):
    broken["actions"] = broken["actions"][:40]
    del broken["scores"], broken["ranks"]
    for key in ("x_legal",):
        broken[key] = broken[key][:40]
    position = records.verify(broken)
    assert position.ply == 40
    assert position.player is not None


def test_replay_to_a_ply(finished):
    assert records.replay(finished, 7).ply == 7
    with pytest.raises(TrajanError, match=r"ply must be 0 to \d+, got 9999"):
        records.replay(finished, 9999)


def test_defaults_may_be_written_out(broken):
    broken["options"] = {"lap_length": 11, "markers": "chosen"}
    assert records.replay(broken).player is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.pop("setup"), "key 'setup' is missing"),
        (lambda r: r.update(colour="red"), "unknown key 'colour'"),
        (lambda r: r.update(version=2), "version is 1, got 2"),
        (lambda r: r.update(format="pgn"), "format is 'trajan-ai/record'"),
        (lambda r: r.update(players=5), "players is 2, 3 or 4, got 5"),
        (lambda r: r.update(players=True), "players is 2, 3 or 4"),
        (lambda r: r.update(game="chess"), "no game is called 'chess'; games are trajan"),
        (lambda r: r["options"].update(hats=1), "unknown"),
        (lambda r: r["options"].update(lap_length=0), "lap_length must be"),
        (lambda r: r["setup"]["goods_deck"].pop(), "goods_deck"),
        (lambda r: r["setup"]["demands"].__setitem__(0, "wine"), "wine"),
        (lambda r: r["setup"].update(extra=1), "extra"),
        (lambda r: r["actions"].__setitem__(3, [0, "castle"]), r"action 3: 'castle'.*legal: "),
        (
            lambda r: r["actions"].__setitem__(3, [1, r["actions"][3][1]]),
            "action 3: player 1 acts",
        ),
        (lambda r: r["actions"].__setitem__(3, "pass"), "action 3: an action is"),
        (lambda r: r["actions"].append([0, "pass"]), "after the end of the game"),
        (lambda r: r["actions"].pop(), "still to decide"),
        (lambda r: r.update(scores=[1, 2]), r"scores: \[1, 2\] recorded"),
        (lambda r: r.update(ranks=list(reversed(r["ranks"]))), "ranks: "),
        (lambda r: r.pop("ranks"), "scores and ranks"),
    ],
)
def test_a_bad_record_is_refused_with_its_place(broken, change, message):
    change(broken)
    with pytest.raises(TrajanError, match=message):
        records.replay(records.parse(json.dumps(broken)))


def test_a_wrong_hash_of_legal_actions_does_not_verify(broken):
    broken["x_legal"][10][1] = "00000000"
    records.replay(broken)
    with pytest.raises(TrajanError, match="action 10: the legal actions"):
        records.verify(broken)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "trajan-ai/rec', r"f.jsonl:1: not a whole JSON object"),
        ('{"game": 1, "game": 2}', "the key 'game' stands twice"),
        ("[]", "a record is a JSON object"),
        ("\xff", "not a text file|not a whole"),
    ],
)
def test_a_bad_line_names_file_and_line(tmp_path, text, message):
    path = tmp_path / "f.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(TrajanError, match=message):
        records.read(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TrajanError, match=r"none\.jsonl: No such file"):
        records.read(tmp_path / "none.jsonl")


def test_extra_keys_begin_with_x():
    start = trajan_ai.game("trajan").start(2, seed=5)
    with pytest.raises(TrajanError, match="begin with x_"):
        records.record(start, [], note="lost")


def test_a_record_begins_at_the_start(finished):
    with pytest.raises(TrajanError, match=r"Game\.start"):
        records.record(records.replay(finished, 3), [])
