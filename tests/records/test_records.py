"""Records: the format in docs/records.md, and errors that state a place and a remedy."""

import copy
import json

import pytest
from golden_games import GOLDEN, golden

import trajan_ai
from trajan_ai import TrajanError, records


@pytest.fixture(scope="module")
def finished():
    return golden("trajan")


@pytest.fixture
def broken(finished):
    return copy.deepcopy(finished)


def test_a_file_is_read_as_it_was_written(tmp_path):
    source = GOLDEN / "trajan_3p_options.jsonl"
    entries = records.read(source)
    path = tmp_path / "copy.jsonl"
    assert records.write(path, entries) == len(entries)
    assert records.read(path) == entries


def test_an_unfinished_record_replays_to_its_decision(broken):
    broken["actions"] = broken["actions"][:40]
    del broken["scores"], broken["ranks"]
    broken["x_legal"] = broken["x_legal"][:40]
    for entry in (broken, records.checkable({key: broken[key] for key in records.NEEDED})):
        assert records.verify(entry).position.ply == 40


def test_a_record_is_replayed_to_a_ply(finished):
    assert records.replay(finished, 7).ply == 7
    with pytest.raises(TrajanError, match=r"ply must be 0 to \d+, got 9999"):
        records.replay(finished, 9999)


@pytest.mark.parametrize("actions", [None, 3])
def test_a_replay_to_a_ply_checks_the_shape_first(broken, actions):
    broken["actions"] = actions
    with pytest.raises(TrajanError, match="actions must be a list"):
        records.replay(broken, 7)


def test_defaults_can_be_stated(broken):
    broken["options"] = {"lap_length": 11, "markers": "chosen"}
    assert records.replay(broken).player is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.pop("setup"), "key 'setup' is missing"),
        (lambda r: r.update(colour="red"), "unknown key 'colour'"),
        (lambda r: r.update(version=3), "version must be 1 or 2, got 3"),
        (lambda r: r.update(format="pgn"), "format must be 'trajan-ai/record'"),
        (lambda r: r.update(players=5), "players must be 2, 3 or 4, got 5"),
        (lambda r: r.update(players=True), "players must be 2, 3 or 4"),
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
        (lambda r: r["actions"].__setitem__(3, "pass"), "action 3: an action must be"),
        (lambda r: r["actions"].append([0, "pass"]), "after the end of the game"),
        (lambda r: r["actions"].pop(), "still has to decide"),
        (lambda r: r.update(scores=[1, 2]), r"scores: the record has \[1, 2\]"),
        (lambda r: r.update(ranks=list(reversed(r["ranks"]))), "ranks: "),
        (lambda r: r.pop("ranks"), "scores and ranks"),
        (lambda r: (r.pop("scores"), r.pop("ranks")), "over, but the record has no scores"),
    ],
)
def test_a_bad_record_is_rejected_with_its_place(broken, change, message):
    change(broken)
    with pytest.raises(TrajanError, match=message):
        records.replay(records.parse(json.dumps(broken)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "trajan-ai/rec', r"f.jsonl:1: not a complete JSON object"),
        ('{"game": 1, "game": 2}', "duplicate key 'game'"),
        ("[]", "a record must be a JSON object"),
        ("\xff", "not UTF-8 text"),
        ("[" * 100_000, "nested too deeply"),
        ('{"version": ' + "1" * 5000 + "}", "limit"),
        ('{"version": NaN}', "NaN is not a JSON number"),
    ],
)
def test_a_bad_line_names_file_and_line(tmp_path, text, message):
    path = tmp_path / "f.jsonl"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(TrajanError, match=message):
        records.read(path)


def test_extra_keys_begin_with_x():
    start = trajan_ai.game("trajan").start(2, seed=5)
    with pytest.raises(TrajanError, match="begin with x_"):
        records.record(start, [], note="lost")


def test_a_record_begins_at_the_start(finished):
    with pytest.raises(TrajanError, match=r"Game\.start"):
        records.record(records.replay(finished, 3), [])


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_record_uses_the_defaults_of_its_version(monkeypatch, finished, version):
    """For example, the default of `worker_swap` in Forum Trajanum was `payment` in version 1."""
    monkeypatch.setitem(records.game_records.DEFAULTS_THEN, 1, {"trajan": {"lap_length": 12}})
    entry = finished | {"version": version, "options": {}}
    assert records.start(entry).origin[1]["lap_length"] == (12 if version == 1 else 11)
    stated = records.start(entry | {"options": {"lap_length": 10}})
    assert stated.origin[1]["lap_length"] == 10


def test_version_1_of_forum_trajanum_pays_for_workers():
    entry = golden("forum_trajanum") | {"version": 1, "options": {}}
    options = records.start(entry).origin[1]
    assert options.get("worker_swap", "payment") == "payment"


def test_a_new_record_has_version_2():
    assert records.record(trajan_ai.game("trajan").start(2, seed=1), [])["version"] == 2


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("x_legal", 5, "x_legal must be a list with an entry per action, got 5"),
        ("x_legal", None, "x_legal must be a list"),
        ("x_legal", [[3, "00000000"], 7], r"x_legal: entry 1 must be \[number of legal actions,"),
        ("x_scores", [[0, 0], [0.5, 0]], "x_scores: entry 1 must be a list of integers"),
        ("x_scores", [], r"x_scores: there are 0 entries for \d+ actions"),
    ],
)
def test_compared_entries_have_a_form(broken, key, value, message):
    broken[key] = value
    with pytest.raises(TrajanError, match=message):
        records.verify(records.parse(json.dumps(broken)))


def test_verify_returns_the_compared_entries(finished):
    bare = {key: value for key, value in finished.items() if not key.startswith("x_")}
    assert records.verify(bare).compared == ("result",)
    assert records.verify(finished).compared == ("legal moves", "result")
    checkable = records.checkable(bare)
    assert records.verify(checkable).compared == ("legal moves", "scores", "result")
    unfinished = bare | {"actions": bare["actions"][:-1]}
    del unfinished["scores"], unfinished["ranks"]
    assert records.verify(unfinished).compared == ()
    assert checkable["x_legal"] == finished["x_legal"]
    assert len(checkable["x_scores"]) == len(finished["actions"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trajan_2p", "forum_trajanum_3p_options"])
def test_verify_finds_every_mutation(name):
    """An error in the legal moves or scores of any decision is found, and so is an error in the
    result."""
    entry = records.checkable(records.read(GOLDEN / f"{name}.jsonl")[0])
    assert records.verify(entry).compared == ("legal moves", "scores", "result")
    last = len(entry["actions"]) - 1
    for ply in (0, last // 2, last):
        (count, digest), (first, *others) = entry["x_legal"][ply], entry["x_scores"][ply]
        for key, fault in (
            ("x_legal", [count + 1, digest]),
            ("x_legal", [count, "00000000"]),
            ("x_scores", [first + 1, *others]),
        ):
            broken = entry | {key: [*entry[key][:ply], fault, *entry[key][ply + 1 :]]}
            with pytest.raises(TrajanError, match=f"^action {ply}: "):
                records.verify(broken)
    for key in ("scores", "ranks"):
        broken = entry | {key: [entry[key][0] + 1, *entry[key][1:]]}
        with pytest.raises(TrajanError, match=f"^{key}: "):
            records.verify(broken)


@pytest.mark.parametrize(
    ("key", "warned"),
    [
        ("x_legl", "x_legal"),
        ("x_score", "x_scores"),
        ("x_Legal", "x_legal"),
        ("x_policy", None),
        ("x_bots", None),
        ("x_note", None),
    ],
)
def test_a_misspelt_extra_key_is_reported(broken, key, warned):
    broken[key] = 1
    warnings = records.verify(broken).warnings
    expected = [f"the key {key!r} is ignored; did you mean {warned!r}?"] if warned else []
    assert list(warnings) == expected


def test_an_unreadable_line_does_not_hide_the_next(tmp_path, finished):
    path = tmp_path / "f.jsonl"
    path.write_bytes(b"\xff\n" + records.dumps(finished).encode() + b"\n\n[]\n")
    (place, first), (_, second), (last_place, last) = records.scan_all(path)
    assert place == f"{path}:1"
    assert str(first).startswith("not UTF-8 text")
    assert second == finished
    assert last_place == f"{path}:4"
    assert "a record must be a JSON object" in str(last)


@pytest.mark.parametrize(
    "bots",
    ["me", 7, None, {}, [], [{}], [{}, {}], [None, 3], [{"name": ["x"]}, {"name": 0}], [{}] * 3],
    ids=str,
)
def test_bots_of_any_form_are_ignored(bots):
    """Another program may use the key ``x_bots`` for something else."""
    entry = golden() | {"x_bots": bots}
    assert records.player_names(entry) == ("player 0", "player 1")
    assert records.replay(entry) == records.replay(golden())


def test_names_of_players_are_those_of_the_bots_on_one_line():
    entry = golden() | {"x_bots": [{"name": "level-80"}, {"name": "\x1b[2Ja\nb\u202e"}]}
    assert records.player_names(entry) == ("level-80", r"\x1b[2Ja\nb\u202e")


def test_the_positions_of_a_record_are_replayed_and_its_result_is_checked():
    entry = golden()
    line = records.replay_all(entry)
    assert line == list(records.positions(entry))
    with pytest.raises(TrajanError, match="scores"):
        records.replay_all(entry | {"scores": [0, 0]})
