"""Positions from views: position files as `views.view` writes them, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import check_options
from trajan_ai.trajan.components import COMPONENTS as C
from trajan_ai.trajan.engine import derived, redrawn
from trajan_ai.trajan.layout import STATE
from trajan_ai.trajan.setup import NAME, NUMBERS, OPTIONS, option_bits
from trajan_ai.trajan.views import (
    DECK,
    KINDS,
    REPEATING,
    SECOND_MARKER,
    SHIPS,
    TILES_IN_STACK,
    VOTES,
)

COPIES = C.data["copies_of_good"]
FIGURES = C.data["figures"]
ROUNDS = 4
MOST_SCORE = 9_999
MOST_TURN = 0xFFFF
HANDS_TRIED = 200_000  # draws before a decision of another player counts as impossible
FORUM_COUNTS = Counter(C.forum_supply() + C.extra_supply())
SEAT_KEYS = (
    *("score", "hand_size", "known_cards", "display", "trays", "slots", "arch", "plus2"),
    *("supply", "military_camp", "worker_camp", "leader", "legionnaires", "workers"),
    *("buildings", "forum_tiles", "demand_tiles", "gold_bonus", "silver_bonus", "senate"),
)
KEYS = (
    *("players", "observer", "options", "turn", "quarter", "round", "time_marker", "rounds_due"),
    *("to_decide", "seats", "senate_order", "coloured_ships", "forum", "provinces", "sites"),
    *("demands", "bonus_offer", "discard_piles", "trajan_tops", "trajan_gone", "forum_gone"),
    *("demands_gone", "extra_supply"),
)
PENDING_KEYS = (
    *("player", "decision", "turn_of", "action", "markers_in_hand", "next_tray", "effect"),
    *("free_action", "in_free_action", "repeating", "repeats_left", "extra_spent", "step"),
    "after",
)
HIDDEN_STACKS = {
    "goods_deck": "deck",
    "forum_supply": "supply",
    "extra_supply": "extra_supply",
    "demands": "demand_stack",
    "bonus_tiles": "bonus_bag",
}
SIZES = {
    "deck": "deck_size",
    "supply": "supply_size",
    "extra_supply": "extra_size",
    "demand_stack": "demand_size",
    "bonus_bag": "bonus_size",
}


class Reader:
    """Reads plain data and collects what is wrong with it, each with its place."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def complain(self, place: str, what: str) -> None:
        """Note a problem."""
        self.problems.append(f"{place}: {what}")

    def mapping(
        self, place: str, value: Any, keys: Sequence[str], free: Sequence[str] = ()
    ) -> Any:
        """Return a mapping; all of `keys` must be there, those of `free` may."""
        if not isinstance(value, Mapping):
            self.complain(place, f"must be a mapping with {', '.join(keys)}, got {value!r}")
            return {}
        for key in keys:
            if key not in value:
                self.complain(place, f"{key} is missing")
        for key in value:
            if key not in keys and key not in free:
                allowed = ", ".join((*keys, *free))
                self.complain(place, f"unknown key {key!r}; keys are {allowed}")
        return value

    def integer(self, place: str, value: Any, least: int, most: int) -> int:
        """Return a number from `least` to `most`."""
        if type(value) is int and least <= value <= most:
            return value
        self.complain(place, f"must be a whole number from {least} to {most}, got {value!r}")
        return least

    def name(self, place: str, value: Any, names: Sequence[str]) -> int:
        """Return the number of a name."""
        if isinstance(value, str) and value in names:
            return names.index(value)
        self.complain(place, f"must be one of {', '.join(names)}, got {value!r}")
        return 0

    def names(self, place: str, value: Any, names: Sequence[str]) -> list[int]:
        """Return the numbers of a list of names."""
        if not isinstance(value, list):
            self.complain(place, f"must be a list of names, got {value!r}")
            return []
        return [self.name(f"{place}[{i}]", item, names) for i, item in enumerate(value)]

    def members(self, place: str, value: Any, names: Sequence[str]) -> int:
        """Return the bits of a list of different names."""
        bits = 0
        for number in self.names(place, value, names):
            if bits >> number & 1:
                self.complain(place, f"{names[number]} is named twice")
            bits |= 1 << number
        return bits

    def counts(self, place: str, value: Any, names: Sequence[str], most: int = 99) -> list[int]:
        """Return how many there are of each name."""
        found = self.mapping(place, value, (), names)
        return [
            self.integer(f"{place}.{name}", found[name], 0, most) if name in found else 0
            for name in names
        ]

    def placed(
        self, place: str, value: Any, names: Sequence[str], things: Sequence[str]
    ) -> list[int]:
        """Return, for each place, the number + 1 of the thing there, or 0."""
        found = self.mapping(place, value, (), names)
        return [
            self.name(f"{place}.{name}", found[name], things) + 1 if name in found else 0
            for name in names
        ]

    def tray(self, place: str, value: Any) -> int:
        """Return the markers of a list of colours, as in a tray."""
        tray = 0
        for colour in self.names(place, value, C.colours):
            if tray >> colour + SECOND_MARKER & 1:
                self.complain(place, f"more than two {C.colours[colour]} markers")
            tray |= 1 << colour + (SECOND_MARKER if tray >> colour & 1 else 0)
        return tray


def packed(numbers: Sequence[int]) -> int:
    """Return counts of goods as one number."""
    return sum(min(number, COPIES) << 4 * i for i, number in enumerate(numbers))


def flag(reader: Reader, place: str, value: Any) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool):
        reader.complain(place, f"must be true or false, got {value!r}")
    return bool(value)


def parse(view: Mapping[str, Any]) -> bytes:
    """Return a state that looks like `view` to its observer.

    What he does not know is drawn with a fixed seed. Raises TrajanError with every contradiction.
    """
    reader = Reader()
    reader.mapping("view", view, KEYS, ("hidden",))
    if reader.problems:
        raise TrajanError(*reader.problems)
    state = np.zeros(1, STATE)[0]
    players = reader.integer("players", view["players"], 2, 4)
    observer = view["observer"]
    if observer is not None:
        observer = reader.integer("observer", observer, 0, players - 1)
    _read_table(reader, view, state, players)
    _read_pending(reader, view["to_decide"], state, players)
    hands = _read_seats(reader, view["seats"], state, players, observer)
    if reader.problems:
        raise TrajanError(*reader.problems)
    _check_order(reader, state)
    _check_figures_and_markers(reader, state)
    stacks = _unseen(reader, view, state, hands)
    if reader.problems:
        raise TrajanError(*reader.problems)
    _fill(reader, view, state, stacks, hands)
    if reader.problems:
        raise TrajanError(*reader.problems)
    return _finished(state.tobytes(), observer)


def _finished(state: bytes, observer: int | None) -> bytes:
    """Return the state with its derived fields, and with unseen things drawn."""
    state = derived(state)
    drawn = state if observer is None else redrawn(state, observer, 0, HANDS_TRIED)
    over = KINDS[int(np.frombuffer(state, STATE)[0]["kind"])] == "over"
    if drawn is not None and not over:
        legal = int(np.frombuffer(drawn, STATE)[0]["legal"])
        if legal & (legal - 1) == 0:
            drawn = None
    if drawn is None:
        raise TrajanError("to_decide: this decision has fewer than two legal actions here")
    return drawn


def _read_table(reader: Reader, view: Mapping[str, Any], s: Any, players: int) -> None:
    """Read what does not belong to a player."""
    s["players"] = players
    try:
        options = check_options(NAME, OPTIONS, players, view["options"] or {})
        s["lap_length"] = options["lap_length"]
        s["options"] = option_bits(options)
    except TrajanError as error:
        reader.problems += [f"options: {problem}" for problem in error.problems]
    except TypeError:
        reader.complain("options", f"must be a mapping, got {view['options']!r}")
    s["turn"] = reader.integer("turn", view["turn"], 0, MOST_TURN)
    s["quarter"] = reader.integer("quarter", view["quarter"], 1, 4) - 1
    s["round"] = reader.integer("round", view["round"], 1, ROUNDS) - 1
    s["time"] = reader.integer(
        "time_marker", view["time_marker"], 0, max(int(s["lap_length"]) - 1, 0)
    )
    s["rounds_due"] = reader.integer("rounds_due", view["rounds_due"], 0, 12)
    order = view["senate_order"]
    if sorted(order) != list(range(players)) if isinstance(order, list) else True:
        reader.complain("senate_order", f"must have each player from 0 to {players - 1} once")
    else:
        s["order"][:players] = order
    s["ships"] = reader.members("coloured_ships", view["coloured_ships"], SHIPS)
    s["forum"] = reader.counts("forum", view["forum"], C.forum_tiles)
    s["provinces"] = reader.placed("provinces", view["provinces"], C.provinces, C.forum_tiles)
    s["sites"] = reader.placed("sites", view["sites"], C.sites, C.buildings)
    s["row"] = reader.counts("demands", view["demands"], C.symbols)
    s["offer"] = reader.members("bonus_offer", view["bonus_offer"], C.bonus_tiles)
    piles = reader.mapping("discard_piles", view["discard_piles"], ("left", "right"))
    left = reader.names("discard_piles.left", piles.get("left", []), C.goods)[:DECK]
    right = reader.names("discard_piles.right", piles.get("right", []), C.goods)[:DECK]
    if len(left) + len(right) > DECK:
        reader.complain("discard_piles", f"{len(left) + len(right)} cards, there are {DECK}")
        return
    s["pile_size"] = len(left), len(right)
    for i, good in enumerate(left):
        s["piles"][i] = good + 1
    for i, good in enumerate(right):
        s["piles"][DECK - 1 - i] = good + 1


def _read_pending(reader: Reader, value: Any, s: Any, players: int) -> None:
    """Read the decision and what is pending of it; None when the game is over."""
    if value is None:
        s["kind"] = KINDS.index("over")
        return
    found = reader.mapping("to_decide", value, ("player", "decision"), PENDING_KEYS)
    s["decider"] = reader.integer("to_decide.player", found.get("player"), 0, players - 1)
    kinds = KINDS[:-1]
    kind = kinds[reader.name("to_decide.decision", found.get("decision"), kinds)]
    s["kind"] = kinds.index(kind)
    turn_of = found.get("turn_of", found.get("player"))
    s["active"] = reader.integer("to_decide.turn_of", turn_of, 0, players - 1)
    if kind != "bonus" and s["active"] != s["decider"]:
        reader.complain("to_decide.turn_of", f"{kind} is decided by the player whose turn it is")
    if "action" in found:
        s["target"] = reader.name("to_decide.action", found["action"], C.actions)
    elif kind in C.actions:
        s["target"] = C.actions.index(kind)
    elif kind not in ("sow", "bonus", "marker", "goods", "start"):
        reader.complain("to_decide", f"action is missing: the tray that {kind} belongs to")
    s["sow_hand"] = reader.tray("to_decide.markers_in_hand", found.get("markers_in_hand", []))
    if "next_tray" in found:
        s["next_tray"] = reader.name("to_decide.next_tray", found["next_tray"], C.trays)
    if found.get("effect") is not None:
        reader.name("to_decide.effect", found["effect"], C.tile_names())
        s["effect"] = NUMBERS["trajan_stacks"].get(str(found["effect"]), 0) + 1
    if found.get("free_action") is not None:
        number = reader.name("to_decide.free_action", found["free_action"], C.actions)
        s["free_action"] = number + 1
    for key, field in (("in_free_action", "in_free"), ("extra_spent", "extra_spent")):
        s[field] = flag(reader, f"to_decide.{key}", found.get(key, False))
    s["repeating"] = reader.name("to_decide.repeating", found.get("repeating", "no"), REPEATING)
    s["repeats"] = reader.integer("to_decide.repeats_left", found.get("repeats_left", 0), 0, 1)
    s["step"] = reader.integer("to_decide.step", found.get("step", 0), 0, 11)
    _read_after(reader, kind, found.get("after"), s)
    _check_pending(reader, kind, s)


def _read_after(reader: Reader, kind: str, value: Any, s: Any) -> None:
    """Read the choice that the pending one follows."""
    place = "to_decide.after"
    if kind == "start":
        s["last"] = reader.members(place, value or [], C.stacks)
    elif kind == "play" or (kind in ("pair", "card") and value is not None):
        s["last"] = reader.name(place, value, C.goods) + (kind != "play")
    elif kind == "marker" and s["step"] % 2:
        s["last"] = reader.name(place, value, C.colours)
    elif value is not None:
        reader.complain(place, f"{kind} does not follow another choice, got {value!r}")


def _check_pending(reader: Reader, kind: str, s: Any) -> None:
    """Check that what is pending belongs to the decision."""
    running = int(s["free_action"]) - 1 if s["in_free"] else int(s["target"])
    if kind in C.actions and running != C.actions.index(kind):
        reader.complain("to_decide.decision", f"{kind}, but the running action is another one")
    if kind in ("discard", "play", "pair", "card") and C.actions[running] != "seaport":
        reader.complain("to_decide.decision", f"{kind} belongs to the action seaport")
    if s["in_free"] and not s["free_action"]:
        reader.complain("to_decide.in_free_action", "there is no free_action")
    if (kind == "effect") != bool(s["effect"]):
        reader.complain("to_decide.effect", "a tile must be given for the decision effect alone")
    if kind not in ("drop", "marker") and s["sow_hand"]:
        reader.complain("to_decide.markers_in_hand", f"must be empty at the decision {kind}")
    most = {"marker": 11, "goods": 2, "start": 2, "pair": 2, "card": 3}.get(kind, 0)
    if s["step"] > most:
        reader.complain("to_decide.step", f"must be at most {most} at {kind}, got {s['step']}")


def _read_seats(
    reader: Reader, value: Any, s: Any, players: int, observer: int | None
) -> list[int | None]:
    """Read the players; return for each unseen hand its size, None for the seen ones."""
    hands: list[int | None] = []
    if not isinstance(value, list) or len(value) != players:
        reader.complain("seats", f"must be a list of {players} players")
        return hands
    for i, item in enumerate(value):
        place = f"seats[{i}]"
        keys = [key for key in SEAT_KEYS if key != "hand_size"]
        found = reader.mapping(place, item, keys, ("hand", "hand_size"))
        seen = observer is None or i == observer
        for key in ("hand",) if seen else ("hand_size",):
            if key not in found:
                reader.complain(place, f"{key} is missing")
        if not seen and "hand" in found:
            reader.complain(f"{place}.hand", f"player {observer} cannot know it")
        if not reader.problems:
            hands.append(_read_seat(reader, place, found, s["seats"][i]))
    return hands


def _read_seat(reader: Reader, place: str, found: Mapping[str, Any], p: Any) -> int | None:
    """Read a player; return the size of his hand if it is unseen."""

    def counts(key: str, names: Sequence[str], most: int) -> list[int]:
        return reader.counts(f"{place}.{key}", found[key], names, most)

    def members(key: str, names: Sequence[str]) -> int:
        return reader.members(f"{place}.{key}", found[key], names)

    p["score"] = reader.integer(f"{place}.score", found["score"], -MOST_SCORE, MOST_SCORE)
    known = counts("known_cards", C.goods, COPIES)
    p["known"] = packed(known)
    p["display"] = packed(counts("display", C.goods, COPIES))
    size: int | None = None
    if "hand" in found:
        hand = counts("hand", C.goods, COPIES)
        p["hand"] = packed(hand)
        if found.get("hand_size", sum(hand)) != sum(hand):
            reader.complain(f"{place}.hand_size", f"the hand has {sum(hand)} cards")
        if any(k > h for k, h in zip(known, hand, strict=True)):
            reader.complain(f"{place}.known_cards", "has cards that are not in the hand")
    else:
        size = reader.integer(f"{place}.hand_size", found["hand_size"], sum(known), DECK)
    trays = reader.mapping(f"{place}.trays", found["trays"], (), C.trays)
    p["trays"] = [reader.tray(f"{place}.trays.{name}", trays.get(name, [])) for name in C.trays]
    slots = reader.placed(f"{place}.slots", found["slots"], C.trays, C.tile_names())
    p["slots"] = [NUMBERS["trajan_stacks"][C.tile_names()[t - 1]] + 1 if t else 0 for t in slots]
    p["arch"] = reader.name(f"{place}.arch", found["arch"], (*C.trays, "centre"))
    if p["arch"] < len(C.trays) and slots[p["arch"]]:
        reader.complain(f"{place}.arch", "stands on a slot with a Trajan tile")
    if p["arch"] == len(C.trays) and not all(slots):
        reader.complain(f"{place}.arch", "stands in the centre only while all slots are filled")
    p["plus2"] = members("plus2", C.actions)
    for key, field in (
        ("supply", "supply"),
        ("military_camp", "legionnaires"),
        ("worker_camp", "workers"),
    ):
        p[field] = reader.integer(f"{place}.{key}", found[key], 0, FIGURES)
    p["leader"] = reader.name(f"{place}.leader", found["leader"], ("camp", *C.provinces))
    p["legions_on"] = members("legionnaires", C.provinces)
    p["workers_on"] = members("workers", C.sites)
    p["buildings"] = members("buildings", C.buildings)
    p["tiles"] = counts("forum_tiles", C.forum_tiles, 99)
    p["demands"] = counts("demand_tiles", C.symbols, TILES_IN_STACK)
    p["gold"] = members("gold_bonus", C.bonus_tiles)
    p["silver"] = members("silver_bonus", C.bonus_tiles)
    names = [str(space) for space in VOTES]
    p["space"] = reader.name(f"{place}.senate", str(found["senate"]), names)
    return size


def _check_order(reader: Reader, s: Any) -> None:
    """Check that the discs are listed from the lowest space to the highest."""
    order = s["order"][: s["players"]]
    spaces = [int(s["seats"][player]["space"]) for player in order]
    if spaces != sorted(spaces):
        reader.complain("senate_order", "must list the discs from the lowest space to the highest")


def _check_figures_and_markers(reader: Reader, s: Any) -> None:
    """Check that every player has all figures and markers."""
    placing = KINDS[s["kind"]] == "marker"
    for i in range(s["players"]):
        p = s["seats"][i]
        figures = int(p["supply"]) + int(p["legionnaires"]) + int(p["workers"])
        figures += int(p["legions_on"]).bit_count() + int(p["workers_on"]).bit_count()
        if figures != FIGURES:
            reader.complain(f"seats[{i}]", f"{figures} figures, there must be {FIGURES}")
        trays = [int(tray) for tray in p["trays"]]
        if i == s["active"]:
            trays.append(int(s["sow_hand"]))
        markers = sum(tray.bit_count() for tray in trays)
        halves = [sum(tray >> c & 1 for tray in trays) for c in range(len(C.colours))]
        seconds = [sum(t >> c + SECOND_MARKER & 1 for t in trays) for c in range(len(C.colours))]
        pairs = [a + b for a, b in zip(halves, seconds, strict=True)]
        wanted = [2] * len(C.colours)
        if placing and i > s["active"]:
            wanted = [0] * len(C.colours)
        if pairs != wanted:
            reader.complain(
                f"seats[{i}].trays",
                f"{markers} markers, there must be {sum(wanted)}, two of each colour"
                if sum(wanted)
                else "must be empty: this player has not placed markers yet",
            )


def _exclude(reader: Reader, place: str, everything: Sequence[str], seen: Sequence[str]) -> Any:
    """Return what of `everything` is not `seen`, in the order of `everything`."""
    left = Counter(everything)
    left.subtract(Counter(seen))
    for name, count in left.items():
        if count < 0:
            there = Counter(everything)[name]
            reader.complain(place, f"{there - count} x {name}, there are {there}")
    return [name for name in left for _ in range(max(left[name], 0))]


def _repeat(names: Sequence[str], numbers: Sequence[Any]) -> list[str]:
    return [name for name, number in zip(names, numbers, strict=True) for _ in range(int(number))]


def _goods(packed_goods: int) -> list[int]:
    return [packed_goods >> 4 * i & 15 for i in range(len(C.goods))]


def _unseen(
    reader: Reader, view: Mapping[str, Any], s: Any, hands: Sequence[int | None]
) -> dict[str, Any]:
    """Return the contents of every hidden stack, by exclusion; goods with the unseen hands."""
    seats = [s["seats"][i] for i in range(s["players"])]
    goods = [C.goods[card - 1] for card in s["piles"] if card]
    for p, size in zip(seats, hands, strict=True):
        hand = p["hand"] if size is None else p["known"]
        goods += _repeat(C.goods, _goods(int(hand))) + _repeat(C.goods, _goods(int(p["display"])))
    tiles = _repeat(C.forum_tiles, s["forum"])
    tiles += [C.forum_tiles[tile - 1] for tile in s["provinces"] if tile]
    for p in seats:
        tiles += _repeat(C.forum_tiles, p["tiles"])
    gone = reader.counts("forum_gone", view["forum_gone"], C.forum_tiles)
    extra = reader.counts("extra_supply", view["extra_supply"], C.extra_tiles, 2)
    tiles += _repeat(C.forum_tiles, gone) + _repeat(C.extra_tiles, extra)
    everything = C.forum_supply() + C.extra_supply()
    demands_gone = reader.counts("demands_gone", view["demands_gone"], C.symbols)
    demands = _repeat(C.symbols, s["row"]) + _repeat(C.symbols, demands_gone)
    taken = [bits for p in seats for bits in (int(p["gold"]), int(p["silver"]))]
    bonus = [
        name
        for bits in (*taken, int(s["offer"]))
        for i, name in enumerate(C.bonus_tiles)
        if bits >> i & 1
    ]
    buildings = [C.buildings[number - 1] for number in s["sites"] if number]
    buildings += [
        name for p in seats for i, name in enumerate(C.buildings) if int(p["buildings"]) >> i & 1
    ]
    for name in _exclude(reader, "sites and buildings", C.buildings, buildings):
        reader.complain("sites and buildings", f"{name} is neither on a site nor owned")
    _check_sizes(reader, s, extra, demands_gone)
    supply = _exclude(reader, "forum tiles", everything, tiles)
    filled = C.data["players"][len(seats)]["forum"] * (int(s["quarter"]) + 1)
    most = len(C.forum_supply()) - len(C.provinces) - filled
    if len(supply) > max(most, 0):
        reader.complain(
            "forum_gone",
            f"{len(supply)} forum tiles are in no other place, and the supply has at most "
            f"{max(most, 0)} in this quarter: list the tiles that left the game",
        )
    return {
        "goods_deck": _exclude(reader, "goods", C.goods_deck(), goods),
        "forum_supply": supply,
        "extra_supply": _repeat(C.extra_tiles, extra),
        "demands": _exclude(reader, "demand tiles", C.demand_tiles(), demands),
        "bonus_tiles": _exclude(reader, "bonus tiles", C.bonus_tiles, bonus),
        "trajan_stacks": _unseen_stacks(reader, view, s),
    }


def _check_sizes(reader: Reader, s: Any, extra: Sequence[int], gone: Sequence[int]) -> None:
    """Check the numbers of tiles that quarter and round fix."""
    quarter, kind = int(s["quarter"]), KINDS[s["kind"]]
    size = len(C.extra_supply()) - C.data["extra_spaces"] * (quarter + 1)
    if sum(extra) != size:
        reader.complain("extra_supply", f"{sum(extra)} tiles, there must be {size}")
    paid = kind == "over" or (kind == "bonus" and quarter < ROUNDS - 1)
    here = 0 if paid else int(s["round"])
    before = quarter * (ROUNDS - 1) + int(s["round"]) - here
    if sum(gone) != before:
        reader.complain("demands_gone", f"{sum(gone)} tiles, there must be {before}")
    if sum(s["row"]) != here:
        reader.complain("demands", f"{sum(s['row'])} tiles, there must be {here} in this round")


def _unseen_stacks(reader: Reader, view: Mapping[str, Any], s: Any) -> dict[str, list[str]]:
    """Return the tiles of each stack below its top; before markers are placed, all of them."""
    names = C.tile_names()
    stack_of = {tile.name: tile.stack for tile in C.tiles}
    gone = [names[i] for i in reader.names("trajan_gone", view["trajan_gone"], names)]
    gone += [names[s["effect"] - 1]] if s["effect"] else []
    slots = [names[t - 1] for p in s["seats"] for t in p["slots"] if t]
    tops = reader.mapping("trajan_tops", view["trajan_tops"], (), C.stacks)
    kept = np.sum([p["demands"] for p in s["seats"]], axis=0)
    for i, symbol in enumerate(C.symbols):
        there = sum(name.startswith(f"{symbol}-") for name in gone)
        if there != kept[i]:
            reader.complain(
                "trajan_gone",
                f"{there} {symbol} tiles, but players keep {kept[i]} in demand_tiles",
            )
    unseen: dict[str, list[str]] = {}
    for stack in C.stacks:
        seen = [name for name in (*gone, *slots) if stack_of[name] == stack]
        if stack in tops:
            reader.name(f"trajan_tops.{stack}", tops[stack], C.stack_names(stack))
            seen.append(str(tops[stack]))
        left = _exclude(reader, f"Trajan stack {stack}", C.stack_names(stack), seen)
        if left and stack not in tops and KINDS[s["kind"]] != "marker":
            reader.complain("trajan_tops", f"{stack} is missing; {len(left)} tiles are not seen")
        unseen[stack] = left
    return unseen


def _fill(
    reader: Reader,
    view: Mapping[str, Any],
    s: Any,
    stacks: dict[str, Any],
    hands: Sequence[int | None],
) -> None:
    """Put the unseen things in their places: in order, or as the view's `hidden` says."""
    goods = [NUMBERS["goods_deck"][name] for name in stacks["goods_deck"]]
    for i, size in enumerate(hands):
        if size is None:
            continue
        p = s["seats"][i]
        unknown = size - sum(_goods(int(p["known"])))
        if unknown > len(goods):
            reader.complain(f"seats[{i}].hand_size", f"{size} cards, too many for what is unseen")
            return
        extra = Counter(goods[:unknown])
        p["hand"] = int(p["known"]) + sum(count << 4 * good for good, count in extra.items())
        goods = goods[unknown:]
    stacks["goods_deck"] = [C.goods[good] for good in goods]
    stacks = _ordered(reader, view, stacks)
    if reader.problems:
        return
    for key, field in HIDDEN_STACKS.items():
        numbers = [NUMBERS[key][name] + 1 for name in reversed(stacks[key])]
        s[field][: len(numbers)] = numbers
        s[SIZES[field]] = len(numbers)
    s["bonus_hidden"] = sum(1 << NUMBERS["bonus_tiles"][name] for name in stacks["bonus_tiles"])
    for i, stack in enumerate(C.stacks):
        top = [view["trajan_tops"][stack]] if stack in view["trajan_tops"] else []
        _fill_stack(s, i, stacks["trajan_stacks"][stack], top)


def _fill_stack(s: Any, stack: int, hidden: Sequence[str], top: Sequence[str]) -> None:
    """Store a Trajan stack; of equal tiles the lower bit is the last to be hidden."""
    numbers = NUMBERS["trajan_stacks"]
    first = stack * TILES_IN_STACK
    tiles = [numbers[name] + 1 for name in (*reversed(hidden), *top)]
    s["stacks"][first : first + len(tiles)] = tiles
    s["stack_size"][stack] = len(tiles)
    bits = 0
    for name in hidden:
        bit = numbers[name] - first
        bits |= 1 << (bit + 1 if bits >> bit & 1 else bit)
    s["stack_hidden"][stack] = bits


def _ordered(reader: Reader, view: Mapping[str, Any], stacks: dict[str, Any]) -> dict[str, Any]:
    """Return the stacks in the order that the view's `hidden` gives, if it does."""
    if view.get("hidden") is None:
        return stacks
    hidden = reader.mapping("hidden", view["hidden"], tuple(stacks))
    given = {key: hidden.get(key, []) for key in HIDDEN_STACKS}
    below = {}
    found = reader.mapping("hidden.trajan_stacks", hidden.get("trajan_stacks"), C.stacks)
    for stack in C.stacks:
        tiles = found.get(stack, [])
        below[stack] = tiles[1:] if stack in view["trajan_tops"] else tiles
    pairs = [(f"hidden.{key}", stacks[key], given[key]) for key in given]
    pairs += [
        (f"hidden.trajan_stacks.{stack}", stacks["trajan_stacks"][stack], below[stack])
        for stack in C.stacks
    ]
    for place, expected, names in pairs:
        if not isinstance(names, list) or Counter(map(str, names)) != Counter(expected):
            reader.complain(place, "is not what must be there by exclusion")
    return {**given, "trajan_stacks": below}
