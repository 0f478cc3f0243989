"""What a player knows as numbers for learners: the observer's seat first, then in turn order.

Only what lies open, the observer's own hand and counts that follow by exclusion is read. Each
function that writes stands before the one that names what it wrote.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from trajan_ai.core.game cimport MAX_PLAYERS
from trajan_ai.games.kit.inputs cimport put, put_bits, put_bytes, put_one, spread
from trajan_ai.games.trajan.packed cimport count_markers, good_count
from trajan_ai.games.trajan.stock cimport pile_top
from trajan_ai.games.trajan.tables cimport tables
from trajan_ai.games.trajan.types cimport *

from trajan_ai.core.enums import names
from trajan_ai.core.rules import Feature
from trajan_ai.games.trajan import types
from trajan_ai.games.trajan.components import COMPONENTS

cdef enum:
    NO_SCORE = 64            # VP below zero that can be told: a score is written with this added
    TILE = 16                # numbers that describe a Trajan tile
    SITE = 8                 # and a building
    TRAJAN_TILES = 55        # with none
    CARD_KINDS = 21          # of buildings, with none
    MOST_FEATURES = 4096     # room

cdef uint8_t[TRAJAN_TILES][TILE] tile_inputs
cdef uint8_t[CARD_KINDS][SITE] building_inputs
cdef int[MAX_PLAYERS + 1] counted


# ---- Parts ------------------------------------------------------------------------------------

cdef inline uint8_t *put_markers(uint8_t *out, int tray) noexcept nogil:
    """How many of each colour, at most two."""
    cdef uint64_t counts = spread(tray) + spread(tray >> SECOND_MARKER)
    memcpy(out, &counts, COLOURS)
    return out + COLOURS


cdef inline uint8_t *put_goods(uint8_t *out, uint64_t goods) noexcept nogil:
    cdef int i
    for i in range(GOODS):
        out[i] = <uint8_t>good_count(goods, i)
    return out + GOODS


cdef inline uint8_t *put_tile(uint8_t *out, int tile) noexcept nogil:
    """A Trajan tile + 1; 0 is none."""
    return put_bytes(out, tile_inputs[tile], TILE)


def _tile(name):
    return [
        Feature(f"{name}.there", 1),
        *(Feature(f"{name}.needs.{colour}", 2) for colour in COMPONENTS.colours),
        Feature(f"{name}.vp", 9),
        *(Feature(f"{name}.{effect}", 2)
          for effect in ("cards", "points", "workers", "legions", "plus2")),
        *(Feature(f"{name}.{symbol}", 1) for symbol in COMPONENTS.symbols),
    ]


def _each(name, things, highest):
    return [Feature(f"{name}.{thing}", highest) for thing in things]


def _fill_tables():
    cdef int i, k
    for i in range(1, TRAJAN_TILES):
        tile_inputs[i][0] = 1
        put_markers(&tile_inputs[i][1], tables.need[i])
        tile_inputs[i][1 + COLOURS] = tables.tile_vp[i]
        k = tables.tile_effect[i]
        if k == EFFECT_DEMAND:
            tile_inputs[i][TILE - SYMBOLS + tables.tile_amount[i]] = 1
        else:
            tile_inputs[i][2 + COLOURS + k] = tables.tile_factor[i] or 1
    for i in range(1, CARD_KINDS):
        building_inputs[i][(i - 1) // 4] = 1
        building_inputs[i][BUILDINGS] = tables.building_vp[i]


# ---- A player ---------------------------------------------------------------------------------

cdef inline uint8_t *put_player(uint8_t *out, const Player *p, bint own) noexcept nogil:
    cdef int i
    out = put(out, p.score + NO_SCORE)
    for i in range(TRAYS):
        out = put_markers(out, p.trays[i])
    for i in range(TRAYS):
        out = put(out, count_markers(p.trays[i]))
    for i in range(TRAYS):
        out = put_tile(out, p.slots[i])
    out = put_one(out, p.arch, CENTRE + 1)
    out = put_bits(out, p.plus2, TRAYS)
    out = put_goods(out, p.hand if own else p.known)
    out = put(out, p.hand_size)
    out = put_goods(out, p.display)
    out = put_bytes(out, p.tiles, TILES)
    out = put_bytes(out, p.demands, SYMBOLS)
    out = put(out, p.supply)
    out = put(out, p.legionnaires)
    out = put(out, p.workers)
    out = put_one(out, p.leader, PROVINCES + 1)
    out = put_bits(out, p.legions_on, PROVINCES)
    out = put_bits(out, p.workers_on, SITES)
    out = put_bits(out, p.buildings, SITES)
    out = put_bits(out, p.gold, BONUSES)
    out = put_bits(out, p.silver, BONUSES)
    return put_one(out, p.space, LAST_SPACE + 1)


def _player(name):
    c = COMPONENTS
    return [
        Feature(f"{name}.score", 255),
        *(f for tray in c.trays for f in _each(f"{name}.tray.{tray}", c.colours, 2)),
        *_each(f"{name}.tray_size", c.trays, 12),
        *(f for tray in c.trays for f in _tile(f"{name}.slot.{tray}")),
        *_each(f"{name}.arch", (*c.trays, "centre"), 1),
        *_each(f"{name}.plus2", c.actions, 1),
        *_each(f"{name}.hand", c.goods, 5),
        Feature(f"{name}.hand_size", 60),
        *_each(f"{name}.display", c.goods, 5),
        *_each(f"{name}.forum_tiles", c.forum_tiles, 14),
        *_each(f"{name}.demand_tiles", c.symbols, 5),
        Feature(f"{name}.supply", 15),
        Feature(f"{name}.military_camp", 15),
        Feature(f"{name}.worker_camp", 15),
        *_each(f"{name}.leader", ("camp", *c.provinces), 1),
        *_each(f"{name}.legionnaires", c.provinces, 1),
        *_each(f"{name}.workers", c.sites, 1),
        *_each(f"{name}.buildings", c.buildings, 1),
        *_each(f"{name}.gold_bonus", c.bonus_tiles, 1),
        *_each(f"{name}.silver_bonus", c.bonus_tiles, 1),
        *_each(f"{name}.senate", (0, *range(2, LAST_SPACE + 2)), 1),
    ]


# ---- The decision -----------------------------------------------------------------------------

cdef inline int after_good(const State *s) noexcept nogil:
    """The good that the card to be laid follows, GOODS for none."""
    if s.decision == DECIDE_PLAY:
        return s.last
    if (s.decision == DECIDE_PAIR or s.decision == DECIDE_CARD) and s.last > 0:
        return s.last - 1
    return GOODS


cdef inline uint8_t *put_decision(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int players = s.players
    cdef int shift = players - observer
    cdef bint second = s.decision == DECIDE_MARKER and s.step & 1
    out = put_one(out, s.decision, DECISIONS)
    out = put_one(out, (s.decider + shift) % players if s.decision != DECIDE_OVER else players,
                  players)
    out = put_one(out, (s.active + shift) % players, players)
    out = put_markers(out, s.sow_hand)
    out = put_one(out, s.next_tray if s.decision == DECIDE_DROP else <int>TRAYS, TRAYS)
    out = put_one(out, s.target, TRAYS)
    out = put_tile(out, s.effect)
    out = put_one(out, <int>s.free_action - 1, TRAYS)
    out = put(out, s.in_free)
    out = put_one(out, <int>s.repeating - 1, 2)
    out = put(out, s.repeats)
    out = put(out, s.extra_spent)
    out = put(out, s.step)
    out = put_one(out, after_good(s), GOODS)
    out = put_one(out, s.last if second else <int>COLOURS, COLOURS)
    return put_bits(out, s.last if s.decision == DECIDE_START else 0, STACKS)


def _decision(seats):
    c = COMPONENTS
    return [
        *_each("decision", names(types, "DECIDE_")[:DECISIONS], 1),
        *_each("to_decide", seats, 1),
        *_each("turn_of", seats, 1),
        *_each("markers_in_hand", c.colours, 2),
        *_each("next_tray", c.trays, 1),
        *_each("action", c.actions, 1),
        *_tile("effect"),
        *_each("free_action", c.actions, 1),
        Feature("in_free_action", 1),
        *_each("repeating", ("action", "free_action"), 1),
        Feature("repeats_left", 3),
        Feature("extra_spent", 1),
        Feature("step", 60),
        *_each("after", c.goods, 1),
        *_each("after", c.colours, 1),
        *_each("used", c.stacks, 1),
    ]


# ---- The board --------------------------------------------------------------------------------

cdef inline uint8_t *put_stacks(uint8_t *out, const State *s) noexcept nogil:
    """Trajan tiles on top, from the moment when they lie open."""
    cdef int i, size
    cdef bint hidden = s.decision == DECIDE_MARKER
    for i in range(STACKS):
        size = s.stack_size[i]
        out = put_tile(out, 0 if hidden or size == 0 else <int>s.stacks[9 * i + size - 1])
    out = put_bytes(out, s.stack_size, STACKS)
    return out


cdef inline uint8_t *put_goods_table(uint8_t *out, const State *s, int observer) noexcept nogil:
    """Discard piles, deck, and how many of each good the observer has not seen."""
    cdef uint64_t unseen = s.deck_counts
    cdef int i, side
    for i in range(s.players):
        if i != observer:
            unseen += s.player[i].hand - s.player[i].known
    for side in range(2):
        out = put_one(out, <int>s.piles[pile_top(s, side)] - 1 if s.pile_size[side] else -1, GOODS)
        out = put(out, s.pile_size[side])
    out = put(out, s.deck_size)
    return put_goods(out, unseen)


cdef inline uint8_t *put_board(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int i
    out = put_one(out, s.quarter, QUARTERS)
    out = put_one(out, s.round, ROUNDS)
    out = put(out, s.lap_length - s.time)
    out = put(out, s.rounds_due)
    out = put_bits(out, s.ships, SHIP_DIFFERENT + 1)
    out = put_bytes(out, s.forum, TILES)
    for i in range(PROVINCES):
        out = put_one(out, <int>s.provinces[i] - 1, TILES)
    for i in range(SITES):
        out = put_bytes(out, building_inputs[s.sites[i]], BUILDINGS + 1)
    out = put_bytes(out, s.row, SYMBOLS)
    out = put_bits(out, s.offer, BONUSES)
    out = put_stacks(out, s)
    out = put_goods_table(out, s, observer)
    for i in range(s.players):
        out = put_one(out, (s.order[i] + s.players - observer) % s.players, s.players)
    out = put_bytes(out, s.supply_counts, TILES)
    out = put_bytes(out, s.extra_counts, EXTRAS)
    out = put_bytes(out, s.demand_counts, SYMBOLS)
    return put_bits(out, s.bonus_hidden, BONUSES)


def _board(seats):
    c = COMPONENTS
    return [
        *_each("quarter", range(1, QUARTERS + 1), 1),
        *_each("round", range(1, ROUNDS + 1), 1),
        Feature("time_left", 255),
        Feature("rounds_due", 4),
        *_each("coloured_ships", names(types, "SHIP_"), 1),
        *_each("forum", c.forum_tiles, 14),
        *(f for place in c.provinces for f in _each(f"province.{place}", c.forum_tiles, 1)),
        *(f for site in c.sites for f in (
            *_each(f"site.{site}", c.data["buildings"], 1), Feature(f"site.{site}.vp", 5))),
        *_each("demands", c.symbols, 5),
        *_each("bonus_offer", c.bonus_tiles, 1),
        *(f for stack in c.stacks for f in _tile(f"top.{stack}")),
        *_each("stack_size", c.stacks, 9),
        *(f for side in ("left", "right") for f in (
            *_each(f"pile.{side}", c.goods, 1), Feature(f"pile.{side}.size", 60))),
        Feature("deck_size", 60),
        *_each("unseen", c.goods, 5),
        *(f for place in range(1, len(seats) + 1) for f in _each(f"disc.{place}", seats, 1)),
        *_each("forum_supply", c.forum_tiles, 14),
        *_each("extra_supply", c.extra_tiles, 2),
        *_each("demand_supply", c.symbols, 5),
        *_each("bonus_supply", c.bonus_tiles, 1),
    ]


# ---- All of it --------------------------------------------------------------------------------

cdef uint8_t *put_all(uint8_t *out, const State *s, int observer) noexcept nogil:
    cdef int i
    for i in range(s.players):
        out = put_player(out, &s.player[(observer + i) % s.players], i == 0)
    out = put_decision(out, s, observer)
    return put_board(out, s, observer)


def features(int players):
    """Return the features for a number of players, in order; see `HasFeatures`."""
    seats = ["own", "next", "third", "fourth"][:players]
    return (*(f for seat in seats for f in _player(seat)), *_decision(seats), *_board(seats))


cdef int feature_count(int players) noexcept nogil:
    return counted[players]


cdef void write_features(const void *state, int observer, uint8_t *out) noexcept nogil:
    put_all(out, <const State *>state, observer)


def _count():
    cdef State s
    cdef uint8_t[MOST_FEATURES] room
    for players in range(1, MAX_PLAYERS + 1):
        memset(&s, 0, sizeof(s))
        s.players = players
        counted[players] = <int>(put_all(room, &s, 0) - room)


_fill_tables()
_count()
