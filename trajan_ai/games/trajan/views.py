"""Views: the knowledge of a player as plain data, which is the schema of position files.

Unseen tiles and cards follow by exclusion: all components, minus the visible ones, minus those
listed as gone. `reading.parse` converts a view to a position.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.game import Position
from trajan_ai.core.rules import changed_options
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.rules import fields
from trajan_ai.games.trajan.setup import HIDDEN_STACKS, NAMES, OPTIONS, options_of

DECISIONS = names(rules, "DECIDE_")
SHIPS = names(rules, "SHIP_")
REPEATING = tuple(name.replace("_", " ") for name in names(rules, "REPEATING_"))
# Decisions that belong to no action, and those among them at the end of a quarter.
WITHOUT_ACTION = ("sow", "bonus", "payment", "marker", "goods", "start")
AT_QUARTER_END = ("bonus", "payment")
UNKNOWN = "unknown"  # a card of a discard pile that the observer does not remember
SIDES = ("left", "right")
SENATE: tuple[int, ...] = (0, *range(2, rules.LAST_SPACE + 2))  # names of the spaces

View = dict[str, Any]


def goods_of(packed: int) -> list[int]:
    """Return the count of each good in a packed number."""
    return [packed >> 4 * i & 15 for i in range(len(C.goods))]


def counts(names: Sequence[str], numbers: Iterable[int]) -> dict[str, int]:
    """Return the positive numbers by name."""
    return {name: number for name, number in zip(names, numbers, strict=True) if number}


def members(names: Sequence[str], bits: int) -> list[str]:
    """Return the names of the set bits."""
    return [name for i, name in enumerate(names) if bits >> i & 1]


def placed(names: Sequence[str], things: Sequence[str], numbers: Iterable[int]) -> dict[str, str]:
    """Return the thing at each place; a number is 1 + that of the thing, or 0 for none."""
    return {
        name: things[number - 1] for name, number in zip(names, numbers, strict=True) if number
    }


def markers_of(tray: int) -> list[str]:
    """Return the colours of a tray's markers."""
    return [
        colour
        for i, colour in enumerate(C.colours)
        for _ in range((tray >> i & 1) + (tray >> i + rules.SECOND_MARKER & 1))
    ]


def drawing_order(stack: Sequence[int], size: int, names: Sequence[str]) -> list[str]:
    """Return the names of a stack, first drawn first."""
    return [names[number - 1] for number in reversed(stack[:size])]


def view(position: Position, player: int | None) -> View:
    """Return the knowledge of `player`, or with None everything; unknown parts are omitted."""
    s = fields(position.to_bytes())
    visible = [player is None or i == player for i in range(s["players"])]
    result: View = {
        "observer": player,
        "options": changed_options_of(s),
        "turn": s["turn"],
        "quarter": s["quarter"] + 1,
        "round": s["round"] + 1,
        "time_marker": s["time"],
        "rounds_due": s["rounds_due"],
        "to_decide": _to_decide(s),
        "players": [_player(s["player"][i], is_visible) for i, is_visible in enumerate(visible)],
        "senate_order": s["order"][: s["players"]],
        "coloured_ships": members(SHIPS, s["ships"]),
        "forum": counts(C.forum_tiles, s["forum"]),
        "provinces": placed(C.provinces, C.forum_tiles, s["provinces"]),
        "sites": placed(C.sites, C.buildings, s["sites"]),
        "demands": counts(C.symbols, s["row"]),
        "bonus_offer": members(C.bonus_tiles, s["offer"]),
        "discard_piles": _piles(s, [0, 0] if player is None else s["pile_unknown"]),
        "trajan_tops": _tops(s),
        "trajan_gone": _trajan_gone(s),
        "forum_gone": _forum_gone(s),
        "demands_gone": _demands_gone(s),
        "extra_supply": counts(C.extra_tiles, s["extra_counts"]),
    }
    result |= _sizes(s)
    if not is_extra_certain(s):
        del result["extra_supply"]
    if has_track_order(s):
        result["track_order"] = s["track"][: s["players"]]
    if player is None:
        result["hidden"] = _hidden(s)
    return result


def is_extra_certain(s: View) -> bool:
    """Return whether the tiles in the extra-action supply are known."""
    return sum(s["extra_counts"]) == int(s["extra_size"])


def hidden_below(s: View, stack: int) -> int:
    """Return the number of tiles in a Trajan stack that nobody has seen."""
    all_hidden = DECISIONS[s["decision"]] == "marker"
    return max(int(s["stack_size"][stack]) - (not all_hidden), 0)


def _sizes(s: View) -> View:
    """Return the sizes of stacks that are uncertain, because tiles may have left the game."""
    sizes: View = {}
    if any(s["pile_unknown"]):
        sizes["goods_deck"] = s["deck_size"]
    if sum(s["supply_counts"]) + sum(s["extra_counts"]) > s["supply_size"] + s["extra_size"]:
        sizes["forum_supply"] = s["supply_size"]
    below = [hidden_below(s, i) for i in range(len(C.stacks))]
    if any(hidden.bit_count() > n for hidden, n in zip(s["stack_hidden"], below, strict=True)):
        sizes["trajan_stacks"] = dict(zip(C.stacks, s["stack_size"], strict=True))
    return sizes


def has_track_order(s: View) -> bool:
    """Return whether the state has the order of the discs before the last senate ranking."""
    ranked = DECISIONS[s["decision"]] in ("bonus", "over") and s["quarter"] == rules.QUARTERS - 1
    return ranked and bool(s["options"] & rules.OPTION_FINAL_TIE_TRACK)


def changed_options_of(s: View) -> View:
    """Return the options of a state's fields that are not the defaults."""
    options = {"lap_length": s["lap_length"]} | options_of(s["options"])
    return changed_options((o for o in OPTIONS if o.name in options), s["players"], options)


def _to_decide(s: View) -> View | None:
    """Return the decision and its pending parts; entries with default values are omitted."""
    decision = DECISIONS[s["decision"]]
    if decision == "over":
        return None
    pending: View = {
        "markers_in_hand": markers_of(s["sow_hand"]),
        "next_tray": C.trays[s["next_tray"]] if decision == "drop" else None,
        "effect": C.tiles[s["effect"] - 1].name if s["effect"] else None,
        "free_action": C.actions[s["free_action"] - 1] if s["free_action"] else None,
        "in_free_action": bool(s["in_free"]),
        "repeating": REPEATING[s["repeating"]] if s["repeating"] else None,
        "repeats_left": s["repeats"],
        "extra_spent": bool(s["extra_spent"]),
        "step": s["step"],
        "after": _after(decision, s),
    }
    result: View = {"player": s["decider"], "decision": decision, "turn_of": s["active"]}
    if decision not in WITHOUT_ACTION:
        result["action"] = C.actions[s["target"]]
    return result | {key: value for key, value in pending.items() if value}


def _after(decision: str, s: View) -> Any:
    last = s["last"]
    if decision == "marker":
        return C.colours[last] if s["step"] % 2 else None
    if decision == "play":
        return C.goods[last]
    if decision in ("pair", "card"):
        return C.goods[last - 1] if last else None
    return members(C.stacks, last)


def _player(p: View, is_hand_visible: bool) -> View:
    hand: View = {"hand_size": p["hand_size"]}
    if is_hand_visible:
        hand["hand"] = counts(C.goods, goods_of(p["hand"]))
    return {
        "score": p["score"],
        **hand,
        "known_cards": counts(C.goods, goods_of(p["known"])),
        "display": counts(C.goods, goods_of(p["display"])),
        "trays": {name: markers_of(tray) for name, tray in zip(C.trays, p["trays"], strict=True)},
        "slots": placed(C.trays, C.tile_names(), p["slots"]),
        "arch": (*C.trays, "centre")[p["arch"]],
        "plus2": members(C.actions, p["plus2"]),
        "supply": p["supply"],
        "military_camp": p["legionnaires"],
        "worker_camp": p["workers"],
        "leader": ("camp", *C.provinces)[p["leader"]],
        "legionnaires": members(C.provinces, p["legions_on"]),
        "workers": members(C.sites, p["workers_on"]),
        "buildings": members(C.buildings, p["buildings"]),
        "forum_tiles": counts(C.forum_tiles, p["tiles"]),
        "demand_tiles": counts(C.symbols, p["demands"]),
        "gold_bonus": members(C.bonus_tiles, p["gold"]),
        "silver_bonus": members(C.bonus_tiles, p["silver"]),
        "senate": SENATE[p["space"]],
    }


def _piles(s: View, forgotten: Sequence[int]) -> View:
    """Return both discard piles, the top card last, with the forgotten cards at the bottom."""
    left, right = s["pile_size"]
    cards = s["piles"][:left], s["piles"][rules.DECK_CARDS - right :][::-1]
    return {
        side: [UNKNOWN] * unknown + [C.goods[card - 1] for card in pile[unknown:]]
        for side, pile, unknown in zip(SIDES, cards, forgotten, strict=True)
    }


def _stack(s: View, stack: int) -> list[int]:
    first = stack * rules.STACK_TILES
    tiles: list[int] = s["stacks"][first : first + s["stack_size"][stack]]
    return tiles


def _tops(s: View) -> View:
    """Return the face-up tiles; none before the markers are placed."""
    if DECISIONS[s["decision"]] == "marker":
        return {}
    tops = [_stack(s, i)[-1] if s["stack_size"][i] else 0 for i in range(len(C.stacks))]
    return placed(C.stacks, C.tile_names(), tops)


def _left_over(everything: Iterable[str], *there: Iterable[str]) -> list[str]:
    """Return the rest of `everything` without the lists, in its order."""
    left = Counter(everything)
    for group in there:
        left.subtract(Counter(group))
    return [name for name in left for _ in range(left[name])]


def _trajan_gone(s: View) -> list[str]:
    names = C.tile_names()
    in_stacks = [
        names[i * rules.STACK_TILES + bit]
        for i, hidden in enumerate(s["stack_hidden"])
        for bit in range(rules.STACK_TILES)
        if hidden >> bit & 1
    ]
    in_stacks += _tops(s).values()
    on_slots = [names[t - 1] for p in s["player"] for t in p["slots"] if t]
    pending = [names[s["effect"] - 1]] if s["effect"] else []
    return _left_over(names, in_stacks, on_slots, pending)


def _forum_gone(s: View) -> dict[str, int]:
    """Return the forum and extra-action tiles that are not in the state."""
    gone = Counter(C.forum_supply() + C.extra_supply())
    for numbers in (s["forum"], s["supply_counts"], *(p["tiles"] for p in s["player"])):
        gone.subtract(counts(C.forum_tiles, numbers))
    gone.subtract(counts(C.extra_tiles, s["extra_counts"]))
    gone.subtract(C.forum_tiles[tile - 1] for tile in s["provinces"] if tile)
    return {name: gone[name] for name in C.forum_tiles if gone[name]}


def _demands_gone(s: View) -> dict[str, int]:
    gone = Counter(C.demand_tiles())
    gone.subtract(counts(C.symbols, s["row"]))
    gone.subtract(counts(C.symbols, s["demand_counts"]))
    return {name: gone[name] for name in C.symbols if gone[name]}


def _hidden(s: View) -> View:
    """Return every stack, first drawn first."""
    stacks: View = {
        key: drawing_order(s[field], s[size], NAMES[key])
        for key, (field, size) in HIDDEN_STACKS.items()
    }
    stacks["trajan_stacks"] = {
        stack: drawing_order(_stack(s, i), s["stack_size"][i], NAMES["trajan_stacks"])
        for i, stack in enumerate(C.stacks)
    }
    return stacks
