"""The page in Firefox: a game, and the board in every size."""

import re

import pytest
from browser_tab import SIZES, by_server, expect
from golden_games import golden
from test_board import CLIPPED, CONTRAST, MARKED, PANELS, SMALL, load

pytestmark = [pytest.mark.slow, pytest.mark.needs("playwright", "firefox")]

CHOICE = "#dialog[open] .move, .pane svg :is([data-action], [data-choices]), .choices button"


def test_a_game_begins_and_is_advised_in_firefox(tabs):
    tab = tabs(browser="firefox", locale="de")
    page, who = tab.page, tab.page.locator(".who")
    tab.open()
    expect(page.locator("form .main").first).to_have_text("Los")
    page.locator("#game").select_option("forum_trajanum")
    page.locator("#seat1").select_option("level-80")
    page.locator("form .main").first.click()
    tab.board()
    expect(who).to_contain_text("Du bist am Zug")
    while tab.node() < 3:
        before = page.url
        page.locator(CHOICE).first.dispatch_event("click")
        expect(page).not_to_have_url(before)
        expect(who).to_contain_text("Du bist am Zug")
    page.locator("button.main").first.click()
    expect(page.locator(".ranking tbody tr").first).to_be_visible()
    expect(page.locator(".mark.best").first).to_be_attached()


GROUND = """() => getComputedStyle(document.querySelector('.table g[data-height] > rect'))
  .fill.match(/\\d+/g).map(Number)"""
WIDTH = "() => document.documentElement.scrollWidth - innerWidth"
CASES = {"wide": ("en", "light", 24), "middle": ("de", "dark", 24), "phone": ("de", "light", 32)}


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
@pytest.mark.parametrize("size", CASES)
def test_the_board_is_still_marked_and_readable_in_firefox(tabs, game, size):
    language, theme, least = CASES[size]
    tab = tabs(SIZES[size], browser="firefox", locale=language, stored={"theme": theme})
    page = tab.page
    load(tab, game, 61)
    assert (max(page.evaluate(GROUND)) < 80) == (theme == "dark")
    still = page.evaluate(PANELS)
    for node in range(0, len(golden(game)["actions"]), 37):
        tab.go(node)
        assert page.evaluate(PANELS) == still
        marked = page.evaluate(MARKED)
        assert marked["moves"] == marked["listed"] > 0
        assert marked["bare"] == []
        assert marked["hidden"] == marked["tabs"]
        expect(page.locator(".who")).to_have_text(re.compile(r"\w"))
        for script in (CLIPPED, CONTRAST):
            assert page.evaluate(script) == []
        assert page.evaluate(SMALL, least) == []
        assert page.evaluate(WIDTH) <= 0
    page.evaluate("scrollTo(0, 500)")  # must neither fold nor shrink the board
    tab.go(1)
    page.evaluate("scrollTo(0, 0)")
    assert page.evaluate(PANELS) == still
