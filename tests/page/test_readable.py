"""The page for people who see colours differently, use forced colours, or zoom."""

from contextlib import suppress
from io import BytesIO

import pytest
from browser_tab import PHONE, WIDE, by_server, expect, in_browser
from test_board import CUT, load
from test_page_guide import begin

with suppress(ImportError):
    from PIL import Image, ImageChops, ImageStat

pytestmark = [*in_browser, pytest.mark.needs("PIL"), by_server]

STRONG = 40  # contrast of a sign with its background, in 255 levels of grey
ZOOMED = {"width": 700, "height": 450}  # a window of 1400 x 900 at 200 %
PANEL = ".table [data-panel]:not([hidden])"
LEGAL, LAST = f"{PANEL} :is([class$=lg], [class$=lt])", f"{PANEL} path[class$=ls]"


def shoot(page, box):
    data = page.screenshot(clip=dict(zip(("x", "y", "width", "height"), box, strict=True)))
    return Image.open(BytesIO(data)).convert("L")


def strong(one, other):
    """Return a mask of the pixels in which two pictures differ strongly."""
    return ImageChops.difference(one, other).point(lambda level: 255 * (level > STRONG))


def shape_of(page, selector):
    """Return the shape of a sign: the pixels that differ if the sign is hidden."""
    first = page.locator(selector).first
    x, y, width, height = first.bounding_box().values()
    box = (x - 3, y - 3, width + 6, height + 6)
    marked = shoot(page, box)
    hide = "(all, by) => all.forEach((one) => (one.style.display = by))"
    page.locator(selector).evaluate_all(hide, "none")
    bare = shoot(page, box)
    page.locator(selector).evaluate_all(hide, "")
    return strong(marked, bare)


def middle_of_top(shape):
    half = shape.width // 2  # the corners of a mark around one card nearly meet
    return shape.crop((half - 2, 0, half + 2, shape.height // 4))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_place_to_click_is_brighter_on_a_phone(tabs, theme):
    tab = tabs(PHONE, color_scheme=theme)
    walk = begin(tab, "forum_trajanum")
    while walk.steps[walk.at].kind != "click":
        walk.go_on()
    walk.fold()
    frame = tab.page.locator(".mark.step.frame")
    x, y, width, height = frame.bounding_box().values()
    box = (x + 4, y + 4, width - 8, height - 8)
    marked = shoot(tab.page, box)
    frame.evaluate("(frame) => frame.remove()")
    bare = shoot(tab.page, box)
    assert ImageStat.Stat(marked).mean[0] > ImageStat.Stat(bare).mean[0] + 10


@pytest.mark.parametrize("kind", ["achromatopsia", "deuteranopia"])
def test_signs_and_players_differ_by_shape_for_the_colour_blind(tabs, kind):
    tab = tabs(WIDE)
    load(tab, "trajan", 98, "4p")
    page = tab.page
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
    legal, last = shape_of(page, LEGAL), shape_of(page, LAST)
    assert middle_of_top(legal).getbbox(), "a legal place has a frame"
    assert last.getbbox(), "the last move has corners"
    assert not middle_of_top(last).getbbox(), "the corners leave the sides free"
    tokens = [page.locator(".scores .token svg").nth(i).bounding_box() for i in range(4)]
    pictures = [shoot(page, token.values()) for token in tokens]
    for i, one in enumerate(pictures):
        for other in pictures[:i]:
            assert strong(one, other.resize(one.size)).getbbox()


# Returns controls whose edge or text has the colour of the background.
UNSEEN = """() => [...document.querySelectorAll('button, select, input, a.button')]
  .filter((one) => one.checkVisibility() && !one.closest('dialog:not([open])'))
  .filter((one) => {
    const { borderStyle, borderColor, backgroundColor, color } = getComputedStyle(one);
    return color === backgroundColor
      || (one.type !== 'checkbox' && (borderStyle === 'none' || borderColor === backgroundColor));
  })
  .map((one) => one.textContent || one.id)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("game", "node"), [("trajan", 98), ("forum_trajanum", 65)])
def test_forced_colours_leave_controls_and_signs_visible(tabs, game, node, theme):
    tab = tabs(WIDE, forced_colors="active", color_scheme=theme)
    load(tab, game, node)
    page = tab.page
    assert page.evaluate(UNSEEN) == []
    assert shape_of(page, LAST).getbbox()
    assert shape_of(page, LEGAL).getbbox()
    current = page.locator("[aria-current]").first
    assert current.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"


# Returns the tabs, and the places to choose in an element, that are still covered by something
# after the page is scrolled to them.
COVERED = """(selector) => [...document.querySelectorAll(
    `${selector} :is([data-action], [data-choices]), .tabs button`)]
  .filter((one) => one.checkVisibility() && !one.closest('[hidden]'))
  .filter((one) => {
    const target = one.firstElementChild ?? one;
    target.scrollIntoView({ block: 'center' });
    const { x, y, width, height } = target.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return !one.contains(top);
  })
  .map((one) => one.dataset.place ?? one.textContent)"""


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_at_double_size_nothing_is_cut_off_or_out_of_reach(tabs, game):
    tab = tabs(ZOOMED, device_scale_factor=2)
    for node in (98, 99):
        load(tab, game, node)
        page = tab.page
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= ZOOMED["width"]
        if page.locator(".raised:not([hidden])").count():
            assert page.evaluate(COVERED, ".raised") == []
            page.get_by_role("button", name="Close").click()
            expect(page.locator(".raised")).to_be_hidden()
        assert page.evaluate(COVERED, ".table") == []
