"""Views: the knowledge of a player as plain data, which is the schema of position files.

docs/forum_trajanum.md describes the keys. Names of cells, tiles and actions are those of the rules
page (A13). Parts that the player does not know are omitted, and ``unknown`` is a tile whose face
they have not seen. `reading.parse` converts a view to a position.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.game import Position
from trajan_ai.core.rules import Options, changed_options, check_options
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.components import DEFAULT_PRESTIGE, Components, load
from trajan_ai.games.forum_trajanum.notation import (
    ACTIONS,
    BOARD_CELLS,
    BUILDINGS,
    CARDS,
    CITIZEN_ROWS,
    CITIZENS,
    CLASSES,
    COLOURS,
    CORNERS,
    MOSAIC_CELLS,
    RESOURCES,
    SOURCES,
    task_names,
)
from trajan_ai.games.forum_trajanum.rules import look

STAGES = names(rules, "STAGE_")
HIDDEN = "unknown"
CONVERSIONS = {"swap": "swapped", "train": "trained", "promote": "promoted"}  # field of a state


def bit_of(cell: str) -> int:
    """Return the bit of a Colonia cell."""
    return setup.bit_of(BOARD_CELLS.index(cell))


CORNER_BITS = tuple(map(bit_of, CORNERS))
MOSAIC_BITS = {
    cell: i + i // rules.MOSAIC_COLUMNS * (rules.MOSAIC_STRIDE - rules.MOSAIC_COLUMNS)
    for i, cell in enumerate(MOSAIC_CELLS)
}


def cell_name(bit: int) -> str:
    """Return the name of the Colonia cell of a bit."""
    return BOARD_CELLS[bit // 8 * 6 + bit % 8]


def _mask_cells(mask: int) -> list[str]:
    return [cell_name(bit) for bit in range(rules.CELLS) if mask >> bit & 1]


def mosaic_cells(low: int, high: int) -> list[str]:
    """Return the names of the mosaic cells of a mask's two words."""
    mask = low | high << 64
    return [cell for cell, bit in MOSAIC_BITS.items() if mask >> bit & 1]


def _counts(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    return {name: count for name, count in zip(names, counts, strict=False) if count}


def _tile(kinds: Sequence[str], kind: int) -> str:
    return HIDDEN if kind == rules.UNKNOWN else kinds[kind]


def _crane(fields: Mapping[str, Any], corner: int) -> str:
    colour = COLOURS[fields["crane"][corner] - 1]
    used, opened = fields["crane_used"] >> corner & 1, fields["crane_open"] >> corner & 1
    return f"{colour} {'used' if used else 'open' if opened else 'covered'}"


def _player(fields: Mapping[str, Any], stage: int, kinds: Sequence[str]) -> dict[str, Any]:
    tiles, tile = fields["tiles"], fields["tile"]
    plain = [bit for bit in range(rules.CELLS) if tiles >> bit & 1 and bit not in CORNER_BITS]
    faces = {cell_name(bit): _tile(kinds, tile[bit]) for bit in plain}
    hidden = all(face == HIDDEN for face in faces.values())
    view: dict[str, Any] = {
        "score": fields["score"],
        "resources": _counts(RESOURCES, fields["resources"].to_bytes(8, "little")),
        "citizens": _counts(CITIZEN_ROWS, fields["citizens"]),
        "inactive": [
            row + 1
            for row, count in enumerate(fields["citizens"])
            if count and not fields["active"] >> row & 1
        ],
        "cranes": {
            name: _crane(fields, corner)
            for corner, name in enumerate(CORNERS)
            if fields["crane"][corner]
        },
        "buildings": {
            cell: BUILDINGS[building]
            for building in range(len(BUILDINGS))
            for cell in _mask_cells(fields["built"][building])
        },
        "doubles": [
            [cell_name(bit), cell_name(bit + step)]
            for step, cells in ((1, fields["across"]), (8, fields["down"]))
            for bit in range(rules.CELLS)
            if cells >> bit & 1
        ],
        "face_down": list(faces) if hidden else faces,
        "face_up": {
            name: kinds[tile[bit]]
            for name, bit in zip(CORNERS, CORNER_BITS, strict=True)
            if tiles >> bit & 1
        },
        "reserve": [kinds[kind] for kind in fields["reserve"][: fields["reserve_count"]]],
        "slider": fields["slider"],
        "ship": fields["ship"],
        "forum": mosaic_cells(*fields["envoys"]),
    }
    if fields["ship_tile"] != rules.UNKNOWN:
        view["ship_tile"] = kinds[fields["ship_tile"]]
    if stage == rules.STAGE_SETUP and fields["start_class"] != rules.UNKNOWN:
        view["start_citizen"] = CLASSES[fields["start_class"]]
    for name, kind in (("kept", "kept"), ("passed", "given"), ("picked", "picked")):
        if fields[kind]:
            view[name] = _tile(kinds, fields[kind])
    if any(fields["shown"]):
        view["lay_open"] = [kinds[kind] for kind in fields["shown"] if kind]
    if any(fields["took"]):
        view["took"] = [cell_name(cell - 1) for cell in fields["took"] if cell]
    if fields["paid"]:
        view["paid"] = fields["paid"]
    return view


def _unclear(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return the citizens in rows whose owners nobody remembers."""
    return {
        "unclear_citizens": _counts(CLASSES, player["unclear"]),
        "may_lie": [one for i, one in enumerate(CITIZENS) if player["may_lie"] >> i & 1],
    }


def _to_decide(fields: Mapping[str, Any], kinds: tuple[str, ...]) -> dict[str, Any]:
    names_of = task_names(kinds)
    stack = [tuple(fields["stack"][2 * i : 2 * i + 2]) for i in range(fields["depth"])]
    view: dict[str, Any] = {
        "player": fields["decider"],
        "decision": names_of[fields["decision"], fields["argument"]],
    }
    if stack:
        view["then"] = [names_of[task] for task in reversed(stack)]
    if fields["plan"]:
        view["paying"] = ACTIONS[fields["plan"]]
    if fields["open_cards"]:
        view["open_cards"] = [card + 1 for card in (0, 1) if fields["open_cards"] >> card & 1]
    if any(fields["taken_cell"]):
        view["taken"] = {
            name: {
                "cell": cell_name(fields["taken_cell"][card] - 1),
                "tile": _tile(kinds, fields["taken"][card]),
            }
            for card, name in enumerate(CARDS)
            if fields["taken_cell"][card]
        }
    if fields["hand"]:
        view["hand"] = [name for i, name in enumerate(SOURCES) if fields["hand"] >> i & 1]
    converted = _counts(list(CONVERSIONS), [fields[name] for name in CONVERSIONS.values()])
    if converted:
        view["converted"] = converted
    return view


def _options(fields: Mapping[str, Any], components: Components) -> Options:
    tracks = sorted(components.prestige.items(), key=lambda item: item[0] != DEFAULT_PRESTIGE)
    prestige = next(
        name for name, track in tracks if setup.prestige_fields(track).items() <= fields.items()
    )
    novices = [one for one in range(fields["players"]) if fields["novices"] >> one & 1]
    changed = {**setup.options_of(fields["options"]), "novices": novices, "prestige": prestige}
    options = check_options(setup.NAME, setup.OPTIONS, fields["players"], changed)
    return changed_options(setup.OPTIONS, fields["players"], options)


def cards_of_round(view: Mapping[str, Any]) -> list[str]:
    """Return the two street cards of the current round, none during the setup."""
    return list(view["street_cards"][: 2 * view["round"]][-2:])


def components_of(fields: Mapping[str, Any]) -> Components:
    """Return the component set of a state."""
    return load(bytes(fields["set_name"]).rstrip(b"\0").decode())


def view(position: Position, player: int | None) -> dict[str, Any]:
    """Return the knowledge of `player`, or with None everything; unknown parts are omitted."""
    data = position.to_bytes()
    fields, unseen = (rules.fields(data), None) if player is None else look(data, player)
    components = components_of(fields)
    kinds = setup.tile_kinds(components)
    count, stage = fields["players"], fields["stage"]
    mosaic = fields["mosaic_board"][: len(components.slots[count])]
    result: dict[str, Any] = {
        "observer": player,
        "components": components.name,
        "options": _options(fields, components),
        "boards": [setup.BOARDS[board] for board in fields["board"][:count]],
        "mosaic": [[one >> 2, "ab"[one >> 1 & 1], 2 * (one & 1)] for one in mosaic],
        "trajan_cards": [number for number in fields["card_id"] if number],
        "stage": STAGES[stage],
        "round": fields["round"] + 1,
        "turn": fields["turn"],
        "street_cards": [
            components.symbols[i]
            for i in fields["street_cards"][0 if player is None else fields["forgotten_cards"] :]
            if i != rules.UNKNOWN
        ],
    }
    if fields["options"] & rules.OPTION_LIMITED_TILES:
        result["building_tiles"] = {
            name: dict(zip(COLOURS, fields[name], strict=True)) for name in ("singles", "doubles")
        }
    if stage != rules.STAGE_OVER:
        result["to_decide"] = _to_decide(fields, kinds)
    result["players"] = [_player(fields["player"][one], stage, kinds) for one in range(count)]
    if unseen is not None:
        for one in range(count):
            result["players"][one]["unseen"] = _counts(kinds, unseen[one])
    if any(any(player["unclear"]) for player in fields["player"][:count]):
        for one in range(count):
            result["players"][one] |= _unclear(fields["player"][one])
    return result
