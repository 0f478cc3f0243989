"""Component sets: the printed tables of the game that a data file holds, never code.

A set is a YAML (or JSON) file with the sections of ``sets/recon-1.yaml``, called after the name it
gives itself. It is asked for by that name, or by the path of its file; a record keeps which in
``setup.components``. Names are looked up among the sets of this package, then in the folders of
the environment variable ``TRAJAN_AI_COMPONENTS`` (joined as in ``PATH``). Sections about what the
rules page knows for certain (citizen rows, reward tracks, start, supply) are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

from trajan_ai.core.enums import names
from trajan_ai.core.errors import Problem, TrajanError, format_path, quoted
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.names import Names
from trajan_ai.files.yamlfile import Document, read_yaml
from trajan_ai.forum_trajanum import types
from trajan_ai.forum_trajanum.notation import (
    BOARD_CELLS,
    CITIZENS,
    COLOURS,
    CORNERS,
    GREYS,
    ICONS,
    STRUCTURES,
)
from trajan_ai.forum_trajanum.types import (
    MAX_STEPS,
    MOSAIC_COLUMNS,
    MOSAIC_ROWS,
    PRESTIGE_COLUMNS,
    SET_NAME,
    STREET_CARDS,
)

DEFAULT = "recon-1"
DEFAULT_PRESTIGE = "P2"
LABEL = re.compile(r"[0-9]{1,2}")  # one end of the group sizes that a column is for
NAME = re.compile(rf"[A-Za-z0-9._-]{{1,{SET_NAME}}}")
FOLDERS = "TRAJAN_AI_COMPONENTS"
HERE = Path(__file__).parent / "sets"
OURS = frozenset(path.stem for path in HERE.glob("*.yaml"))  # all with reconstructed faces
SUFFIXES = (".yaml", ".yml", ".json")

CORNER_CELLS = tuple(map(BOARD_CELLS.index, CORNERS))
LETTERS = {"B": "blue", "G": "green", "R": "red", "Y": "yellow", "E": "eagle"}
BUILD_TASKS = {
    "grey-coloured-grey horizontal": types.PATTERN_GKG_ACROSS,
    "any above + any below same temple": types.PATTERN_TEMPLE_ABOVE_BELOW,
    "2 different grey vertical adjacent": types.PATTERN_TWO_GREYS_DOWN,
    "both orthogonal neighbours of one crane built": types.PATTERN_CRANE_SIDES,
    "2x2 square any": types.PATTERN_SQUARE,
    "coloured-grey-coloured vertical": types.PATTERN_KGK_DOWN,
    "4 coloured of 4 colours anywhere": types.PATTERN_FOUR_COLOURS,
    "grey-coloured-grey vertical": types.PATTERN_GKG_DOWN,
    "coloured-grey-grey-coloured vertical": types.PATTERN_KGGK_DOWN,
    "3 coloured of 3 colours vertical": types.PATTERN_THREE_COLOURS_DOWN,
    "4 diagonal neighbours of one temple coloured": types.PATTERN_TEMPLE_DIAGONALS,
    "3 different grey vertical": types.PATTERN_THREE_GREYS_DOWN,
}
COLLECT_TASKS = names(types, "DEMAND_")
# How many of a demand make one copy of it, where the task fixes the number.
FIXED_DEMANDS = {
    "active_citizens_distinct_classes": 2,
    "active_citizen_each_class": 1,
    "workers_distinct_colours": 2,
}
MOST_COLLECTED = 99  # of one demand of a Trajan card
RESOURCE_TILES = 28
MAX_ICONS = 4
# Printed examples (B8): a group of 6 gives 6 VP; one of 7 gives 9 VP with the bust at 7.
EXAMPLES = ((6, 6, (3, 5, 7)), (7, 9, (7,)))


@dataclass(frozen=True)
class Prestige:
    """A prestige track: the VP row, where labels stand, and the values above the bust.

    ``columns[side][n]`` is the column under the label of a group of n, side 0 base, 1 flipped.
    """

    steps: int
    vp: tuple[int, ...]
    columns: tuple[tuple[int, ...], tuple[int, ...]]
    bust: tuple[tuple[int, ...], tuple[int, ...]]
    cypress: tuple[int, ...]


@dataclass(frozen=True)
class Card:
    """A Trajan card: phase 0..2, place of its building task, demands by `COLLECT_TASKS`."""

    phase: int
    build: int
    collect: tuple[int, ...]


@dataclass(frozen=True)
class Components:
    """A checked component set. Cells are row * 6 + column; colours as in `COLOURS`.

    ``streets[board][symbol]`` is the street of a symbol, 0..5 rows and 6..11 columns, for the
    boards ``A`` and ``B1`` to ``B4``; ``faces[board, side]`` are four rows of three letters.
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
        """Plain cells, row by row."""
        taken = {*CORNER_CELLS, *self.temples}
        return tuple(cell for cell in range(36) if cell not in taken)


class _Reader:
    """Reads a set section by section and collects what is wrong with it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.data = document.data
        self.lines = {format_path(path): line for path, line in document.lines.items()}
        self.problems: list[Problem] = []

    def wrong(self, where: str, what: str) -> None:
        """Note a problem at a place such as ``mosaic.boards[2].a``, with its line if known."""
        line = self.lines.get(where)
        self.problems.append(Problem(what, (where,), line, self.document.name))

    def get(self, *path: str) -> Any:
        """Return what lies at `path`, None and a problem where nothing does."""
        found: Any = self.data
        for key in path:
            if isinstance(found, Mapping) and key not in found and key.isdigit():
                found = {str(name): value for name, value in found.items()}
            if not isinstance(found, Mapping) or found.get(key) is None:
                self.wrong(".".join(path), "is missing")
                return None
            found = found[key]
        return found

    def number(self, low: int, high: int, *path: str) -> int:
        """Return an integer between `low` and `high`, `low` with a problem otherwise."""
        found = self.get(*path)
        if isinstance(found, int) and not isinstance(found, bool) and low <= found <= high:
            return found
        if found is not None:
            right = f"must be a whole number from {low} to {high}"
            self.wrong(".".join(path), f"{right}, got {quoted(found)}")
        return low

    def numbers(self, low: int, high: int, size: int | None, *path: str) -> tuple[int, ...]:
        """Return a list of integers between `low` and `high`, of `size` if given."""
        found = self.get(*path)
        if (
            isinstance(found, list)
            and all(isinstance(one, int) and low <= one <= high for one in found)
            and (size is None or len(found) == size)
        ):
            return tuple(found)
        if found is not None:
            many = "numbers" if size is None else f"{size} numbers"
            self.wrong(".".join(path), f"must be a list of {many} from {low} to {high}")
        return ()

    def rows(self, *path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield each mapping of the list at `path`, after its place."""
        found, where = self.get(*path), ".".join(path)
        if found is not None and not isinstance(found, list):
            self.wrong(where, "must be a list of mappings")
        for number, one in enumerate(found if isinstance(found, list) else []):
            if isinstance(one, Mapping):
                yield f"{where}[{number}]", one
            else:
                self.wrong(f"{where}[{number}]", f"must be a mapping, got {one!r:.40}")


def _is_int(value: Any, low: int, high: int) -> TypeGuard[int]:
    """Whether a value of a file is an integer between `low` and `high`."""
    return type(value) is int and low <= value <= high


def _is_place(value: Any) -> bool:
    """Whether a value of a file is a place, [row, column], on the board or beside it."""
    return isinstance(value, list) and len(value) == 2 and all(_is_int(n, -99, 99) for n in value)


def _cell(row: int, column: int) -> int:
    return row * 6 + column


def _read_temples(reader: _Reader) -> tuple[int, ...]:
    """Four cells with buildable cells above, below and on all diagonals (cards 26 and 35)."""
    found = reader.get("colonia", "temples")
    if not isinstance(found, list) or not all(
        _is_place(one) and all(n in range(6) for n in one) for one in found
    ):
        reader.wrong("colonia.temples", "must be a list of [row, column], each 0 to 5")
        return ()
    cells = tuple(sorted(_cell(*one) for one in found))
    if len(set(cells)) != 4:
        reader.wrong("colonia.temples", f"must be 4 different cells, got {len(set(cells))}")
    for row, column in found:
        steps = [(down, right) for down in (-1, 1) for right in (-1, 0, 1)]
        around = [(row + down, column + right) for down, right in steps]
        for one in around:
            if not all(n in range(6) for n in one) or _cell(*one) in (*CORNER_CELLS, *cells):
                reader.wrong(
                    "colonia.temples",
                    f"[{row}, {column}] needs a buildable cell at {list(one)}",
                )
    return cells


def _read_streets(
    reader: _Reader,
) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, tuple[int, ...]]]:
    """Symbols, the 24 street cards, and each board's street of each symbol."""
    symbols = reader.get("street_cards", "symbols")
    if not isinstance(symbols, list) or len(set(map(str, symbols))) != 12:
        reader.wrong("street_cards.symbols", "must be 12 different names")
        return (), (), {}
    symbols = [str(symbol) for symbol in symbols]
    copies = reader.get("street_cards", "copies_per_symbol")
    counts = copies if isinstance(copies, Mapping) else dict.fromkeys(symbols, copies)
    cards = []
    fits = all(_is_int(n, 0, STREET_CARDS) for n in counts.values())
    if set(counts) == set(symbols) and fits:
        cards = [symbol for symbol in symbols for _ in range(counts[symbol])]
    if len(cards) != STREET_CARDS:
        reader.wrong("street_cards.copies_per_symbol", f"must make {STREET_CARDS} cards")
    boards = {
        "A": (reader.get("colonia", "row_symbols_A"), reader.get("colonia", "col_symbols_A"))
    }
    for number, (_, board) in enumerate(reader.rows("colonia", "side_B"), start=1):
        boards[f"B{number}"] = (board.get("rows"), board.get("cols"))
    if len(boards) != 5:
        reader.wrong("colonia.side_B", f"must be 4 boards, got {len(boards) - 1}")
    streets = {}
    for name, (rows, columns) in boards.items():
        lists = [part for part in (rows, columns) if isinstance(part, list)]
        order = [str(symbol) for part in lists for symbol in part]
        if sorted(order) != sorted(symbols):
            reader.wrong(f"colonia, board {name}", "must show every symbol once, 6 rows first")
        else:
            streets[name] = tuple(order.index(symbol) for symbol in symbols)
    return tuple(symbols), tuple(cards), streets


def _tile_name(gain: Mapping[str, int]) -> str:
    """Name of a resource tile: its gains in the order of `ICONS`, joined by ``+``."""
    icons = {key.removeprefix("worker_"): count for key, count in gain.items()}
    return "+".join(icon for icon in ICONS for _ in range(icons.get(icon, 0)))


def _read_tiles(reader: _Reader) -> tuple[str, ...]:
    """The 34 tiles of a colour, citizens first."""
    citizens: list[str] = []
    for where, one in reader.rows("colonia_tiles", "citizens"):
        sex = {"male": "m", "female": "f"}.get(str(one.get("back")))
        count = one.get("count", 0)
        if _is_int(count, 0, len(CITIZENS)):
            citizens.extend(f"{one.get('class')}-{sex}" for _ in range(count))
        else:
            reader.wrong(where, f"count must be 0 to {len(CITIZENS)}, got {count!r:.40}")
    if sorted(citizens) != sorted(CITIZENS):
        reader.wrong("colonia_tiles.citizens", f"must be one each of {', '.join(CITIZENS)}")
    found = []
    known = {f"worker_{icon}" if icon in COLOURS else icon for icon in ICONS}
    for where, one in reader.rows("colonia_tiles", "resources"):
        gain, count = one.get("gain"), one.get("count", 0)
        if not isinstance(gain, Mapping) or not set(gain) <= known:
            reader.wrong(where, f"gain must name only {', '.join(sorted(known))}")
        elif not all(_is_int(n, 1, RESOURCE_TILES) for n in (*gain.values(), count)):
            reader.wrong(where, f"count and gains must be numbers from 1 to {RESOURCE_TILES}")
        elif not 1 <= sum(gain.values()) <= MAX_ICONS:
            reader.wrong(where, f"a tile has 1 to {MAX_ICONS} icons, got {sum(gain.values())}")
        else:
            found += [_tile_name(gain)] * count
    if len(found) != RESOURCE_TILES:
        reader.wrong(
            "colonia_tiles.resources", f"must be {RESOURCE_TILES} tiles, got {len(found)}"
        )
    return (*CITIZENS, *found)


def _read_pairs(reader: _Reader) -> tuple[int, ...]:
    """The grey building on the tiles of each colour."""
    greys = []
    for colour, structure in zip(COLOURS, STRUCTURES, strict=True):
        pair = reader.get("building_tiles", "pairs", colour)
        if not isinstance(pair, Mapping) or pair.get("structure") != structure:
            reader.wrong(f"building_tiles.pairs.{colour}", f"structure must be {structure}")
            continue
        greys.append(pair.get("grey"))
    if sorted(map(str, greys)) != sorted(GREYS):
        reader.wrong("building_tiles.pairs", f"greys must be {', '.join(GREYS)}, each once")
        return ()
    return tuple(GREYS.index(grey) for grey in greys)


def _read_labels(reader: _Reader, where: str, labels: Any) -> tuple[int, ...]:
    """Columns of the group sizes 0 to 10 from labels such as ``4``, ``2-3`` and ``10+``."""
    columns: dict[int, int] = {}
    for label, column in (labels if isinstance(labels, Mapping) else {}).items():
        first, _, last = str(label).rstrip("+").partition("-")
        ends = (first, last or first)
        if not all(LABEL.fullmatch(end) for end in ends) or not _is_int(
            column, 0, PRESTIGE_COLUMNS - 1
        ):
            reader.wrong(where, f"{label!r:.40}: {column!r:.40} is not a label and a column")
            continue
        for size in range(int(first), int(last or first) + 1):
            if size in columns:
                reader.wrong(where, f"size {size} has two labels")
            columns[size] = column
    if sorted(columns) != list(range(1, 11)):
        reader.wrong(where, "labels must cover the sizes 1 to 10")
        return ()
    return (0, *(columns[size] for size in range(1, 11)))


def _fits(track: Prestige, size: int, vp: int, busts: Sequence[int]) -> bool:
    """Whether a printed example is possible at some step on some side of the slider."""
    return any(
        track.vp[track.columns[side][size] + step] == vp and track.bust[side][step] in busts
        for side in (0, 1)
        for step in range(track.steps + 1)
    )


def _read_prestige(reader: _Reader, name: str) -> Prestige | None:
    where = f"prestige.variants.{name}"
    before = len(reader.problems)
    at = ("prestige", "variants", name)
    steps = reader.number(1, MAX_STEPS, *at, "max_step")
    vp = reader.numbers(0, 255, None, *at, "vp_by_column")
    base = _read_labels(reader, f"{where}.base_cols", reader.get(*at, "base_cols"))
    flipped = _read_labels(reader, f"{where}.flip_cols", reader.get(*at, "flip_cols"))
    cypress = reader.numbers(1, steps, None, *at, "cypress_steps")
    busts = [reader.numbers(3, 7, steps + 1, *at, key) for key in ("trajan_base", "trajan_flip")]
    if any(value not in (3, 5, 7) for bust in busts for value in bust):
        reader.wrong(where, "values above the bust are 3, 5 and 7")
    if len(reader.problems) > before:
        return None
    if not max(base + flipped) + steps < len(vp) <= PRESTIGE_COLUMNS:
        least = max(base + flipped) + steps + 1
        reader.wrong(f"{where}.vp_by_column", f"must have {least} to {PRESTIGE_COLUMNS} columns")
        return None
    track = Prestige(steps, vp, (base, flipped), (busts[0], busts[1]), tuple(sorted(cypress)))
    for size, points, allowed in EXAMPLES:
        if not _fits(track, size, points, allowed):
            reader.wrong(
                where, f"contradicts the printed example: a group of {size} gives {points} VP"
            )
    return track


def _pieces(face: Sequence[str], letter: str) -> int:
    """Number of orthogonally connected pieces of a letter on a face."""
    left = {(r, c) for r in range(4) for c in range(3) if face[r][c] == letter}
    pieces = 0
    while left:
        pieces += 1
        front = [left.pop()]
        while front:
            row, column = front.pop()
            for one in (
                (row + 1, column),
                (row - 1, column),
                (row, column + 1),
                (row, column - 1),
            ):
                if one in left:
                    left.remove(one)
                    front.append(one)
    return pieces


def _read_faces(reader: _Reader) -> dict[tuple[int, str], tuple[str, ...]]:
    """Mosaic faces: one eagle, every colour in one piece (B5)."""
    faces = {}
    boards = reader.get("mosaic", "boards")
    if not isinstance(boards, list) or len(boards) != 5:
        reader.wrong("mosaic.boards", "must be 5 boards")
        return {}
    for number, board in enumerate(boards, start=1):
        for side in "ab":
            where = f"mosaic.boards[{number - 1}].{side}"
            face = board.get(side) if isinstance(board, Mapping) else None
            if (
                not isinstance(face, list)
                or len(face) != 4
                or any(not isinstance(row, str) or len(row) != 3 for row in face)
                or not set("".join(face)) <= set(LETTERS)
            ):
                reader.wrong(where, f"must be 4 rows of 3 letters from {''.join(LETTERS)}")
                continue
            if "".join(face).count("E") != 1:
                reader.wrong(where, "must have one eagle E")
            for letter, name in LETTERS.items():
                if letter != "E" and _pieces(face, letter) != 1:
                    reader.wrong(where, f"{name} must be one connected piece")
            faces[number, side] = tuple(face)
    return faces


def _read_slots(reader: _Reader) -> dict[int, tuple[tuple[int, int], ...]]:
    """Where mosaic boards lie, by number of players."""
    slots = {}
    for players in PLAYER_COUNTS:
        where = f"mosaic.slots_by_players.{players}"
        wanted = reader.number(1, 5, "mosaic", "boards_by_players", str(players))
        found = reader.get("mosaic", "slots_by_players", str(players))
        if not isinstance(found, list) or len(found) != wanted or not all(map(_is_place, found)):
            reader.wrong(where, f"must be {wanted} places [row, column]")
            continue
        places = tuple((one[0], one[1]) for one in found)
        cells = {(r + i, c + j) for r, c in places for i in range(4) for j in range(3)}
        if len(cells) != 12 * wanted:
            reader.wrong(where, "boards overlap")
        if any(r >= MOSAIC_ROWS or c >= MOSAIC_COLUMNS or min(r, c) < 0 for r, c in cells):
            size = f"{MOSAIC_ROWS} rows and {MOSAIC_COLUMNS} columns"
            reader.wrong(where, f"boards must lie within {size}")
        slots[players] = places
    return slots


def _read_cards(reader: _Reader) -> dict[int, Card]:
    """Twelve Trajan cards, four a phase."""
    cards: dict[int, Card] = {}
    for where, one in reader.rows("trajan_cards", "cards"):
        number, phase = one.get("id"), one.get("phase")
        if not _is_int(number, 1, 255) or number in cards:
            reader.wrong(where, f"id must be a number of its own from 1 to 255, got {number!r}")
            continue
        if not _is_int(phase, 1, 3):
            reader.wrong(where, f"phase must be 1, 2 or 3, got {phase!r}")
            continue
        if not isinstance(one.get("build"), str) or one["build"] not in BUILD_TASKS:
            reader.wrong(where, f"build must be one of: {'; '.join(BUILD_TASKS)}")
            continue
        collect = one.get("collect")
        if not isinstance(collect, Mapping) or not collect or not set(collect) <= {*COLLECT_TASKS}:
            reader.wrong(where, f"collect must name some of {', '.join(COLLECT_TASKS)}")
            continue
        wrong = [
            f"collect.{name} cannot be {count!r:.40}"
            for name, count in collect.items()
            if not _is_int(count, 1, MOST_COLLECTED) or count != FIXED_DEMANDS.get(name, count)
        ]
        if wrong:
            reader.wrong(where, "; ".join(wrong))
            continue
        demands = tuple(
            int(collect.get(name, 0)) // FIXED_DEMANDS.get(name, 1) for name in COLLECT_TASKS
        )
        cards[number] = Card(phase - 1, BUILD_TASKS[one["build"]], demands)
    for phase in range(3):
        count = sum(card.phase == phase for card in cards.values())
        if count != 4:
            reader.wrong("trajan_cards.cards", f"phase {phase + 1} has {count} cards, must be 4")
    return cards


def parse(document: Document) -> Components:
    """Check a whole set and return it; raise TrajanError with every problem found."""
    data = document.data
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):
        raise TrajanError(f"{document.name}: a component set is a mapping with a `name`")
    reader = _Reader(document)
    if not NAME.fullmatch(data["name"]):
        reader.wrong(
            "name", f"must be 1 to {SET_NAME} letters, digits, dots, dashes or underscores"
        )
    temples = _read_temples(reader)
    symbols, street_cards, streets = _read_streets(reader)
    variants = reader.get("prestige", "variants")
    known = [str(name) for name in variants] if isinstance(variants, Mapping) else []
    if DEFAULT_PRESTIGE not in known:
        reader.wrong(
            "prestige.variants",
            f"must have {DEFAULT_PRESTIGE}, the default of the option `prestige`",
        )
    prestige = {name: _read_prestige(reader, name) for name in known}
    components = Components(
        name=data["name"],
        temples=temples,
        symbols=symbols,
        street_cards=street_cards,
        streets=streets,
        tiles=_read_tiles(reader),
        grey_of=_read_pairs(reader),
        singles=reader.number(1, 100, "building_tiles", "single_per_colour"),
        doubles=reader.number(1, 100, "building_tiles", "double_per_colour"),
        column_vp=reader.numbers(0, 20, 3, "column_vp", "by_phase"),
        crane_vp=reader.numbers(0, 20, 3, "crane_vp", "by_phase"),
        bonus_vp=reader.number(0, 20, "area_bonus", "vp"),
        prestige={name: track for name, track in prestige.items() if track is not None},
        faces=_read_faces(reader),
        slots=_read_slots(reader),
        cards=_read_cards(reader),
    )
    if reader.problems:
        raise TrajanError(*reader.problems)
    return components


def _files() -> list[Path]:
    """Files that may hold sets, those of the package first."""
    folders = [HERE, *map(Path, filter(None, os.environ.get(FOLDERS, "").split(os.pathsep)))]
    return [
        path
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.suffix in SUFFIXES
    ]


_LOADED: dict[str, Components] = {}


@cache
def load(name: str) -> Components:
    """Return the set called `name`, or the one in the file `name`.

    A set once loaded from its file is found by its name from then on.
    """
    files = _files()
    if name.endswith(SUFFIXES):
        components = parse(read_yaml(name))
        for path in files:
            if path.stem == components.name and not path.samefile(name):
                raise TrajanError(f"{name}: name: {components.name!r} is the set in {path}")
        _LOADED[components.name] = components
        return components
    for path in files:
        if path.stem == name:
            components = parse(read_yaml(path))
            if components.name != name:
                raise TrajanError(f"{path}: name: must be {name!r}, as the file is called")
            return components
    if name in _LOADED:
        return _LOADED[name]
    known = [path.stem for path in files]
    raise TrajanError(
        f"no component set is called {name!r}; known: {', '.join(known)} "
        f"(folders in {FOLDERS} are searched too){Names(known).hint(name)}"
    )
