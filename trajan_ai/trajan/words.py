"""The actions of Trajan in words: one phrase per kind of action, whole turns as sentences."""

from __future__ import annotations

from collections.abc import Sequence

_EXACT = {
    "draw": "draw two cards",
    "ship pairs": "ship pairs",
    "ship different": "ship different goods",
    "pass": "do nothing",
    "recruit": "recruit a legionnaire",
    "deploy": "send a legionnaire to the leader",
    "senate": "advance in the senate",
    "hire": "hire a worker",
    "effect": "carry out the tile's effect",
    "no effect": "forgo the tile's effect",
    "extra": "spend the extra-action tile",
    "extra wild": "spend the wild extra-action tile",
    "no extra": "keep the extra-action tile",
    "done": "stop there",
    "card wild": "a wild",
}
_PATTERNS = {
    "marker": "place markers {0}",
    "goods": "take a goods card from {0}",
    "start": "start with a Trajan tile of stack {0}",
    "sow": "sow tray {0}",
    "drop": "drop {0}",
    "plus2": "put the +2 marker on {0}",
    "take": "take the top card of the {0} pile",
    "play": "lay {0}",
    "discard": "put {0} onto the {1} pile",
    "card": "{0}",
    "march": "lead the army to {0}",
    "tile": "take the Trajan tile of stack {0}",
    "build": "build {0}",
    "bonus": "take the bonus tile {0}",
    "pay": "pay the demands with {0}",
}
_JOINED = ("marker", "drop", "pair", "card", "play")  # one clause for several in a row
_OPENED = {"pair": ("ship pairs", " of "), "card": ("ship different goods", ": ")}
_EXTRA = {"extra": "with the extra action", "extra wild": "with the wild extra action"}
_SILENT = ("done", "no extra")  # what ends something says nothing in a turn


def phrase(action: str) -> str:
    """Return one action in words, such as ``take religion from the forum``."""
    kind, *rest = action.split()
    if action in _EXACT:
        return _EXACT[action]
    if kind == "forum":
        return f"take {_tile(rest[0])} from the forum"
    if kind == "ship":
        good, cards, wilds = rest[1], int(rest[2]), int(rest[3])
        return f"ship {_shipment(good, cards, wilds)}"
    if kind == "pair":
        return f"pairs of {_goods(rest)}"
    if kind == "goods":
        source = "the deck" if rest[0] == "deck" else f"the {rest[0]} pile"
        return _PATTERNS[kind].format(source)
    words = [word.replace("+", ", ").replace("-", " ") for word in rest]
    return _PATTERNS[kind].format(*words)


def turn(actions: Sequence[str]) -> str:
    """Return the actions of a turn in words: what belongs together in one clause."""
    clauses: list[str] = []
    kind_before = ""
    lead = ""
    for action in actions:
        kind = action.split()[0]
        if action in _SILENT and len(actions) > 1:
            kind_before = ""
        elif action in _EXTRA:
            lead = f"{_EXTRA[action]}, "
            kind_before = ""
        elif kind == kind_before and kind in _JOINED:
            clauses[-1] += f", {_object(action)}"
        elif kind in _OPENED and clauses and clauses[-1].endswith(_OPENED[kind][0]):
            clauses[-1] += _OPENED[kind][1] + _object(action)
            kind_before = kind
        else:
            clauses.append(lead + phrase(action))
            lead, kind_before = "", kind
    if lead:
        clauses.append(lead.removesuffix(", "))
    return "; then, ".join(_with_then(clauses))


def _with_then(clauses: Sequence[str]) -> list[str]:
    """Join clauses by semicolons; those that an extra action leads begin a new part."""
    parts: list[str] = []
    for clause in clauses:
        if clause.startswith(tuple(_EXTRA.values())) and parts:
            parts.append(clause)
        elif parts:
            parts[-1] += f"; {clause}"
        else:
            parts.append(clause)
    return parts


def _object(action: str) -> str:
    kind, *rest = action.split()
    if kind == "pair":
        return _goods(rest)
    return "a wild" if rest == ["wild"] else rest[0]


def _goods(words: Sequence[str]) -> str:
    if list(words) == ["wild", "wild"]:
        return "two wilds"
    return words[0] + (" and a wild" if len(words) > 1 else "")


def _shipment(good: str, cards: int, wilds: int) -> str:
    if good == "wild":
        return f"{wilds} wild goods"
    return f"{cards} {good}" + (f" and {wilds} wild goods" if wilds else "")


def _tile(name: str) -> str:
    if name.startswith("votes"):
        return f"{name.removeprefix('votes')} votes"
    if name.startswith("extra-"):
        return f"the extra action {name.removeprefix('extra-')}"
    if name.startswith("wild-"):
        return f"the wild {name.removeprefix('wild-')}"
    return name
