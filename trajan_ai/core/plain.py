"""JSON read no deeper than an interpreter can bear; in a browser, too deep would end it."""

from __future__ import annotations

import json
import re
from typing import Any

DEEPEST = 200  # levels; nothing of ours has twenty
_TOKENS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[][{}]', re.DOTALL)


def loads(text: str | bytes, **hooks: Any) -> Any:
    """Return what JSON text holds; `hooks` are those of `json.loads`.

    Raises ValueError if it is none, and RecursionError if it is nested too deeply.
    """
    text = text if isinstance(text, str) else text.decode("utf-8")
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            raise RecursionError(f"nested deeper than {DEEPEST} levels")
    return json.loads(text, **hooks)
