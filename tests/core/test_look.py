"""Colours have enough contrast in both themes, and all values come from the design system."""

import re
import xml.etree.ElementTree as ET

import pytest
from calls import ROOT
from golden_games import golden

from trajan_ai import records
from trajan_ai.core.look import (
    COLOURS,
    LARGE_RADIUS,
    LINE,
    RADIUS,
    SMALL_RADIUS,
    SOURCE_COLOURS,
    style_sheet,
    themed,
)
from trajan_ai.games.drawing import svg
from trajan_ai.games.forum_trajanum import picture as forum_picture
from trajan_ai.games.trajan import picture as trajan_picture

THEMES = pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
GROUNDS = ("ground", "paper", "white", "tray", "best", "now", "stone", "plot")
WIDTHS = {0, 1, LINE, 2, 2.5, 3}  # of borders, symbols, frames, corners and highlights
LAND = ("land1", "land2", "land3", "sea")
TEXT, SHAPE = 4.5, 3  # smallest contrasts of WCAG 2, level AA


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other, theme):
    low, high = sorted(luminance(COLOURS[name][theme]) for name in (one, other))
    return (high + 0.05) / (low + 0.05)


@THEMES
@pytest.mark.parametrize("text", ["ink", "faint", "red", "green", "bad"])
def test_text_is_readable_on_every_ground(text, theme):
    grounds = (*GROUNDS, "hover", "off-ground", *(LAND if text in ("ink", "faint") else ()))
    assert {g: contrast(text, g, theme) for g in grounds if contrast(text, g, theme) < TEXT} == {}


@THEMES
@pytest.mark.parametrize(("text", "ground"), [
    ("off", "off-ground"), ("dark", "card"), ("dark", "gold"), ("dark", "gold-card"),
    ("bar-ink", "bar"), ("bar-ink", "bar-hover"), ("bar-ink", "mark"), ("light", "fault"),
    ("light", "main"), ("light", "main-hover"),
    *((f"p{player}", ground) for player in range(4) for ground in ("paper", "white")),
])  # fmt: skip
def test_text_is_readable_on_its_ground(text, ground, theme):
    assert contrast(text, ground, theme) >= TEXT


@THEMES
@pytest.mark.parametrize(("line", "grounds"), [
    ("edge", ("paper", "white", "tray")),
    ("legal", ("paper", "white", "tray", "plot", "hollow", *LAND)),
    ("ink", ("hollow", "street", *GROUNDS, *LAND)),
    ("now-edge", ("now",)),
])  # fmt: skip
def test_lines_and_signs_stand_out(line, grounds, theme):
    assert {g: contrast(line, g, theme) for g in grounds if contrast(line, g, theme) < SHAPE} == {}


def test_a_drawing_is_light_where_no_page_defines_colours():
    light = COLOURS["paper"][0]
    assert themed(".p{fill:$paper}") == f".p{{fill:{light};fill:var(--paper,{light})}}"


def test_the_style_sheet_defines_every_colour():
    for name, (light, dark) in COLOURS.items():
        assert f"--{name}: light-dark({light}, {dark});" in style_sheet()


def test_the_script_of_annotated_games_knows_how_many_colours_sources_have():
    script = ROOT / "trajan_ai" / "analysis" / "annotation" / "annotation.js"
    assert f"const COLOURS = {len(SOURCE_COLOURS)};" in script.read_text("utf-8")


STYLES = [*(ROOT / "trajan_ai").rglob("*.css"), *(ROOT / "trajan_ai").rglob("*.html.j2")]
# Kinds of values for which style sheets must use the names that `style_sheet` defines.
UNNAMED = {
    "colour": r"#[0-9a-fA-F]{3,8}\b(?=[^{}]*[;}])|\brgba?\(",
    "size of text": r"(?<=font)(?:-size)?:[^;}/]*\d(?:px|em|rem|pt)",
    "radius": r"border(?:-\w+)*-radius:[^;}]*[1-9]",
    "space": r"(?<![\w-])(?:(?:scroll-)?padding|margin|(?:row-|column-)?gap|--gap)(?:-\w+)*:"
    r"[^;}]*?\d(?:px|r?em|pt|ch|vw|vh|%)[^;}]*",
    "shadow": r"box-shadow: (?!none|inset|0 0 0|var)[^;}]*",
}
WIDTH = re.compile(
    r"(?:outline|border(?:-(?:top|right|bottom|left|block|inline))?(?:-width)?|stroke-width):"
    r" ?([\d.]+)"
)


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
@pytest.mark.parametrize("kind", UNNAMED)
def test_style_sheets_take_their_values_from_the_design_system(path, kind):
    styles = path.read_text("utf-8")
    if path.suffix != ".css":
        parts = re.findall(
            r"<style>(.*?)</style>|block style %}(.*?){% endblock", styles, re.DOTALL
        )
        styles = "\n".join(one or other for one, other in parts)
    assert re.findall(UNNAMED[kind], styles) == []
    defined = set(re.findall(r"--([\w-]+):", style_sheet() + styles))
    by_elements = {"share", "top"}  # variables that scripts or attributes set
    assert set(re.findall(r"var\(--([\w-]+)", styles)) <= defined | by_elements


def test_programs_take_their_colours_from_the_design_system():
    # Only the symbols and boards of the games use other colours: those of their pieces.
    programs = [*(ROOT / "trajan_ai").rglob("*.js"), *(ROOT / "trajan_ai").rglob("*.py")]
    own = {
        path.name: colours
        for path in programs
        if path.name != "look.py" and "games" not in path.parts
        if (colours := re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(", path.read_text("utf-8")))
    }
    assert own == {}


def test_lines_have_a_width_of_the_scale():
    drawings = svg._STYLE + trajan_picture.STYLE + forum_picture.STYLE
    for styles in (drawings, *(path.read_text("utf-8") for path in STYLES)):
        assert {float(one) for one in WIDTH.findall(styles)} <= WIDTHS


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_corners_have_a_radius_of_the_scale(game):
    position = records.replay(golden(game), 100)
    drawing = position.game.rules.picture(position.view(position.player), legal=position.legal())
    for rect in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}rect"):
        radius = float(rect.get("rx", 0))
        smaller = min(float(rect.get(side)) for side in ("width", "height"))
        is_round = (
            radius >= smaller / 4 and radius > LARGE_RADIUS
        )  # a disc, or the hollow of a tray
        assert radius in {0, SMALL_RADIUS, RADIUS, LARGE_RADIUS} or is_round
