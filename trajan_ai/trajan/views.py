"""What a player knows, as plain data in the words of the rules: the schema of position files.

Unseen tiles and cards follow by exclusion: all there are, less those in view, less those listed as
gone. `parse` is the way back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from trajan_ai.core.game import Position
from trajan_ai.core.rules import changed_options
from trajan_ai.trajan.components import COMPONENTS as C
from trajan_ai.trajan.layout import STATE
from trajan_ai.trajan.setup import OPTION_BITS, OPTIONS

KINDS = (
    *C.actions,
    *("sow", "drop", "plus2", "effect", "discard", "play", "pair", "card", "extra", "bonus"),
    *("marker", "goods", "start", "over"),
)
SHIPS = ("equal", "pairs", "different")
REPEATING = ("no", "action", "free action")
TILES_IN_STACK = 9
SECOND_MARKER = 8  # bits from a colour's first marker in a tray to its second
DECK = len(C.goods_deck())
VOTES = (0, *range(2, 9))  # by senate space

View = dict[str, Any]


def fields_of(state: bytes) -> dict[str, Any]:
    """Return the fields of a state as numbers, lists and dicts."""
    return _plain(np.frombuffer(state, STATE)[0])


def _plain(record: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in record.dtype.names:
        value = record[name]
        if name == "seats":
            fields[name] = [_plain(seat) for seat in value]
        else:
            fields[name] = value.tolist()
    return fields


def goods_of(packed: int) -> list[int]:
    """Return how many of each good a packed number holds."""
    return [packed >> 4 * i & 15 for i in range(len(C.goods))]


def counts(names: Sequence[str], numbers: Iterable[int]) -> dict[str, int]:
    """Return the positive numbers by name."""
    return {name: number for name, number in zip(names, numbers, strict=True) if number}


def members(names: Sequence[str], bits: int) -> list[str]:
    """Return the names of the set bits."""
    return [name for i, name in enumerate(names) if bits >> i & 1]


def placed(names: Sequence[str], things: Sequence[str], numbers: Iterable[int]) -> dict[str, str]:
    """Return, by place, the thing there; numbers are one more than those of things, 0 is none."""
    return {
        name: things[number - 1] for name, number in zip(names, numbers, strict=True) if number
    }


def markers_of(tray: int) -> list[str]:
    """Return the colours of a tray's markers."""
    return [
        colour
        for i, colour in enumerate(C.colours)
        for _ in range((tray >> i & 1) + (tray >> i + SECOND_MARKER & 1))
    ]


def drawing_order(stack: Sequence[int], size: int, names: Sequence[str]) -> list[str]:
    """Return the names of a stack, first drawn first."""
    return [names[number - 1] for number in reversed(stack[:size])]


def view(position: Position, player: int | None) -> View:
    """Return what `player` knows, or with None everything; hidden parts are left out."""
    s = fields_of(position.to_bytes())
    seats = s["seats"][: s["players"]]
    result: View = {
        "players": s["players"],
        "observer": player,
        "options": _options(s),
        "turn": s["turn"],
        "quarter": s["quarter"] + 1,
        "round": s["round"] + 1,
        "time_marker": s["time"],
        "rounds_due": s["rounds_due"],
        "to_decide": _to_decide(s),
        "seats": [_seat(seat, player is None or i == player) for i, seat in enumerate(seats)],
        "senate_order": s["order"][: s["players"]],
        "coloured_ships": members(SHIPS, s["ships"]),
        "forum": counts(C.forum_tiles, s["forum"]),
        "provinces": placed(C.provinces, C.forum_tiles, s["provinces"]),
        "sites": placed(C.sites, C.buildings, s["sites"]),
        "demands": counts(C.symbols, s["row"]),
        "bonus_offer": members(C.bonus_tiles, s["offer"]),
        "discard_piles": _piles(s),
        "trajan_tops": _tops(s),
        "trajan_gone": _trajan_gone(s),
        "forum_gone": _forum_gone(s),
        "demands_gone": _demands_gone(s),
        "extra_supply": counts(C.extra_tiles, s["extra_counts"]),
    }
    if player is None:
        result["hidden"] = _hidden(s)
    return result


def _options(s: dict[str, Any]) -> dict[str, Any]:
    """Return the options that still matter and are not at their defaults."""
    known = [option for option in OPTIONS if option.name != "markers"]
    return changed_options(
        known,
        s["players"],
        {
            "lap_length": s["lap_length"],
            "tile_effects": ("automatic", "optional")[s["options"] & OPTION_BITS["tile_effects"]],
            "wild_demand_scores": bool(s["options"] & OPTION_BITS["wild_demand_scores"]),
            "score_slot_tiles": bool(s["options"] & OPTION_BITS["score_slot_tiles"]),
        },
    )


def _to_decide(s: dict[str, Any]) -> View | None:
    """Return the decision and what of it is pending; entries at rest are left out."""
    kind = KINDS[s["kind"]]
    if kind == "over":
        return None
    pending: View = {
        "markers_in_hand": markers_of(s["sow_hand"]),
        "next_tray": C.trays[s["next_tray"]] if kind == "drop" else None,
        "effect": C.tiles[s["effect"] - 1].name if s["effect"] else None,
        "free_action": C.actions[s["free_action"] - 1] if s["free_action"] else None,
        "in_free_action": bool(s["in_free"]),
        "repeating": REPEATING[s["repeating"]] if s["repeating"] else None,
        "repeats_left": s["repeats"],
        "extra_spent": bool(s["extra_spent"]),
        "step": s["step"],
        "after": _after(kind, s),
    }
    result: View = {"player": s["decider"], "decision": kind, "turn_of": s["active"]}
    if kind not in ("sow", "bonus", "marker", "goods", "start"):
        result["action"] = C.actions[s["target"]]
    return result | {key: value for key, value in pending.items() if value}


def _after(kind: str, s: dict[str, Any]) -> Any:
    """Return the choice that the pending one follows."""
    last = s["last"]
    if kind == "marker":
        return C.colours[last] if s["step"] % 2 else None
    if kind == "play":
        return C.goods[last]
    if kind in ("pair", "card"):
        return C.goods[last - 1] if last else None
    return members(C.stacks, last)


def _seat(seat: dict[str, Any], hand_seen: bool) -> View:
    hand: View = {"hand_size": seat["hand_size"]}
    if hand_seen:
        hand["hand"] = counts(C.goods, goods_of(seat["hand"]))
    return {
        "score": seat["score"],
        **hand,
        "known_cards": counts(C.goods, goods_of(seat["known"])),
        "display": counts(C.goods, goods_of(seat["display"])),
        "trays": {
            name: markers_of(tray) for name, tray in zip(C.trays, seat["trays"], strict=True)
        },
        "slots": placed(C.trays, C.tile_names(), seat["slots"]),
        "arch": (*C.trays, "centre")[seat["arch"]],
        "plus2": members(C.actions, seat["plus2"]),
        "supply": seat["supply"],
        "military_camp": seat["legionnaires"],
        "worker_camp": seat["workers"],
        "leader": ("camp", *C.provinces)[seat["leader"]],
        "legionnaires": members(C.provinces, seat["legions_on"]),
        "workers": members(C.sites, seat["workers_on"]),
        "buildings": members(C.buildings, seat["buildings"]),
        "forum_tiles": counts(C.forum_tiles, seat["tiles"]),
        "demand_tiles": counts(C.symbols, seat["demands"]),
        "gold_bonus": members(C.bonus_tiles, seat["gold"]),
        "silver_bonus": members(C.bonus_tiles, seat["silver"]),
        "senate": VOTES[seat["space"]],
    }


def _piles(s: dict[str, Any]) -> View:
    """Return both discard piles, the top card last."""
    left, right = s["pile_size"]
    return {
        "left": [C.goods[card - 1] for card in s["piles"][:left]],
        "right": [C.goods[card - 1] for card in reversed(s["piles"][DECK - right :])],
    }


def _stack(s: dict[str, Any], stack: int) -> list[int]:
    first = stack * TILES_IN_STACK
    found: list[int] = s["stacks"][first : first + s["stack_size"][stack]]
    return found


def _tops(s: dict[str, Any]) -> View:
    """Return the face-up tiles; none before the markers are placed."""
    if KINDS[s["kind"]] == "marker":
        return {}
    tops = [_stack(s, i)[-1] if s["stack_size"][i] else 0 for i in range(len(C.stacks))]
    return placed(C.stacks, C.tile_names(), tops)


def _left_over(everything: Iterable[str], *there: Iterable[str]) -> list[str]:
    """Return what of `everything` is in none of the lists, in the order of `everything`."""
    left = Counter(everything)
    for names in there:
        left.subtract(Counter(names))
    return [name for name in left for _ in range(left[name])]


def _trajan_gone(s: dict[str, Any]) -> list[str]:
    names = C.tile_names()
    in_stacks = [names[tile - 1] for i in range(len(C.stacks)) for tile in _stack(s, i)]
    on_slots = [names[t - 1] for seat in s["seats"] for t in seat["slots"] if t]
    pending = [names[s["effect"] - 1]] if s["effect"] else []
    return _left_over(names, in_stacks, on_slots, pending)


def _forum_gone(s: dict[str, Any]) -> dict[str, int]:
    there = np.array(s["forum"]) + np.array(s["supply_counts"])
    there += sum(np.array(seat["tiles"]) for seat in s["seats"])
    for tile in s["provinces"]:
        there[tile - 1] += tile > 0
    there[-len(C.extra_tiles) :] += np.array(s["extra_counts"])
    everything = Counter(C.forum_supply() + C.extra_supply())
    return {
        name: everything[name] - int(there[i])
        for i, name in enumerate(C.forum_tiles)
        if everything[name] != there[i]
    }


def _demands_gone(s: dict[str, Any]) -> dict[str, int]:
    everything = Counter(C.demand_tiles())
    return {
        name: everything[name] - s["row"][i] - s["demand_counts"][i]
        for i, name in enumerate(C.symbols)
        if everything[name] != s["row"][i] + s["demand_counts"][i]
    }


def _hidden(s: dict[str, Any]) -> View:
    """Return every stack, first drawn first."""
    names = C.tile_names()
    return {
        "goods_deck": drawing_order(s["deck"], s["deck_size"], C.goods),
        "forum_supply": drawing_order(s["supply"], s["supply_size"], C.forum_tiles),
        "extra_supply": drawing_order(s["extra_supply"], s["extra_size"], C.forum_tiles),
        "demands": drawing_order(s["demand_stack"], s["demand_size"], C.symbols),
        "bonus_tiles": drawing_order(s["bonus_bag"], s["bonus_size"], C.bonus_tiles),
        "trajan_stacks": {
            stack: drawing_order(_stack(s, i), s["stack_size"][i], names)
            for i, stack in enumerate(C.stacks)
        },
    }
