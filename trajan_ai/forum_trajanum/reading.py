"""Positions from views: position files as `views.view` writes them, checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.names import Names
from trajan_ai.forum_trajanum import setup, types
from trajan_ai.forum_trajanum.components import DEFAULT, Components, load
from trajan_ai.forum_trajanum.hidden import chosen, dealt
from trajan_ai.forum_trajanum.notation import (
    ACTIONS,
    BOARD_CELLS,
    BUILDINGS,
    CARDS,
    CITIZEN_ROWS,
    CITIZENS,
    CLASSES,
    COLOURS,
    CORNERS,
    GREYS,
    RESOURCES,
    SOURCES,
    STRUCTURES,
    tasks,
)
from trajan_ai.forum_trajanum.rules import turn_order
from trajan_ai.forum_trajanum.types import (
    BUILDING_LIBRARY,
    CELLS,
    DECIDE_PAY,
    DECIDE_SEAT,
    LOST,
    MOSAIC_STRIDE,
    OPTION_STEP_ONE_OPEN,
    RESERVE,
    ROUNDS,
    SOURCE_OWN,
    SOURCE_RECEIVED,
    STACK,
    STAGE_OVER,
    STAGE_RESERVE,
    STAGE_SETUP,
    STAGE_TAKE,
    STAGE_TURN,
    STREET_CARDS,
    STRUCTURE,
    TASK_PUT_AWAY,
    TASK_PUT_BACK,
    TASK_USE,
    TRACK_END,
    UNKNOWN,
)
from trajan_ai.forum_trajanum.unclear import fits, most_fit
from trajan_ai.forum_trajanum.views import CONVERSIONS, HIDDEN, STAGES, bit_of, mosaic_cells
from trajan_ai.gamekit.reading import expect

PENDING_ROOM = STACK - 2  # a decision pushes at most two more than it takes
MOST_RESOURCES = 100
MOST_SCORE = 2000
MOST_TURNS = 1000
MOST_ENVOYS = 34
MOST_BUILDING_TILES = 100

FEMALES = tuple(i for i, name in enumerate(CITIZENS, start=1) if name.endswith("-f"))
BUILDING_TILES = ("singles", "doubles")
CRANES = tuple(f"{colour} {state}" for colour in COLOURS for state in ("covered", "open", "used"))

KEYS = (
    "observer",
    "components",
    "options",
    "boards",
    "mosaic",
    "trajan_cards",
    "stage",
    "round",
    "turn",
    "street_cards",
    "building_tiles",
    "to_decide",
    "players",
)
PLAYER_KEYS = (
    "score",
    "resources",
    "citizens",
    "inactive",
    "cranes",
    "buildings",
    "doubles",
    "face_down",
    "face_up",
    "reserve",
    "slider",
    "ship",
    "forum",
    "unseen",
    "unclear_citizens",
    "may_lie",
    "ship_tile",
    "start_citizen",
    "kept",
    "passed",
    "lay_open",
    "took",
    "paid",
    "picked",
)
DECISION_KEYS = (
    "player",
    "decision",
    "then",
    "paying",
    "open_cards",
    "taken",
    "hand",
    "converted",
)


class Reader:
    """Reads a view and collects what contradicts in it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.problems: list[str] = []

    def wrong(self, place: str, what: str) -> None:
        """Note a problem."""
        self.problems.append(f"{place}: {what}")

    def keys(self, place: str, data: Any, known: Sequence[str]) -> Mapping[str, Any]:
        """Return `data` if it is a mapping with known keys, else the part of it that is."""
        if not isinstance(data, Mapping):
            self.wrong(place, f"must be a mapping, got {data!r}")
            return {}
        for key in data:
            if key not in known:
                self._unknown_key(place, key, Names(known))
        return {key: value for key, value in data.items() if key in known}

    def _unknown_key(self, place: str, key: Any, known: Names) -> None:
        keys = f"keys are {', '.join(known.names)}{known.hint(str(key))}"
        self.wrong(place, f"unknown key {key!r}; {keys}")

    def entries(self, place: str, data: Any, names: Sequence[str]) -> dict[str, Any]:
        """Return a mapping by name; any of `names` may be its keys, read as people type them."""
        if not isinstance(data, Mapping):
            self.wrong(place, f"must be a mapping, got {data!r}")
            return {}
        known = Names(names)
        entries: dict[str, Any] = {}
        for key, value in data.items():
            name = known.find(str(key))
            if name is None:
                self._unknown_key(place, key, known)
            elif name in entries:
                self.wrong(place, f"{name} is named twice")
            else:
                entries[name] = value
        return entries

    def number(self, place: str, value: Any, low: int, high: int) -> int:
        """Return a number from `low` to `high`."""
        expect("number", place, least=low, most=high)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(place, f"must be {low} to {high}, got {value!r}")
        return low

    def index(self, place: str, value: Any, names: Sequence[str]) -> int:
        """Return the place of a name among `names`, read as people type it."""
        expect("name", place, names)
        if isinstance(value, str) and value in names:
            return names.index(value)  # as nearly always: no list of names is made
        return self._index(place, value, Names(names))

    def _index(self, place: str, value: Any, known: Names) -> int:
        number = known.number(value) if isinstance(value, str) else None
        if number is not None:
            return number
        names = known.names
        words = ", ".join(names) if len(names) <= 40 else f"one of {len(names)} names"
        hint = known.hint(value) if isinstance(value, str) else ""
        self.wrong(place, f"{value!r}, must be {words}{hint}")
        return 0

    def names(self, place: str, value: Any, names: Sequence[str]) -> list[int]:
        """Return the places of a list of names, each at most once."""
        expect("set", place, names)
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.wrong(place, f"must be a list, got {value!r}")
            return []
        known = Names(names)
        found = [self._index(f"{place}[{i}]", one, known) for i, one in enumerate(value)]
        for one, count in Counter(found).items():
            if count > 1:
                self.wrong(place, f"{names[one]} stands {count} times")
        return found

    def counts(self, place: str, value: Any, names: Sequence[str], high: int) -> list[int]:
        """Return counts by name, 0 where a name is left out."""
        expect("counts", place, names, most=high)
        found = [0] * len(names)
        for name, count in self.entries(place, value, names).items():
            found[names.index(name)] = self.number(f"{place}.{name}", count, 0, high)
        return found

    def placed(
        self, place: str, value: Any, names: Sequence[str], things: Sequence[str]
    ) -> dict[str, int]:
        """Return, for each of `names` that has a thing, which of `things`."""
        expect("placed", place, names, things)
        return {
            name: self.index(f"{place}.{name}", thing, things)
            for name, thing in self.entries(place, value, names).items()
        }


class Table:
    """What the parts of a view are read against: components, stage, names."""

    def __init__(
        self, components: Components, fields: Mapping[str, Any], stage: int, observer: int
    ) -> None:
        self.components = components
        self.stage = stage
        self.own = f"players[{observer}]"  # place of what the observer has
        opened = fields["options"] & OPTION_STEP_ONE_OPEN
        self.hides_step_one = stage == STAGE_TAKE and not opened
        self.steps = fields["steps"]
        self.kinds = setup.tile_kinds(components)
        self.pairs = [
            (structure, GREYS[grey])
            for structure, grey in zip(STRUCTURES, components.grey_of, strict=True)
        ]
        self.plain = [BOARD_CELLS[cell] for cell in components.plain]
        words = [fields["colour"][word::2] for word in (0, 1)]
        low, high = (sum(words[i]) | fields["eagles"][i] for i in (0, 1))
        self.mosaic = mosaic_cells(low, high)


def _mosaic_mask(cells: Sequence[str]) -> int:
    places = [cell[1:].split(".") for cell in cells]
    return sum(1 << (int(row) - 1) * MOSAIC_STRIDE + int(column) - 1 for row, column in places)


def _read_grid(
    reader: Reader, place: str, data: Mapping[str, Any], table: Table
) -> dict[str, Any]:
    """Buildings and tiles: every cell holds at most one thing."""
    built = [0] * 8
    buildings: dict[str, str] = {}
    given = data.get("buildings", {})
    for cell, building in reader.placed(
        f"{place}.buildings", given, table.plain, BUILDINGS
    ).items():
        built[building] |= 1 << bit_of(cell)
        buildings[cell] = BUILDINGS[building]
    tile = [0] * CELLS
    face_down = reader.names(f"{place}.face_down", data.get("face_down", []), table.plain)
    for i in face_down:
        cell = table.plain[i]
        tile[bit_of(cell)] = UNKNOWN
        if cell in buildings:
            reader.wrong(f"{place}.face_down", f"{cell} holds a building")
    given = data.get("face_up", {})
    face_up = reader.placed(f"{place}.face_up", given, CORNERS, table.kinds[1:])
    for cell, kind in face_up.items():
        tile[bit_of(cell)] = 1 + kind
    return {
        **_read_doubles(reader, place, data, buildings, table),
        "built": built,
        "tile": tile,
        "tiles": sum(1 << bit for bit in range(CELLS) if tile[bit]),
    }


def _read_doubles(
    reader: Reader,
    place: str,
    data: Mapping[str, Any],
    buildings: Mapping[str, str],
    table: Table,
) -> dict[str, int]:
    """Pairs of cells that one tile covers: neighbours that one tile can show."""
    fields = {"across": 0, "down": 0}
    doubles = data.get("doubles", [])
    if not isinstance(doubles, list):
        reader.wrong(f"{place}.doubles", f"must be a list of pairs of cells, got {doubles!r}")
        return fields
    cells: list[int] = []
    for i, pair in enumerate(doubles):
        where = f"{place}.doubles[{i}]"
        both = [BOARD_CELLS[cell] for cell in reader.names(where, pair, BOARD_CELLS)]
        bits = sorted(map(bit_of, both))
        shown = {buildings.get(cell) for cell in both}
        if len(bits) != 2 or bits[1] - bits[0] not in (1, 8):
            reader.wrong(where, "must be two neighbouring cells")
        elif not any(one in shown and shown <= {one, grey} for one, grey in table.pairs):
            reader.wrong(where, f"no double tile shows {' and '.join(sorted(map(str, shown)))}")
        else:
            fields["across" if bits[1] - bits[0] == 1 else "down"] |= 1 << bits[0]
        cells += bits
    if len(set(cells)) != len(cells):
        reader.wrong(f"{place}.doubles", "a cell stands in two of them")
    return fields


def _read_cranes(
    reader: Reader, place: str, data: Mapping[str, Any], tiles: int, table: Table
) -> dict[str, Any]:
    """Crane colours and states; a crane is covered while a tile lies on it."""
    colours, opened, used = [0] * 4, 0, 0
    cranes = reader.placed(f"{place}.cranes", data.get("cranes", {}), CORNERS, CRANES)
    for corner, name in enumerate(CORNERS):
        if name not in cranes:
            if table.stage != STAGE_SETUP:
                reader.wrong(f"{place}.cranes", f"{name} is missing")
            continue
        found = cranes[name]
        colours[corner] = 1 + found // 3
        opened |= (found % 3 > 0) << corner
        used |= (found % 3 == 2) << corner
        covered = bool(tiles >> bit_of(name) & 1)
        if table.stage != STAGE_SETUP and covered == (found % 3 > 0):
            what = "a tile lies on it" if covered else "no tile lies on it"
            reader.wrong(f"{place}.cranes.{name}", f"is {CRANES[found]}, but {what}")
    chosen = [colour for colour in colours if colour]
    if len(set(chosen)) != len(chosen):
        reader.wrong(f"{place}.cranes", "two cranes have one colour")
    return {"crane": colours, "crane_open": opened, "crane_used": used}


def _read_citizens(reader: Reader, place: str, data: Mapping[str, Any]) -> dict[str, Any]:
    citizens = reader.counts(f"{place}.citizens", data.get("citizens", {}), CITIZEN_ROWS, 2)
    given = data.get("inactive", [])
    listed = [str(row) for row in given] if isinstance(given, Sequence) else given
    inactive = reader.names(f"{place}.inactive", listed, CITIZEN_ROWS)
    for row in inactive:
        if not citizens[row]:
            reader.wrong(f"{place}.inactive", f"row {row + 1} holds no citizen")
    return {
        "citizens": citizens,
        "active": sum(
            1 << row for row, count in enumerate(citizens) if count and row not in inactive
        ),
        "flipped": int(citizens[types.ROW_MERCHANT_1] > 0),
    }


def _read_step_1(
    reader: Reader, place: str, data: Mapping[str, Any], table: Table
) -> dict[str, Any]:
    """Tiles kept, passed and picked, and the faces that lay open."""
    fields: dict[str, Any] = {"kept": 0, "given": 0, "picked": 0, "shown": [0, 0]}
    if place != table.own and table.hides_step_one:
        for key in ("kept", "passed", "lay_open"):
            if key in data:
                reader.wrong(f"{place}.{key}", "nobody else sees it before all have passed")
    known = [HIDDEN, *table.kinds[1:]]
    for key, field in (("kept", "kept"), ("passed", "given"), ("picked", "picked")):
        if key in data:
            found = reader.index(f"{place}.{key}", data[key], known)
            fields[field] = found or UNKNOWN
            if table.stage not in (STAGE_TAKE, STAGE_RESERVE, STAGE_TURN):
                reader.wrong(f"{place}.{key}", "only between step 1 and the end of a round")
    if fields["picked"] == UNKNOWN:
        reader.wrong(f"{place}.picked", "a tile of the reserve is known")
    if fields["given"] and not fields["kept"]:
        reader.wrong(f"{place}.passed", "a player with one tile keeps it")
    opened = data.get("lay_open", [])
    if not isinstance(opened, Sequence) or isinstance(opened, str) or len(opened) > 2:
        reader.wrong(f"{place}.lay_open", "must be a list of at most two tiles")
        return fields
    shown = sorted(
        1 + reader.index(f"{place}.lay_open[{i}]", name, table.kinds[1:])
        for i, name in enumerate(opened)
    )
    fields["shown"] = [*[0] * (2 - len(shown)), *shown]
    taken = [fields["kept"], fields["given"]]
    if len(shown) > sum(kind > 0 for kind in taken):
        reader.wrong(f"{place}.lay_open", "more tiles than were taken")
    if Counter(kind for kind in taken if kind not in (0, UNKNOWN)) - Counter(shown) and (
        len(shown) == sum(kind > 0 for kind in taken)
    ):
        reader.wrong(f"{place}.lay_open", "differs from the tiles kept and passed")
    return fields


def _read_takes_made(
    reader: Reader,
    place: str,
    data: Mapping[str, Any],
    fields: Mapping[str, Any],
    table: Table,
) -> dict[str, Any]:
    """What only the observer remembers of a hidden step 1: cells, and tribunes paid."""
    cells = reader.names(f"{place}.took", data.get("took", []), BOARD_CELLS)
    paid = reader.number(f"{place}.paid", data.get("paid", 0), 0, len(CARDS))
    own = place == table.own and table.hides_step_one
    if not own and ("took" in data or "paid" in data):
        reader.wrong(f"{place}.took", "only your own, while step 1 is hidden")
    tiles = sum(fields[key] > 0 for key in ("kept", "given"))
    if own and len(cells) != tiles:
        reader.wrong(f"{place}.took", f"must be the cells of the {tiles} tiles kept and passed")
    for cell in cells:
        if fields["tile"][bit_of(BOARD_CELLS[cell])]:
            reader.wrong(f"{place}.took", f"{BOARD_CELLS[cell]} still holds a tile")
    took = [1 + bit_of(BOARD_CELLS[cell]) for cell in cells[:2]]
    return {"took": [*took, *[0] * (2 - len(took))], "paid": paid}


def _read_player(reader: Reader, place: str, given: Any, table: Table) -> dict[str, Any]:
    """Fields of a player, UNKNOWN where tiles are unseen."""
    data = reader.keys(place, given, PLAYER_KEYS)
    resources = reader.counts(
        f"{place}.resources", data.get("resources", {}), RESOURCES, MOST_RESOURCES
    )
    reserve = data.get("reserve", [])
    if not isinstance(reserve, Sequence) or isinstance(reserve, str) or len(reserve) > RESERVE:
        reader.wrong(f"{place}.reserve", f"must be a list of at most {RESERVE} tiles")
        reserve = []
    expect("list", f"{place}.reserve", table.kinds[1:])
    kinds = sorted(
        1 + reader.index(f"{place}.reserve[{i}]", name, table.kinds[1:])
        for i, name in enumerate(reserve)
    )
    forum = reader.names(f"{place}.forum", data.get("forum", []), table.mosaic)
    grid = _read_grid(reader, place, data, table)
    fields = {
        **grid,
        **_read_cranes(reader, place, data, grid["tiles"], table),
        **_read_citizens(reader, place, data),
        **_read_step_1(reader, place, data, table),
        "score": reader.number(f"{place}.score", data.get("score", 0), 0, MOST_SCORE),
        "resources": int.from_bytes(bytes(resources), "little"),
        "slider": reader.number(f"{place}.slider", data.get("slider", 0), 0, table.steps),
        "ship": reader.number(f"{place}.ship", data.get("ship", 0), 0, MOST_ENVOYS),
        "reserve": [*kinds, *[0] * (RESERVE - len(kinds))],
        "reserve_count": len(kinds),
        "envoys": setup.words(_mosaic_mask([table.mosaic[i] for i in forum])),
        "ship_tile": UNKNOWN,
        "start_worker": UNKNOWN if table.stage == STAGE_SETUP else 0,
        "start_class": UNKNOWN if table.stage == STAGE_SETUP else 0,
        "spare": [UNKNOWN, UNKNOWN] if table.stage == STAGE_SETUP else [0, 0],
    }
    fields |= _read_takes_made(reader, place, data, fields, table)
    if "ship_tile" in data:
        fields["ship_tile"] = 1 + reader.index(
            f"{place}.ship_tile", data["ship_tile"], table.kinds[1:]
        )
    if "start_citizen" in data:
        fields["start_class"] = reader.index(
            f"{place}.start_citizen", data["start_citizen"], CLASSES
        )
    fields["marker"] = [
        min(TRACK_END, fields["built"][grey].bit_count())
        for grey in range(BUILDING_LIBRARY, STRUCTURE)
    ]
    return fields


def _read_tasks(
    reader: Reader, place: str, data: Mapping[str, Any], table: Table
) -> dict[str, Any]:
    """The decision, and what of the player's run follows: the next thing first."""
    names = tasks(table.kinds)
    numbers = list(names.values())

    def task(key: str, name: Any) -> tuple[int, int]:
        return numbers[reader.index(f"{place}.{key}", name, list(names))]

    waiting = data.get("then", [])
    if not isinstance(waiting, list) or len(waiting) > PENDING_ROOM:
        reader.wrong(f"{place}.then", f"must be a list of at most {PENDING_ROOM} tasks")
        waiting = []
    stack = [number for name in reversed(waiting) for number in task("then", name)]
    decision, argument = task("decision", data.get("decision"))
    if decision >= TASK_USE:
        reader.wrong(f"{place}.decision", "is nothing to decide")
    return {
        "decision": decision,
        "argument": argument,
        "depth": len(waiting),
        "stack": [*stack, *[0] * (2 * STACK - len(stack))],
    }


def _read_takes(
    reader: Reader, place: str, data: Mapping[str, Any], table: Table
) -> dict[str, Any]:
    """Cards of step 1 that are still open, and cell and tile of those resolved."""
    opened = data.get("open_cards", [])
    cards = [str(card) for card in opened] if isinstance(opened, Sequence) else opened
    fields: dict[str, Any] = {
        "open_cards": sum(1 << card for card in reader.names(f"{place}.open_cards", cards, CARDS)),
        "taken": [0] * len(CARDS),
        "taken_cell": [0] * len(CARDS),
    }
    taken = data.get("taken", {})
    for card, one in reader.entries(f"{place}.taken", taken, CARDS).items():
        where = f"{place}.taken.{card}"
        entry = reader.keys(where, one, ("cell", "tile"))
        cell = BOARD_CELLS[reader.index(f"{where}.cell", entry.get("cell"), BOARD_CELLS)]
        kinds = [HIDDEN, *table.kinds[1:]]
        kind = reader.index(f"{where}.tile", entry.get("tile", HIDDEN), kinds)
        fields["taken_cell"][CARDS.index(card)] = 1 + bit_of(cell)
        fields["taken"][CARDS.index(card)] = kind or UNKNOWN
    return fields


def _first_decision(player: Any, fields: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """Return what is pending at the beginning of a player's step 1 or 2."""
    if table.stage == STAGE_TAKE:
        return {"decision": "take", "open_cards": [1, 2]}
    if table.stage != STAGE_TURN or not isinstance(player, int):
        return {}
    players = fields["players"]
    own = fields["player"][player % players]
    received = own["picked"] or fields["player"][(player + 1) % players]["given"]
    hand = [name for name, tile in zip(SOURCES, (own["kept"], received), strict=False) if tile]
    return {"decision": "use", "then": ["build"], "hand": hand} if hand else {"decision": "build"}


def _read_decision(
    reader: Reader, decision: Any, fields: dict[str, Any], table: Table
) -> dict[str, Any]:
    """Fields of the decision at hand.

    ``player`` decides, ``decision`` says what, ``then`` what of their run follows
    (`notation.tasks`). While paying: ``paying``, the build action. In step 1: ``open_cards`` and
    ``taken`` (by card: cell and tile). In step 2: tiles in ``hand``, ``converted`` this turn.
    """
    place = "to_decide"
    data = {**reader.keys(place, decision, DECISION_KEYS)}
    if "decision" not in data:
        data |= _first_decision(data.get("player"), fields, table)
    decider = reader.number(f"{place}.player", data.get("player"), 0, fields["players"] - 1)
    hand = reader.names(f"{place}.hand", data.get("hand", []), SOURCES[:2])
    counts = reader.counts(f"{place}.converted", data.get("converted", {}), list(CONVERSIONS), 2)
    result = {
        "decider": decider,
        "begun": 1 + turn_order(types.state_bytes(fields)).index(decider),
        "hand": sum(1 << i for i in hand),
        **_read_tasks(reader, place, data, table),
        **_read_takes(reader, place, data, table),
        **dict(zip(CONVERSIONS.values(), counts, strict=True)),
    }
    if "paying" in data:
        result["plan"] = reader.index(f"{place}.paying", data["paying"], ACTIONS)
        if not ACTIONS[result["plan"]].startswith("build "):
            reader.wrong(f"{place}.paying", "must be a build action")
    elif result["decision"] == DECIDE_PAY:
        reader.wrong(f"{place}.paying", "the build action is missing")
    return result


# --- filling what is unknown -------------------------------------------------------------------


def _fill_pair(player: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Fill in kept and passed tiles that the open faces decide; return the unseen places."""
    kept, given = player["kept"], player["given"]
    low, seen = player["shown"]
    if given == 0:
        if kept == UNKNOWN and seen:
            player["kept"] = seen
        return [("kept", None)] if player["kept"] == UNKNOWN else []
    if kept == given == UNKNOWN and seen:
        player["kept"], player["given"] = seen, low or UNKNOWN
    elif UNKNOWN in (kept, given) and kept != given and seen:
        known, field = (kept, "given") if given == UNKNOWN else (given, "kept")
        if low:
            player[field] = low if known == seen else seen
        elif known != seen:
            player[field] = seen
    return [(field, None) for field in ("kept", "given") if player[field] == UNKNOWN]


def _fill_player(
    reader: Reader, fields: dict[str, Any], one: int, unseen: Any, table: Table
) -> set[int]:
    """Put the unseen tiles of a colour into their places, kinds ascending; return their kinds."""
    player, place = fields["player"][one], f"players[{one}]"
    slots: list[tuple[dict[str, Any], str, int | None]] = [
        (player, "tile", bit) for bit in range(CELLS) if player["tile"][bit] == UNKNOWN
    ]
    slots += [(player, "spare", i) for i in (0, 1) if player["spare"][i] == UNKNOWN]
    if player["ship_tile"] == UNKNOWN:
        slots.append((player, "ship_tile", None))
    if fields["decider"] == one:
        slots += [(fields, "taken", i) for i in (0, 1) if fields["taken"][i] == UNKNOWN]
    slots += [(player, field, i) for field, i in _fill_pair(player)]
    if unseen is None:
        counts = _by_exclusion(reader, fields, one, table)
    else:
        counts = reader.counts(f"{place}.unseen", unseen, table.kinds[1:], 31)
    lost = sum(counts) - len(slots)
    if not 0 <= lost <= LOST:
        reader.wrong(
            f"{place}.unseen",
            f"{sum(counts)} tiles, but {len(slots)} lie where you cannot see, "
            f"and at most {LOST} can have left unseen",
        )
        lost = 0
    player["lost_count"] = lost
    slots += [(player, "lost", i) for i in range(lost)]
    tiles = [kind for kind, count in enumerate(counts, start=1) for _ in range(count)]
    tiles += [1] * (len(slots) - len(tiles))  # a problem already
    for (owner, field, i), kind in zip(slots, tiles, strict=False):
        if i is None:
            owner[field] = kind
        else:
            owner[field][i] = kind
    return {*tiles}


# --- what is unseen, where a file does not say it ----------------------------------------------


def _by_exclusion(reader: Reader, fields: dict[str, Any], one: int, table: Table) -> list[int]:
    """Return how many of each kind of a colour are not in sight: all, less those that are."""
    left = Counter(table.kinds.index(name) for name in table.components.tiles)
    left.subtract(_in_sight(fields, one, table))
    for kind, count in left.items():
        if count < 0:
            there = table.components.tiles.count(table.kinds[kind])
            name = table.kinds[kind]
            reader.wrong(f"players[{one}]", f"{there - count} x {name}, there are {there}")
    return [max(left[kind], 0) for kind in range(1, len(table.kinds))]


def _in_sight(fields: dict[str, Any], one: int, table: Table) -> Counter[int]:
    """Return the tiles of a colour that lie open, or that have: female citizens."""
    players = fields["players"]
    player, right = fields["player"][one], fields["player"][(one - 1) % players]
    found = [kind for kind in player["tile"] if kind not in (0, UNKNOWN)]
    reserve = right["reserve"][: right["reserve_count"]]
    found += [*reserve, player["ship_tile"], player["kept"]]
    in_hand = _in_hand(fields, (one - 1) % players, SOURCE_RECEIVED, table)
    if in_hand:
        found.append(player["given"])
    if in_hand or right["picked"] not in reserve:  # where it was put back
        found.append(right["picked"])
    if fields["decider"] == one:
        found += fields["taken"]
    seen = Counter(kind for kind in found if kind not in (0, UNKNOWN))
    for kind in FEMALES:
        seen[kind] = 1
    return seen


def _in_hand(fields: Mapping[str, Any], player: int, source: int, table: Table) -> bool:
    """Return whether a tile of step 1 has neither been put away nor put back in this round."""
    if table.stage != STAGE_TURN:
        return True
    if player != fields["decider"]:
        done = turn_order(types.state_bytes(dict(fields)))[: fields["begun"] - 1]
        return player not in done
    waiting = _waiting(fields)
    used = any(task == TASK_PUT_AWAY and what & 3 == source for task, what in waiting)
    return used or fields["hand"] >> source & 1 == 1 or (TASK_PUT_BACK, source) in waiting


def _may_be_seated(fields: Mapping[str, Any], player: int, source: int, table: Table) -> bool:
    """Return whether a tile of step 1 may lie in a row: no longer in the hand, or just seated."""
    if not _in_hand(fields, player, source, table):
        return True
    if table.stage != STAGE_TURN or player != fields["decider"]:
        return False
    above = [(fields["decision"], 0), *reversed(_waiting(fields))]
    for place, (task, what) in enumerate(above):
        if task == TASK_PUT_AWAY:
            begun = above[place - 1][0] not in (TASK_USE, DECIDE_SEAT)
            if what & 3 == source:
                return begun
    return False


def _waiting(fields: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the tasks on the stack with their arguments, the next one last."""
    tasks = fields["stack"][: 2 * fields["depth"]]
    return list(zip(tasks[::2], tasks[1::2], strict=True))


# --- whose citizens lie in the rows, where a file does not say it --------------------------------


def _read_unclear(
    reader: Reader,
    fields: dict[str, Any],
    players: Sequence[Any],
    pools: Sequence[set[int]],
    table: Table,
) -> None:
    """Fill in which citizens in rows are unclear, and which may be among them.

    All are where a player's unseen tiles are left out; else those that a file calls so.
    """
    if not all(isinstance(player, Mapping) for player in players) or reader.problems:
        return
    if any("unclear_citizens" in player for player in players):
        for one, player in enumerate(players):
            given = player.get("unclear_citizens", {})
            counts = reader.counts(f"players[{one}].unclear_citizens", given, CLASSES, 4)
            for rank, (count, there) in enumerate(
                zip(counts, _class_counts(fields, one), strict=True)
            ):
                if count > there:
                    place = f"players[{one}].unclear_citizens.{CLASSES[rank]}"
                    reader.wrong(place, f"{count}, but {there} lie in the rows")
            fields["player"][one]["unclear"] = counts
            listed = reader.names(f"players[{one}].may_lie", player.get("may_lie", []), CITIZENS)
            fields["player"][one]["may_lie"] = sum(1 << i for i in listed)
    elif table.stage != STAGE_SETUP and any("unseen" not in player for player in players):
        for one in range(fields["players"]):
            _forget_citizens(reader, fields, one, pools[one], table)
    if not any(any(player["unclear"]) for player in fields["player"]):
        for player in fields["player"]:
            player["may_lie"] = 0


def _forget_citizens(
    reader: Reader, fields: dict[str, Any], one: int, pool: set[int], table: Table
) -> None:
    """All citizens in a player's rows are unclear, but for the start citizen if it is clear."""
    player = fields["player"][one]
    counts = player["unclear"] = _class_counts(fields, one)
    player["may_lie"] = sum(
        1 << kind - 1
        for kind in range(1, len(CITIZENS) + 1)
        if kind not in pool | _elsewhere(fields, one, table)
    )
    females = [kind for kind in FEMALES if player["may_lie"] >> kind - 1 & 1]
    if len(females) == 1 and counts[(females[0] - 1) // 2]:
        counts[(females[0] - 1) // 2] -= 1
        player["may_lie"] -= 1 << females[0] - 1
    elif len(females) < 2:
        reader.wrong(
            f"players[{one}].citizens",
            "the start citizen is missing: one of the female citizens lies in a row of its owner",
        )


def _class_counts(fields: Mapping[str, Any], one: int) -> list[int]:
    rows = fields["player"][one]["citizens"]
    return [sum(rows[2 * rank : 2 * rank + 2]) for rank in range(len(CLASSES))]


def _elsewhere(fields: dict[str, Any], one: int, table: Table) -> set[int]:
    """Return the tiles of a colour that are known not to be in a citizen row."""
    players = fields["players"]
    player, receiver = fields["player"][one], (one - 1) % players
    right = fields["player"][receiver]
    found = {*player["tile"], *player["spare"], player["ship_tile"]}
    found |= {*right["reserve"][: right["reserve_count"]]}
    if not _may_be_seated(fields, one, SOURCE_OWN, table):
        found.add(player["kept"])
    if not _may_be_seated(fields, receiver, SOURCE_RECEIVED, table):
        found |= {player["given"], right["picked"]}
    if fields["decider"] == one:
        found |= {*fields["taken"]}
    return found


def _check_unclear(reader: Reader, data: bytes) -> None:
    """The citizens in the rows must be able to have come there."""
    for rank, name in enumerate(CLASSES):
        if not most_fit(data, rank):
            reader.wrong(
                "players",
                f"{name}s in the rows: more than can be, for a row holds citizens of its owner "
                "and of their left neighbour, each of them once",
            )
    if not reader.problems and not fits(data):
        reader.wrong(
            "players", "the citizens in the rows cannot all have come there: too few are left"
        )


def _check_tiles(reader: Reader, fields: dict[str, Any], table: Table) -> None:
    """No tile of a colour may be in two places."""
    supply = Counter(table.components.tiles)
    players = fields["players"]
    for one in range(players):
        player, right = fields["player"][one], fields["player"][(one - 1) % players]
        found = [kind for kind in player["tile"] if kind]
        found += [*player["spare"], player["ship_tile"], player["kept"], *right["reserve"]]
        if table.stage != STAGE_TURN:  # in step 2 it may be in the reserve already
            found.append(player["given"])
        if fields["decider"] == one:
            found += fields["taken"]
        for name, count in Counter(table.kinds[kind] for kind in found if kind).items():
            if count > supply[name]:
                reader.wrong(
                    f"players[{one}]", f"{count} x {name} of that colour, there are {supply[name]}"
                )
    envoys = [fields["player"][one]["envoys"] for one in range(players)]
    for one in range(players):
        for other in range(one):
            both = [low & high for low, high in zip(envoys[one], envoys[other], strict=True)]
            for cell in mosaic_cells(*both):
                reader.wrong(f"players[{one}].forum", f"{cell} is player {other}'s")


def _touched(fields: Mapping[str, Any]) -> list[int]:
    """Mosaic cells of areas that hold an envoy."""
    envoys = 0
    for player in fields["player"]:
        envoys |= player["envoys"][0] | player["envoys"][1] << 64
    touched = 0
    for i in range(0, 8, 2):
        colour = fields["colour"][i] | fields["colour"][i + 1] << 64
        grown, last = envoys & colour, 0
        while grown != last:
            last = grown
            beside = grown << 1 | grown >> 1 | grown << MOSAIC_STRIDE | grown >> MOSAIC_STRIDE
            grown |= beside & colour
        touched |= grown
    return setup.words(touched)


def _fill_street_cards(
    reader: Reader, given: Any, round_: int, table: Table
) -> tuple[list[int], int]:
    """Street cards turned so far, then the others in order; and how many are forgotten.

    Those of past rounds may be left out, the earliest first.
    """
    symbols = table.components.symbols
    wanted = 0 if table.stage < STAGE_TAKE else 2 * round_ + 2
    least = min(wanted, 2)
    if (
        not isinstance(given, Sequence)
        or isinstance(given, str)
        or not least <= len(given) <= wanted
    ):
        cards = f"the {wanted} cards turned so far, or the last of them, at least {least}"
        reader.wrong("street_cards", f"must be a list of {cards}")
        given = []
    turned = [reader.index(f"street_cards[{i}]", one, symbols) for i, one in enumerate(given)]
    left = Counter(map(symbols.index, table.components.street_cards))
    for one, count in Counter(turned).items():
        if count > left[one]:
            reader.wrong("street_cards", f"{symbols[one]} {count} times, there are {left[one]}")
    left -= Counter(turned)
    others = sorted(left.elements())
    forgotten = wanted - len(turned)
    cards_in_order = [*others[:forgotten], *turned, *others[forgotten:]]
    return cards_in_order[:STREET_CARDS], forgotten


def _fill_setup(fields: dict[str, Any]) -> None:
    """Start citizens and workers that nobody knows yet."""
    for one in range(fields["players"]):
        player = fields["player"][one]
        player["start_worker"] = one
        if player["start_class"] == UNKNOWN:
            player["start_class"] = 0


def _read_static(reader: Reader, view: Mapping[str, Any]) -> tuple[Components, dict[str, Any]]:
    """Components, options and what lies open from the start; TrajanError if they are wrong."""
    for key in ("mosaic", "trajan_cards", "players", "stage"):
        if key not in view:
            reader.wrong(key, "is missing")
    if not isinstance(view.get("players", []), list):
        reader.wrong("players", "must be a list")
    if reader.problems:
        raise TrajanError(*reader.problems)
    count = len(view["players"])
    view = {"components": DEFAULT, "boards": [setup.BOARDS[0]] * count, **view}
    given = view.get("options", {})
    options = setup.check_options(count, given if isinstance(given, Mapping) else {})
    components = load(str(view["components"]))
    named = setup.with_names(components, view)
    problems = setup.table_problems(components, count, options, named)
    if problems:
        raise TrajanError(*(problem.removeprefix("setup.") for problem in problems))
    fields: dict[str, Any] = types.blank()
    fields.update(setup.static_fields(components, count, options, named))
    return components, fields


def parse(view: Mapping[str, Any]) -> bytes:
    """Return a state that looks like `view` to its player, unknown parts filled in order.

    Raises TrajanError with every contradiction and its place.
    """
    reader = Reader(view)
    data = reader.keys("position", view, KEYS)
    components, fields = _read_static(reader, data)
    count = len(data["players"])
    stage = reader.index("stage", data["stage"], STAGES)
    observer = reader.number("observer", data.get("observer"), 0, count - 1)
    table = Table(components, fields, stage, observer)
    fields["stage"] = stage
    fields["round"] = reader.number("round", data.get("round", 1), 1, ROUNDS) - 1
    fields["turn"] = reader.number("turn", data.get("turn", 0), 0, MOST_TURNS)
    fields["street_cards"], fields["forgotten_cards"] = _fill_street_cards(
        reader, data.get("street_cards", []), fields["round"], table
    )
    for one, player in enumerate(data["players"]):
        fields["player"][one].update(_read_player(reader, f"players[{one}]", player, table))
        board = setup.BOARDS[fields["board"][one]]
        fields["player"][one]["street"] = list(components.streets[board])
    for name in BUILDING_TILES if "building_tiles" in data else ():
        place = f"building_tiles.{name}"
        tiles = reader.keys("building_tiles", data["building_tiles"], BUILDING_TILES)
        fields[name] = reader.counts(place, tiles.get(name), COLOURS, MOST_BUILDING_TILES)
    if stage != STAGE_OVER:
        fields.update(_read_decision(reader, data.get("to_decide"), fields, table))
    if stage != STAGE_SETUP and fields["player"][observer]["ship_tile"] == UNKNOWN:
        reader.wrong(f"players[{observer}].ship_tile", "is missing: you have seen it")
    pools = []
    for one, player in enumerate(data["players"]):
        unseen = player.get("unseen") if isinstance(player, Mapping) else None
        pools.append(_fill_player(reader, fields, one, unseen, table))
    _read_unclear(reader, fields, data["players"], pools, table)
    _check_tiles(reader, fields, table)
    if stage == STAGE_SETUP:
        _fill_setup(fields)
    fields["touched"] = _touched(fields)
    if reader.problems:
        raise TrajanError(*reader.problems)
    state = types.state_bytes(fields)
    if any(any(player["unclear"]) for player in fields["player"]):
        state = dealt(state, observer)
        _check_unclear(reader, state)
        if reader.problems:
            raise TrajanError(*reader.problems)
    return chosen(state, observer)
