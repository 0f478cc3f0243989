"""A mapping of limited size that drops the least recently used entry."""

from collections import OrderedDict
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Lru(Generic[Key, Value]):
    """A mapping with at most `size` entries. With the size 0 it stays empty."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key) -> Value | None:
        """Return the value of a key, or None if there is none, and mark the key as used."""
        value = self.entries.get(key)
        if value is not None:
            self.entries.move_to_end(key)
        return value

    def put(self, key: Key, value: Value) -> Value | None:
        """Add or replace an entry.

        If there are now too many entries, the least recently used one is dropped, and its value is
        returned.
        """
        self.entries[key] = value
        self.entries.move_to_end(key)
        return self.entries.popitem(last=False)[1] if len(self.entries) > self.size else None

    def drop(self, key: Key) -> None:
        """Remove an entry if there is one."""
        self.entries.pop(key, None)
