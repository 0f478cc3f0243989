"""Fills the tables from components.yaml."""

from trajan_ai.games.trajan.types cimport *

from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.games.trajan import notation


def _fill_bits():
    for mask in range(SETS_OF_6):
        bits = [bit for bit in range(6) if mask >> bit & 1]
        tables.set_of_6[mask] = len(bits)
        for k, bit in enumerate(bits):
            tables.pick_of_6[mask][k] = bit
    for i in range(TRAYS_ON):
        tables.tray_after[i] = i % TRAYS
    for tray in range(TRAYS):
        for markers in range(MARKER_COUNTS):
            tables.leads_to[tray][markers] = (tray + markers) % TRAYS if markers else NO_TRAY
            for i in range(1, markers + 1):
                tables.passed[tray][markers] |= 1 << (tray + i) % TRAYS
                tables.sown[tray][markers] += 1 << 4 * ((tray + i) % TRAYS)


def _need(colours):
    first, second = (COMPONENTS.colours.index(colour) for colour in colours)
    return 0x101 << first if first == second else 1 << first | 1 << second


def _fill_tiles(c):
    # Effect, amount, factor of its worth.
    effects = {"cards2": (EFFECT_CARDS, 2, 1), "points": (EFFECT_POINTS, 0, 0),
               "worker1": (EFFECT_WORKERS, 1, 1), "worker2": (EFFECT_WORKERS, 2, 2),
               "legion1": (EFFECT_LEGIONS, 1, 1), "legion2": (EFFECT_LEGIONS, 2, 2),
               "plus2": (EFFECT_PLUS2, 0, 1)}
    effects.update((symbol, (EFFECT_DEMAND, i, 1)) for i, symbol in enumerate(c.symbols))
    for i, tile in enumerate(c.tiles):
        stack, bit = divmod(i, STACK_TILES)
        tables.need[i + 1] = _need(tile.colours)
        tables.tile_vp[i + 1] = tile.vp
        effect, amount, factor = effects[tile.effect]
        tables.tile_effect[i + 1] = effect
        tables.tile_amount[i + 1] = amount
        tables.tile_factor[i + 1] = factor
        tables.tile_bit[i + 1] = bit
        tables.tile_byte[stack][bit] = c.tile_names().index(tile.name) + 1
        if bit < STACK_TILES - 1 and tile.name == c.tiles[i + 1].name:
            tables.same_as_next[stack] |= 1 << bit
    for i in range(BONUSES):
        tables.bonus_byte[i] = i + 1


def _fill_board(c):
    data = c.data
    tables.legionnaire_loss = data["loss_per_legionnaire"]
    tables.extra_spaces = data["extra_spaces"]
    tables.figures = data["figures"]
    number = {name: i for i, name in enumerate(c.provinces)}
    tables.borders[0] = sum(1 << number[name] for name in data["from_camp"])
    for name, i in number.items():
        tables.province_vp[i] = data["provinces"][name]
        tables.borders[i + 1] = sum(1 << number[other] for other in data["neighbours"][name])
    for i in range(len(c.buildings)):
        tables.building_vp[i + 1] = data["building_vp"][i % 4]
    for i, action in enumerate(data["buildings"].values()):
        tables.free_action[i] = c.actions.index(action) + 1
    for i in range(16):
        tables.set_vp[i] = max([vp for size, vp in data["building_sets"].items() if size <= i],
                               default=0)
    for i, vp in enumerate(data["senate_vp"]):
        tables.senate_vp[i + 1] = vp
    for i, vp in enumerate(data["demand_loss"]):
        tables.demand_loss[i] = vp
    for players, sizes in data["players"].items():
        tables.forum_spaces[players] = sizes["forum"]


def _fill_scores(c):
    for i, ship in enumerate(("equal", "pairs", "different")):
        for coloured, side in enumerate(("grey", "coloured")):
            for k, vp in enumerate(c.data["ships"][ship][side]):
                tables.ship_vp[coloured][i][k + 1] = vp
    for i, (gold, silver) in enumerate(c.data["bonus_tiles"].values()):
        tables.gold_vp[i] = gold
        tables.silver_vp[i] = silver
    for i, (cards, wilds) in enumerate(notation.EQUAL_SHIPMENTS):
        tables.equal_cards[i] = cards
        tables.equal_wilds[i] = wilds
    for i, payment in enumerate(notation.PAYMENTS):
        for k, tile in enumerate(notation.PAYING):
            tables.payment[i][k] = payment.count(tile)


_fill_bits()
_fill_tiles(COMPONENTS)
_fill_board(COMPONENTS)
_fill_scores(COMPONENTS)
