"""Rules, tips and choices by mouse, touch and keyboard, in a headless browser."""

import re
import time
from functools import cache

import pytest
from browser_tab import PHONE, WIDE, by_server, expect, in_browser
from golden_games import golden, golden_line

from trajan_ai import records
from trajan_ai.page.game_tree import start_game
from trajan_ai.records import position_files

pytestmark = [*in_browser, by_server]

GAMES = ("trajan", "forum_trajanum")


@cache
def position_with(game, action, ply=0):
    """Return the position file of the first decision from `ply` on in which `action` is legal."""
    for position in records.positions(golden(game)):
        if position.player is not None and position.ply >= ply:
            legal = " ".join(position.legal())
            if re.search(rf"(^| ){action}( |$)", legal):
                return position_files.dumps(
                    position_files.position_file(position, position.player)
                )
    raise AssertionError(action)


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_fit_one_screen_and_are_a_key_away(tabs, game, locale):
    tab = tabs(WIDE, locale=locale)
    tab.load(golden_line(game), 60)
    page = tab.page
    page.locator("#seconds").focus()
    page.locator(".board").focus()
    page.keyboard.press("r")
    expect(page.locator(".rules section").first).to_be_visible()
    scrolls = "(one) => one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth"
    assert not page.locator("dialog").evaluate(scrolls)
    assert not page.locator(".rules").evaluate(scrolls)
    assert page.locator(".rules dt").count() == page.locator(".rules dt:has(svg use)").count() > 25
    tab.accessible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_hidden()
    expect(page.locator(".board")).to_be_focused()


def test_a_game_without_rules_on_the_page_shows_no_other_rules(tab):
    tab.open()
    tab.page.evaluate("async () => (await import('/static/rules.js')).showRules('nine_holes')")
    expect(tab.page.locator(".rules")).to_have_text("The page has no rules of Nine Holes.")
    tab.page.locator("dialog").get_by_role("button", name="Trajan", exact=True).click()
    expect(tab.page.locator(".rules")).to_contain_text("Seaport")


@pytest.mark.parametrize(
    ("last", "title"), [("forum_trajanum", "Forum Trajanum"), ("nine_holes", "Trajan")]
)
def test_the_rules_open_on_the_last_game_that_has_any(tab, last, title):
    tab.open()
    expect(tab.page.locator("#game")).to_be_visible()
    tab.page.evaluate("(game) => localStorage.setItem('game', game)", last)
    tab.page.get_by_role("button", name="Rules", exact=True).click()
    pressed = tab.page.locator("dialog [aria-pressed=true]")
    expect(pressed).to_have_text(title)


def test_a_new_game_offers_the_numbers_of_players_that_the_game_allows(tab):
    with tab.served.client() as client:
        start = client.get("/api/start").json()
    start["games"][0]["players"] = [3]
    tab.page.route("**/api/start", lambda route: route.fulfill(json=start))
    tab.open()
    players = tab.page.locator("#players")
    expect(players.locator("option")).to_have_text(["3"])
    expect(tab.page.locator(".seats select")).to_have_count(3)
    tab.page.locator("#game").select_option("forum_trajanum")
    expect(players.locator("option")).to_have_text(["2", "3", "4"])
    expect(players).to_have_value("3")


def test_the_keyboard_reaches_the_tip_of_every_piece(tab):
    page = tab.page
    tab.load(golden_line("trajan"), 99)
    page.keyboard.press("i")
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    texts = {tip.inner_text()}
    focused = "document.activeElement.closest('.board svg') !== null"
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
        expect(tip).to_be_visible()
        assert page.evaluate(focused)
        texts.add(tip.inner_text())
    assert len(texts) > 3
    described = "document.activeElement.getAttribute('aria-describedby')"
    assert page.evaluate(described) == "tip"
    tab.at(99)


def test_a_tap_explains_what_cannot_be_chosen_and_a_tap_elsewhere_closes_it(tabs):
    tab = tabs(PHONE, has_touch=True)
    tab.load(golden_line("trajan"), 99)
    page, tip = tab.page, tab.page.get_by_role("tooltip")
    page.locator('.table [data-place="camp 0 workers"]').tap()
    expect(tip).to_contain_text("scores 1 VP")
    expect(tip).to_contain_text("this cannot be chosen now")
    page.locator('.log [data-node="97"]').tap()
    tab.at(97)
    expect(tip).to_be_hidden()


# Returns the smallest distance between the text of a button and its border, above or below.
ROOM = """(buttons) => Math.min(...buttons.map((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  const [text, box] = [range, one].map((part) => part.getBoundingClientRect());
  return Math.min(text.top - box.top, box.bottom - text.bottom);
}))"""


def test_the_text_of_a_choice_does_not_touch_its_border_and_a_tap_leaves_no_colour(tabs):
    tab = tabs(PHONE, has_touch=True, locale="de")
    tab.load(position_with("forum_trajanum", "pay builder"))
    choices = tab.page.locator(".choices button")
    expect(choices.first).to_be_visible()
    assert choices.evaluate_all(ROOM) >= 4
    colour = "(one) => getComputedStyle(one).backgroundColor"
    before = choices.last.evaluate(colour)
    choices.last.tap()  # shows the preview of the choice
    expect(tab.page.get_by_role("tooltip")).to_be_visible()
    assert choices.last.evaluate(colour) == before


@pytest.mark.parametrize("touch", [True, False], ids=["touch", "mouse"])
def test_a_trajan_card_is_explained(tabs, touch):
    tab = tabs(PHONE, has_touch=touch)
    tab.load(golden_line("forum_trajanum"), 20)
    page, tip = tab.page, tab.page.get_by_role("tooltip")
    page.get_by_role("button", name="Trajan cards").dispatch_event("click")
    card = page.locator(".raised [data-place^='card']").first
    if touch:
        card.tap()
        expect(tip).to_contain_text("this cannot be chosen now")
    else:
        card.hover()
    expect(tip).to_contain_text("Building task: ")
    expect(tip).to_contain_text("White squares are buildings of any kind")
    expect(tip).to_contain_text("the number above the bust")
    assert tip.inner_text().count("Building task: ") == 1


def test_a_double_tap_on_a_place_chooses_nothing_from_its_list(tabs):
    tab = tabs(PHONE, has_touch=True)
    tab.load(position_with("forum_trajanum", "no build", 60))
    page = tab.page
    box = page.locator(".board [data-place^='cell'][data-choices]").first.bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    state = page.url
    page.touchscreen.tap(*at)
    options = page.locator("dialog .legal .move")
    expect(options.first).to_be_visible()
    [animation] = page.locator("dialog").evaluate(
        "(dialog) => dialog.getAnimations().map((one) => (one.finish(), one.animationName))"
    ) or ["settle"]  # or the animation has ended
    assert animation == "settle"
    begin = "(dialog) => { dialog.style.animation = 'settle 60s paused'; }"
    page.locator("dialog").evaluate(begin)
    box = options.first.bounding_box()
    page.touchscreen.tap(box["x"] + 20, box["y"] + 15)
    expect(options.first).to_be_visible()
    page.locator("dialog").evaluate("(dialog) => { dialog.style.animation = ''; }")
    options.last.tap()
    expect(options.last).to_contain_text("Tap again")
    options.last.tap()
    expect(page.locator("dialog")).to_be_hidden()
    expect(page).not_to_have_url(state)


def test_a_later_second_tap_at_a_place_chooses_no_option_that_lies_there(tabs):
    tab = tabs(PHONE, has_touch=True)
    tab.load(position_with("forum_trajanum", "take .* tribune"))
    page, state = tab.page, tab.page.url
    places = page.locator(".board [data-place^='cell'][data-choices]")
    options = page.locator("dialog .legal .move")
    covered = 0
    for place in places.all()[-8:]:
        box = place.bounding_box()
        at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        page.touchscreen.tap(*at)
        expect(options.first).to_be_visible()
        page.wait_for_timeout(800)  # longer than a double tap takes
        below = "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.move'))"
        if page.evaluate(below, at):
            covered += 1
            page.touchscreen.tap(*at)
            page.wait_for_timeout(100)
            expect(options.first).to_be_visible()
            assert page.url == state
        page.locator("dialog .quiet").tap()
        expect(page.locator("dialog")).to_be_hidden()
    assert covered
    page.touchscreen.tap(*at)
    options.first.tap()
    expect(options.first).to_contain_text("Tap again to choose this.")
    assert page.url == state, "as elsewhere, only the second tap chooses"
    options.first.tap()
    expect(page).not_to_have_url(state)


@pytest.mark.parametrize("touch", [True, False], ids=["touch", "mouse"])
def test_an_option_for_a_building_is_short_until_it_is_pointed_at(tabs, touch):
    tab = tabs(PHONE, has_touch=touch)
    tab.load(position_with("forum_trajanum", "build market .*", 18))
    page, state = tab.page, tab.page.url
    press = (lambda one: one.tap()) if touch else (lambda one: one.click())
    place = page.locator(".board [data-place^='cell'][data-choices]").first
    press(place)
    options = page.locator("dialog .legal .move")
    expect(options.locator(".price .icon").first).to_be_visible()
    assert options.locator(".price").count() == options.count()
    market = options.filter(has_text="market").first
    expect(market.locator(".leads")).to_contain_text(re.compile("^A coin"))
    expect(market).to_have_attribute("title", re.compile("It costs a builder.\n"))
    press(market)
    if touch:
        expect(market.locator(".leads")).to_contain_text("It costs a builder.")
        assert page.url == state
        press(market)
    expect(page.locator("dialog h2")).not_to_have_text("What do you want to do here?")


def test_a_choice_without_a_place_is_explained_before_it_is_chosen_by_tap(tabs):
    tab = tabs(PHONE, has_touch=True)
    tab.load(position_with("forum_trajanum", "cypress"))
    choice = tab.page.locator('.choices [data-choice="cypress"]')
    choice.tap()
    expect(tab.page.get_by_role("tooltip")).to_contain_text(
        "Your slider moves to prestige step 2."
    )
    expect(tab.page.get_by_role("tooltip")).to_contain_text("Tap again")
    tab.at(0)
    choice.tap()
    tab.at(1)
    expect(tab.page.get_by_role("tooltip")).to_be_hidden()


@pytest.mark.parametrize("locale", ["en", "de"])
def test_a_move_of_the_list_is_explained_before_it_is_chosen_by_tap(tabs, locale):
    tab = tabs(PHONE, has_touch=True, locale=locale, stored={"notation": "no"})
    tab.load(position_with("forum_trajanum", "cypress"))
    tab.page.locator(".legal-moves summary").tap()
    move = tab.page.locator(".legal .move").first
    words = move.inner_text()
    move.tap()
    tip = tab.page.get_by_role("tooltip")
    expect(tip.locator("strong")).to_have_text(words)
    expect(tip).to_contain_text({"en": "Tap again", "de": "Tippe noch einmal"}[locale])
    tab.at(0)
    move.tap()
    tab.at(1)
    expect(tip).to_be_hidden()


def test_a_choice_without_a_place_is_made_by_one_click(tab):
    tab.load(position_with("forum_trajanum", "cypress"))
    tab.page.locator('.choices [data-choice="cypress"]').click()
    tab.at(1)


def test_the_second_half_of_a_double_click_makes_no_decision(tab):
    tree = start_game("trajan", [None, "greedy"], 5, {"markers": "random"})
    tab.served.page.folder.add(tree)
    tab.open(f"#{tree.id}")
    mouse, deck = tab.page.mouse, tab.page.locator('.board [data-place="deck"]').first
    box = deck.bounding_box()
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for node in range(1, 4):  # a slow machine may miss the time of a double click
        mouse.down()
        mouse.up()
        begin = time.monotonic()
        tab.at(node)
        if time.monotonic() - begin < 0.4:
            mouse.down(click_count=2)
            mouse.up(click_count=2)
            break
        tab.page.wait_for_timeout(1000)
    tab.page.wait_for_timeout(1000)
    assert tab.node() == node
