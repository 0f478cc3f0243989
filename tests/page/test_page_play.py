"""Games from the first click to the result, and games at real tables, in a headless browser."""

import json
import re
from contextlib import suppress
from itertools import pairwise, product
from random import Random

import pytest
from browser_tab import PHONE, SIZES, by_server, expect, in_browser
from golden_games import golden, golden_line
from started_games import cut_after, play_first_moves
from test_board import PANELS

from trajan_ai import records
from trajan_ai.analysis.annotation import judging
from trajan_ai.page import reviews
from trajan_ai.page.game_tree import start_game

with suppress(ImportError):
    from playwright import sync_api

pytestmark = in_browser


def nearly_over():
    """Return a game between a user and a bot, at the user's last choice."""
    tree = start_game("trajan", [None, "level-80"], 4, {"lap_length": 4, "markers": "random"})
    play_first_moves(tree)
    choices = [
        node
        for node in range(len(tree.nodes))
        if tree.position(node).player == 0 and tree.forced_action(node) is None
    ]
    return cut_after(tree, choices[-1])


# Returns all texts and labels of a game except those in the panel with the state, which the page
# hides.
TEXTS = """() => {
  const own = (one) => [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  return [...document.querySelectorAll('.tree *')]
    .filter((one) => !one.closest('.table [data-panel="state of the game"], .table [hidden]'))
    .flatMap((one) => [one.ariaLabel, one.title, ...own(one).map((text) => text.data)]);
}"""
NUMBERED = re.compile(r"(player|Spieler) \d", re.IGNORECASE)


@pytest.mark.parametrize(("locale", "title", "who"), [
    ("en", "Trajan against Bot (level 80)", "Your turn: take a goods card"),
    ("de", "Trajan gegen Bot (Stufe 80)", "Du bist am Zug: Nimm eine Warenkarte"),
])  # fmt: skip
def test_two_clicks_lead_to_the_first_move(tabs, locale, title, who):
    tab = tabs(locale=locale)
    page = tab.page
    tab.open()
    tab.accessible()
    page.locator(".learn button").first.click()
    tab.board()
    expect(page.locator("#title")).to_have_text(title)
    expect(page.locator(".who")).to_contain_text(who)
    assert [text for text in page.evaluate(TEXTS) if NUMBERED.search(text or "")] == []
    board = page.locator('.board g[data-panel="board of player 1"]')
    expect(board).to_contain_text(title.partition(" ")[2].partition(" ")[2])
    before = tab.node()
    page.locator(".legal-moves .move").first.dispatch_event("click")
    expect(page).not_to_have_url(re.compile(rf"/{before}$"))


@by_server
@pytest.mark.parametrize("locale", ["en", "de"])
def test_both_games_can_be_learned_and_begun_at_once_with_equal_buttons(tabs, locale):
    tab = tabs(PHONE, locale=locale, has_touch=True)
    page = tab.page
    tab.open()
    sizes = set()
    for game in ("trajan", "forum_trajanum"):
        article = page.locator(f'.learn article:has(a[href="#learn/{game}"])')
        expect(article.locator(".buttons > *")).to_have_count(2)
        boxes = [one.bounding_box() for one in article.locator(".buttons > *").all()]
        assert boxes[0]["y"] == boxes[1]["y"], "beside each other"
        sizes.add(tuple(round(box["width"]) for box in boxes))
    assert len(sizes) == 1
    page.locator(".learn button").last.tap()
    tab.board()
    expect(page.locator("#title")).to_contain_text("Forum Trajanum")
    expect(page.locator(".who")).to_contain_text({"en": "Your turn", "de": "Du bist"}[locale])


@by_server
@pytest.mark.parametrize("preferred", ["light", "dark"])
def test_the_button_for_the_colours_says_what_it_does(tabs, preferred):
    tab = tabs(color_scheme=preferred)
    page, theme = tab.page, tab.page.locator("#theme")
    tab.open()
    other = {"light": "dark", "dark": "light"}[preferred]
    for to in (other, preferred, other):
        expect(theme).to_have_accessible_name(f"Switch to {to} colours")
        expect(theme).to_contain_text(to.capitalize())
        theme.click()
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert (int(re.search(r"\d+", ground)[0]) < 128) is (to == "dark")
    theme.click()
    assert page.evaluate("localStorage.getItem('theme')") == "system", "what the browser prefers"


@by_server
def test_a_file_is_chosen_with_a_button_in_the_language_of_the_page(tabs, tmp_path):
    tab = tabs(locale="de")
    tab.open()
    (tmp_path / "meine.yaml").write_text("x: 1")
    with tab.page.expect_file_chooser() as chooser:
        tab.page.get_by_role("button", name="Datei wählen").click()
    chooser.value.set_files(tmp_path / "meine.yaml")
    expect(tab.page.locator("form.file")).to_contain_text("meine.yaml")
    expect(tab.page.locator("#text")).to_have_value("x: 1")
    expect(tab.page.locator("#file")).to_be_hidden()


@by_server
def test_every_building_of_the_small_city_stands_on_its_plot(tab):
    tab.open()
    expect(tab.page.locator(".picture").first).to_be_visible()
    plots = tab.page.locator(".picture rect[width='18'] + path:not(:last-child)").evaluate_all(
        "all => all.map((path) => [path.previousSibling, path].map((one) => one.getBBox())"
        ".map(({ x, y, width, height }) => [x, y, x + width, y + height]))"
    )
    assert len(plots) == 14
    for plot, building in plots:
        assert all(building[i] >= plot[i] and building[i + 2] <= plot[i + 2] for i in (0, 1))


@by_server
def test_the_list_of_games_shows_whose_turn_it_is_and_the_result(tabs):
    tab = tabs(locale="de")
    folder = tab.served.page.folder
    over = play_first_moves(start_game("trajan", [None, "level-80"], 1, {"lap_length": 1}))
    folder.add(over)
    folder.add(start_game("forum_trajanum", [None, None, None], 1, {}))
    scores = over.position(over.here).scores
    tab.open()
    entries = tab.page.locator(".saved li a")
    expect(entries).to_have_count(2)
    texts = [text.replace("\xa0", " ") for text in entries.all_inner_texts()]
    assert any(
        "Trajan gegen Bot (Stufe 80)" in text
        and f"Ergebnis: Du {scores[0]} SP, Bot (Stufe 80) {scores[1]} SP" in text
        for text in texts
    ), texts
    assert any(
        "Forum Trajanum mit 3 Spielern" in text and "Spieler 1 am Zug." in text for text in texts
    ), texts


def test_the_list_of_games_names_the_players_in_the_chosen_language(tab):
    page = tab.page
    tab.open()
    page.get_by_role("button", name="Start", exact=True).click()
    tab.board()
    tab.open()
    entry = page.locator(".saved li a")
    expect(entry).to_contain_text("You")
    page.get_by_label("Language").select_option("de")
    expect(entry).to_contain_text("Du")
    expect(entry).not_to_contain_text("You")


@by_server
def test_the_list_of_games_shows_a_game_of_an_older_version(tab, tmp_path):
    tree = start_game("trajan", [None, "level-80"], 1, {})
    tab.served.page.folder.add(tree)
    file = tmp_path / f"{tree.id}.json"
    data = json.loads(file.read_text())
    data["status"]["names"] = data["status"]["names"]["en"]
    file.write_text(json.dumps(data))
    tab.open()
    expect(tab.page.locator(".saved li a")).to_contain_text("Trajan against Bot (level 80)")


@by_server
def test_the_log_has_a_line_per_turn_with_its_vp(tab):
    tab.load(golden_line("trajan"))
    entry = golden()
    positions = [*records.positions(entry)]
    gained = {}
    for (player, _), (before, after) in zip(entry["actions"], pairwise(positions), strict=True):
        key = f"{before.turn} {player}"
        gained[key] = gained.get(key, 0) + after.scores[player] - before.scores[player]
    lines = tab.page.locator(".logs > .scroll > .log > li").evaluate_all(
        "all => all.map((li) => [li.querySelector('.turn').textContent, "
        "li.querySelector('.sr').textContent, li.querySelector('.gain').textContent, "
        "li.querySelectorAll('.move').length])"
    )
    assert len(lines) == len(gained)
    assert all(moves > 0 for *_, moves in lines)
    apart = tab.page.locator(".log > li").evaluate_all(
        "all => all.filter((li) => li.querySelector('.move').getBoundingClientRect().top"
        " > li.querySelector('.token').getBoundingClientRect().bottom).length"
    )
    assert apart == 0, "a token stands alone on its line"
    gains = [int(vp.replace("−", "-") or 0) for _, _, vp, _ in lines]
    assert gains == list(gained.values())


@by_server
def test_notation_is_shown_on_request(tab):
    page = tab.page
    tab.load(golden_line(), 60)
    page.locator("summary", has_text="Legal moves").click()
    expect(page.locator(".legal code").first).to_be_visible()
    page.get_by_label("Show the notation").uncheck()
    expect(page.locator(".legal code").first).to_be_hidden()


@by_server
def test_german_figures_have_german_decimals(tabs):
    tab = tabs(locale="de")
    tab.load(golden_line(), 60)
    tab.searched()
    assert re.search(r"in \d+,\d s", tab.page.locator(".ranks").inner_text())
    assert not re.search(r"\d\.\d\b(?!\d\d)", tab.page.locator("table.ranking").inner_text())


# Shows a ranking of four moves, of which only the second has several steps, and returns the number
# of buttons in each row.
BUTTONS = """async () => {
  const { Ranking } = await import('./static/ranking.js');
  const element = document.createElement('div');
  document.body.append(element);
  const calls = { pointing: () => ({}), changed: () => null };
  const move = (...actions) => ({
    action: actions[0], words: actions[0], places: [], grade: 'verified', share: 0.25,
    win: 0.5, win_error: 0.1, score: 100, score_error: 1, margin: 0, margin_error: 1,
    turn: { actions, reveals: [], words: actions.join(), complete: true, undecided: false },
  });
  new Ranking(element, calls).show({
    moves: [move('a'), move('b', 'c'), move('d'), move('e')],
    of: 4, grade: 'verified', seconds: 1, iterations: 9, calibrated: true, last: false,
  });
  const rows = [...element.querySelectorAll('td.what')];
  return rows.map((one) => one.querySelectorAll('.whole').length);
}"""


@by_server
def test_the_first_moves_of_the_ranking_have_the_same_buttons(tab):
    tab.open()
    assert tab.page.evaluate(BUTTONS) == [1, 1, 1, 0]


@by_server
def test_the_ranking_says_whether_the_search_runs(tab):
    tab.load(golden_line("forum_trajanum", "2p"))
    tab.page.keyboard.press("s")
    state = tab.page.locator(".searching")
    expect(state).to_contain_text("Still searching")
    tab.page.keyboard.press("s")
    expect(state).to_have_text("The search is over.")


@by_server
def test_a_finished_game_has_a_result_is_analysed_and_played_again(tab, monkeypatch):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 20)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 50)
    tree = nearly_over()
    page = tab.page
    tab.open_game(tree)
    expect(page.locator(".result")).to_be_hidden()
    result = page.locator(".result")
    while not result.is_visible():
        move = page.locator(".legal-moves .move").first
        if move.count() and not move.is_disabled():
            move.dispatch_event("click")
        page.wait_for_timeout(300)
    expect(page.locator(".who")).to_contain_text("The game is over.")
    expect(result.locator("tfoot")).to_contain_text("total")
    expect(result.locator(".level")).to_contain_text("Your play: ")
    expect(page.locator(".analysis .graph")).to_be_visible()
    tab.accessible()
    page.get_by_role("button", name="Rematch one level up").click()
    expect(page).not_to_have_url(re.compile(tree.id))
    tab.board()
    expect(page.locator("#title")).to_have_text("Trajan against Bot (level 100)")
    page.go_back()
    expect(result).to_be_visible()
    page.get_by_role("button", name="Play again").click()
    expect(page.locator("#title")).to_have_text("Trajan against Bot (level 80)")
    expect(result).to_be_hidden()
    new = tab.served.page.folder.find(page.url.partition("#")[2].partition("/")[0]).tree
    assert new.root.view(0)["options"] == {"lap_length": 4}
    assert new.origin["options"] == {"lap_length": 4, "markers": "random"}


@by_server
def test_pictures_of_a_real_table_are_laid_while_the_server_answers(tab):
    page, late = tab.page, []
    tab.open()
    page.get_by_role("button", name="Follow a real table").click()
    places = page.locator('.questions [data-key^="place "]')
    names = page.locator('.questions [data-key^="name "]')
    expect(names.first).to_be_visible()
    page.route("**/api/table", lambda route: late.append(route))  # noqa: PLW0108
    page.get_by_role("button", name="Fill in the rest at random").click()
    names.nth(0).click()
    names.nth(1).click()
    texts = places.all_inner_texts()[:2]
    assert not any(text.endswith("?") for text in texts)
    with page.expect_response("**/api/table"):
        late.pop().continue_()
    page.unroute("**/api/table")
    expect(page.locator(".questions .empty")).to_have_count(0)
    assert places.all_inner_texts()[:2] == texts


# A value that changes with every decision.
DECISION = "location.href + document.querySelector('.who').textContent"
POLLING = 20  # milliseconds; the default, every frame, is more often than needed
# Returns whether this player is to decide or sees the result.
MY_TURN = """() => document.querySelector('.result')?.checkVisibility()
  || /Your turn: .+\\./.test(document.querySelector('.who').textContent)"""
# Returns the middle of something that a user could press now: a choice in an open dialog or, if no
# dialog is open, a marked place or a button within reach. The argument, a number below 1, selects
# one of them.
PRESSABLE = """(number) => {
  const dialog = document.querySelector('dialog[open]');
  const raised = document.querySelector('.raised');
  const places = ':is([data-action], [data-choices])';
  const all = [...(dialog ? dialog.querySelectorAll('.legal button, .buttons button')
    : raised?.querySelector(places) ? raised.querySelectorAll(`${places}, .tab.legal`)
    : document.querySelectorAll(`.board ${places}, .choices button, .tab.legal`))];
  const first = Math.floor(number * all.length);
  for (const one of [...all.slice(first), ...all.slice(0, first)]) {
    one.scrollIntoView({ block: 'center' });
    const box = (one.firstElementChild ?? one).getBoundingClientRect();
    const middle = [box.x + box.width / 2, box.y + box.height / 2];
    if (box.width && one.contains(document.elementFromPoint(...middle))) return middle;
  }
  return null;
}"""


def games_by_hand():
    """Yield every whole game. CI plays two games; maintainers play the rest before a release."""
    short = {("trajan", 2, "mouse", "wide"), ("forum_trajanum", 2, "touch", "phone")}
    for case in product(("trajan", "forum_trajanum"), (2, 3, 4), ("mouse", "touch"), SIZES):
        *others, size = case
        marks = [] if case in short else [pytest.mark.exhaustive]
        yield pytest.param(*others, SIZES[size], marks=marks, id="-".join(map(str, case)))


@pytest.mark.long
@by_server
@pytest.mark.parametrize(("game", "players", "hand", "size"), [*games_by_hand()])
def test_a_whole_game_is_played_by_hand_and_no_panel_moves(tabs, game, players, hand, size):
    """Every decision of the game has a sentence, and its moves are made where they are marked."""
    tab = tabs(size, has_touch=hand == "touch")
    page, chance = tab.page, Random(players)
    # With this option, Trajan has fewer decisions, but all four quarters.
    options = {"lap_length": 4} if game == "trajan" else {}
    tree = start_game(game, [None] + ["random"] * (players - 1), 1, options)
    tab.open_game(tree)
    page.wait_for_timeout(150)  # until the board has its final size
    still = page.evaluate(PANELS)
    stuck, number = 0, 0.0
    while True:
        page.wait_for_function(MY_TURN, polling=POLLING)
        if page.locator(".result").is_visible():
            break
        before = page.evaluate(DECISION)
        assert page.evaluate(f"(scrollTo(0, 0), ({PANELS})())") == still
        number = number if stuck % 2 else chance.random()  # the first tap may show a preview
        middle = page.evaluate(PRESSABLE, number)
        if middle:  # otherwise the page has just continued
            (page.touchscreen.tap if hand == "touch" else page.mouse.click)(*middle)
        with suppress(sync_api.TimeoutError):
            changed = f"(before) => {DECISION} !== before"
            page.wait_for_function(changed, arg=before, polling=POLLING, timeout=300)
        stuck = stuck + 1 if page.evaluate(DECISION) == before else 0
        assert stuck < 40, before
    expect(page.locator(".who")).to_contain_text("The game is over.")
    assert page.evaluate(f"(scrollTo(0, 0), ({PANELS})())") == still
