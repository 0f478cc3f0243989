"""Damaged records: whatever stands in a file, reading it ends in a verdict or one clear error."""

import copy
import json
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai import TrajanError, records

GOLDEN = Path(__file__).parent.parent / "golden"


def finished(name):
    entry = records.read(GOLDEN / name)[0]
    return records.checkable(entry)


ENTRIES = [finished("trajan_2p.jsonl"), finished("forum_trajanum_3p_options.jsonl")]
GAMES = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["game"])

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["trajan", "forum_trajanum", "blue", "A1", "tribune"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(string.ascii_lowercase, max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def inner_places(data, value, depth=3):
    """Return the container and key of a random place inside `value`."""
    place = None
    for _ in range(data.draw(st.integers(1, depth))):
        if not isinstance(value, dict | list) or not value:
            break
        keys = sorted(value) if isinstance(value, dict) else range(len(value))
        key = data.draw(st.sampled_from(list(keys)))
        place = value, key
        value = value[key]
    return place


def outcome(line):
    """Return the verdict or the complaint; anything else that is raised fails the test."""
    try:
        return records.verify(records.parse(line))
    except TrajanError as error:
        complaint = error
    assert complaint.problems
    assert all(told and "\n" not in told for told in complaint.messages)
    return str(complaint)


@pytest.mark.slow
@GAMES
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_value_of_the_wrong_kind_anywhere(entry, data):
    entry = copy.deepcopy(entry)
    container, key = inner_places(data, entry)
    container[key] = data.draw(plain)
    outcome(json.dumps(entry))


@pytest.mark.slow
@GAMES
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_value_taken_from_elsewhere(entry, data):
    entry = copy.deepcopy(entry)
    container, key = inner_places(data, entry, 4)
    source, name = inner_places(data, entry, 4)
    container[key] = copy.deepcopy(source[name])
    outcome(json.dumps(entry))


@pytest.mark.slow
@GAMES
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_bytes_of_the_line_changed(entry, data):
    line = bytearray(json.dumps(entry).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        line[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    outcome(bytes(line))


@pytest.mark.slow
@GAMES
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_planted_fault_passes(entry, data):
    """Any decision's legal moves or running scores, the last one's and the result included."""
    assert records.verify(entry).compared == ("legal moves", "scores")
    entry = copy.deepcopy(entry)
    last = len(entry["actions"]) - 1
    ply = data.draw(st.sampled_from([0, last]) | st.integers(0, last))
    player = data.draw(st.integers(0, entry["players"] - 1))
    kind = data.draw(st.sampled_from(["number", "hash", "score", "final", "rank"]))
    if kind == "number":
        entry["x_legal"][ply][0] += 1
    elif kind == "hash":
        digest = entry["x_legal"][ply][1]
        entry["x_legal"][ply][1] = ("0" if digest[0] != "0" else "1") + digest[1:]
    elif kind == "score":
        entry["x_scores"][ply][player] += 1
    elif kind == "final":
        entry["scores"][player] -= 1
    else:
        entry["ranks"][player] += 1
    message = outcome(json.dumps(entry))
    assert isinstance(message, str), kind
    if kind in ("number", "hash", "score"):
        assert message.startswith(f"action {ply}: ")


@GAMES
def test_the_last_decision_is_compared(entry):
    last = len(entry["actions"]) - 1
    for key, fault in (("x_legal", [1, "00000000"]), ("x_scores", [-1] * entry["players"])):
        broken = entry | {key: [*entry[key][:-1], fault]}
        with pytest.raises(TrajanError, match=f"^action {last}: "):
            records.verify(broken)
