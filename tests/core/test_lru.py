"""The mapping that drops the least recently used entries."""

from trajan_ai.core.lru import Lru


def test_the_entry_used_least_recently_is_dropped():
    entries = Lru(2)
    for key in "aba":
        entries.put(key, key)
    entries.get("b")
    assert entries.put("c", "c") == "a"
    assert list(entries.entries) == ["b", "c"]
    entries.drop("b")
    assert entries.get("b") is None


def test_size_zero_stores_nothing():
    entries = Lru(0)
    entries.put("a", "a")
    assert entries.get("a") is None
