"""Guided first games in a headless browser: played to the end, with wrong clicks, and resumed."""

import json
import re

import pytest
from browser_tab import PHONE, by_server, expect, in_browser

from trajan_ai.core import languages
from trajan_ai.page.guide import find_guide

pytestmark = in_browser


class Walk:
    """A user who follows the guide of a game and clicks the marked place or button."""

    def __init__(self, tab, game, code="en"):
        self.page = tab.page
        with languages.use_language(code):
            self.steps = find_guide(game).steps
        self.at = 0

    def see(self, number):
        """Wait for a step."""
        self.at, step = number, self.steps[number]
        stored = "([key, step]) => JSON.parse(localStorage.getItem(key) ?? '{}').step === step"
        self.page.wait_for_function(stored, arg=[f"guide {step.position.game.name}", number])
        text = {"after": "brought", "meanwhile": "meanwhile"}.get(step.kind, "text")
        place = ".task" if step.kind == "click" else ".lesson .text"
        expect(self.page.locator(place)).to_contain_text(step.texts[text])
        if step.changed:
            expect(self.page.locator(".board .mark.corners").first).to_be_visible()

    def fold(self):
        """On a phone, close the lesson to see the board."""
        fold = self.page.locator(".lesson.open .fold")
        if fold.is_visible():
            fold.click()

    def target(self):
        """Return the marked button or place on the board."""
        button = self.page.locator(".choices .pointed")
        return button if button.count() else self.page.locator(".board svg [data-action]")

    def go_on(self):
        """Click the marked target and, if it has several actions, the right one."""
        if self.steps[self.at].kind != "click":
            self.page.locator(".lesson .main:visible").click()
        else:
            self.fold()
            target = self.target()
            expect(target).to_have_count(1)
            if "choice" not in (target.get_attribute("class") or ""):
                expect(self.page.locator(".mark.step.frame")).to_have_count(1)
            target.click()
            box = self.page.locator("dialog[open] .pointed")
            if box.count():
                box.click()
        self.see(self.at + 1)

    def to_the_end(self):
        while self.steps[self.at].kind != "end":
            self.go_on()


def begin(tab, game, language="en"):
    """Open the guide of a game at its first step."""
    tab.open(f"#learn/{game}")
    walk = Walk(tab, game, language)
    walk.see(0)
    return walk


LONG = pytest.mark.long
BY_HAND = (LONG, pytest.mark.exhaustive)


@pytest.mark.parametrize(
    ("interface", "game"),
    [
        ("server", "forum_trajanum"),
        pytest.param("worker", "trajan", marks=LONG),
        pytest.param("server", "trajan", marks=BY_HAND),
        pytest.param("worker", "forum_trajanum", marks=BY_HAND),
    ],
    indirect=["interface"],
)
def test_a_new_person_learns_a_game_and_begins_a_whole_one(tab, game):
    page = tab.page
    tab.open()
    learn = page.locator(".start > :first-child").locator(f'a[href="#learn/{game}"]')
    expect(learn).to_have_text("Learn the game")
    learn.click()
    walk = Walk(tab, game)
    walk.see(0)
    walk.to_the_end()
    page.get_by_role("button", name="Play a whole game").click()
    expect(page.locator(".who")).to_contain_text("Your turn")
    page.locator("a.brand").click()
    again = page.locator(f'.learn a[href="#learn/{game}"]')
    expect(again).to_have_text("Learn it again")
    # For a user who knows the game, the main button does not start the guide.
    expect(page.locator(".start > :first-child a.main")).to_have_count(0)


# For a lesson on a phone, returns the boards and marks that the card of the lesson covers, the
# place of the user's board, whether the card scrolls, and whether the page is no wider than the
# window.
LAYOUT = """() => {
  const card = document.querySelector('.lesson.open') ?? document.querySelector('.now');
  const { top } = card.getBoundingClientRect();
  const own = document.querySelector('.table g[data-height]:not([hidden]) > rect');
  const raised = document.querySelector('.raised:not([hidden]) > svg');
  const marks = document.querySelectorAll('.mark.step.frame, .mark.corners, .choice.pointed');
  const covered = [own, raised, ...marks]
    .filter((one) => one && !card.contains(one) && one.getBoundingClientRect().bottom > top + 1);
  return {
    covered: covered.map((one) => one.outerHTML.slice(0, 80)),
    scrolls: card.scrollHeight > card.clientHeight + 1,
    fits: document.documentElement.scrollWidth <= innerWidth,
    board: [scrollY, Math.round(own.getBoundingClientRect().bottom)],
  };
}"""


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
@pytest.mark.parametrize("code", ["de", pytest.param("en", marks=pytest.mark.exhaustive)])
def test_a_game_is_learned_on_a_phone_whose_board_stays_and_is_seen(tabs, game, code):
    tab = tabs(PHONE, has_touch=True, locale=code)
    walk = begin(tab, game, code)
    still = tab.page.evaluate(LAYOUT)["board"]
    while walk.steps[walk.at].kind != "end":
        for fold in (False, True):
            if fold:
                walk.fold()
            layout = tab.page.evaluate(LAYOUT)
            assert layout == {"covered": [], "scrolls": False, "fits": True, "board": still}, (
                walk.at
            )
        if walk.steps[walk.at].kind == "click":
            expect(tab.page.locator(".now .task")).to_be_in_viewport(ratio=1)
        walk.go_on()
    tab.open("#")
    expect(tab.page.locator("#game")).to_have_value(game)  # the game that was just learned


@by_server
def test_a_wrong_click_says_what_to_do_instead(tab):
    page = tab.page
    walk = begin(tab, "trajan")
    status = page.locator("#notice")
    page.locator('[data-place="tray 0 II"]').click()
    expect(status).to_contain_text("nothing to click on the board now")
    page.locator(".who").click()  # closes the answer
    expect(status).to_be_empty()
    walk.go_on()
    for place, reason in (
        ("tray 0 II", "This move is allowed"),
        ("tray 1 IV", "belongs to another player"),
        ("site A1", "this cannot be chosen now"),
    ):
        page.locator(f'[data-place="{place}"]').click()
        expect(status).to_contain_text(reason)
        expect(status).to_contain_text("Choose tray IV: click it")
    walk.see(1)
    walk.go_on()


@by_server
def test_the_right_option_of_a_dialog_is_in_view_on_a_phone(tabs):
    tab = tabs(PHONE, has_touch=True)
    walk = begin(tab, "forum_trajanum")
    action = "build library+fountain E4 E5"
    number = next(i for i, step in enumerate(walk.steps) if step.action == action)
    progress = json.dumps({"step": number, "lesson": walk.steps[number].lesson})
    store = "(progress) => localStorage.setItem('guide forum_trajanum', progress)"
    tab.page.evaluate(store, progress)
    tab.page.reload()
    walk.see(number)
    walk.fold()
    walk.target().click()
    expect(tab.page.locator("dialog[open] .pointed")).to_be_in_viewport(ratio=1)


@by_server
def test_a_long_list_of_options_says_that_there_is_more(tabs):
    tab = tabs({"width": 390, "height": 600}, has_touch=True)
    walk = begin(tab, "forum_trajanum")
    while walk.steps[walk.at].action != "build library D3":
        walk.go_on()
    walk.fold()
    walk.target().click()
    more = tab.page.locator("dialog .more")
    expect(more).to_be_visible()
    tab.page.locator("dialog .legal").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    expect(more).not_to_be_visible()


@by_server
def test_a_first_tap_in_a_lesson_shows_what_a_move_brings(tabs):
    tab = tabs(PHONE, has_touch=True)
    page = tab.page
    walk = begin(tab, "forum_trajanum")
    walk.go_on()
    walk.fold()
    page.locator('[data-place="cell 0 D2"]').tap()  # not what the lesson asks for
    expect(page.locator("#notice")).to_contain_text("from D2 for column D: This move is")
    answer, card = (page.locator(one).bounding_box() for one in ("#notice p", ".now"))
    assert answer["y"] + answer["height"] <= card["y"], "the lesson and its buttons stay free"
    expect(page.locator(".mark.step.frame")).to_have_count(1)
    walk.target().tap()  # closes the answer and reaches the target below it
    expect(page.locator("#tip")).to_contain_text("Tap again to choose this.")
    expect(page.locator("#notice p")).to_have_count(0)
    page.locator(".task").tap()  # hides the tip but not the target
    expect(page.locator("#tip")).to_be_hidden()
    expect(page.locator(".mark.step.frame")).to_have_count(1)
    walk.target().tap()
    walk.see(walk.at + 1)
    expect(page.get_by_role("button", name="Read again")).to_be_disabled()  # the text is visible
    while walk.steps[walk.at].action != "gain yellow":
        walk.go_on()
    yellow = page.locator('[data-place="resource 0 yellow"]')
    yellow.tap()  # a place about which the board has nothing to add
    expect(page.locator("#tip")).to_contain_text("Tap again to choose this.")
    yellow.tap()
    yellow.tap()  # a further tap that comes too fast
    walk.see(walk.at + 1)
    page.wait_for_timeout(200)
    expect(page.locator("#tip")).to_be_hidden()
    while walk.steps[walk.at].action != "use both received":
        walk.go_on()
    walk.fold()
    page.get_by_role("button", name="Read again").tap()
    expect(page.locator(".lesson .legend")).to_have_count(0)
    walk.fold()
    walk.target().tap()
    expect(page.locator("#tip")).to_contain_text("Tap again to choose this.")
    walk.target().tap()
    walk.see(walk.at + 1)


@by_server
def test_a_choice_of_several_actions_is_answered_as_well(tab):
    page = tab.page
    walk = begin(tab, "forum_trajanum")
    while walk.steps[walk.at].action != "build library D3":
        walk.go_on()
    walk.target().click()
    market = page.locator("dialog button").filter(has_text="market")
    costs = re.compile("It costs a builder.")  # as in a real game
    expect(market).to_have_attribute("title", costs)
    market.click()
    expect(page.locator("#notice")).to_contain_text("This move is allowed")
    page.locator(".choices").get_by_text("build nothing").click()
    expect(page.locator("#notice")).to_contain_text("and there the library")
    walk.go_on()


@by_server
def test_a_guide_is_left_resumed_and_repeated(tab):
    page = tab.page
    walk = begin(tab, "trajan")
    later = page.get_by_role("link", name="Continue later")
    heights = set()
    while walk.steps[walk.at].lesson < 2:
        heights.add(later.bounding_box()["y"])
        walk.go_on()
    assert len(heights) == 1  # the button stays where it is
    later.click()
    page.get_by_role("link", name="Continue with lesson 3 of 17: Trajan").click()
    walk.see(walk.at)
    page.reload()
    walk.see(walk.at)
    page.get_by_role("button", name="A step back").click()
    walk.see(walk.at - 1)
    page.locator(".logs").get_by_text("The senate").click()
    walk.see(next(n for n, step in enumerate(walk.steps) if step.lesson == 3))
    # The stored step no longer exists in the guide.
    page.evaluate("localStorage.setItem('guide trajan', '{\"step\": 1000, \"lesson\": 0}')")
    page.reload()
    walk.see(0)


@by_server
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_guide_needs_only_a_keyboard_and_is_accessible(tabs, theme):
    tab = tabs(color_scheme=theme)
    page = tab.page
    walk = begin(tab, "trajan")
    page.locator(".lesson .main:visible").focus()
    for _ in range(12):
        page.keyboard.press("Enter")  # moves the focus to the marked target
        walk.see(walk.at + 1)
    page.keyboard.press("Escape")  # hides the tip of the focused element
    tab.accessible()
    page.keyboard.press("ArrowLeft")
    walk.see(walk.at - 1)
    tab.open()
    expect(page.locator(".learn article")).to_have_count(2)
    tab.accessible()
