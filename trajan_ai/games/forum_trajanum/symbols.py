"""The pieces of Forum Trajanum as original SVG fragments, centred at the origin.

Each of the four colours has a shape (workers, cranes) and a pattern (mosaic, plots of structures),
so that no two pieces differ by hue alone. Buildings are houses with different outlines.
"""

from trajan_ai.core.look import PLAYER_COLOURS
from trajan_ai.games.drawing.svg import PLAYER_TOKENS
from trajan_ai.games.forum_trajanum.notation import ICONS, TILE_NAMES_IN_ORDER
from trajan_ai.games.forum_trajanum.notation import RESOURCES as RESOURCE_NAMES

CELL = 36  # side of a cell of a Colonia
SIZES = 10  # number of group sizes on the slider
SIZE_WIDTH = 26
SLIDER = 58  # left edge of the slider's cells
PURSE_CELL = (34, 54)  # size of a resource's place, with its gap
PLAQUE = (28, 15)  # size of the sign of a covered crane

_INK = 'stroke="#33261b"'
_BLUE, _GREEN, _RED, _YELLOW = "#2f6fbf", "#2e8b57", "#d33a2c", "#f4d13d"

WORKERS = {
    "blue": f'<circle r="7" fill="{_BLUE}" {_INK}/>',
    "green": f'<path d="M-6.2-6.2H6.2V6.2H-6.2z" fill="{_GREEN}" {_INK}/>',
    "red": f'<path d="M0-7.5L7.5 6H-7.5z" fill="{_RED}" {_INK}/>',
    "yellow": '<path d="M0-8L2.2-2.6 7.8-2.4 3.4 1.2 4.9 6.7 0 3.6-4.9 6.7-3.4 '
    f'1.2-7.8-2.4-2.2-2.6z" fill="{_YELLOW}" {_INK}/>',
}

_SQUARE = "M-18-18H18V18H-18z"
TESSERA = 6  # side of a stone of the mosaic

# Colour, darker colour, and the pattern of the darker stones.
_MOSAIC = {
    "blue": ("#a9cbea", "#6fa3d3", ("..##..", ".#..#.", "#....#", "..##..", ".#..#.", "#....#")),
    "green": ("#bbdaa9", "#84b271", (".#..#.",) * 6),
    "red": ("#eeb0a0", "#d6806b", ("#.....", "######", "...#..", "######", "#.....", "######")),
    "yellow": ("#f7e394", "#dfbb4d", ("#..#..", "..#..#", ".#..#.") * 2),
    "eagle": ("#dddad3", "#c4c0b7", ("#.#.#.", ".#.#.#") * 3),
}


def _mosaic(light: str, dark: str, rows: tuple[str, ...]) -> str:
    """Return a cell of the mosaic: light and dark stones, with joints between them."""
    stones = "".join(
        f"M{TESSERA * (j - 3)} {TESSERA * (i - 3)}h{TESSERA}v{TESSERA}h-{TESSERA}z"
        for i, row in enumerate(rows)
        for j, stone in enumerate(row)
        if stone == "#"
    )
    ground = f'<path d="{_SQUARE}" fill="{light}"/>'
    return f'{ground}<path d="{stones}" fill="{dark}"/><use href="#joints"/>'


MOSAIC = {f"m-{name}": _mosaic(*stones) for name, stones in _MOSAIC.items()}
MOSAIC["m-eagle"] += (
    '<path d="M0-9L3-5-1-3Q8-10 15-9Q13 0 4 3L7 11H-7L-4 3Q-13 0-15-9Q-8-10-1-3" fill="#6b665c" '
    'stroke="#33261b" stroke-linejoin="round"/>'
)
_JOINTS = (
    '<path d="M-12-18V18M-6-18V18M0-18V18M6-18V18M12-18V18M-18-12H18M-18-6H18M-18 0H18M-18 6H18M'
    '-18 12H18" stroke="#fff" stroke-opacity=".6"/>'
)

_LOWER = '<rect x="-16" y="-14" width="32" height="32" rx="5" class="sh"/>'


def _house(*parts: tuple[str, str], paved: str = "") -> str:
    """Return a building on its plot: outlines with their colours, from the back to the front.

    The plot is of stone, or paved with the mosaic of a colour.
    """
    ground = _MOSAIC[paved][0] if paved else "#dedad0"
    mosaic = f'<use href="#m-{paved}" transform="scale(.8)"/>' if paved else ""
    outlines = "".join(f'<path d="{d}" fill="{fill}"/>' for d, fill in parts)
    return f'<use href="#plot" fill="{ground}"/>{mosaic}<g class="on i">{outlines}</g>'


_WALL, _STONE, _WOOD, _CLAY, _LEAVES = "#fffdf7", "#efe7d6", "#9a6a3c", "#c9743f", "#5d7a2e"

# Grey buildings are made of stone and stand on stone; structures have a roof, water or leaves in
# their colour.
BUILDINGS = {
    "column": _house(
        ("M-8 12V9H8V12zM-4 9V-7H4V9zM-6-7V-10H6V-7z", _STONE),
        ("M-2-10L0-14 2-10M-4 6L4 3M-4 2L4-1M-4-2L4-5", "none"),
    ),
    "library": _house(
        ("M-11 12V-5H11V12zM-13-5V-9H13V-5z", _STONE),
        ("M-6-2H6V9H-6zM-8-2H8M-8 9H8M-3 2H3M-3 5H1", "#f6e3b0"),
    ),
    "basilica": _house(
        ("M-13 12V3H-8V-6L0-13 8-6V3H13V12z", _STONE),
        ("M-3 12V3A3 3 0 0 1 3 3V12z", "#7d7468"),
        ("M-2-6H2M-10 12V8M10 12V8", "none"),
    ),
    "market": _house(
        ("M-10 12V-3M10 12V-3", "none"),
        ("M-3 2H3M-2 2Q-2 4-4 6-4 10-2 12H2Q4 10 4 6 2 4 2 2", _CLAY),
        ("M-10-12H10L12-5A3 3 0 0 1 6-5 3 3 0 0 1 0-5 3 3 0 0 1-6-5 3 3 0 0 1-12-5z", _WALL),
        ("M-10-12H-5L-6-5A3 3 0 0 1-12-5zM0-12H5L6-5A3 3 0 0 1 0-5z", _CLAY),
    ),
    "fountain": _house(
        ("M-13 4H13L10 12H-10z", _STONE),
        ("M-10 4A10 2.5 0 0 1 10 4zM0-4Q-6-15-9-4zM0-4Q6-15 9-4zM-2 2V-3H2V2", _BLUE),
        ("M-6-4H6Q5 0 0 0T-6-4z", _STONE),
        paved="blue",
    ),
    "park": _house(
        ("M-5 12V3M8 12V8", _WOOD),
        ("M-5 4A8 8 0 1 1-4.9 4z", _GREEN),
        ("M8-12Q14 4 8 8 2 4 8-12z", _LEAVES),
        ("M-13 12H13", "none"),
        paved="green",
    ),
    "house": _house(
        ("M5-5V-13H9V-2zM-9 12V-2H9V12z", _WALL),
        ("M-13 1L0-12 13 1z", _RED),
        ("M-3 12V5H3V12z", _WOOD),
        paved="red",
    ),
    "stable": _house(
        ("M-12 12V-1H12V12z", _WALL),
        ("M-14 0L-9-11H9L14 0zM-3-11L-5-4M3-11L5-4", _YELLOW),
        ("M-7 12V7A7 7 0 0 1 7 7V12H3V7A3 3 0 0 0-3 7V12z", _WOOD),
        paved="yellow",
    ),
}

RESOURCES = {
    "builder": '<path class="i" d="M-6 9Q-6 1-2-1A4 4 0 1 1 2-1Q6 1 6 9zM-6-5H6" '
    'style="fill:#9b9b97"/>',
    "assistant": '<path class="i" d="M-7 9V1H-2L-4-1V-7H4V-1L2 1H7V9zM-3 5H3" '
    'style="fill:#9a6a3c"/>',
    "tribune": '<path class="i" d="M-8 9L-2-1A4 4 0 1 1 2-1L8 9zM-3 1L4 9" style="fill:#fff"/>',
    "coin": '<circle r="7" fill="#d9a05b" stroke="#33261b"/><circle r="4" class="i"/>',
    "upgrade": '<path class="i" d="M-8-3H0V-8L9 0 0 8V3H-8z" style="fill:#cfe3b4"/>',
}

CLASSES = {
    "patrician": '<path class="i" d="M-8 7H8M-8 7L-9-5-4 0 0-8 4 0 9-5 8 7z" '
    'style="fill:#c9b3e0"/>',
    "merchant": '<path class="i" d="M0-8V8M-5 9H5M-8-5H8M-8-5L-11 2H-5zM8-5L5 2H11z"/>',
    "craftsman": '<path class="i" d="M-7 8L2-1M-3-6Q3-10 8-2L5 1-3-6z" style="fill:#c98f5a"/>',
}

_OTHERS = {
    "temple": '<g class="on"><rect x="-17" y="-17" width="34" height="34" rx="3" fill="#cfc4ae"/>'
    '<path class="i" d="M-14-5L0-14 14-5zM-14 13V9H14V13zM-10-5H-6V9H-10zM-2-5H2V9H-2zM6-5H10V9H6z'
    f'" style="fill:{_STONE}"/></g>',
    "crane": '<path class="i" d="M-9 13H3M-3 13V-12L13-6M13-6V3M-3-5L3-9"/>',
    "envoy": '<path class="i" d="M-8 3H8Q6 10 0 10T-8 3zM0 3V-10M0-9Q9-6 1 0"/>',
    "tile": '<path class="i" d="M-8-8H8V8H-8z" style="fill:#fffdf7"/><path class="i" d="M-3 '
    '0H3M0-3V3" style="stroke:#33261b"/>',
    "building-action": '<path class="i" d="M-9 9V-1L0-9 9-1V9z" style="fill:#fffdf7"/><path '
    'class="i" d="M-3 3H3M0 0V6" style="stroke:#33261b"/>',
    "laurel": '<path class="i" d="M-3 9Q-11 1-5-8M3 9Q11 1 5-8M-8-3L-5-2M-8 2L-5 '
    '2M8-3L5-2M8 2L5 2"/>',
    "anyworker": '<circle cx="-4" cy="-4" r="4" fill="#2f6fbf" stroke="#33261b"/><path '
    'd="M1-8H8V-1H1z" fill="#2e8b57" stroke="#33261b"/><path d="M-4 1L0 8H-8z" fill="#d33a2c" '
    'stroke="#33261b"/><path transform="translate(5 5)scale(.65)" d="M0-8L2.2-2.6 7.8-2.4 3.4 '
    '1.2 4.9 6.7 0 3.6-4.9 6.7-3.4 1.2-7.8-2.4-2.2-2.6z" fill="#f4d13d" stroke="#33261b"/>',
    "coloured": '<path d="M-8.5-8.5H8.5V8.5H-8.5z" fill="#9cc3e6"/><path d="M0 0V-8.5H8.5V0z"'
    ' fill="#b5d6a4"/><path d="M0 0V8.5H8.5V0z" fill="#eba593"/><path d="M0 0V8.5H-8.5V0z" '
    'fill="#f6e08a"/><path class="i" d="M-8.5-8.5H8.5V8.5H-8.5zM0-8.5V8.5M-8.5 0H8.5"'
    ' style="stroke-width:1"/>',
    "bust": '<g class="on"><path class="i" d="M-10 12Q-10 4-3 3V0A5.5 6 0 1 1 3 0V3Q10 4 10 12z" '
    'style="fill:#efe7d6"/><path class="i" d="M-7-4L-4-9 0-10 4-9 7-4" style="stroke:#5d7a2e"/>'
    "</g>",
    "cypress-row": '<path class="i" d="M0 4V7M0-8Q5 0 2.5 4H-2.5Q-5 0 0-8z" '
    'style="fill:#5d7a2e"/>',
    "step": '<circle r="2.5" class="i"/>',
    "marker": '<circle r="5.5" class="u"/>',
    "first": '<path class="i" d="M-7 9V-9L8-4-7 1" style="fill:#9c3d20"/>',
}

# Positions of the icons of a resource tile, by the number of icons. Up to three icons leave the
# lower left corner free, for the mark of a place that costs a tribune.
_ICONS_AT = {
    1: ((4, -4),),
    2: ((-7, -7), (7, 5)),
    3: ((-7, -7), (7, -7), (7, 7)),
    4: ((-7, -7), (7, -7), (-7, 7), (7, 7)),
}


_SMALL = {f"{icon}-s": f'<use href="#{icon}" transform="scale(.8)"/>' for icon in ICONS}


def _face(name: str) -> str:
    """Return the face of a Colonia tile: its citizen, or its icons."""
    if name in CLASSES:
        citizen = f'<use href="#{name}" transform="translate(2 -2)"/>'
        return f'<g class="on"><use href="#blank"/>{citizen}</g>'
    icons = name.split("+")
    drawn = "".join(
        f'<use href="#{icon}-s" x="{x}" y="{y}"/>'
        for icon, (x, y) in zip(icons, _ICONS_AT[len(icons)], strict=True)
    )
    return f'<g class="on"><use href="#blank"/>{drawn}</g>'


# Every tile that a component set may contain; both sexes of a citizen have the same face.
_FACES = {f"{name}-tile": _face(name) for name in (*CLASSES, *TILE_NAMES_IN_ORDER[6:])}

# Face-down tiles: the envoy's boat on the owner's colour.
_BACKS = {
    f"back{player}": f'<use href="#plot" fill="{colour}"/><use href="#boat"/>'
    for player, colour in enumerate(PLAYER_COLOURS)
}
_BACKS["boat"] = (
    '<path d="M-8 3H8Q6 10 0 10T-8 3zM0 3V-10M0-9Q9-6 1 0" fill="none" stroke="#f4e6c8" '
    'stroke-width="1.6" stroke-linejoin="round"/>'
)


def _box(x: float, y: float, width: float, height: float, style: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" class="{style}"/>'


# Printed parts of a player's board, each with its own origin, usually the top left corner.
_CONDENSED = 'textLength="22" lengthAdjust="spacingAndGlyphs"'
_PRINTED = {
    "seats": _box(-92, 2, 31, 32, "o") + _box(-59, 2, 31, 32, "o"),
    "colonia": '<path class="st" d="M-1-1H217V217H-1z"/><path class="j" d="'
    + "".join(f"M{36 * (i % 6) + 1} {36 * (i // 6) + 1}h34v34h-34z" for i in range(36))
    + '"/>'
    + "".join(f'<use href="#seats" y="{36 * row}"/>' for row in range(6))
    # the class of each pair of rows, until a citizen sits there
    + '<g opacity=".4">'
    + "".join(
        f'<use href="#{[*CLASSES][row // 2]}" x="-76.5" y="{36 * row + 18}"/>' for row in range(6)
    )
    + "</g>",
    "row": '<rect x="-11" y="-8" width="22" height="16" rx="5" class="bk"/>',
    "street": '<rect x="-11" y="-8" width="22" height="16" rx="5" class="wt"/>',
    "purse": "".join(
        _box(i % 2 * PURSE_CELL[0], i // 2 * PURSE_CELL[1], 32, 52, "d")
        + f'<use href="#{name}" x="{i % 2 * PURSE_CELL[0] + 16}" '
        f'y="{i // 2 * PURSE_CELL[1] + 17}"/>'
        for i, name in enumerate(RESOURCE_NAMES)
    ),
    "slider": "".join(
        _box(SLIDER + SIZE_WIDTH * i, 0, SIZE_WIDTH - 1, 34, "j" if i % 2 else "d")
        + f'<text x="{SLIDER + SIZE_WIDTH * (i + 0.5)}" y="14" class="m q"'
        + (f">{i + 1}" if i + 1 < SIZES else f" {_CONDENSED}>{i + 1}+")
        + "</text>"
        for i in range(SIZES)
    )
    + _box(322, 0, 48, 46, "g"),
}

# The signs of covered cranes: a crane, and its colour with its shape.
_PLAQUES = {
    f"plaque-{colour}": f'<g class="on">{_box(-14, -7.5, *PLAQUE, "c")}<use href="#crane" '
    f'transform="translate(-7)scale(.48)"/><use href="#{colour}" '
    'transform="translate(6)scale(.75)"/></g>'
    for colour in WORKERS
}

_VALUES = {
    f"v{value}": f'<circle r="10" class="u"/><text class="m b dk" y="5">{value}</text>'
    for value in range(21)
}

DRAWINGS = {
    **PLAYER_TOKENS,
    **WORKERS,
    **MOSAIC,
    **BUILDINGS,
    **RESOURCES,
    **CLASSES,
    **_OTHERS,
    **_BACKS,
    **_PRINTED,
    **_PLAQUES,
    **_VALUES,
    "joints": _JOINTS,
    "plot": f'{_LOWER}<rect x="-16" y="-16" width="32" height="32" rx="5" {_INK}/>',
    "blank": _LOWER + '<rect x="-16" y="-16" width="32" height="32" rx="5" class="c"/>',
    **_SMALL,
    **_FACES,
}
