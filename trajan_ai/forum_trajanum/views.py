"""What a player knows, as plain data, and the position that such data describe.

A view is also the body of a position file. Cells, tiles and actions are named as in the rules
page (A13); what the player cannot know is left out, and the word ``unknown`` stands where
something lies whose face he has not seen. Keys:

``you``, ``components``, ``options``, ``boards``, ``mosaic``, ``trajan_cards`` as in a record;
``stage`` (one of `STAGES`), ``round`` 1..12, ``turn`` (a running number, may be left out),
``street_cards`` all symbols turned so far, ``building_tiles`` left by colour (limited tiles only),
``to_decide`` the decision at hand (see `_read_decision`), ``players`` a list, for each of them:

``score``, ``resources``, ``citizens`` tiles by row, ``inactive`` rows, ``cranes`` by corner
(colour, then covered, open or used), ``buildings`` by cell, ``face_down`` cells, ``face_up`` tiles
by corner, ``reserve``, ``slider`` step, ``ship`` envoys, ``forum`` mosaic cells of envoys,
``unseen`` how many of each tile of his colour you have not seen, ``ship_tile`` the face of your
first envoy; during the setup ``start_citizen``; between step 1 and the end of the round
``kept``, ``passed``, ``lay_open`` (faces of the two that lay face up), ``picked`` (reserve).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import Options, changed_options
from trajan_ai.forum_trajanum import ops, setups
from trajan_ai.forum_trajanum.components import Components, load
from trajan_ai.forum_trajanum.hidden import look
from trajan_ai.forum_trajanum.moves import (
    ACTIONS,
    BOARD_CELLS,
    BONUSES,
    CLASSES,
    COLOURS,
    CORNERS,
    GREYS,
    RESOURCES,
    STRUCTURES,
    TRACKS,
)

STAGES = ("setup", "novices", "take", "reserve", "turn", "wages", "over")
SETUP, TAKE, RESERVE, TURN, WAGES, OVER = 0, 2, 3, 4, 5, 6
UNKNOWN = 255
HIDDEN = "unknown"
BUILDINGS = GREYS + STRUCTURES
SOURCES = ("own", "received", "grid")
CORNER_BITS = (0, 5, 40, 45)
MOSAIC_COLUMNS = 9
PENDING_ROOM = 40
MAX_RESOURCE = 100

KEYS = (
    "you",
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
    "face_down",
    "face_up",
    "reserve",
    "slider",
    "ship",
    "forum",
    "unseen",
    "ship_tile",
    "start_citizen",
    "kept",
    "passed",
    "lay_open",
    "picked",
)
DECISION_KEYS = ("player", "task", "then", "paying", "open_cards", "taken", "hand", "converted")
CONVERSIONS = ("swap", "train", "promote")
CONVERSION_FIELDS = ("swapped", "trained", "promoted")


def _task_names(kinds: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Every task that can wait, by name: (number, argument) as in types.pxd."""
    tasks = {f"crane {corner}": (1, i) for i, corner in enumerate(CORNERS)}
    tasks |= {f"seat {name}": (2, i) for i, name in enumerate(CLASSES)}
    tasks |= {"corner": (3, 0), "take": (4, 0), "keep": (5, 0), "reserve": (6, 0), "use": (7, 0)}
    tasks |= {"gain coin or tribune": (8, 0), "gain coin or assistant": (8, 1)}
    tasks |= {"gain worker": (8, 2), "bonus": (9, 0), "bonus twice": (9, 6)}
    tasks |= {f"bonus but {name}": (9, 1 + i) for i, name in enumerate(BONUSES)}
    tasks |= {f"envoy {name}": (10, i) for i, name in enumerate((*COLOURS, "any", "eagle"))}
    tasks |= {"upgrade": (11, 0), "build": (12, 0), "pay": (13, 0), "tile": (15, 0)}
    tasks |= {f"reward {track}": (14, i) for i, track in enumerate(TRACKS)}
    tasks |= {f"wage {row}": (16, row - 1) for row in range(1, 7)}
    tasks |= {"novice": (17, 0), "complete track": (24, 0), "complete area": (25, 0)}
    tasks |= {f"put back {SOURCES[source]}": (20, source) for source in (0, 1)}
    tasks |= {f"benefit of {name}": (22, i) for i, name in enumerate(BUILDINGS)}
    for kind, name in enumerate(kinds):
        if kind:
            tasks[f"use {name}"] = (18, kind)
            for source, word in enumerate(SOURCES):
                tasks[f"put away {word} {name}"] = (19, source | kind << 2)
    return tasks


def _cell_name(bit: int) -> str:
    return BOARD_CELLS[bit // 8 * 6 + bit % 8]


def _mask_cells(mask: int) -> list[str]:
    return [_cell_name(bit) for bit in range(48) if mask >> bit & 1]


def _mosaic_cells(low: int, high: int) -> list[str]:
    mask = low | high << 64
    stride = setups.STRIDE
    return [f"m{bit // stride + 1}.{bit % stride + 1}" for bit in range(128) if mask >> bit & 1]


def _counts(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Names with their counts, without those that have none."""
    return {name: count for name, count in zip(names, counts, strict=False) if count}


def _tile(kinds: Sequence[str], kind: int) -> str:
    return HIDDEN if kind == UNKNOWN else kinds[kind]


# --- from a position to a view -----------------------------------------------------------------


def _crane(fields: Mapping[str, Any], corner: int) -> str:
    colour = COLOURS[fields["crane"][corner] - 1]
    used, opened = fields["crane_used"] >> corner & 1, fields["crane_open"] >> corner & 1
    return f"{colour} {'used' if used else 'open' if opened else 'covered'}"


def _view_player(fields: Mapping[str, Any], stage: int, kinds: Sequence[str]) -> dict[str, Any]:
    tiles, tile = fields["tiles"], fields["tile"]
    plain = [bit for bit in range(48) if tiles >> bit & 1 and bit not in CORNER_BITS]
    faces = {_cell_name(bit): _tile(kinds, tile[bit]) for bit in plain}
    hidden = all(face == HIDDEN for face in faces.values())
    view: dict[str, Any] = {
        "score": fields["score"],
        "resources": _counts(RESOURCES, fields["resources"].to_bytes(8, "little")),
        "citizens": _counts([str(row) for row in range(1, 7)], fields["citizens"]),
        "inactive": [
            row + 1
            for row in range(6)
            if fields["citizens"][row] and not fields["active"] >> row & 1
        ],
        "cranes": {
            name: _crane(fields, corner)
            for corner, name in enumerate(CORNERS)
            if fields["crane"][corner]
        },
        "buildings": {
            cell: BUILDINGS[building]
            for building in range(8)
            for cell in _mask_cells(fields["built"][building])
        },
        "face_down": list(faces) if hidden else faces,
        "face_up": {
            name: kinds[tile[bit]]
            for name, bit in zip(CORNERS, CORNER_BITS, strict=True)
            if tiles >> bit & 1
        },
        "reserve": [kinds[kind] for kind in fields["reserve"][: fields["reserve_count"]]],
        "slider": fields["slider"],
        "ship": fields["ship"],
        "forum": _mosaic_cells(*fields["envoys"]),
    }
    if fields["ship_tile"] != UNKNOWN:
        view["ship_tile"] = kinds[fields["ship_tile"]]
    if stage == SETUP and fields["start_class"] != UNKNOWN:
        view["start_citizen"] = CLASSES[fields["start_class"]]
    for name, kind in (("kept", "kept"), ("passed", "given"), ("picked", "picked")):
        if fields[kind]:
            view[name] = _tile(kinds, fields[kind])
    if any(fields["shown"]):
        view["lay_open"] = [kinds[kind] for kind in fields["shown"] if kind]
    return view


def _view_decision(fields: Mapping[str, Any], kinds: Sequence[str]) -> dict[str, Any]:
    names = {task: name for name, task in _task_names(kinds).items()}
    stack = [tuple(fields["stack"][2 * i : 2 * i + 2]) for i in range(fields["depth"])]
    view: dict[str, Any] = {
        "player": fields["actor"],
        "task": names[fields["decision"], fields["argument"]],
    }
    if stack:
        view["then"] = [names[task] for task in reversed(stack)]
    if fields["plan"]:
        view["paying"] = ACTIONS[fields["plan"]]
    if fields["open_cards"]:
        view["open_cards"] = [card + 1 for card in (0, 1) if fields["open_cards"] >> card & 1]
    if any(fields["taken_cell"]):
        view["taken"] = {
            str(card + 1): {
                "cell": _cell_name(fields["taken_cell"][card] - 1),
                "tile": _tile(kinds, fields["taken"][card]),
            }
            for card in (0, 1)
            if fields["taken_cell"][card]
        }
    if fields["hand"]:
        view["hand"] = [SOURCES[source] for source in (0, 1) if fields["hand"] >> source & 1]
    converted = _counts(CONVERSIONS, [fields[name] for name in CONVERSION_FIELDS])
    if converted:
        view["converted"] = converted
    return view


def _options(fields: Mapping[str, Any], components: Components) -> Options:
    """The options of a state; the prestige variant is the one with the state's tables."""
    players = range(fields["players"])
    variant = fields["variant"]
    options: Options = {name: bool(variant & bit) for name, bit in setups.VARIANTS.items()}
    options["novices"] = [player for player in players if fields["novices"] >> player & 1]
    options["prestige"] = next(
        name
        for name, track in sorted(components.prestige.items(), key=lambda item: item[0] != "P2")
        if setups.prestige_fields(track).items() <= fields.items()
    )
    return options


def view(data: bytes, player: int | None) -> dict[str, Any]:
    """Return what `player` knows of the state `data`, or with None everything."""
    fields, unseen = (ops.fields(data), None) if player is None else look(data, player)
    components = load(bytes(fields["set_name"]).rstrip(b"\0").decode())
    kinds = setups.tile_kinds(components)
    count, stage = fields["players"], fields["stage"]
    mosaic = fields["mosaic_board"][: len(components.slots[count])]
    result: dict[str, Any] = {
        "you": player,
        "components": components.name,
        "options": changed_options(setups.OPTIONS, count, _options(fields, components)),
        "boards": [setups.BOARDS[board] for board in fields["board"][:count]],
        "mosaic": [[one >> 2, "ab"[one >> 1 & 1], 2 * (one & 1)] for one in mosaic],
        "trajan_cards": [number for number in fields["card_id"] if number],
        "stage": STAGES[stage],
        "round": fields["round"] + 1,
        "turn": fields["turn"],
        "street_cards": [components.symbols[i] for i in fields["street_cards"] if i != UNKNOWN],
    }
    if fields["variant"] & setups.VARIANTS["limited_tiles"]:
        result["building_tiles"] = {
            name: dict(zip(COLOURS, fields[name], strict=True)) for name in ("singles", "doubles")
        }
    if stage != OVER:
        result["to_decide"] = _view_decision(fields, kinds)
    result["players"] = [_view_player(fields["player"][one], stage, kinds) for one in range(count)]
    if unseen is not None:
        for one in range(count):
            result["players"][one]["unseen"] = _counts(kinds, unseen[one])
    return result


# --- from a view to a position -----------------------------------------------------------------


class _Reader:
    """Reads a view and collects what contradicts in it."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.problems: list[str] = []

    def wrong(self, place: str, what: str) -> None:
        self.problems.append(f"{place}: {what}")

    def keys(self, place: str, data: Any, known: Sequence[str]) -> Mapping[str, Any]:
        """Return `data` if it is a mapping with known keys, else the part of it that is."""
        if not isinstance(data, Mapping):
            self.wrong(place, f"must be a mapping, got {data!r}")
            return {}
        for key in data:
            if key not in known:
                self.wrong(place, f"unknown key {key!r}; keys are {', '.join(known)}")
        return {key: value for key, value in data.items() if key in known}

    def number(self, place: str, value: Any, low: int, high: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(place, f"must be {low} to {high}, got {value!r}")
        return low

    def index(self, place: str, value: Any, names: Sequence[str]) -> int:
        """Return the place of a name among `names`."""
        if isinstance(value, str) and value in names:
            return names.index(value)
        known = ", ".join(names) if len(names) <= 40 else f"one of {len(names)} names"
        self.wrong(place, f"{value!r}, must be {known}")
        return 0

    def names(self, place: str, value: Any, names: Sequence[str]) -> list[int]:
        """Return the places of a list of names, each at most once."""
        if not isinstance(value, Sequence) or isinstance(value, str):
            self.wrong(place, f"must be a list, got {value!r}")
            return []
        found = [self.index(f"{place}[{i}]", one, names) for i, one in enumerate(value)]
        for one, count in Counter(found).items():
            if count > 1:
                self.wrong(place, f"{names[one]} stands {count} times")
        return found

    def counts(self, place: str, value: Any, names: Sequence[str], high: int) -> list[int]:
        """Return counts by name, 0 where a name is left out."""
        found = [0] * len(names)
        words = {str(key): count for key, count in value.items()} if _maps(value) else value
        for name, count in self.keys(place, words, names).items():
            found[names.index(name)] = self.number(f"{place}.{name}", count, 0, high)
        return found


def _maps(value: Any) -> bool:
    return isinstance(value, Mapping)


class _Table:
    """What the parts of a view are read against: components, stage, names."""

    def __init__(self, components: Components, fields: Mapping[str, Any], stage: int) -> None:
        self.components = components
        self.stage = stage
        self.steps = fields["steps"]
        self.kinds = setups.tile_kinds(components)
        self.plain = [BOARD_CELLS[cell] for cell in components.plain]
        words = [fields["colour"][word::2] for word in (0, 1)]
        low, high = (sum(words[i]) | fields["eagles"][i] for i in (0, 1))
        self.mosaic = _mosaic_cells(low, high)


def _bit(cell: str) -> int:
    return setups.bit_of(BOARD_CELLS.index(cell))


def _mosaic_mask(cells: Sequence[str]) -> int:
    places = [cell[1:].split(".") for cell in cells]
    return sum(1 << (int(row) - 1) * setups.STRIDE + int(column) - 1 for row, column in places)


def _read_grid(
    reader: _Reader, place: str, data: Mapping[str, Any], table: _Table
) -> dict[str, Any]:
    """Buildings and tiles: every cell holds at most one thing."""
    built = [0] * 8
    buildings = reader.keys(f"{place}.buildings", data.get("buildings", {}), table.plain)
    for cell, name in buildings.items():
        building = reader.index(f"{place}.buildings.{cell}", name, BUILDINGS)
        built[building] |= 1 << _bit(cell)
    tile = [0] * 48
    face_down = reader.names(f"{place}.face_down", data.get("face_down", []), table.plain)
    for i in face_down:
        cell = table.plain[i]
        tile[_bit(cell)] = UNKNOWN
        if cell in buildings:
            reader.wrong(f"{place}.face_down", f"{cell} holds a building")
    face_up = reader.keys(f"{place}.face_up", data.get("face_up", {}), CORNERS)
    for cell, name in face_up.items():
        tile[_bit(cell)] = 1 + reader.index(f"{place}.face_up.{cell}", name, table.kinds[1:])
    return {
        "built": built,
        "tile": tile,
        "tiles": sum(1 << bit for bit in range(48) if tile[bit]),
    }


def _read_cranes(
    reader: _Reader, place: str, data: Mapping[str, Any], table: _Table
) -> dict[str, Any]:
    """Crane colours and states; a crane is covered while a tile lies on it."""
    states = [f"{colour} {state}" for colour in COLOURS for state in ("covered", "open", "used")]
    colours, opened, used = [0] * 4, 0, 0
    cranes = reader.keys(f"{place}.cranes", data.get("cranes", {}), CORNERS)
    for corner, name in enumerate(CORNERS):
        if name not in cranes:
            if table.stage != SETUP:
                reader.wrong(f"{place}.cranes", f"{name} is missing")
            continue
        found = reader.index(f"{place}.cranes.{name}", cranes[name], states)
        colours[corner] = 1 + found // 3
        opened |= (found % 3 > 0) << corner
        used |= (found % 3 == 2) << corner
        covered = name in data.get("face_up", {})
        if table.stage != SETUP and covered == (found % 3 > 0):
            what = "a tile lies on it" if covered else "no tile lies on it"
            reader.wrong(f"{place}.cranes.{name}", f"is {states[found]}, but {what}")
    chosen = [colour for colour in colours if colour]
    if len(set(chosen)) != len(chosen):
        reader.wrong(f"{place}.cranes", "two cranes have one colour")
    return {"crane": colours, "crane_open": opened, "crane_used": used}


def _read_citizens(reader: _Reader, place: str, data: Mapping[str, Any]) -> dict[str, Any]:
    rows = [str(row) for row in range(1, 7)]
    citizens = reader.counts(f"{place}.citizens", data.get("citizens", {}), rows, 2)
    given = data.get("inactive", [])
    listed = [str(row) for row in given] if isinstance(given, Sequence) else given
    inactive = reader.names(f"{place}.inactive", listed, rows)
    for row in inactive:
        if not citizens[row]:
            reader.wrong(f"{place}.inactive", f"row {row + 1} holds no citizen")
    return {
        "citizens": citizens,
        "active": sum(1 << row for row in range(6) if citizens[row] and row not in inactive),
        "flipped": int(citizens[2] > 0),
    }


def _read_step_1(
    reader: _Reader, place: str, data: Mapping[str, Any], table: _Table
) -> dict[str, Any]:
    """Tiles kept, passed and picked, and the faces that lay open."""
    fields: dict[str, Any] = {"kept": 0, "given": 0, "picked": 0, "shown": [0, 0]}
    known = [HIDDEN, *table.kinds[1:]]
    for key, field in (("kept", "kept"), ("passed", "given"), ("picked", "picked")):
        if key in data:
            found = reader.index(f"{place}.{key}", data[key], known)
            fields[field] = found or UNKNOWN
            if table.stage not in (TAKE, RESERVE, TURN):
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
        reader.wrong(f"{place}.lay_open", "more tiles than he took")
    if Counter(kind for kind in taken if kind not in (0, UNKNOWN)) - Counter(shown) and (
        len(shown) == sum(kind > 0 for kind in taken)
    ):
        reader.wrong(f"{place}.lay_open", "differs from the tiles kept and passed")
    return fields


def _read_player(reader: _Reader, place: str, given: Any, table: _Table) -> dict[str, Any]:
    """Fields of a player, UNKNOWN where tiles are unseen."""
    data = reader.keys(place, given, PLAYER_KEYS)
    resources = reader.counts(
        f"{place}.resources", data.get("resources", {}), RESOURCES, MAX_RESOURCE
    )
    reserve = data.get("reserve", [])
    if not isinstance(reserve, Sequence) or isinstance(reserve, str) or len(reserve) > 12:
        reader.wrong(f"{place}.reserve", "must be a list of at most 12 tiles")
        reserve = []
    kinds = sorted(
        1 + reader.index(f"{place}.reserve[{i}]", name, table.kinds[1:])
        for i, name in enumerate(reserve)
    )
    forum = reader.names(f"{place}.forum", data.get("forum", []), table.mosaic)
    fields = {
        **_read_grid(reader, place, data, table),
        **_read_cranes(reader, place, data, table),
        **_read_citizens(reader, place, data),
        **_read_step_1(reader, place, data, table),
        "score": reader.number(f"{place}.score", data.get("score", 0), 0, 2000),
        "resources": int.from_bytes(bytes(resources), "little"),
        "slider": reader.number(f"{place}.slider", data.get("slider", 0), 0, table.steps),
        "ship": reader.number(f"{place}.ship", data.get("ship", 0), 0, 34),
        "reserve": [*kinds, *[0] * (12 - len(kinds))],
        "reserve_count": len(kinds),
        "envoys": setups.words(_mosaic_mask([table.mosaic[i] for i in forum])),
        "ship_tile": UNKNOWN,
        "start_worker": UNKNOWN if table.stage == SETUP else 0,
        "start_class": UNKNOWN if table.stage == SETUP else 0,
        "spare": [UNKNOWN, UNKNOWN] if table.stage == SETUP else [0, 0],
    }
    if "ship_tile" in data:
        fields["ship_tile"] = 1 + reader.index(
            f"{place}.ship_tile", data["ship_tile"], table.kinds[1:]
        )
    if "start_citizen" in data:
        fields["start_class"] = reader.index(
            f"{place}.start_citizen", data["start_citizen"], CLASSES
        )
    fields["marker"] = [min(4, fields["built"][grey].bit_count()) for grey in (1, 2, 3)]
    return fields


def _read_decision(
    reader: _Reader, given: Any, fields: dict[str, Any], table: _Table
) -> dict[str, Any]:
    """Fields of the decision at hand.

    ``player`` decides, ``task`` says what (`_task_names`), ``then`` what of his turn follows, the
    next thing first. While paying: ``paying``, the build action. In step 1: ``open_cards`` and
    ``taken`` (by card: cell and tile). In step 2: tiles in ``hand``, ``converted`` this turn.
    """
    place = "to_decide"
    data = reader.keys(place, given, DECISION_KEYS)
    tasks = _task_names(table.kinds)
    waiting = [*reversed(data.get("then", []))] if isinstance(data.get("then", []), list) else []
    if len(waiting) > PENDING_ROOM:
        reader.wrong(f"{place}.then", f"at most {PENDING_ROOM} tasks")
        waiting = []
    stack = [
        tasks[list(tasks)[reader.index(f"{place}.then", name, list(tasks))]] for name in waiting
    ]
    task = tasks[list(tasks)[reader.index(f"{place}.task", data.get("task"), list(tasks))]]
    actor = reader.number(f"{place}.player", data.get("player"), 0, fields["players"] - 1)
    first = fields["round"] + (table.stage == WAGES) if table.stage >= TAKE else 0
    seated = (actor + first) % fields["players"] + 1
    result = {
        "actor": actor,
        "seated": seated,
        "decision": task[0],
        "argument": task[1],
        "depth": len(stack),
        "stack": [*(part for one in stack for part in one), *[0] * (84 - 2 * len(stack))],
        "hand": sum(
            1 << i for i in reader.names(f"{place}.hand", data.get("hand", []), SOURCES[:2])
        ),
        "taken": [0, 0],
        "taken_cell": [0, 0],
    }
    if task[0] >= 18:
        reader.wrong(f"{place}.task", "is nothing to decide")
    if "paying" in data:
        result["plan"] = reader.index(f"{place}.paying", data["paying"], ACTIONS)
        if not str(data["paying"]).startswith("build "):
            reader.wrong(f"{place}.paying", "must be a build action")
    elif task[0] == 13:
        reader.wrong(f"{place}.paying", "the build action is missing")
    opened = data.get("open_cards", [])
    cards = [str(card) for card in opened] if isinstance(opened, Sequence) else opened
    result["open_cards"] = sum(
        1 << card for card in reader.names(f"{place}.open_cards", cards, ("1", "2"))
    )
    taken = data.get("taken", {})
    words = {str(card): one for card, one in taken.items()} if _maps(taken) else taken
    for card, one in reader.keys(f"{place}.taken", words, ("1", "2")).items():
        where = f"{place}.taken.{card}"
        entry = reader.keys(where, one, ("cell", "tile"))
        cell = BOARD_CELLS[reader.index(f"{where}.cell", entry.get("cell"), BOARD_CELLS)]
        names = [HIDDEN, *table.kinds[1:]]
        found = reader.index(f"{where}.tile", entry.get("tile", HIDDEN), names)
        result["taken_cell"][int(card) - 1] = 1 + _bit(cell)
        result["taken"][int(card) - 1] = found or UNKNOWN
    converted = reader.counts(f"{place}.converted", data.get("converted", {}), CONVERSIONS, 2)
    result.update(zip(CONVERSION_FIELDS, converted, strict=True))
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
    reader: _Reader, fields: dict[str, Any], one: int, unseen: Any, table: _Table
) -> None:
    """Put the unseen tiles of a colour into their places, kinds ascending."""
    player, place = fields["player"][one], f"players[{one}]"
    slots: list[tuple[dict[str, Any], str, int | None]] = [
        (player, "tile", bit) for bit in range(48) if player["tile"][bit] == UNKNOWN
    ]
    slots += [(player, "spare", i) for i in (0, 1) if player["spare"][i] == UNKNOWN]
    if player["ship_tile"] == UNKNOWN:
        slots.append((player, "ship_tile", None))
    if fields["actor"] == one:
        slots += [(fields, "taken", i) for i in (0, 1) if fields["taken"][i] == UNKNOWN]
    slots += [(player, field, i) for field, i in _fill_pair(player)]
    counts = reader.counts(f"{place}.unseen", unseen, table.kinds[1:], 31)
    if sum(counts) != len(slots):
        reader.wrong(
            f"{place}.unseen", f"{sum(counts)} tiles, but {len(slots)} lie where you cannot see"
        )
    tiles = [kind for kind, count in enumerate(counts, start=1) for _ in range(count)]
    tiles += [1] * (len(slots) - len(tiles))  # a problem already
    for (owner, field, i), kind in zip(slots, tiles, strict=False):
        if i is None:
            owner[field] = kind
        else:
            owner[field][i] = kind


def _check_tiles(reader: _Reader, fields: dict[str, Any], table: _Table) -> None:
    """No tile of a colour may be in two places."""
    supply = Counter(table.components.tiles)
    players = fields["players"]
    for one in range(players):
        player, right = fields["player"][one], fields["player"][(one - 1) % players]
        found = [kind for kind in player["tile"] if kind]
        found += [*player["spare"], player["ship_tile"], player["kept"], *right["reserve"]]
        if table.stage != TURN:  # in step 2 it may be in the reserve already
            found.append(player["given"])
        if fields["actor"] == one:
            found += fields["taken"]
        for name, count in Counter(table.kinds[kind] for kind in found if kind).items():
            if count > supply[name]:
                reader.wrong(
                    f"players[{one}]", f"{count} x {name} of his colour, there are {supply[name]}"
                )
    envoys = [fields["player"][one]["envoys"] for one in range(players)]
    for one in range(players):
        for other in range(one):
            both = [low & high for low, high in zip(envoys[one], envoys[other], strict=True)]
            for cell in _mosaic_cells(*both):
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
            beside = grown << 1 | grown >> 1 | grown << setups.STRIDE | grown >> setups.STRIDE
            grown |= beside & colour
        touched |= grown
    return setups.words(touched)


def _fill_street_cards(reader: _Reader, given: Any, round_: int, table: _Table) -> list[int]:
    """Street cards turned so far, then the others in order."""
    symbols = table.components.symbols
    wanted = 0 if table.stage < TAKE else 2 * round_ + 2
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != wanted:
        reader.wrong("street_cards", f"must be a list of the {wanted} cards turned so far")
        given = []
    turned = [reader.index(f"street_cards[{i}]", one, symbols) for i, one in enumerate(given)]
    left = Counter(map(symbols.index, table.components.street_cards))
    for one, count in Counter(turned).items():
        if count > left[one]:
            reader.wrong("street_cards", f"{symbols[one]} {count} times, there are {left[one]}")
    left -= Counter(turned)
    return [*turned, *sorted(left.elements())][:24]


def _fill_setup(fields: dict[str, Any]) -> None:
    """Start citizens and workers that nobody knows yet."""
    for one in range(fields["players"]):
        player = fields["player"][one]
        player["start_worker"] = one
        if player["start_class"] == UNKNOWN:
            player["start_class"] = 0


def _read_static(reader: _Reader, view: Mapping[str, Any]) -> tuple[Components, dict[str, Any]]:
    """Components, options and what lies open from the start; TrajanError if they are wrong."""
    for key in ("components", "boards", "mosaic", "trajan_cards", "players", "stage"):
        if key not in view:
            reader.wrong(key, "is missing")
    if not isinstance(view.get("players", []), list):
        reader.wrong("players", "must be a list")
    if reader.problems:
        raise TrajanError(*reader.problems)
    count = len(view["players"])
    given = view.get("options", {})
    options = setups.check_options(count, given if isinstance(given, Mapping) else {})
    components = load(str(view["components"]))
    problems = setups.table_problems(components, count, options, dict(view))
    if problems:
        raise TrajanError(*(problem.removeprefix("setup.") for problem in problems))
    fields: dict[str, Any] = ops.blank()
    fields.update(setups.static_fields(components, count, options, dict(view)))
    return components, fields


def from_view(view: Mapping[str, Any]) -> bytes:
    """Return a state that looks like `view` to its player, unknown parts filled in order.

    Raises TrajanError with every contradiction and its place.
    """
    reader = _Reader(view)
    data = reader.keys("position", view, KEYS)
    components, fields = _read_static(reader, data)
    count = len(data["players"])
    stage = reader.index("stage", data["stage"], STAGES)
    table = _Table(components, fields, stage)
    you = reader.number("you", data.get("you"), 0, count - 1)
    fields["stage"] = stage
    fields["round"] = reader.number("round", data.get("round", 1), 1, 12) - 1
    fields["turn"] = reader.number("turn", data.get("turn", 0), 0, 1000)
    fields["street_cards"] = _fill_street_cards(
        reader, data.get("street_cards", []), fields["round"], table
    )
    for one, given in enumerate(data["players"]):
        fields["player"][one].update(_read_player(reader, f"players[{one}]", given, table))
        board = setups.BOARDS[fields["board"][one]]
        fields["player"][one]["street"] = list(components.streets[board])
    for name in ("singles", "doubles") if "building_tiles" in data else ():
        tiles = reader.keys("building_tiles", data["building_tiles"], ("singles", "doubles"))
        fields[name] = reader.counts(f"building_tiles.{name}", tiles.get(name), COLOURS, 100)
    if stage != OVER:
        fields.update(_read_decision(reader, data.get("to_decide"), fields, table))
    for one, given in enumerate(data["players"]):
        if one == you and stage != SETUP and fields["player"][one]["ship_tile"] == UNKNOWN:
            reader.wrong(f"players[{one}].ship_tile", "is missing: you have seen it")
        unseen = given.get("unseen") if isinstance(given, Mapping) else None
        _fill_player(reader, fields, one, unseen, table)
    _check_tiles(reader, fields, table)
    if stage == SETUP:
        _fill_setup(fields)
    fields["touched"] = _touched(fields)
    if reader.problems:
        raise TrajanError(*reader.problems)
    return ops.state_bytes(fields)
