"""Motion on the board, in a headless browser."""

import re

import pytest
from browser_tab import PHONE, by_server, expect, in_browser
from golden_games import golden, golden_line

from trajan_ai.page.game_tree import start_game
from trajan_ai.page.guide import find_guide

pytestmark = [*in_browser, by_server]

# Counts the pieces that have begun to travel, because a test on a busy machine may look too late.
COUNTING = """(() => {
  const { animate } = Element.prototype;
  window.flights = 0;
  Element.prototype.animate = function (...all) {
    window.flights++;
    return animate.apply(this, all);
  };
})()"""
CONTENTS = """() => ['.board', '.scores']
  .flatMap((selector) => document.querySelector(selector).outerHTML.split(/(?=<)/))"""

# Records how far the page is scrolled when a motion is prepared.
SCROLLING = """async () => {
  const { Motion } = await import('./static/motion.js');
  const { prepare } = Motion.prototype;
  Motion.prototype.prepare = function (...all) {
    window.scrolled ??= scrollY;
    return prepare.apply(this, all);
  };
}"""


def moving(tabs, speed, **settings):
    """Open a tab in which pieces move."""
    tab = tabs(**settings)
    tab.page.emulate_media(reduced_motion="no-preference")
    tab.page.add_init_script(f"localStorage.setItem('speed', '{speed}'); {COUNTING}")
    return tab


def find_node(game, pattern):
    """Return the node before the first move after ply 90 that matches a pattern."""
    actions = [action for _, action in golden(game)["actions"]]
    return next(i for i, a in enumerate(actions) if i > 90 and re.match(pattern, a))


@pytest.mark.parametrize(
    ("game", "move"),
    [
        ("trajan", "sow"),  # markers
        ("trajan", "march"),  # a figure, a tile and VP
        ("trajan", "ship"),  # cards and VP
        ("forum_trajanum", "take"),  # a tile that lay face down
    ],
)
def test_pieces_move_and_the_board_ends_as_it_is_without_motion(tabs, game, move):
    node = find_node(game, move)
    still, moved = tabs(), moving(tabs, "normal")
    for one in (still, moved):
        one.load(golden_line(game), node)
    for key, at in (("ArrowRight", node + 1), ("ArrowLeft", node), ("ArrowRight", node + 1)):
        moved.page.evaluate("window.flights = 0")
        for one in (still, moved):
            one.page.keyboard.press(key)
            one.at(at)
        assert moved.page.evaluate("window.flights") > 0
        expect(moved.page.locator(".motion")).to_have_count(0)
        moved.page.keyboard.press("Shift")  # the VP may need one more frame
        assert moved.page.evaluate(CONTENTS) == still.page.evaluate(CONTENTS)


def test_a_click_finishes_the_motion_and_is_not_lost(tabs):
    tab = moving(tabs, "slow")
    node = find_node("trajan", "sow")
    tab.load(golden_line(), node)
    tab.page.keyboard.press("ArrowRight")
    tab.at(node + 1)
    assert tab.page.evaluate("window.flights") > 0
    tab.page.locator(".table [data-action]").first.click()
    tab.at(len(golden()["actions"]) + 1)
    expect(tab.page.locator(".motion, .table [opacity]")).to_have_count(0)


def test_with_reduced_motion_nothing_moves(tabs):
    tab = moving(tabs, "slow")
    tab.page.emulate_media(reduced_motion="reduce")
    node = find_node("trajan", "sow")
    tab.load(golden_line(), node)
    tab.page.keyboard.press("ArrowRight")
    tab.at(node + 1)
    assert tab.page.locator(".motion, .table [opacity]").count() == 0
    assert tab.page.evaluate("window.flights") == 0


def test_the_opponents_turn_of_a_guide_moves_its_pieces(tabs):
    tab = moving(tabs, "normal")
    steps = find_guide("trajan").steps
    reply = next(number for number, step in enumerate(steps) if step.kind == "meanwhile")
    tab.page.add_init_script(
        f"localStorage.setItem('guide trajan', JSON.stringify({{ step: {reply - 1} }}))"
    )
    tab.open("#learn/trajan")
    text = tab.page.locator(".lesson .text")
    expect(text).to_contain_text(steps[reply - 1].texts["brought"])
    assert tab.page.evaluate("window.flights") == 0
    tab.page.locator(".lesson .main:visible").click()
    expect(text).to_contain_text(steps[reply].texts["meanwhile"])
    assert tab.page.evaluate("window.flights") > 3  # markers, a worker, a tile
    expect(tab.page.locator(".motion")).to_have_count(0)
    tab.page.keyboard.press("ArrowLeft")
    expect(text).to_contain_text(steps[reply - 1].texts["brought"])


def test_the_page_has_scrolled_back_before_pieces_are_looked_at(tabs):
    tab = moving(tabs, "normal", size=PHONE, has_touch=True)
    tree = start_game("forum_trajanum", [None, "greedy"], 3, {})
    tab.open_game(tree)
    tab.page.evaluate(SCROLLING)
    tab.page.get_by_role("button", name="Suggest", exact=True).click()
    tab.page.evaluate("scrollTo(0, 100)")
    for _ in range(2):
        tab.page.locator(".ranking .move").first.tap()
    tab.page.wait_for_function("() => window.scrolled !== undefined")
    assert tab.page.evaluate("window.scrolled") == 0


def test_a_game_that_is_left_neither_moves_nor_listens_any_more(tabs):
    tab = moving(tabs, "slow")
    tab.page.add_init_script(
        "window.listening = 0;"
        "for (const [name, change] of [['add', 1], ['remove', -1]]) {"
        "  const method = window[`${name}EventListener`];"
        "  window[`${name}EventListener`] = function (type, ...all) {"
        "    if (type === 'wheel') window.listening += change;"
        "    return method.call(window, type, ...all);"
        "  };"
        "}"
    )
    node = find_node("trajan", "sow")
    tab.load(golden_line(), node)
    assert tab.page.evaluate("window.listening") == 1
    tab.page.evaluate(
        "new Promise((left) => { location.hash = ''; addEventListener('hashchange', left); })"
    )
    assert tab.page.evaluate("window.listening") == 0
