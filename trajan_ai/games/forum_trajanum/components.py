"""Component sets: the printed tables of the game, read from data files.

A set is a YAML or JSON file with the sections of ``sets/recon-1.yaml``. The file is named after
the set. Omitted sections come from the set that ``base`` names. A set is selected by its name; the
option of a deal can also be the path of a file, unless the option comes with a request. Records,
views and states contain only the name. A name is looked up among the sets of this package, then in
the folders of the environment variable ``TRAJAN_AI_COMPONENTS`` (separated as in ``PATH``), then
among the files that this process has loaded. What the rulebook prints, such as the citizens, is
not part of a set.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path

from trajan_ai.core.enums import names
from trajan_ai.core.errors import Key, TrajanError, quoted
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names
from trajan_ai.core.yamlfile import Document, read_yaml
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.notation import (
    BOARD_CELLS,
    CITIZENS,
    COLOURS,
    CORNERS,
    GREYS,
    ICONS,
    STRUCTURES,
)
from trajan_ai.games.kit.reader import Reader

DEFAULT = "recon-1"
DEFAULT_PRESTIGE = "P2"
LABEL = re.compile(r"[0-9]{1,2}")  # a group size in the label of a column
NAME = re.compile(rf"[A-Za-z0-9._-]{{1,{rules.SET_NAME}}}")
FOLDERS = "TRAJAN_AI_COMPONENTS"
HERE = Path(__file__).parent / "sets"
# the sets of this package, all with reconstructed faces
OURS = frozenset(path.stem for path in HERE.glob("*.yaml"))
SUFFIXES = (".yaml", ".yml", ".json")

CORNER_CELLS = tuple(map(BOARD_CELLS.index, CORNERS))
LETTERS = {"B": "blue", "G": "green", "R": "red", "Y": "yellow", "E": "eagle"}
FACE_ROW = re.compile(f"[{''.join(LETTERS)}]{{3}}")
BUILD_TASKS = {
    "grey-coloured-grey horizontal": rules.PATTERN_GKG_ACROSS,
    "any above + any below same temple": rules.PATTERN_TEMPLE_ABOVE_BELOW,
    "2 different grey vertical adjacent": rules.PATTERN_TWO_GREYS_DOWN,
    "both orthogonal neighbours of one crane built": rules.PATTERN_CRANE_SIDES,
    "2x2 square any": rules.PATTERN_SQUARE,
    "coloured-grey-coloured vertical": rules.PATTERN_KGK_DOWN,
    "4 coloured of 4 colours anywhere": rules.PATTERN_FOUR_COLOURS,
    "grey-coloured-grey vertical": rules.PATTERN_GKG_DOWN,
    "coloured-grey-grey-coloured vertical": rules.PATTERN_KGGK_DOWN,
    "3 coloured of 3 colours vertical": rules.PATTERN_THREE_COLOURS_DOWN,
    "4 diagonal neighbours of one temple coloured": rules.PATTERN_TEMPLE_DIAGONALS,
    "3 different grey vertical": rules.PATTERN_THREE_GREYS_DOWN,
}
COLLECT_TASKS = names(rules, "DEMAND_")
# The counts that a collecting task fixes, by demand.
FIXED_DEMANDS = {
    "active_citizens_distinct_classes": 2,
    "active_citizen_each_class": 1,
    "workers_distinct_colours": 2,
}
MAX_COLLECTED = 99  # largest number in one demand of a Trajan card
MAX_NUMBERS = 99  # maximum length of a list whose length is not fixed
RESOURCE_TILES = 28
MAX_ICONS = 4
ICON_KEYS = tuple(f"worker_{icon}" if icon in COLOURS else icon for icon in ICONS)
# Printed examples (B8): a group of 6 gives 6 VP; one of 7 gives 9 VP with the bust at 7.
EXAMPLES = ((6, 6, (3, 5, 7)), (7, 9, (7,)))


@dataclass(frozen=True)
class Prestige:
    """A prestige track: the VP row, the columns of its labels, and the values above the bust.

    ``columns[side][n]`` is the column under the label for a group of size n; side 0 is the base,
    and side 1 the flipped slider.
    """

    steps: int
    vp: tuple[int, ...]
    columns: tuple[tuple[int, ...], tuple[int, ...]]
    bust: tuple[tuple[int, ...], tuple[int, ...]]
    cypress: tuple[int, ...]


@dataclass(frozen=True)
class Card:
    """A Trajan card: its phase (0 to 2), its building task, and its demands by `COLLECT_TASKS`."""

    phase: int
    build: int
    collect: tuple[int, ...]


@dataclass(frozen=True)
class Components:
    """A checked component set. A cell is the number row * 6 + column.

    ``streets[board][symbol]`` is the street of a symbol (0..5 are rows, 6..11 columns) on the
    boards ``A`` and ``B1`` to ``B4``; ``faces[board, side]`` contains four rows of three letters.
    ``grey_of`` has an entry for each colour, in the order of `COLOURS`.
    """

    name: str
    temples: tuple[int, ...]
    symbols: tuple[str, ...]
    street_cards: tuple[str, ...]
    streets: Mapping[str, tuple[int, ...]]
    tiles: tuple[str, ...]
    grey_of: tuple[int, ...]
    singles: int
    doubles: int
    column_vp: tuple[int, ...]
    crane_vp: tuple[int, ...]
    bonus_vp: int
    prestige: Mapping[str, Prestige]
    faces: Mapping[tuple[int, str], tuple[str, ...]]
    slots: Mapping[int, tuple[tuple[int, int], ...]]
    cards: Mapping[int, Card]

    @property
    def plain(self) -> tuple[int, ...]:
        """The plain cells, row by row."""
        others = {*CORNER_CELLS, *self.temples}
        return tuple(cell for cell in range(36) if cell not in others)

    @cached_property
    def plain_cells(self) -> tuple[str, ...]:
        """The names of the plain cells."""
        return tuple(BOARD_CELLS[cell] for cell in self.plain)

    def face(self, board: int, side: str, turns: int) -> tuple[str, ...]:
        """Return the face of a mosaic board that lies upright (0 turns) or upside down (2)."""
        face = self.faces[board, side]
        return tuple(line[::-1] for line in reversed(face)) if turns == 2 else face


def _cell(row: int, column: int) -> int:
    return row * 6 + column


def _numbers(part: Reader, key: Key, low: int, high: int, size: int | None = None) -> list[int]:
    """Return a list of `size` whole numbers, or of at least one if `size` is None."""
    what = "numbers" if size is None else f"{size} numbers"
    listed = part.rows(key, what, size or MAX_NUMBERS, size or 1)
    return [listed.number(i, low, high) for i in listed.data]


def _read_temples(colonia: Reader) -> tuple[int, ...]:
    """Return the cells of the four temples.

    The cells above, below and diagonal to a temple must be buildable (cards 26 and 35).
    """
    before = len(colonia.problems)
    listed = colonia.rows("temples", "4 cells [row, column]", 4, 4)
    temples = [_numbers(listed, i, 0, 5, 2) for i in listed.data]
    if len(colonia.problems) > before:
        return ()
    cells = tuple(sorted(_cell(*one) for one in temples))
    if len(set(cells)) != 4:
        colonia.complain("temples", f"must be 4 different cells, got {len(set(cells))}")
    for i, (row, column) in enumerate(temples):
        for down, right in product((-1, 1), (-1, 0, 1)):
            one = (row + down, column + right)
            if not all(n in range(6) for n in one) or _cell(*one) in (*CORNER_CELLS, *cells):
                listed.complain(i, f"[{row}, {column}] needs a buildable cell at {list(one)}")
    return cells


def _read_street_cards(part: Reader) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before = len(part.problems)
    symbols = [str(symbol) for symbol in part.listed("symbols", "12 different names", 12, 12)]
    if isinstance(part.get("copies_per_symbol"), Mapping):
        copies = part.counts("copies_per_symbol", symbols, rules.STREET_CARDS)
    else:
        copies = [part.number("copies_per_symbol", 1, rules.STREET_CARDS)] * len(symbols)
    if len(part.problems) > before:
        return (), ()
    if len(set(symbols)) != len(symbols):
        part.complain("symbols", f"must be 12 different names, got {len(set(symbols))}")
    if sum(copies) != rules.STREET_CARDS:
        right = f"must make {rules.STREET_CARDS} cards"
        part.complain("copies_per_symbol", f"{right}, got {sum(copies)}")
    cards = [symbol for symbol, count in zip(symbols, copies, strict=True) for _ in range(count)]
    return tuple(symbols), tuple(cards)


def _read_streets(colonia: Reader, symbols: Sequence[str]) -> dict[str, tuple[int, ...]]:
    side_b = colonia.rows("side_B", "4 boards", 4, 4)
    boards = {"A": (colonia, "row_symbols_A", "col_symbols_A")}
    boards |= {f"B{i + 1}": (side_b.section(i), "rows", "cols") for i in side_b.data}
    streets = {}
    for name, (part, rows, columns) in boards.items():
        lists = [part.listed(key, "6 symbols", 6, 6) for key in (rows, columns)]
        order = [str(symbol) for listed in lists for symbol in listed]
        if sorted(order) == sorted(symbols):
            streets[name] = tuple(order.index(symbol) for symbol in symbols)
        elif all(lists) and symbols:
            part.complain((), f"board {name} must show every symbol once, for a row or a column")
    return streets


def _read_tiles(part: Reader) -> tuple[str, ...]:
    """Return the 34 tiles of a colour: one of each citizen, then the tiles of the set."""
    before = len(part.problems)
    tiles = []
    listed = part.rows("resources", "tiles", RESOURCE_TILES)
    for one in map(listed.section, listed.data):
        gain = one.counts("gain", ICON_KEYS, RESOURCE_TILES)
        icons = [icon for icon, count in zip(ICONS, gain, strict=True) for _ in range(count)]
        if not 1 <= len(icons) <= MAX_ICONS:
            one.complain("gain", f"must have 1 to {MAX_ICONS} icons, got {len(icons)}")
        tiles += ["+".join(icons)] * one.number("count", 1, RESOURCE_TILES)
    if len(tiles) != RESOURCE_TILES and len(part.problems) == before:
        part.complain("resources", f"must be {RESOURCE_TILES} tiles, got {len(tiles)}")
    return (*CITIZENS, *tiles)


def _read_pairs(part: Reader) -> tuple[int, ...]:
    """Return the grey building on the tiles of each colour."""
    pairs = part.section("pairs")
    greys = []
    for colour, structure in zip(COLOURS, STRUCTURES, strict=True):
        pair = pairs.section(colour)
        pair.name("structure", [structure])
        greys.append(pair.name("grey", GREYS))
    if len(set(greys)) != len(GREYS):
        pairs.complain((), f"greys must be {', '.join(GREYS)}, each once")
    return tuple(greys)


def _read_labels(variant: Reader, key: str) -> tuple[int, ...]:
    """Return the columns of group sizes 0 to 10, for labels such as ``4``, ``2-3`` and ``10+``."""
    columns: dict[int, int] = {}
    part = variant.section(key)
    for label in part.data:
        first, _, last = str(label).rstrip("+").partition("-")
        if not all(LABEL.fullmatch(end) for end in (first, last or first)):
            part.complain(str(label), "must be one or more group sizes, such as 4, 2-3 or 10+")
            continue
        column = part.number(label, 0, rules.PRESTIGE_COLUMNS - 1)
        for size in range(int(first), int(last or first) + 1):
            if size in columns:
                part.complain(label, f"size {size} has two labels")
            columns[size] = column
    if sorted(columns) != list(range(1, 11)):
        part.complain((), "labels must cover the sizes 1 to 10")
        return ()
    return (0, *(columns[size] for size in range(1, 11)))


def _allows_example(track: Prestige, size: int, vp: int, busts: Sequence[int]) -> bool:
    """Return whether a printed example is possible at some step and side of the slider."""
    return any(
        track.vp[track.columns[side][size] + step] == vp and track.bust[side][step] in busts
        for side in (0, 1)
        for step in range(track.steps + 1)
    )


def _read_prestige(part: Reader) -> Prestige | None:
    before = len(part.problems)
    steps = part.number("max_step", 1, rules.MAX_STEPS)
    vp = tuple(_numbers(part, "vp_by_column", 0, 255))
    base, flipped = (_read_labels(part, key) for key in ("base_cols", "flip_cols"))
    cypress = _numbers(part, "cypress_steps", 1, steps)
    busts = [_numbers(part, key, 3, 7, steps + 1) for key in ("trajan_base", "trajan_flip")]
    if any(value not in (3, 5, 7) for bust in busts for value in bust):
        part.complain((), "values above the bust must be 3, 5 or 7")
    if len(part.problems) > before:
        return None
    least = max(base + flipped) + steps + 1
    if not least <= len(vp) <= rules.PRESTIGE_COLUMNS:
        part.complain("vp_by_column", f"must have {least} to {rules.PRESTIGE_COLUMNS} columns")
        return None
    bust = tuple(busts[0]), tuple(busts[1])
    track = Prestige(steps, vp, (base, flipped), bust, tuple(sorted(cypress)))
    for size, points, allowed in EXAMPLES:
        if not _allows_example(track, size, points, allowed):
            text = f"contradicts the printed example: a group of {size} gives {points} VP"
            part.complain((), text)
    return track


def _pieces(face: Sequence[str], letter: str) -> int:
    """Return how many orthogonally connected pieces a letter forms on a face."""
    left = {
        (row, column) for row in range(4) for column in range(3) if face[row][column] == letter
    }
    pieces = 0
    while left:
        pieces += 1
        front = [left.pop()]
        while front:
            row, column = front.pop()
            steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
            beside = left & {(row + down, column + right) for down, right in steps}
            left -= beside
            front += beside
    return pieces


def _read_faces(mosaic: Reader) -> dict[tuple[int, str], tuple[str, ...]]:
    """Return the mosaic faces, each with one eagle and with every colour in one piece (B5)."""
    faces = {}
    right = f"4 rows of 3 letters from {''.join(LETTERS)}"
    boards = mosaic.rows("boards", "5 boards", 5, 5)
    for i, side in product(boards.data, "ab"):
        board = boards.section(i)
        face = board.listed(side, right, 4, 4)
        if not all(isinstance(row, str) and FACE_ROW.fullmatch(row) for row in face):
            board.complain(side, f"must be {right}, got {quoted(face)}")
        elif face:
            if "".join(face).count("E") != 1:
                board.complain(side, "must have one eagle E")
            for letter, name in LETTERS.items():
                if letter != "E" and _pieces(face, letter) != 1:
                    board.complain(side, f"{name} must be one connected piece")
        faces[i + 1, side] = tuple(face)
    return faces


def _read_slots(mosaic: Reader) -> dict[int, tuple[tuple[int, int], ...]]:
    slots = {}
    rows, columns = rules.MOSAIC_ROWS, rules.MOSAIC_COLUMNS
    names = [str(players) for players in PLAYER_COUNTS]
    counts, all_places = (
        mosaic.entries(key, names) for key in ("boards_by_players", "slots_by_players")
    )
    for players in PLAYER_COUNTS:
        before = len(mosaic.problems)
        key = str(players)
        size = counts.number(key, 1, 5)
        listed = all_places.rows(key, f"{size} places [row, column]", size, size)
        pairs = [_numbers(listed, i, 0, rows, 2) for i in listed.data]
        if len(mosaic.problems) > before:
            continue
        places = tuple((row, column) for row, column in pairs)
        cells = {(r + i, c + j) for r, c in places for i in range(4) for j in range(3)}
        if len(cells) != 12 * size:
            all_places.complain(key, "boards overlap")
        if any(row >= rows or column >= columns for row, column in cells):
            all_places.complain(key, f"boards must lie within {rows} rows and {columns} columns")
        slots[players] = places
    return slots


def _read_cards(part: Reader) -> dict[int, Card]:
    cards: dict[int, Card] = {}
    before = len(part.problems)
    listed = part.rows("cards", "12 cards", 12, 12)
    for one in map(listed.section, listed.data):
        number = one.number("id", 1, 255)
        if number in cards:
            one.complain("id", f"{number} is also the id of another card")
        phase = one.number("phase", 1, 3) - 1
        build = BUILD_TASKS[list(BUILD_TASKS)[one.name("build", list(BUILD_TASKS))]]
        collect = one.counts("collect", COLLECT_TASKS, MAX_COLLECTED)
        if not any(collect):
            one.complain("collect", f"must demand at least one of {', '.join(COLLECT_TASKS)}")
        demands = []
        for name, count in zip(COLLECT_TASKS, collect, strict=True):
            fixed = FIXED_DEMANDS.get(name)
            if count and fixed and count != fixed:
                one.complain(("collect", name), f"must be {fixed}, got {count}")
            demands.append(count // (fixed or 1))
        cards[number] = Card(phase, build, tuple(demands))
    for phase in range(3):
        count = sum(card.phase == phase for card in cards.values())
        if count != 4 and len(part.problems) == before:
            part.complain("cards", f"phase {phase + 1} has {count} cards, but must have 4")
    return cards


def parse(document: Document) -> Components:
    """Return the checked set in a document; raise TrajanError, which lists all problems."""
    data = document.data
    name = data.get("name") if isinstance(data, Mapping) else None
    if not isinstance(name, str):
        raise TrajanError(
            f"{document.name}: a component set must be a mapping with the key `name`"
        )
    reader = Reader(data)
    if not NAME.fullmatch(name):
        text = f"must be 1 to {rules.SET_NAME} letters, digits, dots, dashes or underscores"
        reader.complain("name", text)
    colonia, mosaic = reader.section("colonia"), reader.section("mosaic")
    buildings = reader.section("building_tiles")
    variants = reader.section("prestige").section("variants")
    if DEFAULT_PRESTIGE not in variants:
        variants.complain(
            (), f"must contain {DEFAULT_PRESTIGE}, the default of the option `prestige`"
        )
    symbols, street_cards = _read_street_cards(reader.section("street_cards"))
    tracks = {str(name): _read_prestige(variants.section(name)) for name in variants.data}
    components = Components(
        name=name,
        temples=_read_temples(colonia),
        symbols=symbols,
        street_cards=street_cards,
        streets=_read_streets(colonia, symbols),
        tiles=_read_tiles(reader.section("colonia_tiles")),
        grey_of=_read_pairs(buildings),
        singles=buildings.number("single_per_colour", 1, 100),
        doubles=buildings.number("double_per_colour", 1, 100),
        column_vp=tuple(_numbers(reader.section("column_vp"), "by_phase", 0, 20, 3)),
        crane_vp=tuple(_numbers(reader.section("crane_vp"), "by_phase", 0, 20, 3)),
        bonus_vp=reader.section("area_bonus").number("vp", 0, 20),
        prestige={name: track for name, track in tracks.items() if track is not None},
        faces=_read_faces(mosaic),
        slots=_read_slots(mosaic),
        cards=_read_cards(reader.section("trajan_cards")),
    )
    if reader.problems:
        raise TrajanError(*map(document.located, reader.problems))
    return components


def _files() -> list[Path]:
    """Return the files that may contain sets, those of the package first."""
    folders = [HERE, *map(Path, filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)))]
    return [
        path
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.suffix in SUFFIXES
    ]


def _read(path: str | Path) -> Components:
    """Return the set in a file; omitted sections come from its base."""
    document = read_yaml(path)
    base = document.data.get("base") if isinstance(document.data, Mapping) else None
    if base is not None:
        there = {one.stem: one for one in _files()}
        if base not in there:
            text = f"no component set is called {base!r}{Names(there).hint(str(base))}"
            raise TrajanError(document.problem(("base",), text))
        document = replace(document, data={**read_yaml(there[base]).data, **document.data})
    return parse(document)


_LOADED: dict[str, Components] = {}  # sets loaded from files, by name


def is_file(value: str) -> bool:
    """Return whether the value of the option `components` is the path of a file, not a name."""
    return value.endswith(SUFFIXES)


def choose(value: str) -> Components:
    """Return the set that the option `components` selects, by its name or the path of its file."""
    return _load_file(value) if is_file(value) else load(value)


@cache
def _load_file(path: str) -> Components:
    """Return the set in a file, and make the set available by its name.

    Raises TrajanError if another set has the same name, or if the file has problems; the error
    then lists all of them.
    """
    components = _read(path)
    for other in _files():
        if other.stem == components.name and not other.samefile(path):
            raise TrajanError(
                f"{path}: name: {components.name!r} is already the name of the set in {other}; "
                "choose another name"
            )
    if _LOADED.setdefault(components.name, components) != components:
        raise TrajanError(
            f"{path}: name: another set called {components.name!r} is loaded; choose another name"
        )
    return components


@cache
def load(name: str) -> Components:
    """Return the set called `name`.

    The name may come from an untrusted source, so it is never used as the path of a file. Raises
    TrajanError if there is no such set, or if the set has problems; the error then lists all of
    them.
    """
    files = _files()
    for path in files:
        if path.stem == name:
            components = _read(path)
            if components.name != name:
                raise TrajanError(f"{path}: name: must be {name!r}, like the name of the file")
            return components
    if name in _LOADED:
        return _LOADED[name]
    available = [path.stem for path in files]
    raise TrajanError(
        f"no component set is called {quoted(name)}; component sets are {', '.join(available)} "
        f"(folders in {FOLDERS} are searched too){Names(available).hint(name)}"
    )
