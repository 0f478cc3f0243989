"""The pieces of Trajan as original SVG fragments, centred at the origin, 24 units wide.

Every colour of marker has a shape, and every good, tile and building has a silhouette, so that no
two pieces differ by hue alone. Only the yellow marker is a star.
"""

from trajan_ai.games.drawing.svg import PLAYER_TOKENS

TILE = 32  # side of a forum tile
CARD = (28, 36)  # width and height of a goods card

_INK = 'class="k"'

MARKERS = {
    "blue": f'<circle r="6.5" fill="#2f6fbf" {_INK}/>',
    "green": f'<path d="M-6-6H6V6H-6z" fill="#2e8b57" {_INK}/>',
    "orange": f'<path d="M0-7L7.2 6H-7.2z" fill="#e8741e" {_INK}/>',
    "pink": f'<path d="M0-7.8L7.8 0 0 7.8-7.8 0z" fill="#e16aa6" {_INK}/>',
    "white": f'<path d="M-2.6-7H2.6V-2.6H7V2.6H2.6V7H-2.6V2.6H-7V-2.6H-2.6z" fill="#fff" {_INK}/>',
    "yellow": '<path d="M0-8L2.2-2.6 7.8-2.4 3.4 1.2 4.9 6.7 0 3.6-4.9 6.7-3.4 '
    f'1.2-7.8-2.4-2.2-2.6z" fill="#f4d13d" {_INK}/>',
}

ACTIONS = {
    "seaport": '<path class="i" d="M-10 4H10L7 10H-7zM0 4V-11" fill="#b98550"/>'
    '<path class="i" d="M1-10Q11-5 1 1z"/>',
    "forum": '<path class="i" d="M-11-3L0-10 11-3zM-8-3V7M-2.7-3V7M2.7-3V7M8-3V7M-11 9H11"/>',
    "military": '<path class="i" d="M-7 9V1A7 7 0 0 1 7 1V9H3V3H-3V9zM-7-4Q0-14 8-5"/>',
    "senate": '<path class="i" d="M-10-4H10M-8-4Q-6 4 7 9M8-4Q6 4-7 9M-9 9H-5M5 9H9"/>',
    "trajan": '<path class="i" d="M-10 10V-10H10V10H4V2A4 4 0 0 0-4 2V10zM-10-5H10"/>',
    "construction": '<path class="i" d="M-9 10L1-1M-4-7Q3-11 9-2L5 2-4-7z"/>',
}

GOODS = {
    "columns": '<path class="i" d="M-6-10H6M-4-9V8M0-9V8M4-9V8M-7 10H7"/>',
    "furs": '<path class="i" d="M-9-8L-3-6Q0-9 3-6L9-8 6 0 9 9 3 6Q0 11-3 6L-9 9-6 0z" '
    'style="fill:#b9854f"/>',
    "scrolls": '<path class="i" d="M-7-7H6V5H-7zM-9-7H8M-9 7H8M-4-3H3M-4 1H3" '
    'style="fill:#f6e3b0"/>',
    "oil": '<path class="i" d="M0-10Q8 0 6 5A6.4 6.4 0 0 1-6 5Q-8 0 0-10z" style="fill:#b5bd3a"/>',
    "fruit": '<path class="i" d="M0-4C10-9 11 9 0 9S-10-9 0-4zM0-4Q0-9 5-10" '
    'style="fill:#dd5b45"/>',
    "pottery": '<path class="i" d="M-4-9H4M-3-9Q-2-6-7-2Q-9 5-4 9H4Q9 5 7-2Q2-6 3-9" '
    'style="fill:#c9743f"/>',
    "wine": '<path class="i" d="M-6-9H6Q7 2 0 2T-6-9zM0 2V9M-5 9H5M-5.5-4H5.5" '
    'style="fill:#a1476b"/>',
    "fish": '<path class="i" d="M-10 0Q-2-9 5-1L10-6V6L5 1Q-2 9-10 0zM-5-1V-.9" '
    'style="fill:#8db8cf"/>',
    "jewellery": '<circle class="i" r="6" cy="3"/>'
    '<path class="i" d="M-4-6L0-11 4-6 0-2z" style="fill:#f2cf63"/>',
    "gems": '<path class="i" d="M-6-7H6L10-2 0 9-10-2zM-10-2H10M-4-2L0 9 4-2" '
    'style="fill:#9ed6cf"/>',
    "cattle": '<path class="i" d="M-5-4H5L4 5Q0 11-4 5zM-5-4Q-10-4-10-9M5-4Q10-4 10-9M-2 5H2" '
    'style="fill:#d9b48a"/>',
    "wheat": '<path class="i" d="M0 10V-4M0-4Q-4-7 0-11Q4-7 0-4M0 1Q-6 1-6-5Q0-5 0 1Q0-5 6-5'
    'Q6 1 0 1M0 6Q-6 6-6 0M0 6Q6 6 6 0" style="fill:#efc75e"/>',
}

SYMBOLS = {
    "bread": '<path class="i" d="M-11 6V2C-11-8 11-8 11 2V6zM-5 0L-3-4M0 0L2-4.5M5 1L7-3" '
    'style="fill:#dfa658"/>',
    "games": '<path class="i" d="M-9-8Q0-11 9-8V0Q9 8 0 11Q-9 8-9 0zM-5-3H-2M2-3H5M-4 3Q0 7 4 3" '
    'style="fill:#e9e2d0"/>',
    "religion": '<path class="i" d="M-8 10H8M-5 10V2H5V10M-7 1H7M0-1C-7-5 0-8 0-12C7-7 5-3 0-1" '
    'style="fill:#e78a3c"/>',
}

_BUILDINGS = {
    "stairs": '<path class="i" d="M-10 9V5H-5V1H0V-3H5V-7H10V9z" style="fill:#d8ccb4"/>',
    "door": '<path class="i" d="M-7 10V-3A7 7 0 0 1 7-3V10zM0-10V10M3 2V3" style="fill:#b98550"/>',
    "fountain": '<path class="i" d="M-10 4H10L7 10H-7zM0 4V-3M0-3Q-6-11-8-1M0-3Q6-11 8-1" '
    'style="fill:#a9cfe4"/>',
    "roof": '<path class="i" d="M-11 3L0-9 11 3zM-8 3V9H8V3M-5-1L-1 3M1-3L7 3" '
    'style="fill:#cf6a48"/>',
    "window": '<path class="i" d="M-8-9H8V9H-8zM0-9V9M-8 0H8" style="fill:#cfe3ea"/>',
}

_FIGURES = {
    "figure": '<path class="i" d="M-6 10Q-6 0-2-1A4.5 4.5 0 1 1 2-1Q6 0 6 10z" '
    'style="fill:#e3d3b4"/>',
    "worker": '<path class="i" d="M-9 10Q-9 1-5 0A4 4 0 1 1-1 0Q3 1 3 10zM8 10V-7M4-5Q8-10 12-5" '
    'style="fill:#d9b48a"/>',
    "legion": '<path class="i" d="M-7 9V1A7 7 0 0 1 7 1V9H3V3H-3V9z" style="fill:#d4d4cc"/>'
    '<path class="i" d="M-7-4Q0-14 8-5" style="stroke:#a3262a;stroke-width:3"/>',
    "leader": '<path d="M-4 9V-8H8L5-4 8 0H-4" fill="#f2cf63" stroke="#33261b"/>',
}

_TILES = {
    "cards2": '<rect class="c" x="-9" y="-7" width="11" height="15" rx="3" '
    'transform="rotate(-12)"/><rect class="c" x="-2" y="-8" width="11" height="15" rx="3" '
    'transform="rotate(8)"/><text class="m b dk" x="4" y="5">2</text>',
    "points": '<path class="i" d="M-4 10Q-14 1-7-9M4 10Q14 1 7-9M-10-4L-6-2M-11 2L-7 3M10-4L6-2'
    'M11 2L7 3"/>',
    "plus2": '<circle r="11" fill="#9c3d20" class="e1"/><text class="n" y="5">+2</text>',
    "wild": '<circle r="10" fill="#e16aa6"/><path d="M0 0V-10A10 10 0 0 1 10 0z" fill="#2f6fbf"/>'
    '<path d="M0 0V10A10 10 0 0 1-10 0z" fill="#f4d13d"/>'
    '<path class="i" d="M-10 0A10 10 0 0 1 10 0A10 10 0 0 1-10 0H10M0-10V10"/>',
    "again": '<path class="i rd" d="M8-2A8 8 0 1 0 7 5M8-9V-2H1"/>',
    "votes": '<path class="i" d="M-9-9H9V3Q9 8 0 11Q-9 8-9 3z" style="fill:#e5d9f0"/>',
    "coins": '<circle cx="-3" cy="2" r="7.5" class="u"/><circle cx="4" cy="-2" r="7.5" '
    'class="u"/>',
    "back": '<rect x="-14" y="-16" width="28" height="36" rx="5" class="sh"/>'
    '<rect x="-14" y="-18" width="28" height="36" rx="5" fill="#7d4a2d" stroke="#33261b"/>'
    '<path d="M-10-14H10V14H-10zM-10-14L10 14M10-14L-10 14" fill="none" stroke="#e0c49a"/>',
    "goldtile": '<rect x="-11" y="-7" width="22" height="14" rx="3" class="u"/>',
    "arch": '<path class="i" d="M-14 12V-12H14V12H6V2A6 6 0 0 0-6 2V12zM-14-6H14" '
    'style="fill:#eadfc8"/>',
    "hull": '<path class="i" d="M-21 8Q-14 10 0 10T21 6Q18 19 12 20H-12Q-19 18-21 8z" '
    'style="fill:#b98550"/><path class="i" d="M-1 10V-22M-15 14H13"/>',
    "coloured-sail": '<path class="i" d="M-15-17Q-1-21 15-17Q19-6 15 5Q0 0-15 5Q-19-6-15-17z" '
    'style="fill:#c7432b"/><path class="i" d="M-8-18V2M8-18V2" style="stroke:#f4d13d"/>',
    "grey-sail": '<path class="i" d="M-15-17Q-1-21 15-17Q16-12 14-8Q0-13-14-8Q-16-12-15-17z" '
    'style="fill:#c9c6bf"/>',
    "hollow": '<rect width="58" height="57" rx="18" class="ho"/>'
    '<path d="M0 20V18A18 18 0 0 1 18 0H40A18 18 0 0 1 58 18V20A18 16 0 0 0 40 5H18A18 16 0 0 0 '
    '0 20z" class="hs"/>',
    "waves": '<path d="M0 0q5-5 10 0t10 0 10 0 10 0" class="wv"/>',
}


def _votes(number: str) -> str:
    return f'<use href="#votes" transform="scale(1.1)"/><text class="x m dk" y="5">{number}</text>'


def _placed(symbol: str, x: float, y: float, scale: float) -> str:
    return f'<use href="#{symbol}" transform="translate({x} {y})scale({scale})"/>'


_WILD = {
    "action": _placed("again", 3, 3, 0.95),
    "goods": _placed("coins", 3, 3, 0.85),
    "demand": _placed("bread", 7, -6, 0.5)
    + _placed("games", -6, 8, 0.5)
    + _placed("religion", 8, 8, 0.5),
    "building": _placed("roof", 3, 3, 0.85),
}
_FORUM_TILES = {
    **{f"votes{number}": _votes(number) for number in "2345"},
    **{name: f'<use href="#{name}"/>' for name in SYMBOLS},
    **{f"wild-{what}": _placed("wild", -7, -7, 0.6) + on for what, on in _WILD.items()},
    **{
        f"extra-{action}": _placed(action, -2, 3, 0.85) + _placed("again", 8, -8, 0.6)
        for action in ACTIONS
    },
}
_FACES = {
    "square": '<rect x="-16" y="-14" width="32" height="32" rx="5" class="sh"/>'
    '<rect x="-16" y="-16" width="32" height="32" rx="5" class="c"/>',
    "card": '<rect x="-14" y="-16" width="28" height="36" rx="5" class="sh"/>'
    '<rect x="-14" y="-18" width="28" height="36" rx="5" class="c"/>'
    '<rect x="-11.5" y="-15.5" width="23" height="31" rx="3" class="ci"/>',
    **{
        f"{name}-tile": f'<g class="on"><use href="#square"/>{drawing}</g>'
        for name, drawing in _FORUM_TILES.items()
    },
    **{
        f"{good}-card": f'<g class="on"><use href="#card"/><use href="#{good}"/></g>'
        for good in GOODS
    },
}

# A number on gold always means VP.
_VALUES = {
    f"v{value}": f'<circle r="10" class="u"/><text class="m b dk" y="5">{value}</text>'
    for value in (1, 2, 3, 4, 5, 6, 9, 10)
}

DRAWINGS = {
    **PLAYER_TOKENS,
    **MARKERS,
    **ACTIONS,
    **GOODS,
    **SYMBOLS,
    **{name: f'<g class="on">{drawing}</g>' for name, drawing in _BUILDINGS.items()},
    **_FIGURES,
    **_TILES,
    **_VALUES,
    **_FACES,
}
