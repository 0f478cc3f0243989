"""The page as users operate it, in a headless browser."""

import re

import pytest
import yaml
from browser_tab import MIDDLE, PHONE, WIDE, by_server, expect, in_browser
from golden_games import golden, golden_line, golden_position, short_game

from trajan_ai import records
from trajan_ai.analysis.annotation import judging
from trajan_ai.core import languages
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.page import practice, reviews
from trajan_ai.records import following, position_files
from trajan_ai.tournaments import report

pytestmark = in_browser


def test_a_turn_is_played_against_a_bot_and_undone(tab):
    page = tab.page
    tab.open()
    page.get_by_label("Player 2").select_option("level-80")
    page.get_by_text("Rules and options").click()
    page.get_by_label("lap length").fill("many")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("must be an integer")
    page.get_by_label("lap length").fill("")
    page.get_by_label("markers", exact=True).select_option("random")
    page.get_by_label("Random number").fill("7")
    page.get_by_role("button", name="Start", exact=True).click()
    tab.board()
    expect(page.get_by_text("Your turn")).to_be_visible()
    start = tab.node()
    page.locator('.board [data-place="deck"]').first.click()
    expect(page.locator('.log button[title="goods deck"]').first).to_be_visible()
    for _ in range(6):  # the other cards and the starting tiles, by clicks on the board
        expect(page.get_by_text("Your turn")).to_be_visible()
        before = tab.node()
        page.locator(".board svg [data-action]").first.click()
        expect(page).not_to_have_url(re.compile(rf"/{before}$"))
    expect(page.locator(".log .p1").first).to_be_attached()
    while tab.node() != start:
        before = tab.node()
        page.get_by_role("button", name="Undo").click()
        if page.locator("dialog[open]").count():  # because a card or a tile has been seen
            page.get_by_role("button", name="Take it back").click()
        expect(page).not_to_have_url(re.compile(rf"/{before}$"))
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_a_suggestion_is_updated_marked_on_the_board_and_stays_after_stop(tab):
    page = tab.page
    tab.load(golden_line())
    page.keyboard.press("s")
    work = page.locator("#work")
    expect(work).to_be_visible()
    first = int(re.search(r"(\S+) iterations", work.inner_text())[1].replace(",", ""))
    page.wait_for_function(
        "first => Number(document.querySelector('#work').innerText.match(/(\\S+) iterations/)[1]"
        ".replaceAll(',', '')) > 2 * first",
        arg=first,
    )
    assert page.locator(".mark.best.badge").count() >= 2
    expect(work).not_to_contain_text("not calibrated")
    best = page.locator(".ranking .move").first
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Suggest")).to_be_visible()
    expect(page.locator("summary", has_text="Why?")).to_be_visible()
    last = page.locator(".ranks").inner_text()
    page.wait_for_timeout(500)
    assert page.locator(".ranks").inner_text() == last
    assert requests == [], "to stop a search needs no request"
    action = best.get_attribute("data-action")
    best.click()
    expect(page.locator("[aria-current]")).to_have_attribute("title", action)


def test_a_search_that_began_by_itself_can_be_stopped(tab):
    page = tab.page
    tab.load(golden_line(), 30)
    always = page.get_by_label("always suggest")
    stop = page.get_by_role("button", name="Stop", exact=True)
    suggest = page.get_by_role("button", name="Suggest", exact=True)
    page.get_by_label("Seconds per search").select_option("120")
    always.check()
    stop.click()
    expect(suggest).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(stop).to_be_visible()
    always.uncheck()
    expect(suggest).to_be_visible()


@by_server
def test_a_search_without_a_server_says_that_it_does_not_answer(tab):
    tab.load(golden_line(), 30)
    tab.page.route("**/search*", lambda route: route.abort())
    tab.page.keyboard.press("s")
    expect(tab.page.get_by_text("The server does not answer")).to_be_visible()
    tab.errors.clear()  # the browser reports the failed request


@by_server
def test_the_log_leads_to_every_branch_and_views_can_be_chosen(tab):
    page = tab.page
    tab.load(golden_line(), 30)
    actions = [action for _, action in golden()["actions"]]
    page.locator("summary", has_text="Legal moves").click()
    other = next(
        text for text in page.locator(".legal .move code").all_inner_texts() if text != actions[30]
    )
    page.locator(".legal .move").get_by_text(other, exact=True).click()
    tab.at(len(actions) + 1)
    expect(page.locator(".log > li > [aria-current]")).to_have_attribute("title", other)
    expect(page.locator(".branch details:not([open]) [aria-current]")).to_have_count(0)
    page.keyboard.press("ArrowUp")  # back to the line of the record
    tab.at(31)
    page.keyboard.press("End")
    tab.at(len(actions))
    expect(page.locator(".who")).to_contain_text("The game is over")
    page.keyboard.press("Home")
    tab.at(0)
    page.keyboard.press("ArrowRight")
    tab.at(1)
    page.keyboard.press("p")  # starts the replay
    tab.at(3)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Replay")).to_be_visible()
    for view, words in (("0", "seen by player 1"), ("1", "seen by player 2"), ("open", "open")):
        page.get_by_label("View").select_option(view)
        expect(page.locator(".board svg")).to_contain_text(words)
    tab.go(31)
    for key, node, action in (
        ("ArrowDown", len(actions) + 1, other),
        ("ArrowUp", 31, actions[30]),
    ):
        page.keyboard.press(key)
        tab.at(node)
        current = page.locator(".scroll > .log > li > [aria-current]")
        expect(current).to_have_attribute("title", action)
    tab.accessible()


def test_a_real_game_is_followed_with_the_reveals_of_its_moves(tab):
    page = tab.page
    steps = [s for s in following.witness(golden(), 0) if s[1] is not None]
    first = next(i for i, (_, move) in enumerate(steps) if move.action == "goods left")
    steps = steps[first : first + 10]
    tab.load(position_files.dumps(position_files.position_file(steps[0][0], 0)))
    page.locator("summary", has_text="Legal moves").click()
    for node, (_, move) in enumerate(steps, start=1):
        page.locator(".legal .move").get_by_text(move.action, exact=True).click()
        for (name,) in move.reveals.values():  # the card or the tile that came up
            page.get_by_role("dialog").locator(f'[data-key="name {name}"]').click()
            page.get_by_role("button", name="Confirm").click()
        tab.at(node)
    for back in range(1, 6):  # undo several moves, and play them again
        page.keyboard.press("u")
        tab.at(len(steps) - back)
    for node in range(len(steps) - 4, len(steps) + 1):
        page.keyboard.press("ArrowRight")
        tab.at(node)
    page.keyboard.press("u")
    tab.at(len(steps) - 1)
    action = steps[-1][1].action
    page.locator(".legal .move").get_by_text(action, exact=True).click()
    page.get_by_role("button", name="I do not know").click()
    expect(page.locator("[aria-current]")).to_have_attribute("title", re.compile(f"^{action}"))
    page.keyboard.press("s")
    expect(page.locator("table.ranking")).to_be_visible()


def test_an_impossible_position_is_reported_by_line_and_pieces_lead_to_their_lines(tab):
    page = tab.page
    area = edit(tab, golden_position())
    text = area.input_value()
    page.locator('.preview [data-place="tray 1 II"]').click()
    page.get_by_label("Player 2: trays II: line").click()
    start = area.evaluate("e => e.value.slice(0, e.selectionStart)").count("\n")
    second = [i for i, line in enumerate(text.splitlines()) if line.startswith("- score:")][1]
    assert start > second
    assert text.splitlines()[start].startswith("    II:")
    page.get_by_role("button", name="Done").click()
    line = text.splitlines().index("quarter: 2") + 1
    area.fill(text.replace("quarter: 2", "quarter: 9"))
    expect(page.locator("#verdict")).to_contain_text("quarter: must be")
    expect(page.get_by_role("button", name="Analyse it")).to_be_disabled()
    assert line in [int(text) for text in page.locator(".numbers .wrong").all_inner_texts()]
    page.get_by_role("button", name=f"Line {line}", exact=True).click()
    selected = area.evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)")
    assert selected == "quarter: 9"
    page.keyboard.type("quarter: 2")
    expect(page.get_by_text("The position is valid")).to_be_visible()
    page.get_by_role("button", name="Analyse it").click()
    expect(page.locator("dialog")).not_to_be_visible()
    tab.board()


def edit(tab, text):
    """Open the editor at a position; return the text in the editor."""
    tab.load(text)
    tab.page.keyboard.press("e")
    expect(tab.page.get_by_text("The position is valid")).to_be_visible()
    return tab.page.get_by_label("What one player knows")


@by_server
def test_clicks_make_a_position_impossible_and_possible_again(tab):
    page = tab.page
    area = edit(tab, golden_position())
    before = area.input_value()
    page.locator('.preview [data-place="site A3"]').click()
    senate = page.locator('.preview [data-place="senate 3"]')
    expect(senate).to_have_attribute("aria-label", "3 votes")  # no player is on this space
    worker = page.get_by_label("Player 1: workers, A3")
    expect(worker).to_be_checked()
    worker.click()
    expect(page.locator("#verdict")).to_contain_text("14 figures, but there must be 15")
    expect(page.get_by_role("button", name="Analyse it")).to_be_disabled()
    expect(page.locator(".preview.stale svg")).to_be_visible()
    tab.accessible()
    assert "  workers: []" in area.input_value().splitlines()
    worker.click()
    expect(page.get_by_text("The position is valid")).to_be_visible()
    assert area.input_value() == before
    page.locator('.preview [data-place="province lugudunensis"] text').first.click()
    page.get_by_label("Provinces, lugudunensis").select_option("games")
    expect(page.locator("#verdict")).to_contain_text("because a figure has come to this province")
    page.keyboard.press("Control+z")
    expect(page.get_by_text("The position is valid")).to_be_visible()
    assert area.input_value() == before
    page.get_by_role("button", name="Undo").last.click()
    page.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("button", name="Undo").last).to_be_disabled()
    assert area.input_value() == before


@by_server
def test_counts_and_scores_are_changed_with_the_keyboard(tab):
    page = tab.page
    area = edit(tab, golden_position())
    before = area.input_value()
    page.locator(".preview [tabindex='0']").focus()
    for _ in range(60):
        if page.evaluate("document.activeElement.getAttribute('data-place')") == "score 1":
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_label("one fewer: Player 2: score")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Player 2: score", exact=True)).to_have_value("-4")
    expect(page.get_by_text("The position is valid")).to_be_visible()
    expect(page.locator(".preview")).to_contain_text("−4")
    expect(page.get_by_label("one fewer: Player 2: score")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_be_visible()
    assert page.evaluate("document.activeElement.getAttribute('data-place')") == "score 1"
    assert area.input_value() == before.replace("score: -3", "score: -4")


@by_server
def test_a_position_of_forum_trajanum_is_edited_by_clicks_on_a_phone(tabs):
    tab = tabs(PHONE)
    page = tab.page
    area = edit(tab, golden_position("forum_trajanum"))
    page.locator('.preview [data-place="cell 0 D4"]').click()
    page.get_by_label("Player 1: buildings, D4").select_option("nothing")
    expect(area).not_to_have_value(re.compile("D4: basilica"))
    expect(page.locator("#verdict")).to_contain_text("The position is valid")
    page.get_by_role("button", name="Done").click()
    page.locator('.preview [data-place="resource 0 builder"]').click()
    page.get_by_label("one more: Player 1: resources, coin").click()
    expect(page.get_by_label("Player 1: resources, coin", exact=True)).to_have_value("4")
    tab.accessible()
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Player 2", exact=True).click()
    page.locator("summary", has_text="Player 2: forum").click()
    page.get_by_label("Player 2: forum, m1.1", exact=True).check()
    expect(page.locator("#verdict")).to_contain_text("The position is valid")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.get_by_role("button", name="Analyse it").click()
    expect(page.locator("dialog")).not_to_be_visible()


@by_server
def test_an_answer_after_done_opens_nothing(tab):
    page, late = tab.page, []
    edit(tab, golden_position("forum_trajanum"))
    page.locator('.preview [data-place="cell 0 D4"]').click()
    page.route("**/api/palette", lambda route: late.append(route))  # noqa: PLW0108
    with page.expect_request("**/api/palette"):
        page.get_by_label("Player 1: buildings, D4").select_option("nothing")
    page.get_by_role("button", name="Done").click()
    with page.expect_response("**/api/palette"):
        late.pop().continue_()
    page.get_by_role("button", name="Analyse it").click()
    expect(page.locator("dialog")).not_to_be_visible()
    expect(page.locator(".palette")).to_be_hidden()


def test_the_best_moves_are_rolled_out_instead_of_searched(tab):
    page = tab.page
    tab.open()
    tab.load(golden_line("trajan"), 120)
    page.get_by_role("button", name="Suggest").click()
    expect(page.locator("#work")).to_contain_text("iterations")
    page.get_by_role("button", name="Roll out").click()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    expect(page.locator("#work")).to_contain_text("redeals")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Suggest", exact=True)).to_be_visible()
    expect(page.locator("#work")).to_contain_text("redeals")
    expect(page.locator("#work")).not_to_contain_text("not calibrated")
    assert page.locator("table.ranking tr.best").count()


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_phone_shows_everything_without_scrolling_sideways(tabs, game):
    tab = tabs(PHONE)
    tab.open()
    width = "document.documentElement.scrollWidth"
    assert tab.page.evaluate(width) == PHONE["width"]
    tab.load(golden_line(game), 60)
    tab.page.get_by_role("button", name="Suggest").click()
    expect(tab.page.locator("table.ranking")).to_be_visible()
    assert tab.page.evaluate(width) == PHONE["width"]
    below = tab.page.evaluate(
        "document.documentElement.scrollHeight - scrollY"
        " - document.querySelector('#main').getBoundingClientRect().bottom"
    )
    assert below <= 20  # no hidden element makes the page longer
    tab.accessible()


@by_server
def test_a_game_is_started_and_played_with_the_keyboard(tab):
    page = tab.page
    tab.open()

    def tab_to(selector, most=200):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        pytest.fail(f"the tab key does not lead to {selector}")

    tab_to("form button[type=submit]")
    page.keyboard.press("Enter")
    tab.board()
    tab_to(".board [data-place]")
    page.keyboard.press("Enter")
    tab.at(1)
    tab.searched()
    page.keyboard.press("2")
    tab.at(2)
    page.keyboard.press("l")
    page.keyboard.press("Enter")
    tab.at(3)
    page.keyboard.press("u")
    tab.at(2)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).not_to_be_visible()


# Returns the places to click that are out of view, do not react everywhere in their drawing, or
# have their mark in another place; also returns the kinds of all places to click.
PLACES = """async () => {
  const { Board } = await import('/static/board.js');
  const board = new Board(() => {});
  board.element = document.querySelector('.board');
  const of = (x, y) => document.elementFromPoint(x, y)?.closest('[data-place]')?.dataset.place;
  const wrong = [], names = [], kinds = new Set();
  for (const target of document.querySelectorAll('.board :is([data-action], [data-choices])')) {
    const name = target.dataset.place, whole = target.getBoundingClientRect();
    const raised = document.querySelector('.raised:not([hidden])');
    if (raised ? !raised.contains(target) : target.closest('[hidden]')) continue;
    const box = (target.firstElementChild ?? target).getBoundingClientRect();
    kinds.add(name.split(' ')[0]);
    if (box.right > innerWidth || box.bottom > innerHeight) wrong.push([name, 'not in view']);
    const drawn = whole.height > 1.5 * box.height ? box : whole; // identical tiles in several rows
    for (const x of [0.1, 0.3, 0.5, 0.7, 0.9])
      if (of(drawn.x + drawn.width * x, drawn.y + drawn.height / 2) !== name)
        wrong.push([name, 'does not react', x]);
    names.push(name);
  }
  board.mark(names, 'best');
  for (const kind of ['frame', 'badge'])
    document.querySelectorAll(`.mark.best.${kind}`).forEach((mark, i) => {
      const at = mark.getBoundingClientRect();
      if (of(at.x + at.width / 2, at.y + at.height / 2) !== names[i]) wrong.push([names[i], kind]);
    });
  board.mark([], 'best');
  return [wrong, [...kinds]];
}"""
ARRANGED = '.board[data-arranged="{width} {height}"]'  # for a window
KINDS = {"trajan": 12, "forum_trajanum": 9}


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_every_place_is_in_view_reacts_and_is_marked_in_place(tab, game):
    entry = golden_line(game, "3p")
    tab.load(entry)
    met, places = set(), set()
    for node, (_, action) in enumerate(records.parse(entry)["actions"]):
        kind = action.split()[0]
        if kind in met:
            continue
        met.add(kind)
        tab.go(node)
        for size in ((WIDE, MIDDLE)[len(met) % 2], PHONE):
            tab.page.set_viewport_size(size)
            tab.page.locator(ARRANGED.format(**size)).wait_for()
            tab.page.evaluate("scrollTo(0, 0)")
            names = tab.page.locator(".board > .tabs .legal").all_inner_texts()
            for name in [None, *names]:  # the table, and each panel that a tab opens
                tabs = tab.page.locator(".tab.legal:visible", has_text=name)
                if name and tabs.first.get_attribute("aria-expanded") != "true":
                    tabs.last.click()
                for _ in range(20):
                    wrong, kinds = tab.page.evaluate(PLACES)
                    if not wrong:
                        break
                    tab.page.wait_for_timeout(100)
                assert wrong == [], (node, size)
                places |= set(kinds)
            if names:
                tab.page.keyboard.press("Escape")
    assert len(places) >= KINDS[game], places


@by_server
def test_elements_of_a_set_are_named_in_any_order(tab):
    page = tab.page
    tab.open()
    page.get_by_label("Player 2").select_option("You")
    page.get_by_role("button", name="Start", exact=True).click()
    tab.board()
    page.locator('.board [data-place="marker yellow"]').click()
    expect(page.locator(".who")).to_contain_text("So far: yellow.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".who")).not_to_contain_text("So far")
    page.locator('.board [data-place="marker yellow"]').click()
    expect(page.locator(".who")).to_contain_text("So far")
    page.locator('.board [data-place="marker green"]').click()
    tab.at(2)
    titles = page.locator(".log [data-node]").evaluate_all("all => all.map((one) => one.title)")
    assert titles == ["marker green", "marker yellow"]


@by_server
def test_a_turn_has_steps_and_is_played_as_a_whole_or_step_by_step(tab):
    page = tab.page
    moves = [action for _, action in golden()["actions"]]
    begins = next(i for i in range(60, 120) if moves[i].startswith("sow "))
    tab.load(golden_line(), begins)
    whole = page.locator(".ranking .whole").first
    tab.searched(until=".whole")
    page.locator(".ranking .move").first.hover()
    expect(page.locator(".mark.step.frame").first).to_be_attached()
    page.locator("summary", has_text="What comes next?").click()
    expect(page.locator(".threats li").first).to_be_visible()
    steps = whole.get_attribute("title").split(" > ")
    page.locator(".ranking .move").first.click()
    expect(page.locator("[aria-current]")).to_have_attribute("title", steps[0])
    expect(page.locator(".next")).to_contain_text("As suggested: ")
    page.keyboard.press("n")
    expect(page.locator("[aria-current]")).to_have_attribute("title", steps[1])
    tab.go(begins)
    tab.searched(until=".whole")
    steps = whole.get_attribute("title").split(" > ")
    whole.click()
    expect(page.locator("[aria-current]")).to_have_attribute("title", steps[-1])


# Returns the text of the button that plays a suggested turn, and the steps that it plays; or null
# if there is no button.
LABEL = """async (turn) => {
  const { Ranking } = await import('./static/ranking.js');
  const steps = [];
  const play = (_, action, then) => steps.push(action, ...then);
  const ranking = new Ranking(document.createElement('div'), { play, pointing: () => ({}) });
  const figures = { win: null, score: 1, score_error: 0, margin: null };
  const move = { action: 'a', words: 'a', places: [], ...figures };
  const row = ranking.rows({ ...move, turn: { words: 'a', ...turn } }, 0, false, true)[0];
  const button = row.querySelector('.whole');
  button?.click();
  return button && [button.textContent, steps];
}"""


@by_server
def test_the_button_of_a_turn_promises_only_the_steps_that_it_plays(tab):
    tab.open()
    for actions, reveals, is_complete, button in (
        (["a", "b"], [], True, ["▶ turn", ["a", "b"]]),
        (["a", "b"], [0], False, ["▶ turn", ["a"]]),
        (["a", "b", "c", "d"], [1, 2], True, ["▶ turn", ["a", "b"]]),
        (["a", "b"], [], False, ["▶ 2 steps", ["a", "b"]]),
        (["a"], [], False, None),  # the move itself plays it
    ):
        turn = {"actions": actions, "reveals": reveals, "complete": is_complete}
        assert tab.page.evaluate(LABEL, turn) == button


@by_server
def test_a_game_is_analysed_with_a_graph_and_its_mistakes(tab, monkeypatch, tmp_path):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 20)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 50)
    page = tab.page
    tab.load(records.dumps(short_game()))
    page.get_by_role("button", name="Analyse this game").click()
    expect(page.locator(".analysis .graph polyline")).to_be_visible()
    save = page.get_by_role("button", name="Save as a web page")
    expect(save).to_be_visible(timeout=60_000)
    expect(page.locator(".analysis summary", has_text="Luck and skill")).to_be_visible()
    bad = page.locator(".log .bad").first
    assert "; better: " in bad.get_attribute("title")
    tab.page.keyboard.press("m")
    expect(page.locator(".story .bad")).to_be_visible()
    tab.accessible()
    save.click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save", exact=True).click()
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    expect(page.locator(".result tfoot")).to_contain_text("total")
    saved.value.save_as(tmp_path / "saved.html")
    page.goto(f"{(tmp_path / 'saved.html').as_uri()}#40")
    for words in ("(decision 41 of ", "Luck and skill"):
        expect(page.locator("body")).to_contain_text(words)
    for drawn in ("polyline", "svg [data-place]"):
        expect(page.locator(drawn).first).to_be_attached()
    stories = []
    page.keyboard.press("Home")
    for _ in range(60):
        stories.append(page.locator("body").inner_text())
        page.keyboard.press("ArrowRight")
    assert any("Luck in what came next: " in text for text in stories)
    assert not any("[object" in text for text in stories)


@by_server
def test_an_exercise_is_solved_by_mouse_and_by_keyboard(tab, monkeypatch):
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 4000)
    id, puzzle = next(iter(practice.puzzles().items()))
    page = tab.page
    tab.open()
    page.get_by_role("link", name="Practise").click()
    tab.board()
    tab.open(f"#practice/{id}")
    expect(page.get_by_text("Find the best turn")).to_be_visible()
    page.keyboard.press("l")
    right = page.locator(f'.legal [data-action="{puzzle.right[0]}"]')
    wrong = page.locator(f'.legal .move:not([data-action="{puzzle.right[0]}"])').first
    wrong.click()
    expect(page.locator(".verdict .problem")).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("Try again")
    expect(page.locator(".verdict")).to_contain_text("likely reply")
    right.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".verdict .right")).to_be_visible()
    expect(page.locator(".mark.best.badge").first).to_be_attached()
    expect(page.locator(".log [aria-current]")).to_contain_text("✓")
    tab.accessible()
    page.keyboard.press("n")
    expect(page).not_to_have_url(re.compile(id))


# Returns every part of every panel, with its attributes in a fixed order.
DRAWN = """all => all.flatMap((panel) => [panel, ...panel.querySelectorAll('*')]).map((one) =>
  [one.nodeName, one.childNodes.length, one.textContent,
   [...one.attributes].map(({ name, value }) => `${name}=${value}`).sort()])"""


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_drawing_after_many_steps_is_that_of_a_reload(tab, game):
    page = tab.page
    tab.load(golden_line(game))
    panels = page.locator(".board g[data-height]:not([hidden])")
    for node in range(0, len(golden(game)["actions"]) - 5, 94):
        for step in range(node, node + 6):
            tab.go(step)
        drawing = panels.evaluate_all(DRAWN)
        page.reload()
        tab.board()
        assert panels.evaluate_all(DRAWN) == drawing, step


@by_server
def test_a_record_in_an_address_waits_to_be_opened(tab):
    """Reports of tournaments contain such addresses. Opening an address does not store a game."""
    line = golden_line()
    tab.open(f"#{report.link(line).partition('#')[2]}")
    opens = tab.page.locator(".file [type=submit]")
    expect(opens).to_be_focused()
    assert tab.page.locator("#text").input_value() == line
    assert tab.page.locator(".saved li").count() == 0
    opens.press("Enter")
    tab.board()
    tab.open("#record/%%%")
    expect(tab.page.locator("#text")).to_have_value("%%%")


def test_the_record_of_the_whole_line_is_saved_from_any_decision(tab):
    entry = golden_line("trajan")
    tab.load(entry, 60)
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("link", name="Save the record").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert records.parse(text)["actions"] == records.parse(entry)["actions"]


@by_server
def test_theme_and_place_are_restored(tab):
    page = tab.page
    tab.load(golden_line("forum_trajanum"), 60)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").click()
    assert page.evaluate(ground) != light
    drawing = page.locator(".board g[data-height]:not([hidden])").evaluate_all(DRAWN)
    tab.searched()
    tab.accessible()
    page.reload()
    tab.board()
    assert page.locator(".board g[data-height]:not([hidden])").evaluate_all(DRAWN) == drawing
    expect(page.get_by_role("button", name="Switch to light colours")).to_be_visible()
    tab.open()
    tab.accessible()
    page.locator(".saved li a").click()
    tab.at(60)


BARE = """() => {
  const texts = [];
  const code = "code, textarea, script, noscript, style, .numbers, .options input, [lang='en']";
  const own = (element) => element.closest(`${code}, #title, .saved a`);
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode())
    if (!own(words.currentNode.parentElement)) texts.push(words.currentNode.data);
  for (const name of ["aria-label", "placeholder", "title"])
    for (const element of document.body.querySelectorAll(`[${name}]`))
      if (!own(element) && !(name === "title" && element.matches(".move, .whole, .sources th")))
        texts.push(element.getAttribute(name));
  return texts;
}"""
NAMES = (
    "Trajan|Forum Trajanum|FORUM|TRAJAN(UM)?|trajan_ai|recon-1|[IV]+|English|Pseudo"
    r"|Germania (inf|sup)\.|expert-30"
) + "".join(f"|{name.replace('-', ' ').capitalize()}" for name in COMPONENTS.provinces)
GREEK = str.maketrans({chr(65 + i): chr(0x391 + i % 17) for i in range(26)})
GREEK |= str.maketrans({chr(97 + i): chr(0x3B1 + i % 17) for i in range(26)})


def pseudo(text):
    """Return a text in Greek letters, except for placeholders."""
    return re.sub(r"[^{}]+(?![^{]*\})", lambda match: match[0].translate(GREEK), text)


class Pseudo(dict):
    """A catalogue in Greek letters whose verbs do not change."""

    def get(self, text, default=None):
        return text if text.startswith(languages.GAP) else super().get(text, default)


def bare(page):
    """Yield the texts of a page that are in Latin letters because no catalogue contains them."""
    for text in page.evaluate(BARE):
        if re.search("[A-Za-z]{3}", re.sub(rf"\b({NAMES})(?!\w)", "", text)):
            yield text


@by_server
def test_every_text_of_the_page_is_in_the_catalogues(tab, monkeypatch):
    texts = Pseudo({text: pseudo(text) for text in languages.read_catalogue("de")})
    monkeypatch.setattr(languages, "read_catalogue", lambda code: texts if code == "qq" else {})
    monkeypatch.setattr(languages, "list_languages", lambda: {"en": "English", "qq": "Pseudo"})
    page, texts_by_view = tab.page, {}

    def look(what):
        texts_by_view[what] = list(bare(page))

    page.add_init_script("localStorage.setItem('language', 'qq')")
    tab.open()
    expect(page.locator("form")).to_have_count(2)
    look("start")
    page.keyboard.press("?")
    expect(page.locator("table.keys")).to_be_visible()
    look("keys")
    page.keyboard.press("Escape")
    page.locator(".ways button").click()
    for game in ("forum_trajanum", "trajan"):
        page.locator("#table-game").select_option(game)
        expect(page.locator(".questions button").first).to_be_visible()
        look(f"{game}: a real table")
    page.keyboard.press("Escape")
    for game, nodes in (("trajan", (40, 100, 130)), ("forum_trajanum", (3, 30, 61))):
        tab.load(golden_line(game))
        for node in nodes:
            tab.go(node)
            look(f"{game}, node {node}")
        tab.searched()
        look(f"{game}: ranking")
        page.keyboard.press("e")
        expect(page.locator("#verdict .right")).to_be_visible()
        page.locator(".checked .buttons button").last.click()
        expect(page.locator(".palette .controls")).to_be_visible()
        look(f"{game}: editor")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    untranslated = {what: texts for what, texts in texts_by_view.items() if texts}
    assert untranslated == {}


@by_server
def test_a_real_table_is_set_up_by_pictures_and_followed(tab):
    page = tab.page
    tab.open()
    page.get_by_role("button", name="Follow a real table").click()
    page.locator("#table-players").select_option("3")
    page.locator("#table-seat").select_option("2")
    first = page.locator('.questions [data-key^="name "]').nth(3)
    name = first.get_attribute("data-key").removeprefix("name ")
    first.click()
    expect(page.locator(".questions .laid button").first).not_to_have_class("empty")
    while page.get_by_role("button", name="Follow this game").count() == 0:
        page.get_by_role("button", name="Fill in the rest at random").click()
        page.locator('.questions [data-key="on"]').click()
    tab.accessible()
    page.get_by_role("button", name="Follow this game").click()
    tab.board()
    expect(page.locator(".pane svg").first).to_contain_text("seen by player 3")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the position").click()
    position = yaml.safe_load(saved.value.path().read_text())
    assert position["observer"] == 2
    assert name in position["forum"]


@by_server
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_german_is_the_choice_of_the_browser_and_accessible_in_high_contrast(tabs, theme):
    tab = tabs(PHONE, locale="de-AT", color_scheme=theme, contrast="more")
    tab.open()
    expect(tab.page.get_by_role("button", name="Los", exact=True)).to_be_visible()
    tab.accessible()
    tab.load(golden_line("forum_trajanum"), 61)
    tab.accessible()
    tab.page.locator("#language").select_option("en")
    expect(tab.page.get_by_role("button", name="Suggest", exact=True)).to_be_visible()
    assert tab.page.locator("html").get_attribute("lang") == "en"


@by_server
def test_a_file_that_is_not_text_is_rejected_by_name(tab):
    tab.open()
    picture = {"name": "board.png", "mimeType": "image/png", "buffer": b"\x89PNG\x00\x01"}
    tab.page.locator("input[type=file]").set_input_files(picture)
    expect(tab.page.locator("#notice")).to_contain_text("board.png is not a text file.")
