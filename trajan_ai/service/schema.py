"""The JSON Schema of the engine's protocol; `python -m trajan_ai.service.schema` prints it."""

import json
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from trajan_ai.analysis.budgets import GRADES
from trajan_ai.records.position_files import FORMAT
from trajan_ai.service.protocol import KINDS, PROTOCOL, RequestId

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
NOTHING: Schema = {"type": "null"}
GRADE: Schema = {"enum": [*GRADES]}
ID: Schema = TypeAdapter(RequestId).json_schema()


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, NOTHING]}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(**fields: Schema) -> Schema:
    """Return the schema of an object with these fields, to which later versions may add others."""
    return {"type": "object", "required": list(fields), "properties": fields}


MOVE = _object(
    action=TEXT,
    grade=GRADE,
    visits=COUNT,
    win=_or_null(NUMBER),
    score=_or_null(NUMBER),
    margin=_or_null(NUMBER),
    line=_list({"type": "array", "prefixItems": [COUNT, TEXT], "minItems": 2, "maxItems": 2}),
)
SUGGESTIONS = _object(
    game=TEXT,
    player=COUNT,
    grade=GRADE,
    bot=TEXT,
    calibrated=FLAG,
    iterations=COUNT,
    seconds=NUMBER,
    searches=COUNT,
    redeals=COUNT,
    memory_bytes=COUNT,
    tree_full=FLAG,
    moves=_list(MOVE),
)
SUGGESTIONS["properties"]["root"] = _object(  # on request
    value=_object(win=_or_null(NUMBER), score=_or_null(NUMBER), margin=_or_null(NUMBER)),
    moves=_list(_object(action=TEXT, prior=_or_null(NUMBER), policy=NUMBER)),
)
AT_PLIES = _object(plies=_list(_object(ply=COUNT, result=_or_null(SUGGESTIONS))))
STOPPED = _object(stopped=_list(ID))

EVENT = _object(
    name=TEXT,
    player=_or_null(COUNT),
    vp={"type": "integer"},
    thing=_or_null(TEXT),
    count={"type": "integer"},
    source=_or_null(TEXT),
    words=TEXT,
)
APPLIED = _object(state=TEXT, game=TEXT, players=COUNT, player=_or_null(COUNT))
APPLIED["properties"]["events"] = _list(EVENT)  # on request

# The result of each kind of request; it is null for a search that was stopped before it began.
RESULTS: dict[str, Schema] = {
    "suggest": {"anyOf": [SUGGESTIONS, AT_PLIES, NOTHING]},
    "legal": _object(player=_or_null(COUNT), actions=TEXTS),
    "apply": APPLIED,
    "view": _object(format={"const": FORMAT}, version=COUNT, game=TEXT),
    "board": {"anyOf": [_object(player=COUNT, text=TEXT), _object(player=COUNT, svg=TEXT)]},
    "ponder": _or_null(_object(iterations=COUNT, nodes=COUNT, tree_full=FLAG)),
    "bots": _object(
        default=TEXT, bots=_list(_object(name=TEXT, kind=_or_null(TEXT), searches=FLAG))
    ),
    "version": _object(
        name=TEXT, version=TEXT, protocol={"const": PROTOCOL}, games=TEXTS, limits=_object()
    ),
    "stop": STOPPED,
    "stop_all": STOPPED,
    "clear": _object(answers=COUNT, trees=COUNT),
    "quit": STOPPED,
}
ANSWER = _object(id=_or_null(ID), status={"enum": ["interim", "done", "stopped", "error"]})
OPTIONAL: dict[str, Schema] = {
    "result": {"anyOf": [{"$ref": f"#/$defs/{kind}_result"} for kind in RESULTS]},
    "cached": {"const": True},
    "ply": COUNT,
    "error": {"enum": ["json", "request", "input", "busy", "internal"]},
    "problems": TEXTS | {"minItems": 1},
    "line": COUNT,
    "duplicate": ID,
}


def build_schema() -> Schema:
    """Return the schema of a line: a request or an answer.

    ``$defs`` contains `request`, `answer`, and ``KIND_result`` for each kind of request. The
    schema does not contain rules that concern several fields of a request.
    """
    _, models = models_json_schema(
        [(model, "validation") for model in dict.fromkeys(KINDS.values())],
        ref_template="#/$defs/{model}",
    )
    kinds = [
        {"$ref": f"#/$defs/{model.__name__}", "properties": {"kind": {"const": kind}}}
        for kind, model in KINDS.items()
    ]
    answer = ANSWER | {
        "properties": ANSWER["properties"] | OPTIONAL,
        "if": {"properties": {"status": {"const": "error"}}},
        "then": {"required": ["error", "problems"], "not": {"required": ["result"]}},
        "else": {"required": ["result"], "not": {"required": ["error"]}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Requests and answers of trajan-ai engine",
        "oneOf": [{"$ref": "#/$defs/request"}, {"$ref": "#/$defs/answer"}],
        "$defs": {
            "request": {"oneOf": kinds},
            "answer": answer,
            **_without_titles(models["$defs"]),
            **{f"{kind}_result": schema for kind, schema in RESULTS.items()},
        },
    }


def _without_titles(schema: Any) -> Any:
    """Return a schema without the titles that pydantic derives from field names."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(part)
        for key, part in schema.items()
        if not (key == "title" and isinstance(part, str))
    }


def format_schema() -> str:
    """Return the text of docs/engine.schema.json."""
    return json.dumps(build_schema(), indent=1) + "\n"


if __name__ == "__main__":
    print(format_schema(), end="")
