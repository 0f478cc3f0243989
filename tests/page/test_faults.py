"""The faults that people met on the page, each with a regression test (see surroundings.py)."""

import re
from functools import cache

import pytest
from browser_tab import expect
from golden_games import golden, golden_line
from surroundings import DELAYS, fault
from test_choices import position_with
from test_page_follow import answer, end_of_quarter, enter, press, steps_of
from test_page_learning import search
from test_page_play import NUMBERED, TEXTS
from test_page_turns import before_bots, decide, take_back

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.annotation import judging
from trajan_ai.core import languages
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.languages import tr
from trajan_ai.core.shown_actions import UNSEEN
from trajan_ai.core.tips import read_overview, read_tips
from trajan_ai.page import practice, reviews
from trajan_ai.page.progress import GameLevel
from trajan_ai.records import following, position_files

GAMES = ("trajan", "forum_trajanum")
LEGAL = "async (id) => (await (await fetch(`/api/practice/${id}`)).json()).legal"
IS_TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


@pytest.fixture
def tab(tabs, surrounding):
    """Yield a tab with the settings of `surrounding`; the whole test uses its language."""
    tab = tabs(
        surrounding.window,
        browser=surrounding.browser,
        locale=surrounding.language,
        has_touch=surrounding.has_touch,
        stored={"theme": surrounding.theme},
    )
    tab.served.delay = DELAYS[surrounding.delay]
    with languages.use_language(surrounding.language):
        yield tab
    assert not tab.page.evaluate(IS_TOO_WIDE)


def show(tab, text, node=0):
    """Open a record or a position file as a separate game; in a record, go to a node."""
    with tab.served.client() as client:
        id = client.post("/api/load", json={"text": text}).json()["id"]
    tab.open(f"#{id}/{node}")
    tab.board()


def tap(locator, surrounding):
    """Tap or click a button or a place, as people do with this window."""
    if surrounding.has_touch:
        locator.tap()
    else:
        locator.click()


def explained(tab, surrounding, place):
    """Point at a piece, after opening the tab of its panel if needed; return the piece's tip."""
    piece = tab.page.locator(f'.board [data-place="{place}"]').first
    panel = piece.evaluate("(one) => one.closest('g[data-height]').getAttribute('aria-label')")
    if not piece.is_visible():
        tap(tab.page.locator(".board > .tabs").get_by_role("button", name=panel), surrounding)
    if surrounding.has_touch:
        piece.tap()
    else:
        piece.hover()
    tip = tab.page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    return tip


@fault("firefox", "middle")
def test_the_first_page_says_what_the_games_are_about_and_how_to_learn_them(tab, surrounding):
    page = tab.page
    tab.open()
    games = page.locator(".start > :first-child article")
    expect(games).to_have_count(2)
    for name, game in zip(GAMES, games.all(), strict=True):
        expect(game.locator("svg").first).to_be_visible()
        expect(game.locator("p")).to_have_text(re.compile(r"\w{4}.*\.$", re.DOTALL))
        expect(game.locator(f'a[href="#learn/{name}"]')).to_have_text(tr("Learn the game"))
    tap(page.locator("#rules"), surrounding)
    expect(page.get_by_role("button", name=tr("Close"))).to_be_in_viewport()
    for name, title in zip(GAMES, ("Trajan", "Forum Trajanum"), strict=True):
        tap(page.locator("dialog").get_by_role("button", name=title, exact=True), surrounding)
        row = read_overview(trajan_ai.game(name).rules)[0]["rows"][0]
        expect(page.locator(".rules")).to_contain_text(row["name"])
        assert page.locator("dialog").evaluate("(one) => one.scrollWidth <= one.clientWidth")
    tab.accessible()
    tap(page.get_by_role("button", name=tr("Close")), surrounding)
    tap(page.locator('a[href="#learn/trajan"]'), surrounding)
    hint = {"en": "rest the pointer", "de": "Mauszeiger"}[surrounding.language]
    expect(page.locator(".lesson .text")).to_contain_text(hint)


@fault("chromium", "wide")
def test_the_action_of_a_first_building_is_announced_and_explained(tab, surrounding):
    decisions = (p for p in records.positions(golden()) if p.player is not None)
    position = next(p for p in decisions if p.view(p.player)["to_decide"].get("in_free_action"))
    show(tab, position_files.dumps(position_files.position_file(position, position.player)))
    reason = {
        "en": r"The first \w+ gives? this action",
        "de": r"ersten? \w+ (gibt|geben) diese Aktion",
    }
    expect(tab.page.locator(".who")).to_have_text(re.compile(reason[surrounding.language]))
    place = tab.page.locator('.board [data-place^="site "]').first.get_attribute("data-place")
    tip = explained(tab, surrounding, place)
    expect(tip).to_contain_text(read_tips(trajan_ai.game("trajan").rules.tips)["site"])


def end_of_a_part(entry):
    """Return the number of decisions before the end of the first quarter, and the VP that each
    player lost for demands in that quarter.
    """
    lost = [0] * entry["players"]
    for ply, position in enumerate(records.positions(entry)):
        events = position.events(entry["actions"][ply][1])
        for event in events:
            if event.name == "miss_demands":
                lost[event.player] = event.vp
        if any(event.name == "end_quarter" for event in events):
            return ply, lost
    raise AssertionError("no quarter ends")


@fault("firefox", "phone")
def test_what_a_turn_and_a_quarter_brought_is_said(tab, surrounding):
    page, entry = tab.page, golden()
    ply, lost = end_of_a_part(entry)
    action = entry["actions"][ply][1]
    started = {key: entry[key] for key in entry if key not in ("scores", "ranks")}
    show(tab, records.dumps(started | {"actions": entry["actions"][:ply]}), ply)
    card = page.locator(".ending")
    expect(card).to_be_hidden()
    fulfilled = tr("fulfils the Trajan tile {thing}", thing="")
    assert page.locator(".log .part", has_text=fulfilled).count() > 0
    page.locator(".legal-moves .move", has_text=action).dispatch_event("click")
    expect(card).to_be_visible()
    tab.accessible()
    for player, vp in enumerate(lost):
        line = card.locator("dt").nth(player)
        words = tr("Player {player}", player=player + 1)
        expect(line).to_contain_text(f"{words} {vp}".replace("-", "−"))
    ended = card.locator("h2").text_content()
    tap(card.get_by_role("button"), surrounding)
    expect(card).to_be_hidden()
    losses = page.locator(".log .part:has(.loss)").all_inner_texts()[: len(lost)]
    assert sorted(int(text.rpartition("−")[2]) for text in losses) == sorted(-vp for vp in lost)
    page.locator(".log .events button").last.dispatch_event("click")
    expect(card.locator("h2")).to_have_text(ended)


@fault("chromium", "phone")
def test_every_choice_is_a_button_and_what_gives_something_away_asks(tab, surrounding):
    page = tab.page
    show(tab, position_with("trajan", "senate"))
    choices = page.locator(".choices button")
    expect(choices).to_have_count(2)
    gain = f"{tr('advance in the senate')} +2 {tr('VP')}"
    expect(choices.first).to_have_text(gain[0].upper() + gain[1:])
    expect(choices.last).to_have_class(re.compile("plain"))
    tap(choices.last, surrounding)
    question = page.locator("dialog")
    expect(question).to_contain_text(f"{tr('advance in the senate')} (+2 {tr('VP')})")
    tab.accessible()
    tap(question.get_by_role("button", name=tr("Back")), surrounding)
    tab.at(0)
    tap(choices.last, surrounding)
    tap(question.get_by_role("button", name=tr("do nothing")), surrounding)
    tab.at(1)
    actions = [action for _, action in golden("forum_trajanum")["actions"]]
    node = next(i for i, action in enumerate(actions) if action.split()[0] == "wage")
    show(tab, golden_line("forum_trajanum"), node)
    expect(choices).to_have_count(2)
    expect(choices.last).to_have_class(re.compile("plain"))
    tap(choices.last, surrounding)
    expect(page.locator("[aria-current]")).to_have_attribute("title", re.compile("^no wage"))


@fault("firefox", "middle")
def test_a_building_and_a_row_of_citizens_say_what_they_cost_and_bring(tab, surrounding):
    page, tip = tab.page, tab.page.get_by_role("tooltip")
    show(tab, position_with("forum_trajanum", "no build", 60))
    tap(page.locator(".board [data-place^='cell'][data-choices]").first, surrounding)
    options = page.locator("dialog .legal .move")
    expect(page.locator("dialog h2")).to_have_text(tr("What do you want to do here?"))
    expect(options.locator(".price")).to_have_count(options.count())
    price = {"en": r"It costs a \w+", "de": r"Es kostet einen \w+"}[surrounding.language]
    expect(options.first).to_have_attribute("title", re.compile(price))
    show(tab, position_with("forum_trajanum", "seat .*", 30))
    row = page.locator('.board [data-place^="citizens"][data-action]').first
    if surrounding.has_touch:
        row.tap()
    else:
        row.hover()
    expect(tip).to_contain_text({"en": "second citizen", "de": "zweite"}[surrounding.language])
    texts = page.locator(".tip p").all_inner_texts()
    assert len(texts) == len({*texts})
    tab.at(0)
    tap(row, surrounding)
    tab.at(1)


def answer_exercise(tab, id, action):
    """Answer an exercise with an action from the list."""
    tab.page.locator("details.legal-moves").evaluate("one => one.open = true")
    tab.page.locator(f'.legal [data-action="{action}"]').dispatch_event("click")


def wrong_answer(tab, id):
    legal = [action for action, _ in tab.page.evaluate(LEGAL, id)]
    return next(action for action in legal if action not in practice.puzzles()[id].right)


@fault("chromium", "wide")
def test_an_exercise_gives_reasons(tab, surrounding, monkeypatch):
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 2000)
    page = tab.page
    id = next(id for id, one in practice.puzzles().items() if one.position["game"] == "trajan")
    tab.open(f"#practice/{id}")
    tab.board()
    answer_exercise(tab, id, wrong_answer(tab, id))
    expect(page.locator(".verdict .problem")).to_be_visible()
    expect(page.locator(".verdict .reason").first).to_have_text(re.compile(r"\d"))
    answer_exercise(tab, id, practice.puzzles()[id].right[0])
    expect(page.locator(".verdict .right")).to_be_visible()
    expect(page.locator(".verdict .reason").first).to_have_text(re.compile(r"\d"))


ARRANGED = "all => all.map((panel) => panel.getAttribute('transform'))"


@fault("firefox", "phone")
def test_the_turns_of_the_others_stay_and_are_stepped_through(tab, surrounding):
    page, strip = tab.page, tab.page.locator(".strip")
    tab.open_game(before_bots())
    panels = page.locator(".table [data-panel]:not([hidden])")
    height = strip.bounding_box()["height"]
    arranged = panels.evaluate_all(ARRANGED)
    decide(tab)
    assert strip.bounding_box()["height"] == height, "nothing below it moves"
    assert panels.evaluate_all(ARRANGED) == arranged
    turns = strip.locator("li")
    assert {int(text[0]) for text in turns.all_inner_texts()} == {2, 3, 4}
    steps = strip.locator("[data-step]")
    names = (
        "Previous step of other players' turns",
        "Next step of other players' turns",
    )
    back, on = (strip.get_by_role("button", name=tr(name)) for name in names)
    last, count = tab.node(), steps.count()
    assert count > 3
    expect(steps.last).to_have_attribute("aria-pressed", "true")
    expect(steps.first).to_be_in_viewport()  # users read the turns from the beginning
    tab.accessible()
    for left in range(count - 2, -1, -1):
        tap(back, surrounding)
        expect(steps.nth(left)).to_have_attribute("aria-pressed", "true")
        expect(steps.nth(left)).to_be_in_viewport()
        mover = int(strip.locator("li:has([aria-pressed=true])").inner_text()[0]) - 1
        expect(page.locator(f'[data-place^="tray {mover}"]').first).to_be_in_viewport()
    expect(back).to_be_disabled()
    expect(page.locator(".who")).to_contain_text(
        tr("Looking back: {name} decides here.").partition(":")[0]
    )
    assert tab.node() < last
    tap(page.get_by_role("button", name=tr("Back to the current decision")), surrounding)
    tab.at(last)
    tap(strip.locator("li .move:visible").first, surrounding)  # shows the board of its player
    mover = int(strip.locator("li:visible").first.inner_text()[0]) - 1
    expect(page.locator(f'[data-place^="tray {mover}"]').first).to_be_in_viewport()
    tap(back, surrounding)
    expect(steps.nth(count - 2)).to_have_attribute("aria-pressed", "true")
    while tab.node() != last:
        before = tab.node()
        tap(on, surrounding)
        page.wait_for_function("(at) => !location.hash.endsWith(`/${at}`)", arg=before)
    expect(page.locator(".who")).to_contain_text(tr("Your turn: {instruction}", instruction=""))
    assert steps.count() == count
    page.locator(".legal .move").first.dispatch_event("click")
    page.wait_for_function("(at) => !location.hash.endsWith(`/${at}`)", arg=last)
    assert steps.count() == count, "the turns stay during the turn of the person"
    expect(on).to_be_disabled()
    tap(back, surrounding)
    tab.at(last)


@fault("chromium", "phone")
def test_the_place_of_a_choice_is_shown_and_the_sentence_names_its_panel(tab, surrounding):
    for game, action, place, words in (
        ("trajan", "goods deck", "deck", ("seaport", "Hafen")),
        ("trajan", "senate", "senate 2", ("Senate", "Senat")),
        ("trajan", "hire", "site A1", ("Construction", "Bauen")),
        ("trajan", "march alpes", "province alpes", ("Military", "Militär")),
        ("forum_trajanum", "no envoy", "mosaic m1.1", ("Forum", "Forum")),
    ):
        show(tab, position_with(game, action))
        panel = tab.page.locator("[data-panel]", has=tab.page.locator(f'[data-place="{place}"]'))
        expect(panel.locator("[class$=lg]").first).to_be_in_viewport()
        expect(tab.page.locator(".who")).to_contain_text(words[surrounding.language == "de"])


@fault("firefox", "middle")
def test_i_do_not_know_answers_one_question(tab):
    at, move = end_of_quarter()
    show(tab, position_files.dumps(position_files.position_file(at, 0)))
    enter(tab, move.action)
    heading = tab.page.locator("dialog h3")
    keys = [ask.key for ask in following.FollowedGame(at, 0).asks(move.action)]
    press(tab, "unknown")
    expect(heading).to_contain_text(f"2/{len(keys)}")
    press(tab, "back")
    expect(heading).to_contain_text(f"1/{len(keys)}")
    press(tab, "on")
    for key in keys[1:]:
        answer(tab, move.reveals[key])
        press(tab, "on")
    tab.at(1)
    tree = tab.served.page.folder.find(tab.page.url.split("#")[1].split("/")[0]).tree
    stored = tree.nodes[1].reveals
    assert {key: stored[key] for key in keys[1:]} == {key: move.reveals[key] for key in keys[1:]}
    assert len(stored[keys[0]]) == len(move.reveals[keys[0]])


def contradicts(at, reveals):
    """Return whether the answers `reveals` to the questions of a hidden move are impossible."""
    try:
        following.FollowedGame(at, 0).asks(None, reveals)
    except TrajanError:
        return True
    return False


@cache
def wrong_answers():
    """Return a position, the move made there, and a wrong answer to the move's first question."""
    steps = steps_of("forum_trajanum")
    at, move = next(step for step in steps if len(step[1].reveals.get("took 1", ())) > 1)
    _, *others = move.reveals["took 1"]
    cells = next(ask for ask in following.FollowedGame(at, 0).asks() if ask.key == "took 1").names
    paid = move.reveals.get("paid 1", [])
    wrong = next(
        cell for cell in cells if contradicts(at, {"took 1": [cell, *others], "paid 1": paid})
    )
    return at, move, wrong


@fault("chromium", "phone")
def test_the_answer_that_cannot_be_is_marked(tab, surrounding):
    at, move, wrong = wrong_answers()
    show(tab, position_files.dumps(position_files.position_file(at, 0)))
    enter(tab, UNSEEN)
    dialog, (first, *others) = tab.page.get_by_role("dialog"), move.reveals["took 1"]
    answer(tab, [wrong, *others])
    press(tab, "on")
    answer(tab, move.reveals.get("paid 1", []))
    press(tab, "on")
    words = {"en": "contradict what you knew", "de": "widersprechen dem, was du schon wusstest"}
    expect(dialog.get_by_role("alert")).to_contain_text(words[surrounding.language])
    expect(dialog.locator("h3")).to_contain_text("1/2: ")
    expect(dialog.locator(".wrong")).to_contain_text("✗")
    expect(dialog.locator(".wrong")).to_have_attribute("data-key", "place 0")
    tab.accessible()
    assert "took 1" not in dialog.inner_text()
    press(tab, "place 0")
    expect(dialog.locator(".wrong")).to_have_count(0)
    answer(tab, [first])
    press(tab, "on")
    press(tab, "on")
    expect(dialog.get_by_role("alert")).to_have_count(0)


@fault("firefox", "phone")
def test_the_ranking_breaks_no_words_and_shows_no_figure_that_is_hardly_known(tab):
    page = tab.page
    show(tab, golden_line(), 99)
    search(tab, lambda best: best.update(win=0.02, win_error=0.67))
    best = page.locator(".ranking tr.best").nth(1)
    expect(best.locator("td").nth(1)).to_have_text("?")
    expect(best.locator(".share")).to_have_count(0)
    second = page.locator(".ranking tbody").nth(1)
    win = second.locator("td").nth(3).inner_text()
    bar = second.locator(".share").evaluate("(bar) => bar.style.getPropertyValue('--share')")
    assert abs(float(bar.rstrip("%")) - int(re.match(r"\d+", win)[0])) <= 0.5
    expect(page.locator(".ranking .what").first).to_have_css("overflow-wrap", "normal")
    wide = "(cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length"
    assert page.locator(".ranking td").evaluate_all(wide) == 0


@fault("chromium", "wide")
def test_what_was_undone_is_folded_below_the_line_that_is_shown(tab):
    page = tab.page
    tab.open_game(before_bots(players=2))
    start = tab.node()
    decide(tab)
    rows = page.locator(".logs > .scroll > .log > li:not(.branch)")
    before = rows.count()
    take_back(tab, start)
    page.locator(".legal .move").nth(1).dispatch_event("click")
    expect(page.locator(".branch details")).to_have_count(1)
    assert page.locator(".branch details[open]").count() == 0
    assert page.locator(".branch [aria-current]").count() == 0
    expect(page.locator(".who")).to_contain_text(tr("Your turn: {instruction}", instruction=""))
    turns = [text.split()[0] for text in rows.locator(".turn").all_inner_texts()]
    assert len(turns) == len(set(turns))
    assert len(turns) <= before + 1


# Returns the texts of the board, also in symbols, whose font is smaller than `least` pixels.
TINY = """(least) => [...document.querySelectorAll('.board :is(text, use)')].flatMap((one) => {
    const id = one.getAttribute('href')?.slice(1);
    const text = id ? document.getElementById(id)?.querySelector('text') : one;
    if (!text || one.closest('[hidden], defs')) return [];
    const pixels = one.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize);
    return pixels < least - 0.05 ? [[text.textContent, pixels]] : [];
  })"""


@fault("firefox", "wide")
def test_no_text_of_the_board_is_tiny(tab, surrounding):
    for game in GAMES:
        show(tab, golden_line(game, "4p"), 120)
        tab.page.locator(".board[data-arranged]").wait_for()
        assert tab.page.evaluate(TINY, 12 if surrounding.is_phone else 11) == []


@fault("chromium", "middle")
def test_the_table_of_kinds_names_them_in_words(tab, surrounding, monkeypatch):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 10)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 20)
    page = tab.page
    entry = golden("forum_trajanum")
    show(tab, golden_line("forum_trajanum"), len(entry["actions"]))
    page.get_by_role("button", name=tr("Analyse this game")).dispatch_event("click")
    table = page.locator(f'[data-what="{tr("VP lost by part and kind")}"]')
    table.evaluate("(one) => (one.open = true)")
    expect(table.locator("th").first).to_have_text(tr("phase"))
    kinds = table.locator("table").last.locator("tbody tr > :first-child").all_inner_texts()
    assert len(kinds) > 10
    if surrounding.language == "de":
        assert [kind for kind in kinds if not re.match("[A-ZÄÖÜ]", kind)] == []


@fault("firefox", "wide")
def test_tips_are_about_the_piece_that_is_pointed_at(tab, surrounding):
    tips = read_tips(trajan_ai.game("trajan").rules.tips)
    show(tab, golden_line(), 99)
    tip = explained(tab, surrounding, "camp 0 workers")
    expect(tip).to_contain_text(tips["camp workers"])
    expect(tip).not_to_contain_text(tips["camp legionnaires"])


@fault("firefox", "middle")
def test_pieces_have_labels_and_tips_where_nothing_is_to_decide(tab, surrounding):
    page = tab.page
    for game, place in (("trajan", "tray 0 IV"), ("forum_trajanum", "slider 0")):
        show(tab, golden_line(game), len(golden(game)["actions"]))  # the game is over
        bare = ".table [data-place]:not([aria-label][role]):not([hidden] *)"
        assert page.locator(bare).count() == 0
        assert page.locator(".table [data-place][aria-label]").count() > 100
        assert page.locator(".table [data-place][role=img]").count() > 50
        close = page.locator(".result .close")
        if close.is_visible():
            tap(close, surrounding)
        label = page.locator(f'.board [data-place="{place}"]').get_attribute("aria-label")
        tip = explained(tab, surrounding, place)
        expect(tip.locator("strong")).to_have_text(label)
        tab.accessible()


@fault("chromium", "wide")
def test_the_ranking_says_what_its_figures_assume(tab):
    show(tab, golden_line(), 99)
    search(tab, lambda best: None)
    ranks = tab.page.locator(".ranks")
    expect(ranks).to_contain_text(tr(
        "All figures assume that everybody continues to play as well as the engine, so the VP "
        "can be much higher than what an easy bot scores."
    ))  # fmt: skip
    legend = ranks.locator(".legend")
    legend.locator("summary").click()
    for name in ("Win", "VP", "Margin", "Roll out", "iterations", "Verified"):
        expect(legend.get_by_text(tr(name), exact=True)).to_be_visible()
    expect(ranks).to_contain_text(tr(
        "The bot's own choice usually comes first; the margin, not the VP, orders the other moves."
    ))  # fmt: skip


@fault("firefox", "middle")
def test_practice_begins_with_the_puzzle_of_the_day_and_counts_it(tab, monkeypatch):
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 2000)
    page, levels = tab.page, tab.served.page.practice.progress.levels
    for tree, vp in (("a", 91.0), ("b", 99.5)):
        levels[tree] = GameLevel(
            tree=tree, game="trajan", players=2, day="2026-02-01", vp=vp, error=9.0
        )
    tab.open("#practice")
    tab.board()
    assert [text for text in page.evaluate(TEXTS) if NUMBERED.search(text or "")] == []
    daily = practice.daily_puzzle(practice.today(), "trajan", 0)
    expect(page).to_have_url(re.compile(f"#practice/{daily}$"))
    groups = page.locator(".logs summary").all_inner_texts()
    assert groups[0].startswith(tr("Puzzles: {difficulty}", difficulty=tr("easy")))
    page.locator(".levels summary").click()
    expect(page.locator(".levels circle")).to_have_count(2)
    expect(page.locator(".levels li").last).to_contain_text("100 ± 9")
    page.locator(".board[data-arranged]").wait_for()
    for action, verdict in (
        (wrong_answer(tab, daily), "problem"), (practice.puzzles()[daily].right[0], "right"),
    ):  # fmt: skip
        answer_exercise(tab, daily, action)
        expect(page.locator(f".verdict .{verdict}")).to_be_visible()
        tab.accessible()
    expect(page.locator(".daily")).to_contain_text("✓")
    tab.open()
    expect(page.locator(".day .daily")).to_contain_text("✓")
    expect(page.locator(".habit small")).to_contain_text(": 1")
    tab.accessible()


@fault("chromium", "wide")
def test_tips_about_goods_say_when_they_score(tab, surrounding):
    tips = read_tips(trajan_ai.game("trajan").rules.tips)
    show(tab, golden_line(), 99)
    piece = tab.page.locator('.board [data-place^="display "]').first
    tip = explained(tab, surrounding, piece.get_attribute("data-place"))
    expect(tip).to_contain_text(tips["display"])
    expect(tip).not_to_contain_text("1 VP")


@fault("firefox", "middle")
def test_an_address_opens_a_position_and_stores_nothing_before(tab, surrounding):
    page = tab.page
    show(tab, golden_line("forum_trajanum"), 60)
    tap(page.get_by_role("button", name=tr("Share the position")), surrounding)
    tab.accessible()
    address = page.get_by_label(tr("Address")).input_value()
    assert len(address) < 3000
    before = [*tab.served.page.folder.path.iterdir()]
    page.goto(address)
    expect(page.locator(".shared .table svg")).to_be_visible()
    tab.accessible()
    assert [*tab.served.page.folder.path.iterdir()] == before
    tap(page.get_by_role("button", name=tr("Analyse it")), surrounding)
    expect(page).to_have_url(re.compile(r"#[0-9a-f]{16}/0$"))
    id = page.url.split("#")[1].split("/")[0]
    shared = tab.served.page.folder.find(id).tree
    position = records.replay(golden("forum_trajanum"), 60)
    assert shared.observer == position.player
    assert shared.root.view(shared.observer) == position.view(position.player)
    tab.open()
    tap(page.get_by_role("button", name=tr("Enter a position")), surrounding)
    expect(page.locator(".checked svg")).to_be_in_viewport()
    assert "game: " in page.locator("#position").input_value()


# Delays the calls of observers. On an idle machine they happen at once, but on a busy one only
# after everything is shown.
LATE_OBSERVER = """(() => {
  const Original = ResizeObserver;
  window.ResizeObserver = class extends Original {
    constructor(call) { super((...all) => setTimeout(() => call(...all), 400)); }
  };
})()"""


@fault("chromium", "phone")
@pytest.mark.parametrize("late", [False, True], ids=["quiet", "busy"])
def test_a_panel_that_is_raised_at_first_stays(tab, surrounding, late):
    if late:
        tab.page.add_init_script(LATE_OBSERVER)
    show(tab, golden_line(), 97)  # player 1 decides, but the board of player 0 comes first
    drawing = tab.page.locator(
        ".board svg", has=tab.page.locator('[data-place^="tray 1"]:visible')
    )
    expect(drawing.first).to_be_visible()
    drawing.first.evaluate("(svg) => (svg.dataset.first = 'yes')")
    tab.page.wait_for_timeout(700)  # longer than the callback and its consequences take
    expect(tab.page.locator('svg[data-first] [data-place^="tray 1"]').first).to_be_visible()
