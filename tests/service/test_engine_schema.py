"""The JSON Schema of the protocol is up to date, and requests and answers conform to it."""

import json
import re
from functools import cache

import pytest
from calls import ROOT
from engine_requests import RECORDS, START, Desk, midgame

from trajan_ai.service.protocol import KINDS, RequestError, format_error, parse_request
from trajan_ai.service.schema import RESULTS, build_schema, format_schema

needs_jsonschema = pytest.mark.needs("jsonschema")
FILE = ROOT / "docs" / "engine.schema.json"
QUICK = {"kind": "suggest", "position": START, "iterations": 50}
TREE = {"position": START, "tree": "t"}
PLIES = {"position": {"record": RECORDS["trajan"]}, "plies": [3, 9]}


@cache
def validator(name):
    """Return a function that raises ValidationError unless an object conforms to the schema
    `name`."""
    from jsonschema import Draft202012Validator

    schema = build_schema() | {"$ref": f"#/$defs/{name}"}
    del schema["oneOf"]
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema).validate


def test_the_file_is_current(same_text):
    same_text(FILE, format_schema())


def test_every_kind_of_request_has_a_result():
    assert RESULTS.keys() == KINDS.keys()


REQUESTS = [
    QUICK | {"top": 1, "turns": True, "sources": True, "cache": False, "threads": 1},
    QUICK | {"position": {"view": midgame("forum_trajanum")[1]}, "report_every": 0.05},
    QUICK | {"allow": ["marker blue"], "bot": {"extends": "ismcts"}, "seed": 2**64 - 1},
    QUICK | PLIES | {"seed": -(2**63)},
    {"kind": "suggest", "iterations": 50} | TREE,
    QUICK | {"clock": {"remaining": [60.0, 50], "increment": 0.5}, "root": True},
    QUICK | {"position": START | {"actions": ["marker blue"]}, "root": True, "bot": "ismcts"},
    {"kind": "legal", "position": START},
    {"kind": "legal", "position": {"record": RECORDS["forum_trajanum"]}},
    {"kind": "apply", "position": START, "actions": ["marker blue"]},
    {"kind": "view", "position": START, "player": 1},
    {"kind": "board", "position": START},
    {"kind": "board", "position": START, "format": "svg"},
    {"kind": "bots"},
    {"kind": "version"},
    {"kind": "stop", "target": "x"},
    {"kind": "stop_all", "client": ""},
    {"kind": "clear"},
]


@needs_jsonschema
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: " ".join(one)[:40])
def test_requests_and_their_answers_conform(request_):
    is_request, is_answer = validator("request"), validator("answer")
    is_result = validator(f"{request_['kind']}_result")
    is_request({"id": 1} | request_)
    with Desk() as desk:
        desk.send(id=1, **request_)
        status = "interim"
        while status == "interim":
            answer = desk.receive()
            is_answer(answer)
            is_result(answer["result"])
            status = answer["status"]
        assert status == "done"


@needs_jsonschema
def test_answers_to_pondering_and_quitting_conform():
    is_answer = validator("answer")
    with Desk() as desk:
        desk.send(id="p", kind="ponder", **TREE)
        desk.send(id="q", kind="stop", target="p")
        for answer in (desk.receive(), desk.receive()):
            is_answer(answer)
            kind = {"p": "ponder", "q": "stop"}[answer["id"]]
            validator(f"{kind}_result")(answer["result"])
        desk.send(id=3, kind="quit")
        desk.engine.finish(lambda: None)
        answer = desk.receive()
        is_answer(answer)
        validator("quit_result")(answer["result"])


BAD_REQUESTS = [
    {"kind": "explain"},
    {"kind": "legal"},
    {"kind": "version", "extra": 1},
    {"kind": "legal", "position": {"start": {"game": "trajan"}}},
    {"kind": "legal", "position": {"record": [], "ply": 1}},
    {"kind": "board", "position": START, "format": "png"},
    {"kind": "stop", "target": ""},
    QUICK | {"iterations": 0},
    QUICK | {"iterations": "50"},
    QUICK | {"seconds": 0},
    QUICK | {"clock": {"remaining": [0, 1]}},
    QUICK | {"clock": {"remaining": [1, 1], "increment": -1}},
    QUICK | {"position": START | {"actions": "marker blue"}},
    QUICK | {"threads": 257},
    QUICK | {"seed": 2**64},
    QUICK | {"seed": -(2**63) - 1},
    QUICK | {"priority": 1001},
    QUICK | {"report_every": 0.01},
    QUICK | {"client": "x" * 201},
    QUICK | {"plies": []},
    QUICK | {"tree": ""},
    {"id": 2**53 + 1, "kind": "version"},
    {"id": "", "kind": "version"},
    {"id": None, "kind": "version"},
]


@needs_jsonschema
@pytest.mark.parametrize("request_", BAD_REQUESTS, ids=lambda one: " ".join(one)[:40])
def test_the_schema_rejects_what_the_engine_rejects(request_):
    from jsonschema import ValidationError

    request_ = {"id": 1} | request_
    with pytest.raises(ValidationError):
        validator("request")(request_)
    with pytest.raises(RequestError) as error:
        parse_request(json.dumps(request_).encode())
    answer = json.loads(format_error(error.value.id, error.value.reason, error.value.messages, 1))
    validator("answer")(answer)


@needs_jsonschema
def test_the_schema_rejects_answers_that_the_engine_never_gives():
    from jsonschema import ValidationError

    is_answer = validator("answer")
    for answer in (
        {"id": 1, "status": "done"},
        {"id": 1, "status": "error", "problems": ["x"]},
        {"id": 1, "status": "late", "result": None},
        {"status": "done", "result": None},
        {"id": 1, "status": "done", "result": {"moves": []}},
    ):
        with pytest.raises(ValidationError):
            is_answer(answer)


@needs_jsonschema
def test_the_conversation_of_the_page_conforms():
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8").replace("[...]", "[]")
    lines = re.findall(r"^([<>]) (\{.*\})$", page, re.MULTILINE)
    assert len(lines) == 8
    for direction, line in lines:
        validator("request" if direction == ">" else "answer")(json.loads(line))
