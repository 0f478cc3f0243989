"""The turns of the others: seen as they happen, and stepped through until the next decision."""

# ruff: noqa: F811

import asyncio
from contextlib import suppress

import pytest
from test_board import PHONE, WIDE
from test_page_browser import browser, by_server, served, tab, tabs  # noqa: F401

from trajan_ai.page.game_tree import start_game

with suppress(ImportError):
    from playwright.sync_api import expect

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs("playwright", "axe_playwright_python", "chromium"),
]
STEPS = "all => all.map((step) => step.innerText)"


def before_bots(served, game="trajan", players=4):
    """Save a game at a decision of the person after which all others have a turn."""
    tree = start_game(game, [None] + ["greedy"] * (players - 1), 5, {})
    node, ends = 0, []
    while tree.position(node).turn < 3 * players:
        action, mover = tree.position(node).legal()[0], tree.position(node).player
        after = tree.add(node, action)
        if mover == 0 != tree.position(after).player and tree.forced_action(node) is None:
            ends.append(node)
        node = after
    tree.nodes = tree.nodes[: ends[-1] + 1]
    tree.nodes[ends[-1]].children.clear()
    tree.here = ends[-1]
    served.page.folder.save(tree)
    return tree.id


def decide(tab):
    """Make the decision that the list has first, and wait for the next one."""
    tab.page.locator(".legal .move").first.dispatch_event("click")
    expect(tab.page.locator(".strip li")).not_to_have_count(0)
    expect(tab.page.locator(".who")).to_contain_text("Your turn")


@by_server
@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_the_turns_of_the_others_stay_and_are_stepped_through(tabs, size):
    tab = tabs(size)
    page, strip = tab.page, tab.page.locator(".strip")
    tab.open(f"#{before_bots(tab.served)}")
    tab.board()
    height = strip.bounding_box()["height"]
    decide(tab)
    assert strip.bounding_box()["height"] == height, "nothing below it moves"
    turns = strip.locator("li")
    assert {int(text[0]) for text in turns.all_inner_texts()} == {1, 2, 3}
    steps = strip.locator("[data-step]")
    last, count = tab.node(), steps.count()
    assert count > 3
    expect(steps.last).to_have_attribute("aria-pressed", "true")
    tab.accessible()
    for back in range(1, count):
        strip.get_by_role("button", name="The step before").click()
        expect(steps.nth(count - 1 - back)).to_have_attribute("aria-pressed", "true")
        expect(steps.nth(count - 1 - back)).to_be_in_viewport()
    expect(strip.get_by_role("button", name="The step before")).to_be_disabled()
    expect(page.locator(".who")).to_contain_text("Looking back")
    assert tab.node() < last
    strip.locator("[data-step]:visible").last.click()
    strip.locator("li .move:visible").first.click()  # the board of that player
    mover = strip.locator("li:has([aria-pressed=true])").inner_text()[0]
    expect(page.locator(f'[data-place^="tray {mover}"]').first).to_be_in_viewport()
    while tab.node() != last:
        before = tab.node()
        strip.get_by_role("button", name="The next step").click()
        page.wait_for_function("(at) => !location.hash.endsWith(`/${at}`)", arg=before)
    expect(page.locator(".who")).to_contain_text("Your turn")
    assert steps.count() == count
    page.locator(".legal .move").first.dispatch_event("click")
    expect(steps).to_have_count(0)


@by_server
def test_delayed_answers_and_every_speed_show_the_same_turns(tabs, monkeypatch):
    tab = tabs(WIDE)
    page, results = tab.page, []
    id = before_bots(tab.served, players=2)
    tab.open(f"#{id}")
    tab.board()
    start, searches = tab.node(), tab.served.page.searches
    choose = searches.choose

    async def decide_late(*arguments):
        await asyncio.sleep(1)
        return await choose(*arguments)

    expect(page.get_by_label("Speed")).to_have_value("instant")  # reduced motion
    for speed, late in (("instant", False), ("instant", True), ("normal", True), ("slow", True)):
        page.get_by_label("Speed").select_option(speed)
        if late:
            monkeypatch.setattr(searches, "choose", decide_late)
        decide(tab)
        results.append((tab.node(), page.locator(".strip [data-step]").evaluate_all(STEPS)))
        page.get_by_role("button", name="Undo").click()
        tab.at(start)
    assert results[0][1]
    assert all(one == results[0] for one in results)
    page.reload()
    tab.board()
    expect(page.get_by_label("Speed")).to_have_value("slow")


@by_server
def test_what_was_undone_is_folded_below_the_line_that_is_shown(tab):
    page = tab.page
    tab.open(f"#{before_bots(tab.served, players=2)}")
    tab.board()
    start = tab.node()
    decide(tab)
    rows = page.locator(".logs > .scroll > .log > li:not(.branch)")
    before = rows.count()
    page.get_by_role("button", name="Undo").click()
    tab.at(start)
    page.locator(".legal .move").nth(1).dispatch_event("click")
    expect(page.locator(".branch details")).to_have_count(1)
    assert page.locator(".branch details[open]").count() == 0
    assert page.locator(".branch [aria-current]").count() == 0
    expect(page.locator(".who")).to_contain_text("Your turn")
    turns = [text.split()[0] for text in rows.locator(".turn").all_inner_texts()]
    assert len(turns) == len(set(turns))
    assert len(turns) <= before + 1
