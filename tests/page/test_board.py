"""The page's board in a headless browser: it stays still, is marked, clickable and readable."""

import gzip
import re
from itertools import product

import pytest
from browser_tab import MIDDLE, PHONE, SIZES, WIDE, by_server, expect, in_browser
from golden_games import golden, golden_line

from trajan_ai import records
from trajan_ai.core import languages
from trajan_ai.core.languages import tr
from trajan_ai.page.game_tree import start_game
from trajan_ai.page.views import find_places

pytestmark = [*in_browser, by_server]

GAMES = ("trajan", "forum_trajanum")
LARGE = {"width": 1920, "height": 1080}
at_each_size = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
CLICKABLE = ".board :is([data-action], [data-choices])"

# For each panel of the board and for the tabs, returns the rectangle on the page as left, top,
# width and height, in tenths of a pixel.
PANELS = """() => Object.fromEntries([...document.querySelectorAll('.table g[data-height]')]
  .filter((panel) => !panel.hasAttribute('hidden'))
  .concat(document.querySelector('.tabs'))
  .map((panel) => {
    const { x, y, width, height } = panel.getBBox?.call(panel.firstElementChild)
      ?? panel.getBoundingClientRect();
    const { a, e: left, f: top } = panel.getScreenCTM?.() ?? { a: 1, e: 0, f: 0 };
    const at = [a * x + left + scrollX, a * y + top + scrollY, a * width, a * height]
      .map((value) => Math.round(10 * value));
    return [panel.dataset.panel ?? panel.getAttribute('aria-label'), at];
  }))"""
# Counts the legal moves that are marked on the board or are buttons, the moves in the list, the
# hidden panels with places to choose, and the marked tabs. Lists the places without a mark, the
# panels that have a frame but no place to choose or a place but no frame, and the pieces without a
# size, whose numbers would lie in a corner of the panel.
MARKED = """() => {
  const drawn = [...document.querySelectorAll('.board :is([data-action], [data-choices])')];
  const places = [...new Map(drawn.map((one) => [one.dataset.place, one])).values()];
  const number = (one) => (one.dataset.action ? 1 : Number(one.dataset.choices));
  const moves = places.reduce((sum, one) => sum + number(one), 0);
  const bare = places.filter((one) => !one.querySelector('[class$=lg]'));
  const hidden = places.map((one) => one.closest('g[data-height]'))
    .filter((panel) => panel.hasAttribute('hidden') || panel.closest('.raised'));
  return {
    moves: moves + document.querySelectorAll('.choice:not(.placed)').length,
    listed: Number(document.querySelector('.legal-moves summary').textContent.match(/\\d+/)[0]),
    bare: bare.map((one) => one.dataset.place),
    odd: [...document.querySelectorAll('.board [data-panel]')].filter((panel) => places.length
      && panel.firstElementChild.matches('[class$=a]')
        !== places.some((one) => panel.contains(one)))
      .map((panel) => panel.dataset.panel),
    empty: [...document.querySelectorAll('.board [data-place]')]
      .filter((one) => one.checkVisibility() && !one.getBBox().width)
      .map((one) => one.dataset.place),
    hidden: new Set(hidden).size,
    tabs: document.querySelectorAll('.board > .tabs .legal').length,
  };
}"""


def load(tab, game, node=0, players="2p"):
    tab.load(golden_line(game, players), node)
    tab.page.wait_for_timeout(150)  # until the board has its final size


def nodes(game, step, players="2p"):
    return range(0, len(golden(game, players)["actions"]), step)


def check_whole_game(tab, game, step, players="2p"):
    load(tab, game, 0, players)
    still = tab.page.evaluate(PANELS)
    assert still
    for node in nodes(game, step, players):
        tab.go(node)
        assert tab.page.evaluate(PANELS) == still, node
        marked = tab.page.evaluate(MARKED)
        assert marked["moves"] == marked["listed"], node
        assert marked["bare"] == [], node
        assert (marked["odd"], marked["empty"]) == ([], []), node
        assert marked["hidden"] == marked["tabs"], node


@pytest.mark.parametrize("game", GAMES)
@at_each_size
def test_no_panel_moves_and_every_legal_move_is_marked(tabs, game, size):
    check_whole_game(tabs(size), game, 31)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("players", ["2p", "3p", "4p"])
@pytest.mark.parametrize("game", GAMES)
@at_each_size
def test_no_panel_moves_in_whole_games(tabs, game, size, players):
    check_whole_game(tabs(size), game, 1, players)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", ["2p", "3p", "4p"])
def test_a_wide_window_shows_every_board_without_scrolling(tabs, game, players):
    tab = tabs(WIDE)
    load(tab, game, 60, players)
    boxes = tab.page.evaluate(PANELS)
    boards = [box for name, box in boxes.items() if name.startswith("board of player")]
    assert len(boards) == int(players[0])
    assert max(box[1] + box[3] for box in boxes.values()) <= 10 * WIDE["height"]
    extras = {"Victory points", "Key"}
    left_out = set(tab.page.locator(".tab").all_inner_texts())
    assert left_out <= extras


@pytest.mark.parametrize("game", GAMES)
def test_the_board_fills_its_column_and_the_own_one_is_the_largest(tabs, game):
    tab = tabs(WIDE)
    load(tab, game, 60)
    boxes = tab.page.evaluate(PANELS)
    board = tab.page.locator(".board").bounding_box()["width"]
    left = min(box[0] for box in boxes.values())
    right = max(box[0] + box[2] for box in boxes.values())
    assert (right - left) / 10 > 0.97 * board
    own = boxes["board of player 0"]
    assert own[2] > 1.9 * boxes["board of player 1"][2]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", ["2p", "3p", "4p"])
@pytest.mark.parametrize(("size", "tabs_left"), [(WIDE, 1), (LARGE, 0)], ids=["wide", "large"])
def test_the_board_leaves_little_of_its_column_free(tabs, game, players, size, tabs_left):
    tab = tabs(size)
    load(tab, game, 60, players)
    boxes = tab.page.evaluate(PANELS)
    boxes.pop("More panels")
    end = max(top + height for _, top, _, height in boxes.values()) / 10
    width = max(left + width for left, _, width, _ in boxes.values()) / 10
    width -= min(left for left, _, _, _ in boxes.values()) / 10
    assert end > 0.93 * size["height"]
    assert width > 0.95 * tab.page.locator(".board").bounding_box()["width"]
    assert tab.page.locator(".tab").count() <= tabs_left


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", ["3p", "4p"])
def test_the_own_board_is_the_largest_and_columns_end_at_one_line(tabs, game, players):
    tab = tabs(WIDE)
    load(tab, game, 60, players)
    boxes = tab.page.evaluate(PANELS)
    boards = {name: box for name, box in boxes.items() if name.startswith("board of player")}
    own = boards.pop("board of player 0")
    assert own[2] > 1.03 * max(box[2] for box in boards.values())
    assert [*boards] == sorted(boards, key=lambda name: (boards[name][0], boards[name][1]))
    boxes.pop("More panels")
    bottoms = {}
    for left, top, _, height in boxes.values():
        column = round(left / 10)  # a board across two columns starts up to a pixel off
        bottoms[column] = max(bottoms.get(column, 0), top + height)
    assert max(bottoms.values()) - min(bottoms.values()) <= 10


# Upper bounds, in compressed kilobytes, for what a browser loads until it shows the first board.
MAX_WEIGHTS = {("trajan", "2p"): 99, ("trajan", "4p"): 104,
               ("forum_trajanum", "2p"): 108, ("forum_trajanum", "4p"): 113}  # fmt: skip


@pytest.mark.parametrize(("game", "players"), [*MAX_WEIGHTS])
def test_the_first_board_needs_little(tabs, game, players):
    tab = tabs(WIDE)
    loaded = {}
    tab.page.on("response", lambda one: loaded.update({one.url: one}))
    load(tab, game, players=players)
    tab.page.wait_for_load_state("networkidle")
    bodies = {url.rpartition("/")[2]: one.body() for url, one in list(loaded.items())}
    assert "tree.js" in bodies
    assert {
        "practice.js",
        "learn.js",
        "editor.js",
        "palette.js",
        "reveals.js",
        "review.js",
        "share.js",
        "table.js",
    } & {*bodies} == set()
    kilobytes = sum(len(gzip.compress(body, 9)) for body in bodies.values()) / 1000
    assert kilobytes < MAX_WEIGHTS[game, players]


@pytest.mark.parametrize("game", GAMES)
def test_the_board_stays_when_the_page_is_scrolled(tabs, game):
    tab = tabs({"width": 1400, "height": 700})
    load(tab, game, 60)
    before = tab.page.evaluate(PANELS)
    sizes = {name: box[2:] for name, box in before.items()}
    tab.page.evaluate("scrollTo(0, 500)")
    assert tab.page.evaluate("scrollY") > 50
    tab.page.locator(".log [data-node='61']").dispatch_event("click")
    tab.at(61)
    tab.page.wait_for_timeout(300)
    assert {name: box[2:] for name, box in tab.page.evaluate(PANELS).items()} == sizes
    tab.page.evaluate("scrollTo(0, 0)")
    tab.page.set_viewport_size({"width": 1399, "height": 700})  # arranges the panels again
    tab.page.locator('.board[data-arranged="1399 700"]').wait_for()
    assert tab.page.evaluate(PANELS).keys() == before.keys()


def test_panels_without_room_are_a_tap_away(tabs):
    tab = tabs(PHONE, has_touch=True)
    load(tab, "trajan", 97)
    page = tab.page
    if page.locator(".raised").is_visible():  # the panel with the choice opens by itself
        page.get_by_role("button", name="Close").tap()
    before = page.evaluate(PANELS)
    assert "Provinces" not in before
    page.get_by_role("button", name="Provinces").tap()
    expect(page.locator('.raised [data-place="province alpes"]')).to_be_visible()
    assert page.evaluate(PANELS) == before
    tab.accessible()
    page.get_by_role("button", name="Close").tap()
    expect(page.locator(".raised")).to_be_hidden()
    page.get_by_role("button", name="Provinces").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Provinces")).to_be_focused()
    assert page.evaluate(PANELS) == before


# Returns the tabs that the rows of choices cover, the choices that are cut off, out of reach or
# overlapping, and finally how far the page is scrolled.
COVERED = """() => {
  const bar = document.querySelector('.choices').getBoundingClientRect();
  const tabs = [...document.querySelectorAll('.board > .tabs button, .raised button')];
  const choices = [...document.querySelectorAll('.choices button')];
  const away = choices.filter((one) => {
    one.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = one.getBoundingClientRect();
    return one.scrollHeight > one.clientHeight + 1 || y < bar.top || y + height > bar.bottom
      || !one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  });
  const top = Math.max(bar.top, innerHeight - 92); // of the first two rows
  const isCovered = (one) => one.getBoundingClientRect().bottom > top;
  const boxes = choices.slice(0, 6).map((one) => one.getBoundingClientRect());
  const meet = (one, other) => one.left < other.right && one.top < other.bottom - 1
    && other.left < one.right && other.top < one.bottom - 1;
  const overlaps = choices.filter((_, i) =>
    boxes[i] && boxes.slice(0, i).some((box) => meet(box, boxes[i])));
  return [...(choices.length ? tabs.filter(isCovered) : []), ...away, ...overlaps]
    .map((one) => one.textContent).concat(scrollY);
}"""


def check_choices(tab, game, players, least):
    """Check one decision of each kind that has at least `least` choices without a place.

    Return the number of kinds. Decisions of one kind have the same choices and verbs.
    """
    load(tab, game, 0, players)
    still, kinds = tab.page.evaluate(PANELS), set()
    for position in records.positions(golden(game, players)):
        if position.player is None:
            continue
        places = find_places(position, position.view(position.player), position.legal())
        choices = sorted(place for place in places.values() if place.startswith("choice "))
        kind = (*sorted({action.split()[0] for action in position.legal()}), *choices)
        if len(choices) < least or kind in kinds:
            continue
        kinds.add(kind)
        if position.ply:
            tab.go(position.ply)
        assert tab.page.evaluate(COVERED) == [0], position.ply
        assert tab.page.evaluate(PANELS) == still
    return len(kinds)


@pytest.mark.parametrize("locale", ["en", "de"])
def test_many_choices_cover_nothing_on_a_phone(tabs, locale):
    tab = tabs(PHONE, has_touch=True, locale=locale)
    assert check_choices(tab, "forum_trajanum", "2p", 4) > 1
    tab.go(tab.node() - 1)
    tab.go(tab.node() + 1)  # the rows must not stay scrolled
    expect(tab.page.locator(".choices button").first).to_be_in_viewport(ratio=1)
    last = tab.page.locator(".choices button").last
    expect(last).to_be_in_viewport(ratio=1)
    expect(last).to_have_attribute("data-choice", "no build")


def games_with_choices():
    """Yield every whole game. CI plays the two-player games in German, whose words are longer."""
    for case in product(GAMES, ("2p", "4p"), ("en", "de")):
        marks = [] if case[1:] == ("2p", "de") else [pytest.mark.exhaustive]
        yield pytest.param(*case, marks=marks, id="-".join(case))


@pytest.mark.long
@pytest.mark.parametrize(("game", "players", "locale"), [*games_with_choices()])
def test_choices_cover_nothing_in_whole_games(tabs, game, players, locale):
    tab = tabs(PHONE, has_touch=True, locale=locale)
    assert check_choices(tab, game, players, 0) > 15


def test_the_board_of_another_player_who_decides_is_shown(tabs):
    tab = tabs(PHONE)
    load(tab, "trajan", 97)  # player 1 decides, but the board of player 0 comes first
    expect(tab.page.locator('.raised [data-place^="tray 1"]').first).to_be_visible()
    tab.page.set_viewport_size({"width": 380, "height": 800})
    tab.page.wait_for_timeout(300)  # until the board has its new size
    expect(tab.page.locator('.raised [data-place^="tray 1"]').first).to_be_visible()


def test_a_click_that_does_nothing_says_why(tab):
    page = tab.page
    load(tab, "trajan", 99)
    notice = page.locator("#notice")
    for place, reason in (
        ("tray 0 IV", "the rules do not allow this one now"),
        ("tray 1 I", "this belongs to another player"),
        ("site A1", "this cannot be chosen now"),
    ):
        page.locator(f'.table [data-place="{place}"]').click()
        expect(notice).to_contain_text(reason)
        expect(notice).to_contain_text("choose a tray to sow")
    page.locator('.table [data-place="tray 0 I"]').click()
    expect(notice).to_have_text("")
    tab.go(len(golden()["actions"]))
    page.locator('.table [data-place="site A1"]').click()
    expect(notice).to_contain_text("The game is over")


def test_sowing_is_previewed_under_the_pointer_and_at_the_focus(tab):
    page = tab.page
    load(tab, "trajan", 99)
    tip = page.get_by_role("tooltip")
    page.locator('.table [data-place="tray 0 VI"]').hover()
    expect(tip).to_contain_text("6 spaces of time")
    expect(tip).to_contain_text("construction action")
    expect(page.locator(".mark.step.badge")).to_have_count(6)
    page.mouse.move(5, 500)
    expect(page.locator(".mark.step")).to_have_count(0)
    expect(tip).to_be_hidden()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.place") == "tray 0 VI":
            break
    expect(tip).to_contain_text("6 spaces of time")
    page.keyboard.press("Enter")
    tab.at(len(golden()["actions"]) + 1)


def test_a_first_tap_previews_and_a_second_sows(tabs):
    tab = tabs(PHONE, has_touch=True)
    load(tab, "trajan", 99)
    tray = tab.page.locator('.table [data-place="tray 0 VI"]')
    tray.tap()
    expect(tab.page.get_by_role("tooltip")).to_contain_text("6 spaces of time")
    tab.at(99)
    tray.tap()
    tab.at(len(golden()["actions"]) + 1)


def test_a_choice_that_says_everything_needs_a_second_tap_as_well(tabs):
    tab = tabs(PHONE, has_touch=True)
    load(tab, "forum_trajanum", 0)
    actions = [action for _, action in golden("forum_trajanum")["actions"]]
    gain = next(i for i, action in enumerate(actions) if action.startswith("gain "))
    for node, place in ((1, ".choices button"), (gain, CLICKABLE)):
        tab.go(node)
        target = tab.page.locator(place).first
        target.tap()
        expect(tab.page.get_by_role("tooltip")).to_contain_text("Tap again")
        assert tab.node() == node
        target.tap()
        tab.page.wait_for_function("(node) => !location.hash.endsWith(`/${node}`)", arg=node)


def test_taking_a_tile_is_previewed(tab):
    actions = [action for _, action in golden("forum_trajanum")["actions"]]
    node = next(i for i, action in enumerate(actions) if action.startswith("take ") and i > 60)
    load(tab, "forum_trajanum", node)
    tab.page.locator(CLICKABLE).first.hover()
    expect(tab.page.get_by_role("tooltip")).to_contain_text(re.compile("free|Opens"))


def test_a_place_with_several_choices_promises_none_of_them(tab):
    load(tab, "forum_trajanum", 20)
    tab.page.locator('.board [data-place$=" B2"][data-choices]').first.hover()
    tooltip = tab.page.get_by_role("tooltip")
    expect(tooltip).to_contain_text("B2")
    expect(tooltip).not_to_contain_text("Builds")


SMALL = """(least) => [...document.querySelectorAll(
    'button, select, summary, a.button, .board [role=button], label.check')]
  .filter((one) => one.checkVisibility() && !one.closest('[hidden], dialog:not([open]), .log'))
  .map((one) => {
    const box = (one.closest('svg') ? one.firstElementChild ?? one : one).getBoundingClientRect();
    return [one.dataset.place ?? one.textContent, box.width, box.height];
  })
  .filter(([, width, height]) => width && Math.min(width, height) < least)"""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("size", "least"), [(PHONE, 32), (MIDDLE, 24), (WIDE, 24)])
def test_what_can_be_touched_is_large_enough(tabs, game, size, least):
    tab = tabs(size, has_touch=size is PHONE)
    load(tab, game)
    places = set()
    for node, (_, action) in enumerate(golden(game)["actions"]):
        kind = action.split()[0]
        if kind in places:
            continue
        places.add(kind)
        tab.go(node)
        assert tab.page.evaluate(SMALL, least) == [], (node, action)
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= size["width"]


# Returns the controls and sentences that leave the window, are clipped, or are left by their text.
CUT = """() => [...document.querySelectorAll(
    'button, select, summary, a.button, input, textarea, .check, .who, .task')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width
    && !one.closest('dialog:not([open])'))
  .filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    if (left < -1 || right > innerWidth + 1) return true;
    if (!one.matches('input, textarea') && one.scrollWidth > one.clientWidth + 2) return true;
    if (one.matches('.who, .task') && one.scrollHeight > one.clientHeight + 1) return true;
    for (let at = one.parentElement; at; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at), box = at.getBoundingClientRect();
      if (overflowX !== 'visible' && (left < box.left - 1 || right > box.right + 1)) return true;
      if (overflowY === 'hidden' && (top < box.top - 1 || bottom > box.bottom + 1)) return true;
    }
    return false;
  })
  .map((one) => one.textContent || one.id)"""


@pytest.mark.parametrize(
    ("size", "locale"), [(PHONE, "en"), (PHONE, "de"), (MIDDLE, "de")],
    ids=["phone-en", "phone-de", "middle-de"],
)  # fmt: skip
def test_no_control_and_no_sentence_is_cut_off(tabs, size, locale):
    tab = tabs(size, locale=locale)
    page = tab.page
    tab.open()
    page.locator(".ways a").wait_for()
    assert page.evaluate(CUT) == []
    for opens, control in (
        (".ways button", ".questions button"),
        (".file button >> nth=1", "#position"),
    ):
        page.locator(opens).click()
        expect(page.locator(f"dialog {control}").first).to_be_visible()
        assert page.evaluate(CUT) == [], opens
        page.keyboard.press("Escape")
    tab.open("#practice")
    tab.board()
    assert page.evaluate(CUT) == []
    for game in GAMES:
        load(tab, game)
        kinds = set()
        for node, (_, action) in enumerate([*golden(game)["actions"], (0, "the end")]):
            if action.split()[0] not in kinds:
                tab.go(node)
                assert page.evaluate(CUT) == [], (node, action)
            kinds.add(action.split()[0])


# Returns the instructions that do not fit, with or without the other players' turns below.
TOO_LONG = """(texts) => {
  const who = document.querySelector('.who'), strip = document.querySelector('.strip');
  return [true, false].flatMap((hidden) => {
    strip.hidden = hidden;
    return texts.filter((text) => {
      who.querySelector('span:last-child').textContent = text;
      return who.scrollHeight > who.clientHeight + 1;
    });
  });
}"""


def instructions(game, locale):
    """Return the instructions that a user reads at each decision of whole games."""
    with languages.use_language(locale):
        return {
            tr("Your turn: {instruction}", instruction=rules.instruct(at.view(at.player)))
            for players in ("2p", "3p", "4p")
            for at in records.positions(golden(game, players))
            if at.player is not None and (rules := at.game.rules)
        }


@pytest.mark.parametrize("size", [PHONE, MIDDLE], ids=["phone", "middle"])
@pytest.mark.parametrize("locale", ["en", "de"])
def test_no_instruction_of_whole_games_is_cut_off(tabs, size, locale):
    tab = tabs(size, has_touch=True, locale=locale)
    load(tab, "forum_trajanum")
    for game in GAMES:
        texts = instructions(game, locale)
        assert len(texts) > 60
        assert tab.page.evaluate(TOO_LONG, [*texts]) == []


@pytest.mark.parametrize("locale", ["en", "de"])
def test_the_header_fits_a_phone(tabs, locale):
    tab = tabs(PHONE, has_touch=True, locale=locale)
    tab.open()
    assert tab.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    expect(tab.page.locator("#help")).to_be_hidden()
    expect(tab.page.locator("#theme")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("locale", "words"), [
    ("en", "Forum Trajanum against Bot (level 80)"), ("de", "Forum Trajanum gegen Bot (Stufe 80)"),
])  # fmt: skip
def test_the_title_of_a_game_fits_the_header_of_a_phone(tabs, locale, words):
    tab = tabs(PHONE, has_touch=True, locale=locale)
    tree = start_game("forum_trajanum", [None, "level-80"], 1, {})
    tab.open_game(tree)
    title = tab.page.locator("#title")
    expect(title).to_have_text(words)
    assert title.evaluate("(one) => one.scrollHeight <= one.clientHeight")
    assert title.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    expect(title).to_be_in_viewport(ratio=1)
    expect(tab.page.locator("#theme")).to_have_accessible_name(re.compile("colours|umschalten"))


@pytest.mark.parametrize(("game", "node", "tips"), [
    ("trajan", 97, {"Victory points": "The most at the end win", "Forum": "Forum action",
                    "tray 0 II": "following tray"}),
    ("forum_trajanum", 61, {"cell 0 A1": "covers the crane", "cell 0 B1": "Street cards"}),
])  # fmt: skip
def test_tips_explain_what_is_pointed_at(tabs, game, node, tips):
    tab = tabs(WIDE)
    load(tab, game, node)
    tip = tab.page.get_by_role("tooltip")
    for name, words in tips.items():
        if name in ("Victory points", "Forum"):
            hidden = tab.page.locator(".tab", has_text=name)
            if hidden.count():
                hidden.click()
            panel = tab.page.locator(f'.board g[aria-label="{name}"]')
            panel.locator("> rect").first.hover(position={"x": 200, "y": 3})
            tab.page.wait_for_timeout(900)  # longer than the time before a tip appears
            expect(tip).to_be_hidden()
            panel.locator("> text").first.hover()
        else:
            tab.page.locator(f'.table [data-place="{name}"]').hover(force=True)
        expect(tip).to_contain_text(words)
        expect(tip).not_to_contain_text("besides its 9 VP")
        tab.page.keyboard.press("Escape")
        expect(tip).to_be_hidden()


def test_a_tip_covers_no_tray_and_no_place_to_choose(tabs):
    tab = tabs(WIDE)
    actions = [action for _, action in golden()["actions"]]
    load(tab, "trajan", next(i for i, a in enumerate(actions) if a.startswith("drop ")))
    tab.page.locator('[data-place^="marker "]').first.hover()
    expect(tab.page.get_by_role("tooltip")).to_be_visible()
    covered = tab.page.evaluate(
        """() => {
          const tip = document.querySelector('.tip').getBoundingClientRect();
          const important = '.table :is([data-place^="tray "], [data-action])';
          return [...document.querySelectorAll(important)].filter((place) => {
            const box = place.getBoundingClientRect();
            return box.left < tip.right && box.right > tip.left
              && box.top < tip.bottom && box.bottom > tip.top;
          }).map((place) => place.dataset.place);
        }"""
    )
    assert covered == []


# Visits every fourth piece. Returns the number of visited pieces, those that their own tip covers,
# and the mean number of other pieces of the same panel that a tip covers.
TIPS = """async () => {
  const tip = document.querySelector('.tip');
  const covers = (one) => {
    const box = one.getBoundingClientRect(), at = tip.getBoundingClientRect();
    return box.left < at.right - 1 && box.right > at.left + 1
      && box.top < at.bottom - 1 && box.bottom > at.top + 1;
  };
  const all = '.table [data-place][aria-label]';
  const pieces = [...document.querySelectorAll(all)]
    .filter((one) => !one.closest('[hidden]')).filter((_, i) => i % 4 === 0);
  const covered = [];
  let others = 0;
  for (const piece of pieces) {
    if (!piece.hasAttribute('tabindex')) piece.setAttribute('tabindex', '-1');
    piece.focus({ focusVisible: true });
    for (let i = 0; i < 100 && piece.getAttribute('aria-describedby') !== 'tip'; i++)
      await new Promise((done) => setTimeout(done, 5));
    if (tip.hidden) throw new Error(piece.dataset.place);
    if (covers(piece)) covered.push(piece.dataset.place);
    others += [...piece.closest('[data-panel]').querySelectorAll(all)]
      .filter((one) => !one.contains(piece) && !piece.contains(one) && covers(one)).length;
  }
  return [pieces.length, covered, others / pieces.length];
}"""


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("game", GAMES)
@at_each_size
def test_a_tip_lies_beside_its_piece_and_covers_few_others(tabs, game, size, locale):
    tab = tabs(size, locale=locale)
    load(tab, game, 98)
    close = tab.page.locator(".raised .close")
    if close.is_visible():
        close.click()
    count, covered, others = tab.page.evaluate(TIPS)
    assert count > 6
    assert covered == []
    assert others < 3


# Returns the texts of pieces that leave the rectangle behind them or lie on a symbol.
CLIPPED = """() => [...document.querySelectorAll('.table g[aria-label]:not([data-height]) > text')]
  .filter((text) => {
    const box = text.getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const around = [...text.parentElement.querySelectorAll(':scope > rect')]
      .map((rect) => rect.getBoundingClientRect())
      .find((one) => one.left < x && one.right > x && one.top < y && one.bottom > y);
    if (!around || text.children.length || text.closest('[hidden]')) return false;
    const symbols = [...text.parentElement.querySelectorAll(':scope > use')]
      .map((symbol) => symbol.getBoundingClientRect());
    return box.right > around.right + 1 || box.left < around.left - 1
      || (text.textContent.length > 5 && symbols.some((one) => one.left + 2 < box.right
        && one.right - 2 > box.left && one.top + 4 < box.bottom && one.bottom - 4 > box.top));
  })
  .map((text) => text.textContent)"""


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("game", GAMES)
def test_no_text_is_clipped_or_covers_a_symbol(tabs, game, locale):
    tab = tabs(WIDE, locale=locale)
    load(tab, game)
    for node in nodes(game, 40):
        tab.go(node)
        assert tab.page.evaluate(CLIPPED) == [], node


# Returns the number of pictures next to words, the pictures that lack a part, and the number of
# all parts.
PICTURES = """() => {
  const used = [...document.querySelectorAll('.icon use, [id^=sprite] use')];
  const lacking = used.map((one) => one.getAttribute('href'))
    .filter((id) => document.querySelectorAll(`[id="${id.slice(1)}"]`).length !== 1);
  const empty = [...document.querySelectorAll('.icon svg')]
    .filter((one) => one.checkVisibility() && !one.getBBox().width).map((one) => one.innerHTML);
  return [document.querySelectorAll('.icon').length, [...lacking, ...empty],
    document.querySelectorAll('[id^=sprite] use').length];
}"""


@pytest.mark.parametrize("game", GAMES)
def test_only_pictures_in_use_are_in_the_page_and_all_of_those(tabs, game):
    """With all pictures in the page, a browser would examine thousands of hidden elements."""
    tab = tabs(WIDE)
    load(tab, game, 60)
    tab.page.locator(".legal-moves summary").click()
    count, lacking, parts = tab.page.evaluate(PICTURES)
    assert count > 50
    assert lacking == []
    assert parts < 300


GROUND = "getComputedStyle(document.querySelector('.table g[data-height] > rect')).fill"


@pytest.mark.parametrize("game", GAMES)
@at_each_size
def test_the_dark_theme_has_colours_and_contrast_of_its_own(tabs, game, size):
    tab = tabs(size, color_scheme="dark")
    load(tab, game, 60)
    dark = [int(one) for one in re.findall(r"\d+", tab.page.evaluate(GROUND))]
    assert max(dark) < 80
    tab.accessible()
    low = tab.page.evaluate(CONTRAST)
    assert low == []
    tab.page.evaluate("document.documentElement.dataset.theme = 'light'")
    light = [int(one) for one in re.findall(r"\d+", tab.page.evaluate(GROUND))]
    assert min(light) > 180
    assert tab.page.evaluate(CONTRAST) == []


# Returns texts directly on a panel, a card or a tray whose contrast is below 4.5 : 1, or below
# 3 : 1 if they are large.
CONTRAST = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const [r, g, b] = numbers(colour).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return [...document.querySelectorAll('.table text')].filter((text) => {
    if (text.closest('[hidden], defs')) return false;
    const box = text.getBoundingClientRect();
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    const parent = text.parentElement;
    const ground = [parent, text.closest('g[data-height]')]
      .flatMap((one) => [...one.querySelectorAll(':scope > rect')]).filter((rect) => {
      const at = rect.getBoundingClientRect(), { fill, opacity } = getComputedStyle(rect);
      return fill.startsWith('rgb(') && opacity === '1' && at.left <= x && at.right >= x
        && at.top <= y && at.bottom >= y
        && rect.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING;
    }).sort((a, b) => a.getBoundingClientRect().width - b.getBoundingClientRect().width)[0];
    const previous = text.previousElementSibling;
    if (!ground || previous?.tagName === 'circle' || previous?.tagName === 'use') return false;
    const [a, b] = [text, ground].map((one) => light(getComputedStyle(one).fill))
      .sort((p, q) => q - p);
    const { fontSize, fontWeight } = getComputedStyle(text);
    const large = parseFloat(fontSize) >= 18.6 && Number(fontWeight) >= 700;
    return (a + 0.05) / (b + 0.05) < (large ? 3 : 4.5);
  }).map((text) => [text.textContent, getComputedStyle(text).fill]);
}"""
