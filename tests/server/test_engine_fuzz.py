"""Whatever is asked, the engine lives, and every request gets one last answer.

Lines that are no requests are damaged in tests/fuzz.
"""

import copy
import json

import pytest
from engine_requests import RECORDS, START, Desk, midgame
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.server.protocol import KINDS

DEEP = 100_000  # brackets
AFTER = -4321  # an id


numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(2**63), 2**31, 1e308])
texts = st.text() | st.sampled_from(["trajan", "expert", "\ud800", "a" * 300, *KINDS])
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8
)
small = {"iterations": 1, "bot": "ismcts"}
requests = [
    {"kind": "suggest", "position": START, "seed": 1, "threads": 2, "top": 1, **small},
    {"kind": "suggest", "position": {"record": RECORDS["trajan"], "ply": 60}, **small},
    {"kind": "suggest", "position": {"view": midgame("trajan")[1]}, **small},
    {"kind": "legal", "position": {"view": midgame("forum_trajanum")[1]}},
    {"kind": "board", "position": {"record": RECORDS["forum_trajanum"], "ply": 60}, "player": 1},
    {"kind": "suggest", "position": START, "iterations": 1, "client": "a", "priority": 2,
     "report_every": 0.05, "cache": False, "bot": {"extends": "expert", "payoff": {"win": 1}}},
    {"kind": "apply", "position": START, "actions": ["marker blue"]},
    {"kind": "view", "position": {"state": "00"}, "player": 1},
    {"kind": "stop", "target": 1},
    {"kind": "stop_all", "client": "a"},
    {"kind": "bots"},
    {"kind": "version"},
]  # fmt: skip


@pytest.fixture(scope="module")
def desk():
    desk = Desk()
    yield desk
    desk.engine.close()


def check(desk, line):
    """A line gets one last answer, with its id or none; no fault of the engine's own."""
    assert desk.put(line)
    desk.send(id=AFTER, kind="stop_all")  # mutations may ask for years of searching
    last = [desk.hear_last(), desk.hear_last()]
    (ours,) = (answer for answer in last if answer["id"] == AFTER)
    (answer,) = (answer for answer in last if answer["id"] != AFTER)
    assert ours["status"] == "done"
    assert answer["status"] in ("done", "stopped", "error")
    if answer["status"] == "error":
        assert answer["error"] in ("json", "request", "input"), answer
        assert answer["problems"]
        assert all("\n" not in problem for problem in answer["problems"])
    return answer


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.sampled_from(sorted(KINDS)), st.dictionaries(texts, values))
def test_random_fields(desk, kind, fields):
    if kind != "quit":
        check(desk, json.dumps({"id": 1, **fields, "kind": kind}).encode())


def places(data, path=()):
    """The paths of all values below `data`."""
    for key in data if isinstance(data, dict) else range(len(data)):
        yield (*path, key)
        if isinstance(data[key], dict | list):
            yield from places(data[key], (*path, key))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_one_value_of_a_request_replaced_or_removed(desk, data):
    request = copy.deepcopy(data.draw(st.sampled_from(requests)))
    request["id"] = "x"
    *path, last = data.draw(st.sampled_from(list(places(request))))
    inner = request
    for key in path:
        inner = inner[key]
    if data.draw(st.booleans()):
        inner[last] = data.draw(values)
    else:
        del inner[last]
    if request.get("kind") != "quit":
        check(desk, json.dumps(request).encode())


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'{"id":1,"kind":"legal","position":['])
def test_deep_nesting(desk, opening):
    answer = check(desk, opening * DEEP)
    assert answer["problems"] == ["nested too deeply for a request"]


@pytest.mark.parametrize("depth", [50, 400, 900])
@pytest.mark.parametrize("field", ["position", "bot", "id", "actions"])
def test_nesting_that_json_can_read(desk, field, depth):
    value = "[" * depth + "]" * depth
    start = json.dumps(START)
    request = f'{{"id":1,"kind":"suggest","position":{start},"{field}":{value}}}'
    if field == "position":
        request = f'{{"id":1,"kind":"suggest","position":{{"view":{{"a":{value}}}}}}}'
    check(desk, request.encode())
