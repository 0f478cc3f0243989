"""The colours of the design system differ enough from each other, in both themes."""

import pytest

from trajan_ai.core.look import COLOURS, style_sheet, themed

THEMES = pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
GROUNDS = ("ground", "paper", "white", "tray", "best", "now", "stone", "plot")
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
    ("bar-ink", "bar"), ("bar-ink", "main"), ("bar-ink", "mark"),
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
