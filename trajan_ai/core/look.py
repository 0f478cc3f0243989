"""The look of everything that the project draws: colours, typefaces, sizes and spaces.

Drawings, the page, annotated games, reports and the documentation take these values from here, so
that all of them look like one product. Light falls from above: every piece has a darker lower
edge, and every hollow has a darker upper edge.
"""

import re
from collections.abc import Mapping

# The names of colours, with the values for a light and for a dark background.
COLOURS = {
    # text and outlines, on any background
    "ink": ("#33261b", "#f0e7d8"),
    "faint": ("#655242", "#bba98f"),
    "red": ("#963a1e", "#f0926b"),
    "green": ("#0b6558", "#62c9b6"),
    "bad": ("#8a1f11", "#ff958b"),
    "p0": ("#a3262a", "#f08a80"),
    "p1": ("#14609a", "#82b6f2"),
    "p2": ("#4d6b1d", "#c3d05c"),
    "p3": ("#6a3d9a", "#d39be3"),
    # grounds
    "ground": ("#e4d5b7", "#15110d"),
    "paper": ("#fbf6ea", "#272019"),
    "white": ("#fffdf7", "#352c22"),
    "tray": ("#efe4cd", "#1d1812"),
    "best": ("#e3f0e4", "#1d3a32"),
    "now": ("#f6e7b2", "#443708"),
    "stone": ("#dfdbd0", "#3a3733"),
    "hover": ("#fff0cd", "#4d3b22"),
    "off-ground": ("#eee3cc", "#2e261e"),
    "off": ("#6b5847", "#a3937c"),
    # lines between backgrounds, and outlines of pieces
    "line": ("#cdb995", "#4d4133"),
    "edge": ("#8f7b5b", "#8f7d62"),
    "now-edge": ("#7a5a10", "#e0b84a"),
    "done": ("#9c3d20", "#934128"),
    # behind a number, depending on how certain the number is
    "sure": ("#4d9a5b", "#2f7a3f"),
    "unsure": ("#e0a090", "#7a3a30"),
    # places of the boards
    "sea": ("#c9dde4", "#1b2f3a"),
    "wave": ("#86adbd", "#456778"),
    "land1": ("#ebe0b9", "#3c3821"),
    "land2": ("#dee4be", "#2f3a24"),
    "land3": ("#efd9b7", "#45341f"),
    "street": ("#cfc3aa", "#1c1814"),
    "plot": ("#f1e8d0", "#3b3127"),
    "hollow": ("#d9c8a5", "#120e0a"),
    "shade": ("#a8926a", "#000000"),
    # pieces, which have the same colours in both themes, or are slightly dimmed in the dark one
    "card": ("#fffdf7", "#efe6d3"),
    "card-edge": ("#8f7b5b", "#8f7b5b"),
    "dark": ("#33261b", "#33261b"),
    "gold": ("#f2cf63", "#f2cf63"),
    "gold-card": ("#f6e3a1", "#ecd68c"),
    "main": ("#9c3d20", "#9c3d20"),
    "bar": ("#3d2a1c", "#3d2a1c"),
    "bar-ink": ("#fff8e8", "#fff8e8"),
    "bar-hover": ("#5a4130", "#5a4130"),
    "main-hover": ("#7d2f17", "#7d2f17"),
    "mark": ("#0b6b5d", "#0b6b5d"),
    "fault": ("#8a1f11", "#8a1f11"),
    "light": ("#ffffff", "#ffffff"),
    "veil": ("#2a1c10a0", "#2a1c10a0"),
    "legal": ("#0b7a69", "#5fe3c8"),
}
PLAYER_COLOURS = tuple(COLOURS[f"p{player}"][0] for player in range(4))
# Colours of the small pictures of each game, which are the same in both themes.
PICTURE_COLOURS = {
    "blue": "#3f6fb5",
    "green": "#4d8a3c",
    "orange": "#dd8a2e",
    "pink": "#d9799f",
    "cream": "#f4efe2",
    "yellow": "#e3c33c",
    "grey": "#9b978d",
    "brick": "#b5473c",
}
# Colours of the sources of VP in annotated games, beginning with the largest source. If there are
# more sources, annotation.js starts again with the first colour; the constant COLOURS in that file
# must equal the number of colours here. Sources can also be distinguished by their order.
SOURCE_COLOURS = (
    "#0072b2", "#e69f00", "#56b4e9", "#d55e00", "#009e73", "#f0e442", "#cc79a7", "#8a8a8a",
    "#5b3a8c", "#b0d0b0",
)  # fmt: skip
# Colours of bots and seats in the plots of reports, for a light and for a dark background.
PLOT_COLOURS = (
    ("#8b2e1a", "#f08a70"), ("#2f5d8c", "#82b6f2"), ("#5d7f3a", "#a9cf7f"),
    ("#a07a1f", "#e0bd5c"), ("#6b4a86", "#c7a3e6"), ("#3b8686", "#7fd0d0"),
    ("#9a5a6b", "#e2a3b4"), ("#555555", "#bbbbbb"),
)  # fmt: skip

TEXT_FONT = "system-ui, 'DejaVu Sans', sans-serif"
HEAD_FONT = "Georgia, 'DejaVu Serif', serif"
TEXT, HEAD, FIGURE = 14, 17, 22  # sizes of text on boards, in units of the drawing
PAGE_TEXTS = {"fine": 12, "small": 13, "body": 15, "large": 17, "title": 20}  # in pixels
# Margins, paddings and gaps, in pixels.
SPACES = {"hair": 1, "tiny": 2, "fine": 4, "small": 7, "body": 10, "large": 14, "wide": 20}
LINE = 1.6  # width of the lines of symbols
SMALL_RADIUS, RADIUS, LARGE_RADIUS = 3, 5, 8  # of parts of a piece, of pieces, of panels
SHADOWS = {"low": "0 2px 8px #0005", "high": "0 4px 24px #000a", "up": "0 -2px 8px #0005"}

# These replace some of the colours above for people who prefer more contrast.
_GROUND, _OUTLINE = ("#ffffff", "#000000"), ("#000000", "#ffffff")
MORE_CONTRAST = {
    **dict.fromkeys(("ink", "faint", "off", "line", "edge"), _OUTLINE),
    **dict.fromkeys(("ground", "paper", "white", "tray", "plot", "stone"), _GROUND),
    **dict.fromkeys(("land1", "land2", "land3"), _GROUND),
    "red": ("#7d1f00", "#ffb59a"),
}

_NAME = re.compile(r"([\w-]+):\$([\w-]+)")


def themed(rules: str) -> str:
    """Return style rules with colours in place of names such as ``$paper`` in ``fill:$paper``.

    A page that defines the colours as variables determines the theme. Elsewhere the drawing has
    the light theme, even in programs that do not support variables, because such programs skip the
    second declaration.
    """

    def declare(match: re.Match[str]) -> str:
        name, light = match[2], COLOURS[match[2]][0]
        return f"{match[1]}:{light};{match[1]}:var(--{name},{light})"

    return _NAME.sub(declare, rules)


def _define(colours: Mapping[str, tuple[str, str]]) -> str:
    return "\n".join(
        f"  --{name}: light-dark({light}, {dark});" for name, (light, dark) in colours.items()
    )


def style_sheet() -> str:
    """Return the colours, typefaces and sizes as variables of a style sheet."""
    players = {f"player{i}": colour for i, colour in enumerate(PLAYER_COLOURS)}
    pictures = {f"picture-{name}": colour for name, colour in PICTURE_COLOURS.items()}
    sizes = {f"text-{name}": f"{size}px" for name, size in PAGE_TEXTS.items()}
    spaces = {f"space-{name}": f"{size}px" for name, size in SPACES.items()}
    shadows = {f"shadow-{name}": shadow for name, shadow in SHADOWS.items()}
    values = {**players, **pictures, **sizes, **spaces, **shadows}
    others = "\n".join(f"  --{name}: {value};" for name, value in values.items())
    return f""":root {{
  color-scheme: light dark;
{_define(COLOURS)}
{others}
  --text-font: {TEXT_FONT};
  --head-font: {HEAD_FONT};
  --text-board: {TEXT}px;
  --radius-small: {SMALL_RADIUS}px;
  --radius: {RADIUS}px;
  --radius-large: {LARGE_RADIUS}px;
}}
@media (prefers-contrast: more) {{ :root {{
{_define(MORE_CONTRAST)}
}} }}
:root[data-theme="light"] {{ color-scheme: light; }}
:root[data-theme="dark"] {{ color-scheme: dark; }}
"""
