"""Random damage to texts and plain data."""

import copy
import json
import random
from collections.abc import Callable

DEEP = 3000  # nested brackets, more than Python's recursion limit allows
WORDS = [
    "", "trajan", "forum_trajanum", "blue", "A1", "yes", "null", "NaN", "\ud800", "é\u202e",
    "x" * 300,
    "a: b", "- ", "{", "[", "#", "\0", "../..", "1e999", "0x10", "!!python/object:os.system", "&a",
    "*a",
]  # fmt: skip
NUMBERS = [
    -1, 0, 1, 2, 3, 4, 5, 6, 7, 127, 128, 255, 256, 1 << 31, 1 << 32, 1 << 63, 1 << 64, -(1 << 63),
    10**400, 0.5, -0.0, 1e308, float("inf"), float("nan"),
]  # fmt: skip
PLAIN = [None, True, False, [], {}, [[]], {"a": 1}, [None] * 3]
PIECES = [b"[", b"]", b"{", b"}", b":", b",", b'"', b"'", b"\n", b"-", b"&", b"*", b"!", b"\xff"]


def scalar(draw: random.Random):
    return copy.deepcopy(draw.choice(draw.choice([WORDS, NUMBERS, PLAIN, [draw.randrange(100)]])))


def place(draw: random.Random, data):
    """Return a container within the data and one of its keys, or None if the data are empty."""
    chosen, inner = None, data
    while isinstance(inner, dict | list) and inner and (chosen is None or draw.random() < 0.8):
        key = draw.choice(list(inner)) if isinstance(inner, dict) else draw.randrange(len(inner))
        chosen, inner = (inner, key), inner[key]
    return chosen


def damage(draw: random.Random, data):
    """Return plain data with one value changed, removed, duplicated, renamed or moved."""
    chosen = place(draw, data)
    if chosen is None:
        return scalar(draw)
    container, key = chosen
    match draw.randrange(8):
        case 0 | 1:
            container[key] = scalar(draw)
        case 2:
            del container[key]
        case 3:
            container[key] = [container[key]]
        case 4:
            other = place(draw, data)
            container[key] = copy.deepcopy(other[0][other[1]])
        case 5:
            if isinstance(container[key], int | float):
                container[key] += draw.choice([-1, 1, 100])
            else:
                container[key] = scalar(draw)
        case 6:
            if isinstance(container, dict):
                container[draw.choice(WORDS) or key] = container[key]
            else:
                container.insert(key, copy.deepcopy(container[key]))
        case 7:
            if isinstance(container, dict):
                container[str(key) + draw.choice(["x", " ", ""])] = container.pop(key)
            else:
                draw.shuffle(container)
    return data


def damaged_data(draw: random.Random, data) -> bytes:
    """Return damaged data as JSON, occasionally with very deep nesting."""
    data = copy.deepcopy(data)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        data = damage(draw, data)
    text = json.dumps(data, ensure_ascii=draw.random() < 0.5)
    if draw.random() < 0.002:
        at = text.find(":") + 1
        text = text[:at] + "[" * DEEP + "]" * DEEP + text[at:]
    return text.encode("utf-8", "surrogatepass")


def damaged_text(draw: random.Random, text: bytes) -> bytes:
    """Return a text with some bytes changed, removed, duplicated or inserted."""
    line = bytearray(text)
    for _ in range(draw.choice([1, 1, 2, 5])):
        at = draw.randrange(len(line) + 1)
        length = draw.choice([0, 1, 1, 2, 10, 100])
        match draw.randrange(5):
            case 0:
                line[at : at + length] = draw.randbytes(length)
            case 1:
                del line[at : at + length]
            case 2:
                line[at:at] = line[at : at + length]
            case 3:
                line[at:at] = draw.choice(PIECES) * draw.choice(
                    [1, 1, 2, DEEP if length > 10 else 3]
                )
            case 4:
                line[at : at + length] = str(scalar(draw)).encode("utf-8", "surrogatepass")
    return bytes(line)


def is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def mutator(seeds: list[bytes], text: float = 0.5) -> Callable[[random.Random], bytes]:
    """Return a function that draws variants of `seeds`, damaged as text or as parsed JSON."""
    read = [json.loads(seed) for seed in seeds if is_json(seed)]

    def drawn(draw: random.Random) -> bytes:
        if read and draw.random() >= text:
            return damaged_data(draw, draw.choice(read))
        return damaged_text(draw, draw.choice(seeds))

    return drawn
