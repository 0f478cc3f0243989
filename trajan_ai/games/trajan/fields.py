"""The fields of a view of Trajan: their keys, their kinds and their names in a state.

`TABLE` contains the keys of a view, `DECISION` those of ``to_decide``, and `PLAYER` those of each
entry of ``players``. These keys are also the schema of position files.
`trajan_ai.games.kit.fields` describes how `views`, `reading` and the page use the tables.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.errors import Key
from trajan_ai.games.kit.fields import (
    AS_IT_IS,
    FLAG,
    Field,
    FieldTable,
    Kind,
    count_by_name,
    counts,
    each,
    edit_places,
    if_present,
    list_members,
    members,
    name,
    name_or_none,
    number,
    placed,
    unless_empty,
)
from trajan_ai.games.kit.reader import Reader
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.setup import tray_of

DECISIONS = names(rules, "DECIDE_")
SHIPS = names(rules, "SHIP_")
REPEATING = tuple(name.replace("_", " ") for name in names(rules, "REPEATING_"))
# Decisions that belong to no action, and those among them that occur at the end of a quarter.
WITHOUT_ACTION = ("sow", "bonus", "payment", "marker", "goods", "start")
AT_QUARTER_END = ("bonus", "payment")
UNKNOWN = "unknown"  # a card of a discard pile that the observer does not remember
SIDES = ("left", "right")
SENATE: tuple[int, ...] = (0, *range(2, rules.LAST_SPACE + 2))  # names of the spaces
COPIES = C.data["copies_of_good"]
FIGURES = C.data["figures"]
MAX_SCORE = 9_999
MAX_TURN = 0xFFFF


# --- goods, markers, piles and senate spaces -----------------------------------------------------


def goods_of(packed: int) -> list[int]:
    """Return the count of each good in a packed number."""
    return [packed >> 4 * i & 15 for i in range(len(C.goods))]


def packed(numbers: Sequence[int]) -> int:
    """Return counts of goods as a packed number."""
    return sum(min(number, COPIES) << 4 * i for i, number in enumerate(numbers))


GOODS = Kind(
    show=lambda packed: count_by_name(C.goods, goods_of(packed)),
    read=lambda part, key: packed(part.counts(key, C.goods, COPIES)),
)


def markers_of(tray: int) -> list[str]:
    """Return the colours of a tray's markers."""
    return [
        colour
        for i, colour in enumerate(C.colours)
        for _ in range((tray >> i & 1) + (tray >> i + rules.SECOND_MARKER & 1))
    ]


def _read_tray(part: Reader, key: Key) -> int:
    """Read a list of colours as the bits of a tray."""
    markers = Counter(C.colours[colour] for colour in part.names(key, C.colours))
    for colour, count in markers.items():
        if count > 2:
            part.complain(key, f"more than two {colour} markers")
    return tray_of(markers.elements())


MARKERS = Kind(markers_of, _read_tray)


def _show_piles(state: tuple[Sequence[int], Sequence[int], Sequence[int]]) -> dict[str, list[str]]:
    """Return both discard piles, the top card last, with the forgotten cards at the bottom."""
    piles, (left, right), forgotten = state
    cards = piles[:left], piles[rules.DECK_CARDS - right :][::-1]
    return {
        side: [UNKNOWN] * unknown + [C.goods[card - 1] for card in pile[unknown:]]
        for side, pile, unknown in zip(SIDES, cards, forgotten, strict=True)
    }


def _read_piles(view: Reader, key: Key) -> tuple[list[int], list[int], list[int]] | None:
    """Return the discard piles, in which unknown cards lie below the known ones."""
    part = view.part(key, SIDES)
    piles: list[list[int]] = []
    forgotten = []
    for side in SIDES:
        pile = part.names(side, (UNKNOWN, *C.goods))
        unknown = pile.count(0)
        if any(pile[:unknown]):
            part.complain(side, "unknown cards lie below the known ones, so they must come first")
        elif pile and unknown == len(pile):
            part.complain(
                side, "the last card is the top card, which is visible and must be named"
            )
        forgotten.append(unknown)
        piles.append(pile)
    left, right = piles
    between = rules.DECK_CARDS - len(left) - len(right)
    if between < 0:
        part.complain((), f"{len(left) + len(right)} cards, but there are only {rules.DECK_CARDS}")
        return None
    cards = [*left, *[0] * between, *reversed(right)]
    return cards, [len(left), len(right)], forgotten


PILES = Kind(_show_piles, _read_piles)
SPACE = Kind(
    show=SENATE.__getitem__,
    read=lambda part, key: part.name(key, [str(space) for space in SENATE], "0"),
)


def next_space(space: int) -> int:
    """Return the senate space after `space`, or the last one."""
    return SENATE[min(SENATE.index(space) + 1, len(SENATE) - 1)]


def _read_demand_tiles(board: Reader, key: Key) -> list[int]:
    """Read Trajan demand tiles: counts of each symbol, or tiles by name."""
    if not isinstance(board.get(key), list):
        return board.counts(key, C.symbols, rules.STACK_TILES)
    tiles = read_named_demand_tiles(board)
    return [sum(tile.startswith(f"{symbol}-") for tile in tiles) for symbol in C.symbols]


def read_named_demand_tiles(board: Reader) -> list[str]:
    """Return the Trajan demand tiles that are listed by name for a player."""
    if not isinstance(board.get("demand_tiles"), list):
        return []
    tiles = C.stack_names("demands")
    return [tiles[number] for number in board.names("demand_tiles", tiles)]


# --- when a view has a key -----------------------------------------------------------------------


def is_extra_certain(s: Mapping[str, Any]) -> bool:
    """Return whether the tiles in the extra-action supply are known."""
    return bool(sum(s["extra_counts"]) == s["extra_size"])


def hidden_below(s: Mapping[str, Any], stack: int) -> int:
    """Return the number of tiles in a Trajan stack that nobody has seen."""
    all_hidden = DECISIONS[s["decision"]] == "marker"
    return max(int(s["stack_size"][stack]) - (not all_hidden), 0)


def _is_deck_uncertain(s: Mapping[str, Any]) -> bool:
    return any(s["pile_unknown"])


def _is_supply_uncertain(s: Mapping[str, Any]) -> bool:
    """Return whether forum tiles may have left the game."""
    possible = sum(s["supply_counts"]) + sum(s["extra_counts"])
    return bool(possible > s["supply_size"] + s["extra_size"])


def _are_stacks_uncertain(s: Mapping[str, Any]) -> bool:
    """Return whether Trajan tiles may have left the game."""
    return any(
        hidden.bit_count() > hidden_below(s, i) for i, hidden in enumerate(s["stack_hidden"])
    )


def has_track_order(s: Mapping[str, Any]) -> bool:
    """Return whether the state contains the order of the discs before the last senate ranking."""
    ranked = DECISIONS[s["decision"]] in ("bonus", "over") and s["quarter"] == rules.QUARTERS - 1
    return ranked and bool(s["options"] & rules.OPTION_FINAL_TIE_TRACK)


# --- the tables ----------------------------------------------------------------------------------


def _first(players_and_order: tuple[int, list[int]]) -> list[int]:
    """Return the first entries of the order, one for each player of the game."""
    players, order = players_and_order
    return order[:players]


ORDER = Kind(_first)

TABLE = FieldTable(
    Field("observer", example="0"),
    Field("options"),
    Field("turn", number(0, MAX_TURN), drawn=("time",)),
    Field("quarter", number(1, rules.QUARTERS, zero=1), drawn=("time",)),
    Field("round", number(1, rules.ROUNDS, zero=1), drawn=("time",)),
    Field("time_marker", AS_IT_IS, "time", drawn=("time",)),
    Field("rounds_due", number(0, 12), drawn=("time",)),
    Field("to_decide", example="{player: 0, ..}"),
    Field("players", example="[{trays: {..}, ..}, ..]"),
    Field("senate_order", ORDER, ("players", "order")),
    Field("coloured_ships", members(SHIPS, default=len(SHIPS)), "ships", drawn=("ship {name}",)),
    Field("forum", counts(C.forum_tiles), drawn=("forum",)),
    Field("provinces", placed(C.provinces, C.forum_tiles), drawn=("province {name}",)),
    Field("sites", placed(C.sites, C.buildings), drawn=("site {name}",)),
    Field("demands", counts(C.symbols), "row", drawn=("demands",)),
    Field("bonus_offer", members(C.bonus_tiles), "offer", drawn=("offer",)),
    Field("discard_piles", PILES, ("piles", "pile_size", "pile_unknown"), drawn=("pile {key}",)),
    # The contents of hidden stacks follow from these keys by exclusion. A view omits contents that
    # nobody remembers; they are sampled when a file is read.
    Field("trajan_tops", drawn=("stack {key}",)),
    Field("trajan_gone"),
    Field("forum_gone"),
    Field("demands_gone"),
    Field("extra_supply", Kind(counts(C.extra_tiles).show), "extra_counts", when=is_extra_certain),
    Field("goods_deck", AS_IT_IS, "deck_size", when=_is_deck_uncertain, drawn=("deck",)),
    Field("forum_supply", AS_IT_IS, "supply_size", when=_is_supply_uncertain),
    Field(
        "trajan_stacks",
        Kind(lambda sizes: dict(zip(C.stacks, sizes, strict=True))),
        "stack_size",
        when=_are_stacks_uncertain,
    ),
    Field("track_order", ORDER, ("players", "track"), when=has_track_order),
    Field("hidden"),
)


def _show_after(state: tuple[int, int, int]) -> Any:
    """Return the choice that preceded the pending decision."""
    decided, step, last = state
    decision = DECISIONS[decided]
    if decision == "marker":
        return C.colours[last] if step % 2 else None
    if decision == "play":
        return C.goods[last]
    if decision in ("pair", "card"):
        return C.goods[last - 1] if last else None
    return list_members(C.stacks, last)


DECISION = FieldTable(
    Field("player", AS_IT_IS, "decider", example="0"),
    Field("decision", name([one for one in DECISIONS if one != "over"], "sow")),
    Field("turn_of", AS_IT_IS, "active"),
    Field(
        "action",
        if_present(name(C.actions)),
        "target",
        when=lambda s: DECISIONS[s["decision"]] not in WITHOUT_ACTION,
    ),
    Field("markers_in_hand", unless_empty(MARKERS), "sow_hand", drawn=("marker",)),
    Field(
        "next_tray",
        if_present(name(C.trays)),
        when=lambda s: s["decision"] == rules.DECIDE_DROP,
    ),
    Field("effect", name_or_none(C.tile_names())),
    Field("free_action", name_or_none(C.actions)),
    Field("in_free_action", unless_empty(FLAG), "in_free"),
    Field(
        "repeating",
        Kind(
            show=lambda what: REPEATING[what] if what else None,
            read=lambda part, key: part.name(key, REPEATING, "no"),
        ),
    ),
    Field("repeats_left", unless_empty(number(0, 1)), "repeats"),
    Field("extra_spent", unless_empty(FLAG)),
    Field("step", unless_empty(number(0, 11))),
    Field("after", unless_empty(Kind(_show_after)), ("decision", "step", "last")),
)

PLAYER = FieldTable(
    Field("score", number(-MAX_SCORE, MAX_SCORE), drawn=("score {player}",)),
    Field("hand_size", AS_IT_IS, drawn=("hand {player}",)),
    Field("hand", drawn=("hand {player}",)),
    Field("known_cards", GOODS, "known", drawn=("hand {player}",)),
    Field("display", GOODS, drawn=("display {player}",)),
    Field(
        "trays",
        each(C.trays, MARKERS),
        example="{I: [blue, green], ..}",
        drawn=("tray {player} {key}",),
    ),
    Field(
        "slots",
        placed(C.trays, C.tile_names()),
        drawn=("tray {player} {name}", "slot {player} {name}"),
    ),
    Field(
        "arch",
        if_present(name((*C.trays, "centre"))),
        drawn=("tray {player}", "slot {player}"),
    ),
    Field("plus2", members(C.actions), drawn=("field {player} {name}",)),
    Field("supply", number(0, FIGURES), drawn=("camp {player}",)),
    Field("military_camp", number(0, FIGURES), "legionnaires", drawn=("camp {player}",)),
    Field("worker_camp", number(0, FIGURES), "workers", drawn=("camp {player}",)),
    Field("leader", name(("camp", *C.provinces), "camp"), drawn=("camp {player}", "province")),
    Field("legionnaires", members(C.provinces), "legions_on", drawn=("province {name}",)),
    Field("workers", members(C.sites), "workers_on", drawn=("site {name}",)),
    Field("buildings", members(C.buildings), drawn=("built {player}",)),
    Field("forum_tiles", counts(C.forum_tiles), "tiles", drawn=("tile {player}",)),
    Field(
        "demand_tiles",
        Kind(counts(C.symbols).show, _read_demand_tiles),
        "demands",
        drawn=("tile {player}",),
    ),
    Field("gold_bonus", members(C.bonus_tiles), "gold", drawn=("bonus {player}",)),
    Field("silver_bonus", members(C.bonus_tiles), "silver", drawn=("bonus {player}",)),
    Field("senate", SPACE, "space", drawn=("senate",)),
)

EDIT_PLACES = edit_places({"": TABLE, "to_decide.": DECISION, "players[{player}].": PLAYER})
