"""Parse JSON with a depth limit. In a browser, JSON nested more deeply would crash the
interpreter."""

import json
import re
from typing import Any

MAX_DEPTH = 200  # levels; the files of this project have fewer than twenty
_TOKENS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[][{}]', re.DOTALL)


def loads(text: str | bytes, **hooks: Any) -> Any:
    """Parse JSON text; `hooks` are passed to `json.loads`.

    Raises ValueError if the text is not JSON, and RecursionError if it is nested too deeply.
    """
    text = text if isinstance(text, str) else text.decode("utf-8")
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            raise RecursionError(f"nested deeper than {MAX_DEPTH} levels")
    return json.loads(text, **hooks)
