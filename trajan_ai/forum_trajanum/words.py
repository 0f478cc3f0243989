"""The actions of Forum Trajanum in words: a phrase per kind of action, turns as sentences."""

from __future__ import annotations

from collections.abc import Sequence

_EXACT = {
    "no reserve": "take no tile of the reserve",
    "use own": "use your own tile",
    "use received": "use the received tile",
    "use both own": "use both tiles, your own first",
    "use both received": "use both tiles, the received one first",
    "no envoy": "send no envoy",
    "step": "move the slider one step",
    "cypress": "move the slider to the next cypress row",
    "promote": "promote an assistant to a builder",
    "no build": "build nothing",
}
_PATTERNS = {
    "crane": "put the {0} crane on the next corner",
    "seat": "seat the citizen in row {0}",
    "corner": "put the first female citizen on corner {0}",
    "skip": "take nothing for street card {0}",
    "keep": "keep the tile of street card {0}",
    "reserve": "take {0} from the reserve",
    "use": "use the tile on {0}",
    "gain": "gain {0}",
    "bonus": "take the area bonus {0}",
    "envoy": "send an envoy to {0}",
    "swap": "swap a {0} for a {1}",
    "train": "train an assistant to a {0} worker",
    "exchange": "exchange two {0} workers for a builder",
    "pay": "pay {0}",
    "reward": "take the reward of {0}, step {1}",
    "wage": "pay the citizens of row {0}",
}


def phrase(action: str) -> str:
    """Return one action in words, such as ``build a library on B3``."""
    if action in _EXACT:
        return _EXACT[action]
    kind, *rest = action.split()
    if kind == "take":
        tribune = ", for a tribune" if rest[2:] else ""
        return f"for street card {rest[0]} take the tile of {rest[1]}{tribune}"
    if kind == "build":
        return f"build {rest[0].replace('+', ' and ')} on {' and '.join(rest[1:])}"
    if action.startswith("no wage"):
        return f"leave the citizens of row {rest[1]} unpaid"
    words = [word.replace("+", " and ") for word in rest]
    return _PATTERNS[kind].format(*words)


def turn(actions: Sequence[str]) -> str:
    """Return the actions of a turn in words; what pays for a building belongs to it."""
    clauses: list[str] = []
    for action in actions:
        if action.startswith("pay ") and clauses:
            clauses[-1] += f", paying {phrase(action).removeprefix('pay ')}"
        else:
            clauses.append(phrase(action))
    return "; ".join(clauses)
