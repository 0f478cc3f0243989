"""The constant tables of the compiled rules, named like the fields of the struct in tables.pxi."""

from typing import Any

from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.notation import EQUAL_SHIPMENTS, PAYING, PAYMENTS

# For each effect in components.yaml: its number, its amount, and the factor of its worth.
EFFECTS = {
    "cards2": (rules.EFFECT_CARDS, 2, 1),
    "points": (rules.EFFECT_POINTS, 0, 0),
    "worker1": (rules.EFFECT_WORKERS, 1, 1),
    "worker2": (rules.EFFECT_WORKERS, 2, 2),
    "legion1": (rules.EFFECT_LEGIONS, 1, 1),
    "legion2": (rules.EFFECT_LEGIONS, 2, 2),
    "plus2": (rules.EFFECT_PLUS2, 0, 1),
} | {symbol: (rules.EFFECT_DEMAND, number, 1) for number, symbol in enumerate(C.symbols)}


def _padded(values: list[int], size: int) -> list[int]:
    """Return the values, padded with zeros to the size of the array."""
    return values + [0] * (size - len(values))


def _bit_tables() -> dict[str, Any]:
    bits = [[bit for bit in range(6) if mask >> bit & 1] for mask in range(rules.SETS_OF_6)]
    return {
        "set_of_6": [len(places) for places in bits],
        "pick_of_6": [_padded(places, rules.PICKS_OF_6) for places in bits],
    }


def _tray_tables() -> dict[str, Any]:
    """Return the results of sowing for each tray and number of markers."""
    trays, counts = range(rules.TRAYS), range(rules.MARKER_COUNTS)
    ways = [
        [[(tray + step) % rules.TRAYS for step in range(1, markers + 1)] for markers in counts]
        for tray in trays
    ]
    return {
        "tray_after": [tray % rules.TRAYS for tray in range(rules.TRAYS_ON)],
        "leads_to": [[way[-1] if way else rules.NO_TRAY for way in row] for row in ways],
        "passed": [[sum(1 << tray for tray in set(way)) for way in row] for row in ways],
        "sown": [[sum(1 << 4 * tray for tray in way) for way in row] for row in ways],
    }


def _markers(colours: tuple[str, str]) -> int:
    """Return two markers as bits of a tray."""
    first, second = map(C.colours.index, colours)
    return 0x101 << first if first == second else 1 << first | 1 << second


def _tile_tables() -> dict[str, Any]:
    """Return tables of Trajan tiles (index: number + 1), stacks and bonus tiles."""
    names = C.tile_names()
    effects = [EFFECTS[tile.effect] for tile in C.tiles]
    columns = {
        "need": [_markers(tile.colours) for tile in C.tiles],
        "tile_vp": [tile.vp for tile in C.tiles],
        "tile_effect": [effect for effect, _, _ in effects],
        "tile_amount": [amount for _, amount, _ in effects],
        "tile_factor": [factor for _, _, factor in effects],
        "tile_bit": [number % rules.STACK_TILES for number in range(len(names))],
    }
    stacks = [
        names[first : first + rules.STACK_TILES]
        for first in range(0, len(names), rules.STACK_TILES)
    ]
    return {
        name: _padded([0, *column], rules.ROOM_OF_TILES) for name, column in columns.items()
    } | {
        "same_as_next": [
            sum(1 << bit for bit in range(len(stack) - 1) if stack[bit] == stack[bit + 1])
            for stack in stacks
        ],
        "tile_byte": [[names.index(name) + 1 for name in stack] for stack in stacks],
        "bonus_byte": list(range(1, rules.BONUSES + 1)),
        "gold_vp": [gold for gold, _ in C.data["bonus_tiles"].values()],
        "silver_vp": [silver for _, silver in C.data["bonus_tiles"].values()],
    }


def _board_tables() -> dict[str, Any]:
    data = C.data
    number = C.provinces.index
    borders = [data["from_camp"], *(data["neighbours"][name] for name in C.provinces)]
    sets = data["building_sets"].items()
    forum = {players: sizes["forum"] for players, sizes in data["players"].items()}
    return {
        "province_vp": [data["provinces"][name] for name in C.provinces],
        "borders": [sum(1 << number(name) for name in names) for names in borders],
        "building_vp": [0, *(data["building_vp"][i % 4] for i in range(len(C.buildings)))],
        "free_action": [C.actions.index(action) + 1 for action in data["buildings"].values()],
        "set_vp": [
            max([vp for size, vp in sets if size <= i], default=0) for i in range(rules.SET_SIZES)
        ],
        "senate_vp": [0, *data["senate_vp"]],
        "demand_loss": data["demand_loss"],
        "forum_spaces": [forum.get(players, 0) for players in range(PLAYER_COUNTS[-1] + 1)],
        "extra_spaces": data["extra_spaces"],
        "figures": data["figures"],
        "legionnaire_loss": data["loss_per_legionnaire"],
    }


def _shipment_tables() -> dict[str, Any]:
    ships = C.data["ships"]
    return {
        "ship_vp": [
            [
                _padded([0, *ships[ship][side]], rules.LOADS)
                for ship in ("equal", "pairs", "different")
            ]
            for side in ("grey", "coloured")
        ],
        "equal_cards": [cards for cards, _ in EQUAL_SHIPMENTS],
        "equal_wilds": [wilds for _, wilds in EQUAL_SHIPMENTS],
        "payment": [[payment.count(tile) for tile in PAYING] for payment in PAYMENTS],
    }


TABLES = _bit_tables() | _tray_tables() | _tile_tables() | _board_tables() | _shipment_tables()
