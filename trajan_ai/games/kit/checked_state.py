"""ctypes structures that raise an error instead of letting a number wrap around in its field."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

WHOLE_NUMBERS = (
    ctypes.c_int8, ctypes.c_int16, ctypes.c_int32, ctypes.c_int64,
    ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64,
    ctypes.c_long, ctypes.c_ulong,
)  # fmt: skip
# Attributes that a class statement creates by itself, or that ctypes computes from the fields.
CREATED = {"__dict__", "__weakref__", "_fields_"}


@cache
def checked(kind: Any) -> Any:
    """Return a type with the same bytes and methods as a structure or an array.

    Assigning a number that does not fit raises OverflowError.
    """
    if issubclass(kind, ctypes.Array):
        is_whole = _limits(kind._type_) is not None
        return _checked_numbers(kind) if is_whole else _checked_items(kind)
    if issubclass(kind, ctypes.Structure) and hasattr(kind, "_fields_"):
        return _checked_structure(kind)
    return kind


def _limits(kind: Any, bits: int | None = None) -> range | None:
    """Return the numbers that fit into a ctypes type, or None if it is not an integer type."""
    if kind not in WHOLE_NUMBERS:
        return None
    bits = bits or 8 * ctypes.sizeof(kind)
    is_signed = kind(-1).value == -1
    return range(-(1 << bits - 1), 1 << bits - 1) if is_signed else range(1 << bits)


def _checked_structure(kind: Any) -> Any:
    own = kind.__dict__.get("_fields_", ())
    fields = [(name, checked(field), *bits) for name, field, *bits in own]
    limits = {name: limit for name, *field in own if (limit := _limits(*field)) is not None}
    kinds = {name: field for name, field, *_ in fields if name not in limits}
    bases = tuple(map(checked, kind.__bases__))
    write = bases[0].__setattr__

    def assign(self: Any, name: str, value: Any) -> None:
        if name in kinds:
            value = _converted(value, kinds[name])
        elif name in limits and isinstance(value, int) and value not in limits[name]:
            raise OverflowError(_describe(name, value, limits[name]))
        write(self, name, value)

    names = {name for name, *_ in own}
    others = {
        key: value
        for key, value in kind.__dict__.items()
        if key not in CREATED and key not in names
    }
    return type(kind)(kind.__name__, bases, others | {"__setattr__": assign, "_fields_": fields})


def _checked_numbers(kind: Any) -> Any:
    limits = _limits(kind._type_)
    assert limits is not None
    allowed: range = limits
    low, high = allowed[0], allowed[-1]
    write = kind.__setitem__

    class Numbers(kind):  # type: ignore[misc]
        def __init__(self, *values: Any) -> None:
            super().__init__()
            self[: len(values)] = values

        def __setitem__(self, index: Any, value: Any) -> None:
            # The numbers are compared, because `in` is slower and this runs for every move.
            for one in value if isinstance(index, slice) else (value,):
                if not low <= one <= high:
                    raise OverflowError(_describe("an entry of an array", one, allowed))
            write(self, index, value)

    return Numbers


def _checked_items(kind: Any) -> Any:
    inner = checked(kind._type_)
    if inner is kind._type_:
        return kind

    class Items(inner * kind._length_):  # type: ignore[misc]
        def __setitem__(self, index: Any, value: Any) -> None:
            if isinstance(index, slice):
                value = [_converted(one, inner) for one in value]
            super().__setitem__(index, _converted(value, inner))

    return Items


def _converted(value: Any, kind: Any) -> Any:
    """Return an unchecked structure or array as one of the checked type `kind`."""
    is_other = kind is not None and not isinstance(value, kind)
    if kind is not None and is_other and isinstance(value, ctypes.Array | ctypes.Structure):
        return kind.from_buffer_copy(value)
    return value


def _describe(what: str, value: int, allowed: range) -> str:
    return f"{what} must be {allowed[0]} to {allowed[-1]}, got {value}"
