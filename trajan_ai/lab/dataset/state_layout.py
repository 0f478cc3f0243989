"""Read many states of a game at once, as numpy records with the fields of `state.pxi`."""

from functools import cache
from types import ModuleType
from typing import Any, cast

import numpy as np

# The type of a field, by the field's value when all its bits are set; signed fields have 16 bits.
KINDS = {2**8 - 1: "<u1", 2**16 - 1: "<u2", 2**32 - 1: "<u4", 2**64 - 1: "<u8", -1: "<i2"}


@cache
def layout(rules: ModuleType) -> np.dtype[Any]:
    """Return the numpy type of a game's states, derived from three states of known bytes.

    Each byte contains the low half of its offset in the first state and the high half in the
    second; together, they give the offsets of the fields. In the third state all bits are set, so
    that each field's value gives its size.
    """
    size = len(rules.state_bytes(rules.blank()))
    low = rules.fields(bytes(place & 0xFF for place in range(size)))
    high = rules.fields(bytes(place >> 8 for place in range(size)))
    parts, _ = _of(low, high, rules.fields(b"\xff" * size))
    whole: np.dtype[Any] = np.dtype(cast(Any, {**parts, "itemsize": size}))
    return whole


def _of(low: Any, high: Any, ones: Any) -> tuple[Any, int]:
    if isinstance(ones, dict):
        parts = {name: _of(low[name], high[name], ones[name]) for name in ones}
        first = min(place for _, place in parts.values())
        return {
            "names": list(parts),
            "formats": [kind for kind, _ in parts.values()],
            "offsets": [place - first for _, place in parts.values()],
        }, first
    if isinstance(ones, list):
        kind, first = _of(low[0], high[0], ones[0])
        if isinstance(kind, dict):
            kind = np.dtype(
                cast(Any, {**kind, "itemsize": _of(low[1], high[1], ones[1])[1] - first})
            )
        return (kind, (len(ones),)), first
    return KINDS[ones], (low & 0xFF) | (high & 0xFF) << 8


def ones_in(bits: Any) -> Any:
    """Return the number of set bits in each number."""
    return np.bitwise_count(bits).astype(np.int16)
