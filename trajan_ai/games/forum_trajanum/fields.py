"""The fields of a view of Forum Trajanum: their keys, their kinds and their names in a state.

`TABLE` contains the keys of a view, `decision_table` returns those of ``to_decide``, and
`player_table` returns those of each entry of ``players``. These keys are also the schema of
position files, which docs/positions.md describes. docs/notation.md lists the names of cells, tiles
and actions. `trajan_ai.games.kit.fields` describes how `views`, `reading` and the page use the
tables.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from trajan_ai.core.enums import names
from trajan_ai.core.errors import Key
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.notation import (
    ACTIONS,
    BOARD_CELLS,
    BUILDINGS,
    CARDS,
    CITIZEN_ROWS,
    COLOURS,
    CORNERS,
    MOSAIC_CELLS,
    RESOURCES,
    SOURCES,
    bit_of_place,
    task_names,
    tasks,
)
from trajan_ai.games.kit.fields import (
    AS_IT_IS,
    Field,
    FieldTable,
    Kind,
    count_by_name,
    counts,
    edit_places,
    if_present,
    list_members,
    members,
    name,
    number,
    unless_empty,
)
from trajan_ai.games.kit.reader import Reader, bits_of

STAGES = names(rules, "STAGE_")
HIDDEN = "unknown"  # a tile whose face the observer has not seen
CRANE_STATES = ("covered", "open", "used")
CRANES = tuple(f"{colour} {state}" for colour in COLOURS for state in CRANE_STATES)
CONVERSIONS = {"swap": "swapped", "train": "trained", "promote": "promoted"}  # fields of a state
BUILDING_TILES = ("singles", "doubles")
MAX_PENDING = rules.STACK - 2  # tasks; a decision pushes at most two more than it pops
MAX_RESOURCES = 100
MAX_SCORE = 2000
MAX_TURNS = 1000
MAX_ENVOYS = 34
MAX_BUILDING_TILES = 100


# --- cells ---------------------------------------------------------------------------------------


CELL_BITS = {cell: bit_of_place(i) for i, cell in enumerate(BOARD_CELLS)}


def bit_of(cell: str) -> int:
    """Return the bit of a Colonia cell."""
    return CELL_BITS[cell]


CORNER_BITS = tuple(map(bit_of, CORNERS))
MOSAIC_BITS = {
    cell: i + i // rules.MOSAIC_COLUMNS * (rules.MOSAIC_STRIDE - rules.MOSAIC_COLUMNS)
    for i, cell in enumerate(MOSAIC_CELLS)
}


def cell_name(bit: int) -> str:
    """Return the name of the Colonia cell for which a bit stands."""
    return BOARD_CELLS[bit // 8 * 6 + bit % 8]


def _mask_cells(mask: int) -> list[str]:
    return [cell for cell, bit in CELL_BITS.items() if mask >> bit & 1]


def mosaic_cells(words: Sequence[int]) -> list[str]:
    """Return the names of the mosaic cells in a mask of two 64-bit words."""
    mask = words[0] | words[1] << 64
    return [cell for cell, bit in MOSAIC_BITS.items() if mask >> bit & 1]


# --- the table of a view -------------------------------------------------------------------------


def _show_boards(state: tuple[int, list[int]]) -> list[str]:
    players, boards = state
    return [setup.BOARDS[board] for board in boards[:players]]


def _show_building_tiles(state: tuple[list[int], ...]) -> dict[str, dict[str, int]]:
    return {
        size: dict(zip(COLOURS, left, strict=True))
        for size, left in zip(BUILDING_TILES, state, strict=True)
    }


def _read_building_tiles(view: Reader, key: Key) -> list[list[int]]:
    tiles = view.part(key, BUILDING_TILES)
    return [tiles.counts(size, COLOURS, MAX_BUILDING_TILES) for size in BUILDING_TILES]


TABLE = FieldTable(
    Field("observer", example="0"),
    Field("components"),
    Field("options"),
    Field("boards", Kind(_show_boards), ("players", "board")),
    Field("mosaic", example="[[1, a, 0], ..]"),
    Field(
        "trajan_cards",
        Kind(lambda cards: [card for card in cards if card]),
        "card_id",
        example="[25, 29, 33]",
    ),
    Field("stage", name(STAGES, STAGES[rules.STAGE_TURN]), example="turn"),
    Field("round", number(1, rules.ROUNDS, zero=1), drawn=("time",)),
    Field("turn", number(0, MAX_TURNS), drawn=("time",)),
    Field("street_cards"),
    Field(
        "building_tiles",
        if_present(Kind(_show_building_tiles, _read_building_tiles)),
        BUILDING_TILES,
        when=lambda s: s["options"] & rules.OPTION_LIMITED_TILES,
    ),
    Field("to_decide"),
    Field("players", example="[{resources: {builder: 1}, ..}, ..]"),
)


# --- the table of a player -----------------------------------------------------------------------


RESOURCE_COUNTS = Kind(
    show=lambda packed: count_by_name(RESOURCES, packed.to_bytes(len(RESOURCES), "little")),
    read=lambda part, key: int.from_bytes(
        bytes(part.counts(key, RESOURCES, MAX_RESOURCES)), "little"
    ),
)


def _show_inactive(state: tuple[list[int], int]) -> list[int]:
    """Return the numbers of the rows whose citizens are not active."""
    citizens, active = state
    return [row + 1 for row, count in enumerate(citizens) if count and not active >> row & 1]


def show_cranes(state: tuple[list[int], int, int]) -> dict[str, str]:
    """Return the crane at each corner, given the colours and the bits of open and used cranes."""
    colours, opened, used = state
    return {
        cell: f"{COLOURS[colour - 1]} {_crane_state(opened >> corner & 1, used >> corner & 1)}"
        for corner, (cell, colour) in enumerate(zip(CORNERS, colours, strict=True))
        if colour
    }


def _crane_state(opened: int, used: int) -> str:
    return CRANE_STATES[2 if used else opened]


def _read_cranes(board: Reader, key: Key) -> tuple[list[int], int, int]:
    """Return the colours of the cranes, and which are open and used, as bits."""
    cranes = board.placed(key, CORNERS, CRANES)
    colours = [(crane + 2) // 3 for crane in cranes]
    states = [(crane - 1) % 3 if crane else 0 for crane in cranes]
    opened = bits_of(corner for corner, state in enumerate(states) if state)
    used = bits_of(corner for corner, state in enumerate(states) if state == 2)
    return colours, opened, used


def show_buildings(built: Sequence[int]) -> dict[str, str]:
    """Return the building on each cell, given the cells of each building."""
    return {
        cell: building
        for building, cells in zip(BUILDINGS, built, strict=True)
        for cell in _mask_cells(cells)
    }


def _show_doubles(state: tuple[int, int]) -> list[list[str]]:
    across, down = state
    return [
        [cell, cell_name(bit_of(cell) + step)]
        for step, cells in ((1, across), (8, down))
        for cell in _mask_cells(cells)
    ]


def _show_took(cells: Sequence[int]) -> list[str] | None:
    return [cell_name(cell - 1) for cell in cells if cell] or None


def show_face(kinds: Sequence[str], kind: int) -> str:
    """Return the name of a tile, or `HIDDEN`."""
    return HIDDEN if kind == rules.UNKNOWN else kinds[kind]


@lru_cache(maxsize=8)  # one entry per component set
def player_table(kinds: tuple[str, ...], plain: tuple[str, ...]) -> FieldTable:
    """Return the fields of a player.

    Args:
        kinds: the names of tiles by their number in a state; the first stands for no tile.
        plain: the cells that can hold a building.
    """
    tiles = kinds[1:]

    def read_buildings(board: Reader, key: Key) -> list[int]:
        built = [0] * len(BUILDINGS)
        placed = board.placed(key, plain, BUILDINGS)
        for cell, building in zip(plain, placed, strict=True):
            if building:
                built[building - 1] |= 1 << bit_of(cell)
        return built

    def show_face_down(state: tuple[int, list[int]]) -> list[str] | dict[str, str]:
        """Return the cells of plain tiles, with their faces if any is known."""
        cells, tile = state
        faces = {
            cell: show_face(kinds, tile[bit])
            for cell, bit in CELL_BITS.items()
            if cells >> bit & 1 and cell not in CORNERS
        }
        return list(faces) if all(face == HIDDEN for face in faces.values()) else faces

    def show_face_up(state: tuple[int, list[int]]) -> dict[str, str]:
        cells, tile = state
        return {
            cell: kinds[tile[bit]]
            for cell, bit in zip(CORNERS, CORNER_BITS, strict=True)
            if cells >> bit & 1
        }

    def read_sorted(board: Reader, key: Key, most: int) -> list[int]:
        return sorted(1 + kind for kind in board.names(key, tiles, f"at most {most} tiles", most))

    def read_reserve(board: Reader, key: Key) -> tuple[list[int], int]:
        reserve = read_sorted(board, key, rules.RESERVE)
        return [*reserve, *[0] * (rules.RESERVE - len(reserve))], len(reserve)

    def read_lay_open(board: Reader, key: Key) -> list[int]:
        faces = read_sorted(board, key, len(CARDS))
        return [*[0] * (len(CARDS) - len(faces)), *faces]

    ship_tile = if_present(
        Kind(
            show=lambda kind: None if kind == rules.UNKNOWN else kinds[kind],
            read=lambda part, key: 1 + part.name(key, tiles),
        )
    )
    face = if_present(
        Kind(
            show=lambda kind: show_face(kinds, kind) if kind else None,
            read=lambda part, key: part.name(key, (HIDDEN, *tiles)) or rules.UNKNOWN,
        )
    )
    reserve = Kind(lambda state: [kinds[kind] for kind in state[0][: state[1]]], read_reserve)
    lay_open = Kind(lambda faces: [kinds[kind] for kind in faces if kind] or None, read_lay_open)
    return FieldTable(
        Field("score", number(0, MAX_SCORE), drawn=("score {player}",)),
        Field("resources", RESOURCE_COUNTS, drawn=("resource {player}",)),
        Field("citizens", counts(CITIZEN_ROWS, 2), drawn=("citizens {player}",)),
        Field(
            "inactive", Kind(_show_inactive), ("citizens", "active"), drawn=("citizens {player}",)
        ),
        Field(
            "cranes",
            Kind(show_cranes, _read_cranes),
            ("crane", "crane_open", "crane_used"),
            drawn=("cell {player} {name}",),
        ),
        Field(
            "buildings",
            Kind(show_buildings, read_buildings),
            "built",
            drawn=("cell {player} {name}",),
        ),
        Field("doubles", Kind(_show_doubles), ("across", "down")),
        Field(
            "face_down", Kind(show_face_down), ("tiles", "tile"), drawn=("cell {player} {name}",)
        ),
        Field("face_up", Kind(show_face_up), ("tiles", "tile"), drawn=("cell {player} {name}",)),
        Field("reserve", reserve, ("reserve", "reserve_count"), drawn=("reserve {player}",)),
        Field("slider", AS_IT_IS, drawn=("slider {player}",)),
        Field("ship", number(0, MAX_ENVOYS), drawn=("ship {player}",)),
        Field("forum", Kind(mosaic_cells), "envoys", drawn=("mosaic {name}",)),
        Field("ship_tile", ship_tile, drawn=("ship {player}", "first envoy {player}")),
        Field("start_citizen"),
        Field("kept", face, drawn=("kept {player}",)),
        Field("passed", face, "given", drawn=("kept {player}", "received")),
        Field("picked", face),
        Field("lay_open", lay_open, "shown"),
        Field("took", Kind(_show_took)),
        Field("paid", unless_empty(number(0, len(CARDS)))),
        Field("unseen"),
        Field("unclear_citizens"),
        Field("may_lie"),
    )


# --- the table of the pending decision -----------------------------------------------------------


@lru_cache(maxsize=8)  # one entry per component set
def decision_table(kinds: tuple[str, ...]) -> FieldTable:
    """Return the fields of the pending decision; for `kinds` see `player_table`."""
    names_of, numbers_of = task_names(kinds), tasks(kinds)
    words, numbers = list(numbers_of), list(numbers_of.values())
    faces = (HIDDEN, *kinds[1:])

    def show_stack(state: tuple[int, list[int]]) -> list[str] | None:
        depth, stack = state
        return [names_of[stack[2 * i], stack[2 * i + 1]] for i in reversed(range(depth))] or None

    def read_stack(part: Reader, key: Key) -> tuple[int, list[int]]:
        waiting = part.names(key, words, f"at most {MAX_PENDING} tasks", MAX_PENDING)
        stack = [number for task in reversed(waiting) for number in numbers[task]]
        return len(waiting), [*stack, *[0] * (2 * rules.STACK - len(stack))]

    def show_takes(state: tuple[list[int], list[int]]) -> dict[str, dict[str, str]] | None:
        takes = {
            card: {"cell": cell_name(cell - 1), "tile": show_face(kinds, kind)}
            for card, kind, cell in zip(CARDS, *state, strict=True)
            if cell
        }
        return takes or None

    def read_takes(part: Reader, key: Key) -> tuple[list[int], list[int]]:
        tiles, cells = [0] * len(CARDS), [0] * len(CARDS)
        takes = part.entries(key, CARDS)
        for card in takes.data:
            entry = takes.part(card, ("tile",), {"cell": "B2"})
            if "cell" in entry:
                cell = BOARD_CELLS[entry.name("cell", BOARD_CELLS)]
                cells[CARDS.index(card)] = 1 + bit_of(cell)
                tiles[CARDS.index(card)] = entry.name("tile", faces, HIDDEN) or rules.UNKNOWN
        return tiles, cells

    open_cards = Kind(
        show=lambda bits: list(map(int, list_members(CARDS, bits))) or None,
        read=members(CARDS).read,
    )
    decision = Kind(
        show=names_of.__getitem__, read=lambda part, key: numbers[part.name(key, words)]
    )
    paying = if_present(
        Kind(
            show=lambda move: ACTIONS[move] if move else None,
            read=lambda part, key: part.name(key, ACTIONS),
        )
    )
    return FieldTable(
        Field("player", AS_IT_IS, "decider", example="0"),
        Field("decision", decision, ("decision", "argument")),
        Field("then", Kind(show_stack, read_stack), ("depth", "stack")),
        Field("paying", paying, "plan"),
        Field("open_cards", open_cards),
        Field("taken", Kind(show_takes, read_takes), ("taken", "taken_cell")),
        Field("hand", unless_empty(members(SOURCES[:2]))),
        Field(
            "converted",
            unless_empty(counts(tuple(CONVERSIONS), 2)),
            tuple(CONVERSIONS.values()),
        ),
    )


# The places of the drawing are the same for every component set.
EDIT_PLACES: Mapping[str, Sequence[str]] = edit_places(
    {"": TABLE, "players[{player}].": player_table((), ())}
)
