"""Positions from views: position files as `views.view` writes them, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names
from trajan_ai.core.rules import check_options, counts_in_words
from trajan_ai.gamekit.reading import Reader
from trajan_ai.trajan import types
from trajan_ai.trajan.components import COMPONENTS as C
from trajan_ai.trajan.hidden import redrawn
from trajan_ai.trajan.rules import derived
from trajan_ai.trajan.setup import (
    HIDDEN_STACKS,
    NAME,
    NUMBERS,
    OPTIONS,
    option_bits,
    put_stack,
    tray_of,
)
from trajan_ai.trajan.types import (
    DECK_CARDS,
    QUARTERS,
    ROUNDS,
    SECOND_MARKER,
    STACK_TILES,
    blank,
    fields,
    state_bytes,
)
from trajan_ai.trajan.views import (
    AT_QUARTER_END,
    DECISIONS,
    REPEATING,
    SENATE,
    SHIPS,
    SIDES,
    UNKNOWN,
    WITHOUT_ACTION,
    goods_of,
    last_ranking_kept,
    members,
)

COPIES = C.data["copies_of_good"]
FIGURES = C.data["figures"]
MOST_SCORE = 9_999
MOST_TURN = 0xFFFF
HANDS_TRIED = 200_000  # draws before a decision of another player counts as impossible
# What a player or a view may leave out, and what it then means; None: it is worked out.
PLAYER_DEFAULTS: dict[str, Any] = {
    "score": 0,
    "known_cards": {},
    "display": {},
    "slots": {},
    "arch": None,
    "plus2": [],
    "supply": None,
    "military_camp": 0,
    "worker_camp": 0,
    "leader": "camp",
    "legionnaires": [],
    "workers": [],
    "buildings": [],
    "forum_tiles": {},
    "demand_tiles": {},
    "gold_bonus": [],
    "silver_bonus": [],
    "senate": 0,
}
DEFAULTS: dict[str, Any] = {
    "options": {},
    "turn": 0,
    "quarter": 1,
    "round": 1,
    "time_marker": 0,
    "rounds_due": 0,
    "senate_order": None,
    "coloured_ships": list(SHIPS),
    "forum": {},
    "provinces": {},
    "sites": {},
    "demands": {},
    "bonus_offer": [],
    "discard_piles": {},
    "trajan_tops": {},
}
# What of a view may be left out because nobody remembers it: then it is drawn.
FORGOTTEN = (
    *("trajan_gone", "forum_gone", "demands_gone", "extra_supply"),
    *("goods_deck", "forum_supply", "trajan_stacks"),
)
KEYS = ("observer", "to_decide", "players")
PENDING_KEYS = (
    *("player", "decision", "turn_of", "action", "markers_in_hand", "next_tray", "effect"),
    *("free_action", "in_free_action", "repeating", "repeats_left", "extra_spent", "step"),
    "after",
)


State = dict[str, Any]  # fields of a state or of one of its players


class ViewReader(Reader):
    """Reads what only Trajan's views have."""

    def players(self, value: Any) -> int:
        """Return the number of players in a list with an entry for each."""
        if isinstance(value, list) and len(value) in PLAYER_COUNTS:
            return len(value)
        self.complain("players", f"must be a list of {counts_in_words()} players")
        raise TrajanError(*self.problems)

    def tray(self, place: str, value: Any) -> int:
        """Return the markers of a list of colours, as in a tray."""
        markers = Counter(C.colours[colour] for colour in self.names(place, value, C.colours))
        for colour, count in markers.items():
            if count > 2:
                self.complain(place, f"more than two {colour} markers")
        return tray_of(markers.elements())


def packed(numbers: Sequence[int]) -> int:
    """Return counts of goods as one number."""
    return sum(min(number, COPIES) << 4 * i for i, number in enumerate(numbers))


def parse(view: Mapping[str, Any], *, played: bool = False) -> bytes:
    """Return a state that looks like `view` to its observer.

    What they do not know is drawn with a fixed seed. Raises TrajanError with every contradiction;
    with `played` also with what no course of a game leads to.
    """
    reader = ViewReader()
    reader.mapping("view", view, KEYS, (*DEFAULTS, *FORGOTTEN, "hidden", "track_order"))
    reader.stop_at_problems()
    view = {**DEFAULTS, **view}
    players = reader.players(view["players"])
    observer = view["observer"]
    if observer is not None:
        observer = reader.integer("observer", observer, 0, players - 1)
    s = blank()
    s["players"] = players
    _read_table(reader, view, s)
    _read_pending(reader, view["to_decide"], s)
    _read_track_order(reader, view, s)
    hands = [_read_player(reader, view, s, i, observer) for i in range(players)]
    reader.stop_at_problems()
    _read_senate_order(reader, view, s)
    _check_senate(reader, s)
    _check_figures_and_markers(reader, s)
    if played:
        _check_board(reader, s)
    tops = _read_tops(reader, view)
    unseen = _unseen(reader, view, s, hands, tops)
    reader.stop_at_problems()
    stacks = _ordered(reader, view, _filled(unseen), tops)
    reader.stop_at_problems()
    _fill_stacks(s, stacks, tops)
    return _finished(s, unseen, observer)


def _finished(s: State, unseen: Unseen, observer: int | None) -> bytes:
    """Return the state with its derived fields, and with unseen things drawn."""
    s = fields(derived(state_bytes(s)))
    _count_unseen(s, unseen)
    state = state_bytes(s)
    drawn = state if observer is None else redrawn(state, observer, 0, HANDS_TRIED)
    if drawn is not None and DECISIONS[fields(drawn)["decision"]] != "over":
        legal = fields(drawn)["legal"]
        if legal & (legal - 1) == 0:
            drawn = None
    if drawn is None:
        raise TrajanError("to_decide: this decision has fewer than two legal actions here")
    return drawn


def _read_table(reader: ViewReader, view: Mapping[str, Any], s: State) -> None:
    """Read what does not belong to a player."""
    players = s["players"]
    try:
        options = check_options(NAME, OPTIONS, players, view["options"] or {})
        s["lap_length"] = options["lap_length"]
        s["options"] = option_bits(options)
    except TrajanError as error:
        reader.problems += [f"options: {problem}" for problem in error.problems]
    except (TypeError, AttributeError):
        reader.complain("options", f"must be a mapping, got {view['options']!r}")
    s["turn"] = reader.integer("turn", view["turn"], 0, MOST_TURN)
    s["quarter"] = reader.integer("quarter", view["quarter"], 1, QUARTERS) - 1
    s["round"] = reader.integer("round", view["round"], 1, ROUNDS) - 1
    s["time"] = reader.integer("time_marker", view["time_marker"], 0, max(s["lap_length"] - 1, 0))
    s["rounds_due"] = reader.integer("rounds_due", view["rounds_due"], 0, 12)
    s["ships"] = reader.members("coloured_ships", view["coloured_ships"], SHIPS)
    s["forum"] = reader.counts("forum", view["forum"], C.forum_tiles)
    s["provinces"] = reader.placed("provinces", view["provinces"], C.provinces, C.forum_tiles)
    s["sites"] = reader.placed("sites", view["sites"], C.sites, C.buildings)
    s["row"] = reader.counts("demands", view["demands"], C.symbols)
    s["offer"] = reader.members("bonus_offer", view["bonus_offer"], C.bonus_tiles)
    _read_piles(reader, view, s)


def _read_piles(reader: ViewReader, view: Mapping[str, Any], s: State) -> None:
    """Read the discard piles; unknown cards lie below those that are known."""
    given = reader.mapping("discard_piles", view["discard_piles"], (), SIDES)
    piles: list[list[int]] = []
    for side in SIDES:
        place = f"discard_piles.{side}"
        cards = given.get(side, [])
        pile = reader.names(place, cards, (UNKNOWN, *C.goods)) if cards else []
        unknown = cards.count(UNKNOWN) if pile else 0
        if any(pile[:unknown]):
            reader.complain(place, "unknown cards lie below the known ones: name them first")
        elif pile and unknown == len(pile):
            reader.complain(place, "the top card, the last, is seen")
        s["pile_unknown"][len(piles)] = unknown
        piles.append(pile)
    left, right = piles
    if len(left) + len(right) > DECK_CARDS:
        reader.complain("discard_piles", f"{len(left) + len(right)} cards, there are {DECK_CARDS}")
        return
    s["pile_size"] = [len(left), len(right)]
    s["piles"] = [*left, *[0] * (DECK_CARDS - len(left) - len(right)), *reversed(right)]


def _read_pending(reader: ViewReader, value: Any, s: State) -> None:
    """Read the decision and what is pending of it; None when the game is over."""
    if value is None:
        s["decision"] = DECISIONS.index("over")
        return
    pending = reader.mapping("to_decide", value, ("player",), ("decision", *PENDING_KEYS))
    last = s["players"] - 1
    s["decider"] = reader.integer("to_decide.player", pending.get("player"), 0, last)
    s["decision"] = reader.name(
        "to_decide.decision",
        pending.get("decision", "sow"),
        [name for name in DECISIONS if name != "over"],
    )
    decision = DECISIONS[s["decision"]]
    turn_of = pending.get("turn_of", pending.get("player"))
    s["active"] = reader.integer("to_decide.turn_of", turn_of, 0, last)
    if "action" in pending:
        s["target"] = reader.name("to_decide.action", pending["action"], C.actions)
    elif decision in C.actions:
        s["target"] = C.actions.index(decision)
    elif decision not in WITHOUT_ACTION:
        reader.complain("to_decide", f"action is missing: the tray that {decision} belongs to")
    s["sow_hand"] = reader.tray("to_decide.markers_in_hand", pending.get("markers_in_hand", []))
    if "next_tray" in pending:
        s["next_tray"] = reader.name("to_decide.next_tray", pending["next_tray"], C.trays)
    if pending.get("effect") is not None:
        s["effect"] = reader.name("to_decide.effect", pending["effect"], C.tile_names()) + 1
    if pending.get("free_action") is not None:
        number = reader.name("to_decide.free_action", pending["free_action"], C.actions)
        s["free_action"] = number + 1
    for key, field in (("in_free_action", "in_free"), ("extra_spent", "extra_spent")):
        s[field] = reader.flag(f"to_decide.{key}", pending.get(key, False))
    s["repeating"] = reader.name("to_decide.repeating", pending.get("repeating", "no"), REPEATING)
    s["repeats"] = reader.integer("to_decide.repeats_left", pending.get("repeats_left", 0), 0, 1)
    s["step"] = reader.integer("to_decide.step", pending.get("step", 0), 0, 11)
    _read_after(reader, decision, pending.get("after"), s)
    _check_pending(reader, decision, s)


def _read_after(reader: ViewReader, decision: str, value: Any, s: State) -> None:
    """Read the choice that the pending one follows."""
    place = "to_decide.after"
    if decision == "start":
        s["last"] = reader.members(place, value or [], C.stacks)
    elif decision == "play" or (decision in ("pair", "card") and value is not None):
        s["last"] = reader.name(place, value, C.goods) + (decision != "play")
    elif decision == "marker" and s["step"] % 2:
        s["last"] = reader.name(place, value, C.colours)
    elif value is not None:
        reader.complain(place, f"{decision} does not follow another choice, got {value!r}")


def _read_track_order(reader: ViewReader, view: Mapping[str, Any], s: State) -> None:
    """Read the order of the discs before the last senate ranking, kept for a final tie."""
    players = s["players"]
    if last_ranking_kept(s) and "track_order" in view:
        s["track"][:players] = reader.order("track_order", view["track_order"], players)
    elif last_ranking_kept(s):
        reader.complain(
            "track_order", "is missing: players by disc before the ranking, the lowest first"
        )
    elif "track_order" in view:
        reader.complain(
            "track_order",
            "belongs to final_tie: track after the senate ranking of quarter 4 alone",
        )


def _check_pending(reader: ViewReader, decision: str, s: State) -> None:
    """Check that what is pending belongs to the decision."""
    if decision == "payment" and not s["options"] & types.OPTION_CHOSEN_PAYMENT:
        reader.complain("to_decide.decision", "payment needs the option demand_payment: chosen")
    if decision in AT_QUARTER_END and s["round"] != ROUNDS - 1:
        reader.complain("round", f"must be {ROUNDS} at {decision}, got {s['round'] + 1}")
    if decision not in AT_QUARTER_END and s["active"] != s["decider"]:
        reader.complain(
            "to_decide.turn_of", f"{decision} is decided by the player whose turn it is"
        )
    running = s["free_action"] - 1 if s["in_free"] else s["target"]
    if decision in C.actions and running != C.actions.index(decision):
        reader.complain("to_decide.decision", f"{decision}, but the running action is another one")
    if decision in ("discard", "play", "pair", "card") and C.actions[running] != "seaport":
        reader.complain("to_decide.decision", f"{decision} belongs to the action seaport")
    if s["in_free"] and not s["free_action"]:
        reader.complain("to_decide.in_free_action", "there is no free_action")
    if (decision == "effect") != bool(s["effect"]):
        reader.complain("to_decide.effect", "a tile must be given for the decision effect alone")
    if decision not in ("drop", "marker") and s["sow_hand"]:
        reader.complain("to_decide.markers_in_hand", f"must be empty at the decision {decision}")
    most = {"marker": 11, "goods": 2, "start": 2, "pair": 2, "card": 3}.get(decision, 0)
    if s["step"] > most:
        reader.complain("to_decide.step", f"must be at most {most} at {decision}, got {s['step']}")


def _read_player(
    reader: ViewReader, view: Mapping[str, Any], s: State, player: int, observer: int | None
) -> int | None:
    """Read a player; return the size of the hand if it is unseen."""
    place = f"players[{player}]"
    before = len(reader.problems)
    free = (*PLAYER_DEFAULTS, "hand", "hand_size")
    board = reader.mapping(place, view["players"][player], ("trays",), free)
    seen = observer is None or player == observer
    key = "hand" if seen else "hand_size"
    if key not in board:
        reader.complain(place, f"{key} is missing")
    if not seen and "hand" in board:
        reader.complain(f"{place}.hand", f"player {observer} cannot know it")
    if len(reader.problems) > before:
        return None
    board = {**PLAYER_DEFAULTS, **board}
    p = s["player"][player]
    _read_board(reader, place, board, p)
    return _read_hand(reader, place, board, p)


def _read_hand(reader: ViewReader, place: str, board: Mapping[str, Any], p: State) -> int | None:
    """Read hand and display; return the size of the hand if it is unseen."""
    known = reader.counts(f"{place}.known_cards", board["known_cards"], C.goods, COPIES)
    p["known"] = packed(known)
    p["display"] = packed(reader.counts(f"{place}.display", board["display"], C.goods, COPIES))
    if "hand" not in board:
        return reader.integer(f"{place}.hand_size", board["hand_size"], sum(known), DECK_CARDS)
    hand = reader.counts(f"{place}.hand", board["hand"], C.goods, COPIES)
    p["hand"] = packed(hand)
    if board.get("hand_size", sum(hand)) != sum(hand):
        reader.complain(f"{place}.hand_size", f"the hand has {sum(hand)} cards")
    if any(k > h for k, h in zip(known, hand, strict=True)):
        reader.complain(f"{place}.known_cards", "has cards that are not in the hand")
    return None


def _read_board(reader: ViewReader, place: str, board: Mapping[str, Any], p: State) -> None:
    """Read what a player has but for goods cards."""

    def counts(key: str, names: Sequence[str], most: int) -> list[int]:
        return reader.counts(f"{place}.{key}", board[key], names, most)

    def members(key: str, names: Sequence[str]) -> int:
        return reader.members(f"{place}.{key}", board[key], names)

    p["score"] = reader.integer(f"{place}.score", board["score"], -MOST_SCORE, MOST_SCORE)
    trays = reader.entries(f"{place}.trays", board["trays"], C.trays)
    p["trays"] = [reader.tray(f"{place}.trays.{name}", trays.get(name, [])) for name in C.trays]
    slots = reader.placed(f"{place}.slots", board["slots"], C.trays, C.tile_names())
    p["slots"] = [NUMBERS["trajan_stacks"][C.tile_names()[t - 1]] + 1 if t else 0 for t in slots]
    p["arch"] = _read_arch(reader, f"{place}.arch", board["arch"], slots)
    if p["arch"] < len(C.trays) and slots[p["arch"]]:
        reader.complain(f"{place}.arch", "stands on a slot with a Trajan tile")
    if p["arch"] == len(C.trays) and not all(slots):
        reader.complain(f"{place}.arch", "stands in the centre only while all slots are filled")
    p["plus2"] = members("plus2", C.actions)
    for key, field in (("military_camp", "legionnaires"), ("worker_camp", "workers")):
        p[field] = reader.integer(f"{place}.{key}", board[key], 0, FIGURES)
    p["leader"] = reader.name(f"{place}.leader", board["leader"], ("camp", *C.provinces))
    p["legions_on"] = members("legionnaires", C.provinces)
    p["workers_on"] = members("workers", C.sites)
    there = p["legionnaires"] + p["workers"]
    there += p["legions_on"].bit_count() + p["workers_on"].bit_count()
    left = max(FIGURES - there, 0) if board["supply"] is None else board["supply"]
    p["supply"] = reader.integer(f"{place}.supply", left, 0, FIGURES)
    p["buildings"] = members("buildings", C.buildings)
    p["tiles"] = counts("forum_tiles", C.forum_tiles, 99)
    p["demands"] = _read_demand_tiles(reader, f"{place}.demand_tiles", board["demand_tiles"])
    p["gold"] = members("gold_bonus", C.bonus_tiles)
    p["silver"] = members("silver_bonus", C.bonus_tiles)
    names = [str(space) for space in SENATE]
    p["space"] = reader.name(f"{place}.senate", str(board["senate"]), names)


def _read_arch(reader: ViewReader, place: str, value: Any, slots: Sequence[int]) -> int:
    """Read where the arch stands; left out, on the only free slot there is."""
    free = [i for i, tile in enumerate(slots) if not tile]
    if value is None and len(free) <= 1:
        return free[0] if free else len(C.trays)
    if value is None and len(free) == len(slots):
        return 0
    if value is None:
        names = ", ".join(C.trays[i] for i in free)
        reader.complain(place, f"is missing: on which of the free slots, {names}, it stands")
        return 0
    return reader.name(place, value, (*C.trays, "centre"))


def _read_demand_tiles(reader: ViewReader, place: str, value: Any) -> list[int]:
    """Read Trajan demand tiles: how many of each symbol, or the tiles by name."""
    if not isinstance(value, list):
        return reader.counts(place, value, C.symbols, STACK_TILES)
    tiles = C.stack_names("demands")
    names = [tiles[number] for number in reader.names(place, value, tiles)]
    return [sum(name.startswith(f"{symbol}-") for name in names) for symbol in C.symbols]


def _named_demand_tiles(view: Mapping[str, Any]) -> list[str]:
    """Return the Trajan demand tiles that players are listed with by name."""
    tiles = Names(C.stack_names("demands"))
    listed = [board.get("demand_tiles") for board in view["players"]]
    return [str(tiles.find(name)) for names in listed if isinstance(names, list) for name in names]


def _read_senate_order(reader: ViewReader, view: Mapping[str, Any], s: State) -> None:
    """Read the order of the discs; left out, it follows from their spaces if they differ.

    On the start space of quarter 1 they lie in player order.
    """
    players = s["players"]
    spaces = [s["player"][player]["space"] for player in range(players)]
    if view["senate_order"] is not None:
        s["order"][:players] = reader.order("senate_order", view["senate_order"], players)
        return
    for space, count in Counter(spaces).items():
        if count > 1 and (space or s["quarter"]):
            who = [str(player) for player in range(players) if spaces[player] == space]
            reader.complain(
                "senate_order",
                f"is missing: of the discs of players {' and '.join(who)}, which lies lower",
            )
    s["order"][:players] = sorted(range(players), key=lambda player: spaces[player])


def _check_senate(reader: ViewReader, s: State) -> None:
    """Check the order of the discs, and what the ranking at a quarter's end has left."""
    order = s["order"][: s["players"]]
    spaces = [s["player"][player]["space"] for player in order]
    if spaces != sorted(spaces):
        reader.complain("senate_order", "must list the discs from the lowest space to the highest")
    decision = DECISIONS[s["decision"]]
    if decision in ("bonus", "over"):
        for player in range(s["players"]):
            if s["player"][player]["space"]:
                reader.complain(
                    f"players[{player}].senate",
                    "must be 0: the senate ranking has returned all discs to the start space",
                )
    if decision == "bonus" and s["decider"] != order[-1]:
        reader.complain(
            "to_decide.player", f"must be the winner, the last of senate_order: {order[-1]}"
        )


def _check_figures_and_markers(reader: ViewReader, s: State) -> None:
    """Check that every player has all figures and markers."""
    placing = DECISIONS[s["decision"]] == "marker"
    for i in range(s["players"]):
        p = s["player"][i]
        figures = p["supply"] + p["legionnaires"] + p["workers"]
        figures += p["legions_on"].bit_count() + p["workers_on"].bit_count()
        if figures != FIGURES:
            reader.complain(f"players[{i}]", f"{figures} figures, there must be {FIGURES}")
        trays = [*p["trays"], s["sow_hand"]] if i == s["active"] else p["trays"]
        markers = sum(tray.bit_count() for tray in trays)
        halves = [sum(tray >> c & 1 for tray in trays) for c in range(len(C.colours))]
        seconds = [sum(t >> c + SECOND_MARKER & 1 for t in trays) for c in range(len(C.colours))]
        pairs = [a + b for a, b in zip(halves, seconds, strict=True)]
        wanted = [2] * len(C.colours)
        if placing and i > s["active"]:
            wanted = [0] * len(C.colours)
        if pairs != wanted:
            reader.complain(
                f"players[{i}].trays",
                f"{markers} markers, there must be {sum(wanted)}, two of each colour"
                if sum(wanted)
                else "must be empty: this player has not placed markers yet",
            )


def _connected(sites: int) -> bool:
    """Return whether sites, as bits, hang together."""
    columns = len(C.data["site_columns"])
    left = {divmod(i, columns) for i in range(len(C.sites)) if sites >> i & 1}
    edge = {min(left)} if left else set()
    while edge:
        left -= edge
        beside = {
            (row + down, column + right)
            for row, column in edge
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
        }
        edge = beside & left
    return not left


def _check_board(reader: ViewReader, s: State) -> None:
    """Check what only the course of a game rules out."""
    players = range(s["players"])
    workers = 0
    for i in players:
        workers |= s["player"][i]["workers_on"]
    for i, site in enumerate(C.sites):
        if s["sites"][i] and workers >> i & 1:
            reader.complain(f"sites.{site}", "its tile lies there although a worker stands on it")
        elif not s["sites"][i] and not workers >> i & 1:
            reader.complain("sites", f"{site} has no tile and no worker: nobody has built there")
    occupied = 0
    for i in players:
        _check_player(reader, f"players[{i}]", s, i)
        p = s["player"][i]
        occupied |= p["legions_on"] | (1 << p["leader"]) >> 1
    for i, province in enumerate(C.provinces):
        if s["provinces"][i] and occupied >> i & 1:
            reader.complain(
                f"provinces.{province}", "its tile lies there although a figure has come there"
            )
    spaces = C.data["players"][s["players"]]["forum"] + C.data["extra_spaces"]
    if sum(s["forum"]) > spaces:
        reader.complain("forum", f"{sum(s['forum'])} tiles, it holds {spaces}")


def _check_player(reader: ViewReader, place: str, s: State, player: int) -> None:
    p = s["player"][player]
    if not _connected(p["workers_on"]):
        reader.complain(f"{place}.workers", "must stand on connected sites")
    if p["buildings"].bit_count() > p["workers_on"].bit_count():
        reader.complain(f"{place}.buildings", "more than this player has workers on sites")
    if p["legions_on"] and not p["leader"]:
        reader.complain(f"{place}.leader", "has left the camp, as there are legionnaires")
    if not p["gold"] and DECISIONS[s["decision"]] != "marker":
        reader.complain(f"{place}.gold_bonus", "has no tile: everybody began with one")


def _exclude(
    reader: ViewReader, place: str, everything: Sequence[str], seen: Sequence[str]
) -> Any:
    """Return what of `everything` is not `seen`, in the order of `everything`."""
    left = Counter(everything)
    left.subtract(Counter(seen))
    for name, count in left.items():
        if count < 0:
            there = Counter(everything)[name]
            reader.complain(place, f"{there - count} x {name}, there are {there}")
    return [name for name in left for _ in range(max(left[name], 0))]


def _repeat(names: Sequence[str], numbers: Sequence[int]) -> list[str]:
    return [name for name, number in zip(names, numbers, strict=True) for _ in range(number)]


@dataclass
class Unseen:
    """What lies where nobody sees it, by exclusion.

    ``stacks`` holds the names that may be in each hidden stack and ``sizes`` how many are, fewer
    where it is not known what left the game. ``extras`` are extra-action tiles of which it is not
    known either whether they are of the forum supply. Goods are dealt already.
    """

    stacks: dict[str, Any]
    sizes: dict[str, Any]
    extras: list[str]


def _unseen(
    reader: ViewReader,
    view: Mapping[str, Any],
    s: State,
    hands: Sequence[int | None],
    tops: Mapping[str, str],
) -> Unseen:
    """Return what every hidden stack may hold; deal the unseen goods to hands and piles."""
    boards = s["player"][: s["players"]]
    found = Unseen({}, {}, [])
    bonus = members(C.bonus_tiles, s["offer"])
    for p in boards:
        bonus += members(C.bonus_tiles, p["gold"]) + members(C.bonus_tiles, p["silver"])
    buildings = [C.buildings[number - 1] for number in s["sites"] if number]
    buildings += [name for p in boards for name in members(C.buildings, p["buildings"])]
    for name in _exclude(reader, "sites and buildings", C.buildings, buildings):
        reader.complain("sites and buildings", f"{name} is neither on a site nor owned")
    _unseen_tiles(reader, view, s, found)
    _unseen_demands(reader, view, s, found)
    _check_bonus_tiles(reader, s)
    found.stacks["bonus_tiles"] = _exclude(reader, "bonus tiles", C.bonus_tiles, bonus)
    found.sizes["bonus_tiles"] = len(found.stacks["bonus_tiles"])
    _unseen_stacks(reader, view, s, tops, found)
    _unseen_goods(reader, view, s, hands, found)
    return found


def _unseen_tiles(reader: ViewReader, view: Mapping[str, Any], s: State, found: Unseen) -> None:
    """Work out the forum and the extra-action supply."""
    tiles = _repeat(C.forum_tiles, s["forum"])
    tiles += [C.forum_tiles[tile - 1] for tile in s["provinces"] if tile]
    for p in s["player"][: s["players"]]:
        tiles += _repeat(C.forum_tiles, p["tiles"])
    gone = reader.counts("forum_gone", view.get("forum_gone", {}), C.forum_tiles)
    tiles += _repeat(C.forum_tiles, gone)
    extra_size = len(C.extra_supply()) - C.data["extra_spaces"] * (s["quarter"] + 1)
    if "extra_supply" in view:
        extra = reader.counts("extra_supply", view["extra_supply"], C.extra_tiles, 2)
        tiles += _repeat(C.extra_tiles, extra)
        found.stacks["extra_supply"] = _repeat(C.extra_tiles, extra)
        if sum(extra) != extra_size:
            reader.complain("extra_supply", f"{sum(extra)} tiles, there must be {extra_size}")
    everything = C.forum_supply() + C.extra_supply()
    left = _exclude(reader, "forum tiles", everything, tiles)
    if "extra_supply" not in view:
        found.extras = [name for name in left if name in C.extra_tiles]
        left = [name for name in left if name not in C.extra_tiles]
        found.stacks["extra_supply"] = found.extras
    found.stacks["forum_supply"] = left
    found.sizes["extra_supply"] = extra_size
    others = len(left) + max(len(found.extras) - extra_size, 0)
    found.sizes["forum_supply"] = _supply_size(reader, view, s, others)


def _supply_size(reader: ViewReader, view: Mapping[str, Any], s: State, unseen: int) -> int:
    """Return the height of the forum supply, of which `unseen` tiles may be."""
    filled = C.data["players"][s["players"]]["forum"] * (s["quarter"] + 1)
    most = max(len(C.forum_supply()) - len(C.provinces) - filled, 0)
    if "forum_supply" in view:
        size = reader.integer("forum_supply", view["forum_supply"], 0, most)
    elif "forum_gone" in view and "extra_supply" in view:
        size = unseen
    else:
        size = min(unseen, most)
    if size > most:
        reader.complain(
            "forum_gone",
            f"{size} forum tiles are in no other place, and the supply has at most "
            f"{most} in this quarter: list the tiles that left the game",
        )
    if size > unseen:
        reader.complain("forum_supply", f"{size} tiles, only {unseen} are in no other place")
    return min(size, unseen)


def _unseen_demands(reader: ViewReader, view: Mapping[str, Any], s: State, found: Unseen) -> None:
    """Work out the stack of demand tiles; its height follows from quarter and round."""
    gone = reader.counts("demands_gone", view.get("demands_gone", {}), C.symbols)
    quarter, decision = s["quarter"], DECISIONS[s["decision"]]
    settled_later = quarter == QUARTERS - 1 and not s["options"] & types.OPTION_CHOSEN_PAYMENT
    paid = decision == "over" or (decision == "bonus" and not settled_later)
    here = 0 if paid else s["round"]
    before = quarter * (ROUNDS - 1) + s["round"] - here
    if "demands_gone" in view and sum(gone) > before:
        reader.complain("demands_gone", f"{sum(gone)} tiles, there must be {before}")
    if sum(s["row"]) != here:
        reader.complain("demands", f"{sum(s['row'])} tiles, there must be {here} in this round")
    seen = _repeat(C.symbols, s["row"]) + _repeat(C.symbols, gone)
    found.stacks["demands"] = _exclude(reader, "demand tiles", C.demand_tiles(), seen)
    found.sizes["demands"] = len(C.demand_tiles()) - here - before


def _check_bonus_tiles(reader: ViewReader, s: State) -> None:
    """Check the numbers of bonus tiles that quarter and decision fix."""
    quarter, decision = s["quarter"], DECISIONS[s["decision"]]
    offered = 0 if decision in ("marker", "over") else 2
    if s["offer"].bit_count() != offered:
        reader.complain("bonus_offer", f"{s['offer'].bit_count()} tiles, there must be {offered}")
    taken = sum((p["gold"] | p["silver"]).bit_count() for p in s["player"])
    there = s["players"] + 2 * quarter + 2 * (decision == "over") if decision != "marker" else 0
    if taken != there:
        reader.complain(
            "bonus tiles",
            f"the players have {taken}, there must be {there} in quarter {quarter + 1}",
        )


def _unseen_goods(
    reader: ViewReader,
    view: Mapping[str, Any],
    s: State,
    hands: Sequence[int | None],
    found: Unseen,
) -> None:
    """Deal the unseen goods, in order, to hands and to the unknown cards of the piles."""
    goods = [C.goods[card - 1] for card in s["piles"] if card]
    for p, size in zip(s["player"][: s["players"]], hands, strict=True):
        hand = p["hand"] if size is None else p["known"]
        goods += _repeat(C.goods, goods_of(hand)) + _repeat(C.goods, goods_of(p["display"]))
    left = [
        NUMBERS["goods_deck"][name] for name in _exclude(reader, "goods", C.goods_deck(), goods)
    ]
    for i, size in enumerate(hands):
        if size is None:
            continue
        p = s["player"][i]
        unknown = size - sum(goods_of(p["known"]))
        if unknown > len(left):
            place = f"players[{i}].hand_size"
            reader.complain(place, f"{size} cards, too many for what is unseen")
            return
        extra = Counter(left[:unknown])
        p["hand"] = p["known"] + sum(count << 4 * good for good, count in extra.items())
        left = left[unknown:]
    left = _bury(reader, view, s, left)
    found.stacks["goods_deck"] = [C.goods[good] for good in left]
    found.sizes["goods_deck"] = len(left)


def _bury(reader: ViewReader, view: Mapping[str, Any], s: State, left: list[int]) -> list[int]:
    """Put unknown cards under the discard piles; return what remains for the deck."""
    marked = sum(s["pile_unknown"])
    under = marked
    if "goods_deck" in view:
        deck = reader.integer("goods_deck", view["goods_deck"], 0, max(len(left) - marked, 0))
        under = len(left) - deck
        if marked and under != marked:
            reader.complain(
                "goods_deck", f"{under} cards would be unknown in the piles, {marked} are marked"
            )
        if under and not all(s["pile_size"]):
            reader.complain("discard_piles", "name the top card of both piles")
    if under > len(left):
        reader.complain("discard_piles", f"{under} unknown cards, only {len(left)} are unseen")
        return left
    if under and not marked:
        s["pile_unknown"] = [under - under // 2, under // 2]
        s["pile_size"] = [a + b for a, b in zip(s["pile_size"], s["pile_unknown"], strict=True)]
        cards = [card for card in s["piles"] if card]
        known = s["pile_size"][0] - s["pile_unknown"][0]
        first, second = s["pile_unknown"]
        middle = [0] * (DECK_CARDS - len(cards) - under)
        s["piles"] = [*[0] * first, *cards[:known], *middle, *cards[known:], *[0] * second]
    places = list(range(s["pile_unknown"][0]))
    places += [DECK_CARDS - 1 - i for i in range(s["pile_unknown"][1])]
    for place in places:
        s["piles"][place] = left.pop() + 1
    return left


def _read_tops(reader: ViewReader, view: Mapping[str, Any]) -> dict[str, str]:
    """Return the tile on top of each stack."""
    tops = {}
    for stack, tile in reader.entries("trajan_tops", view["trajan_tops"], C.stacks).items():
        names = C.stack_names(stack)
        tops[stack] = names[reader.name(f"trajan_tops.{stack}", tile, names)]
    return tops


def _unseen_stacks(
    reader: ViewReader,
    view: Mapping[str, Any],
    s: State,
    tops: Mapping[str, str],
    found: Unseen,
) -> None:
    """Work out the tiles of each stack below its top; all of them while markers are placed."""
    names = C.tile_names()
    stack_of = {tile.name: tile.stack for tile in C.tiles}
    gone = _trajan_gone(reader, view, s)
    gone += [names[s["effect"] - 1]] if s["effect"] else []
    slots = [names[t - 1] for p in s["player"] for t in p["slots"] if t]
    heights = reader.mapping("trajan_stacks", view.get("trajan_stacks", {}), (), C.stacks)
    placing = DECISIONS[s["decision"]] == "marker"
    found.stacks["trajan_stacks"], found.sizes["trajan_stacks"] = {}, {}
    for stack in C.stacks:
        seen = [name for name in (*gone, *slots) if stack_of[name] == stack]
        if stack in tops:
            seen.append(tops[stack])
        left = _exclude(reader, f"Trajan stack {stack}", C.stack_names(stack), seen)
        size = len(left)
        if stack in heights:
            most = len(left) + (stack in tops)
            height = reader.integer(f"trajan_stacks.{stack}", heights[stack], 0, most)
            size = max(height - (stack in tops), 0)
        if size and stack not in tops and not placing:
            reader.complain("trajan_tops", f"{stack} is missing; {size} tiles are not seen")
        found.stacks["trajan_stacks"][stack] = left
        found.sizes["trajan_stacks"][stack] = size


def _trajan_gone(reader: ViewReader, view: Mapping[str, Any], s: State) -> list[str]:
    """Return the Trajan tiles known to have left their stacks and slots."""
    names = C.tile_names()
    gone = [names[i] for i in reader.names("trajan_gone", view.get("trajan_gone", []), names)]
    listed = Counter(_named_demand_tiles(view))
    gone += (listed - Counter(gone)).elements()
    kept = [sum(p["demands"][i] for p in s["player"]) for i in range(len(C.symbols))]
    for i, symbol in enumerate(C.symbols):
        there = sum(name.startswith(f"{symbol}-") for name in gone)
        if there != kept[i]:
            reader.complain(
                "trajan_gone",
                f"{there} {symbol} tiles, but players keep {kept[i]} in demand_tiles: "
                "name them there or here",
            )
    return gone


def _filled(unseen: Unseen) -> dict[str, Any]:
    """Return the hidden stacks filled with what may lie there, each to its size."""
    extras = unseen.extras[unseen.sizes["extra_supply"] :]
    stacks = {**unseen.stacks, "forum_supply": unseen.stacks["forum_supply"] + extras}
    result = {
        key: stacks[key][: unseen.sizes[key]] for key in unseen.sizes if key != "trajan_stacks"
    }
    result["trajan_stacks"] = {
        stack: names[: unseen.sizes["trajan_stacks"][stack]]
        for stack, names in stacks["trajan_stacks"].items()
    }
    return result


def _count_unseen(s: State, unseen: Unseen) -> None:
    """Store what may lie in each stack where that is more than its size."""
    for key, field, names in (
        ("forum_supply", "supply_counts", C.forum_tiles),
        ("extra_supply", "extra_counts", C.extra_tiles),
        ("demands", "demand_counts", C.symbols),
    ):
        counts = Counter(unseen.stacks[key])
        s[field] = [counts[name] for name in names]
    for i, stack in enumerate(C.stacks):
        s["stack_hidden"][i] = _bits_of_stack(i, unseen.stacks["trajan_stacks"][stack])


def _fill_stacks(s: State, stacks: Mapping[str, Any], tops: Mapping[str, str]) -> None:
    """Store the hidden stacks."""
    for key, (field, height) in HIDDEN_STACKS.items():
        s[height] = put_stack(s[field], 0, key, stacks[key])
    s["bonus_hidden"] = sum(1 << NUMBERS["bonus_tiles"][name] for name in stacks["bonus_tiles"])
    for i, stack in enumerate(C.stacks):
        top = [tops[stack]] if stack in tops else []
        _fill_stack(s, i, stacks["trajan_stacks"][stack], top)


def _fill_stack(s: State, stack: int, hidden: Sequence[str], top: Sequence[str]) -> None:
    """Store a Trajan stack."""
    first = stack * STACK_TILES
    s["stack_size"][stack] = put_stack(s["stacks"], first, "trajan_stacks", [*top, *hidden])


def _bits_of_stack(stack: int, hidden: Sequence[str]) -> int:
    """Return hidden tiles of a stack as bits; of equal ones the lower is the last to be hidden."""
    bits = 0
    for name in hidden:
        bit = NUMBERS["trajan_stacks"][name] - stack * STACK_TILES
        bits |= 1 << (bit + 1 if bits >> bit & 1 else bit)
    return bits


def _ordered(
    reader: ViewReader, view: Mapping[str, Any], stacks: dict[str, Any], tops: Mapping[str, str]
) -> dict[str, Any]:
    """Return the stacks in the order that the view's `hidden` gives, if it does."""
    if view.get("hidden") is None:
        return stacks
    hidden = reader.mapping("hidden", view["hidden"], tuple(stacks))
    below = reader.mapping("hidden.trajan_stacks", hidden.get("trajan_stacks"), C.stacks)
    reader.stop_at_problems()
    result: dict[str, Any] = {
        key: reader.shuffled(f"hidden.{key}", hidden[key], stacks[key]) for key in HIDDEN_STACKS
    }
    result["trajan_stacks"] = {
        stack: reader.shuffled(
            f"hidden.trajan_stacks.{stack}",
            below[stack][1:] if stack in tops and isinstance(below[stack], list) else below[stack],
            stacks["trajan_stacks"][stack],
        )
        for stack in C.stacks
    }
    reader.stop_at_problems()
    return result
