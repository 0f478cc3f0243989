"""The turns of the other players, which users see as they happen and can step through."""

import asyncio
import random
import re
from itertools import pairwise

import pytest
from browser_tab import PHONE, WIDE, by_server, expect, in_browser
from started_games import cut_after, play_first_moves

from trajan_ai.core.languages import tr
from trajan_ai.page.game_tree import start_game

pytestmark = in_browser
STEPS = "all => all.map((step) => step.innerText)"
# Returns the height of a list, the height of a line in the list, and the list's background.
LINES = """(list) => {
  const { lineHeight, backgroundImage } = getComputedStyle(list);
  return [list.clientHeight, parseFloat(lineHeight), backgroundImage];
}"""


def before_bots(game="trajan", players=4):
    """Return a game at a decision of the user that is followed by turns of all other players."""
    tree = start_game(game, [None] + ["greedy"] * (players - 1), 5, {})
    play_first_moves(tree, lambda position: position.turn >= 3 * players)
    movers = [tree.position(node).player for node in range(len(tree.nodes))]
    ends = [
        node
        for node, (mover, after) in enumerate(pairwise(movers))
        if mover == 0 != after and tree.forced_action(node) is None
    ]
    return cut_after(tree, ends[-1])


def take_back(tab, to):
    """Go back to the previous decision, even if something has been revealed since."""
    tab.page.get_by_role("button", name=tr("Undo")).click()
    confirm = tab.page.locator("dialog").get_by_role("button", name=tr("Take it back"))
    if confirm.is_visible():
        confirm.click()
    tab.at(to)


def decide(tab):
    """Click the first legal move in the list, and wait until the user must decide again."""
    before = tab.page.url
    tab.page.locator(".legal .move").first.dispatch_event("click")
    tab.page.wait_for_function("(before) => location.href !== before", arg=before)
    expect(tab.page.locator(".strip [aria-pressed=true]")).to_have_count(1)
    expect(tab.page.locator(".who")).to_contain_text(
        tr("Your turn: {instruction}", instruction="")
    )


@by_server
def test_a_step_names_the_other_players_whom_it_concerns(tab):
    tab.open_game(start_game("trajan", [None, "greedy"], 3, {}))
    who, step = tab.page.locator(".who"), tab.page.locator(".strip [data-step]").last
    for left in range(12, 2, -1):  # then everybody gets a bonus tile
        expect(who).to_contain_text(f"({left} left)")
        tab.page.locator(".legal .move").first.dispatch_event("click")
    parts = step.locator(".part", has_text="gets the bonus tile")
    expect(parts).to_have_count(2)
    expect(step).to_contain_text("puts white into tray")
    expect(parts.first).to_contain_text("You: gets")
    # Without the name, the second bonus tile would seem to be the user's as well.
    expect(parts.last).to_contain_text("Bot")


@by_server
@pytest.mark.parametrize("ender", [0, 1])  # the user, or the other player
def test_the_end_of_a_quarter_is_listed_apart_and_leads_to_the_board_before_it(tab, ender):
    tree = start_game("trajan", [None, "greedy"], 3, {})
    node, events = 0, []
    while not any(event.name == "count_votes" and node for event in events):
        position = tree.position(node)
        events = position.events(position.legal()[0], 0) if position.player == ender else []
        before, node = node, tree.add(node, position.legal()[0])
    tree.here = node
    page = tab.page
    tab.open_game(tree)
    end = page.locator(".strip .end")
    expect(end.locator("dt")).to_have_count(2)
    expect(end.locator("dd").first).to_contain_text("votes in the senate")
    losers = {event.player for event in events if event.vp < 0}  # other players have no VP to add
    expect(end.locator("dt .vp")).to_have_count(len(losers))
    expect(page.locator(".strip [data-step]").last).not_to_contain_text("votes in the senate")
    end.get_by_role("button", name="the board before it").dispatch_event("click")
    tab.at(before)


@by_server
def test_an_end_that_the_user_began_is_summed_from_its_beginning(tab):
    tree, generator = start_game("trajan", [None, "greedy"], 9, {}), random.Random(9)
    node, own = 0, []
    while (position := tree.position(node)).player is not None:
        mover, action = position.player, generator.choice(position.legal())
        events = position.events(action, 0)
        own = events if mover == 0 else own
        node = tree.add(node, action)
    assert mover == 1  # player 1 chose a bonus tile after the user's last decision
    names = [event.name for event in own]
    ending = [*own[names.index("miss_demands") :], *events]
    tree.here = node
    tab.served.page.folder.add(tree)
    tab.open(f"#{tree.id}/{node}")
    totals = tab.page.locator(".strip .end dt .vp")
    expect(totals).to_have_count(2)
    sums = [sum(event.vp for event in ending if event.player == player) for player in (0, 1)]
    assert [int(text.replace("−", "-")) for text in totals.all_inner_texts()] == sums


@by_server
def test_what_was_revealed_asks_once_before_it_is_taken_back_and_is_marked(tab):
    page, question = tab.page, tab.page.locator("dialog")
    undo, branch = page.get_by_role("button", name="Undo"), page.locator(".branch summary")
    tab.open_game(start_game("trajan", [None, "greedy"], 5, {"markers": "random"}))
    drawing = page.locator('.legal .move:has(code:text-is("goods deck"))')
    drawing.dispatch_event("click")
    tab.at(1)
    undo.click()
    expect(question).to_contain_text("You have seen what was drawn")
    tab.accessible()
    question.get_by_role("button", name="Play on").click()
    tab.at(1)
    undo.click()
    question.get_by_role("button", name="Take it back").click()
    tab.at(0)
    page.locator('.legal .move:has(code:text-is("goods left"))').dispatch_event("click")
    expect(branch).to_contain_text("Taken back: ")
    expect(branch).to_contain_text("after something was revealed")
    page.locator('.log [data-node="1"]').dispatch_event("click")
    tab.at(1)
    undo.click()
    tab.at(0)


def swipe(page, start, end, y):
    """Move a finger across the page."""
    fingers = page.context.new_cdp_session(page)
    for kind, x in (("Start", start), ("Move", (start + end) / 2), ("Move", end), ("End", None)):
        points = [] if x is None else [{"x": x, "y": y}]
        event = {"type": f"touch{kind}", "touchPoints": points}
        fingers.send("Input.dispatchTouchEvent", event)


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_swipe_leads_to_the_board_of_the_next_player(tabs, game):
    tab = tabs(PHONE, has_touch=True)
    page, raised = tab.page, tab.page.locator(".raised [data-panel]")
    tab.open_game(before_bots(game, players=3))
    node, own = tab.node(), page.locator('[data-panel="board of player 0"]')
    y = own.bounding_box()["y"] + 150
    for seat in (1, 2):
        swipe(page, 330, 60, y)
        expect(raised).to_have_attribute("data-panel", f"board of player {seat}")
    swipe(page, 330, 60, y)
    expect(raised).to_have_count(0)
    expect(own).to_be_in_viewport()
    swipe(page, 60, 330, y)
    expect(raised).to_have_attribute("data-panel", "board of player 2")
    swipe(page, 200, 220, y)
    expect(raised).to_have_attribute("data-panel", "board of player 2")
    assert tab.node() == node


@by_server
def test_delayed_answers_and_every_speed_show_the_same_turns(tabs, monkeypatch):
    tab = tabs(WIDE)
    page, results = tab.page, []
    tab.open_game(before_bots(players=2))
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
        take_back(tab, start)
    assert results[0][1]
    assert all(one == results[0] for one in results)
    page.reload()
    tab.board()
    expect(page.get_by_label("Speed")).to_have_value("slow")


@by_server
def test_a_decision_before_an_answer_is_made_once_if_its_node_is_shown_then(tab):
    page = tab.page
    tab.open_game(before_bots(players=2))
    node, answers, decisions = tab.node(), [], []
    page.on("request", lambda request: "/play" in request.url and decisions.append(request))

    def hold(route):
        if "here" in route.request.post_data_json:
            route.continue_()  # a node that is only fetched in advance
        else:
            answers.append(route)

    def answer():
        while not answers:  # the page reports a request before the route holds it
            page.wait_for_timeout(10)
        answers.pop().continue_()

    page.route("**/api/trees/*/at*", hold)
    first = page.locator(".legal .move").first

    def asks(step):
        body = {"node": step, "view": None}
        return page.expect_request(lambda request: request.post_data_json == body)

    def show_and_decide(step):
        with asks(step):
            page.locator(f'.logs [data-node="{step}"]').dispatch_event("click")
        first.dispatch_event("click")
        first.dispatch_event("click")
        assert not decisions
        answer()

    show_and_decide(node - 2)  # the node in between has already been fetched
    tab.at(node - 2)
    with asks(node):
        page.locator(f'.logs [data-node="{node}"]').dispatch_event("click")
    answer()
    tab.at(node)
    assert not decisions
    show_and_decide(node)
    expect(page.locator(".strip [aria-pressed=true]")).to_have_count(1)
    expect(page.locator(".who")).to_contain_text("Your turn")
    assert len(decisions) == 1


@by_server
@pytest.mark.parametrize(("size", "has_touch"), [(PHONE, True), (WIDE, False)])
def test_the_whole_turns_of_the_others_open_over_the_board(tabs, size, has_touch):
    tab = tabs(size, has_touch=has_touch)
    page, strip = tab.page, tab.page.locator(".strip")
    tab.open_game(before_bots("forum_trajanum", players=4))
    decide(tab)
    everything = strip.locator(".all")
    steps, board = strip.locator("[data-step]"), page.locator(".board")
    assert everything.bounding_box()["height"] >= 40
    expect(everything).to_have_attribute("aria-expanded", "false")
    height, line, picture = strip.locator("ol").evaluate(LINES)
    assert height % line == 0, "only whole lines are seen"
    assert picture == "none", "no shade covers the last line"
    before = board.bounding_box()
    everything.click()
    expect(everything).to_have_attribute("aria-expanded", "true")
    assert board.bounding_box() == before, "nothing moves"
    tab.accessible()
    for step in steps.all():
        step.scroll_into_view_if_needed()
        expect(step).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(everything).to_have_attribute("aria-expanded", "false")
    everything.click()
    everything.click()
    expect(everything).to_have_attribute("aria-expanded", "false")
    everything.click()
    first = steps.first.get_attribute("data-step")
    steps.first.click()
    tab.at(int(first))
    expect(everything).to_have_attribute("aria-expanded", "false")
    expect(steps.first).to_have_attribute("aria-pressed", "true")
    assert board.bounding_box() == before
    everything.click()
    page.keyboard.press("End")  # back to the decision, for which the board is needed
    expect(everything).to_have_attribute("aria-expanded", "false")
    everything.click()
    page.locator(".legal .move").first.dispatch_event("click")  # makes the next decision
    expect(everything).to_have_attribute("aria-expanded", "false")


@by_server
def test_the_board_of_another_player_marks_the_whole_turn_on_a_phone(tabs):
    tab = tabs(PHONE, has_touch=True)
    page = tab.page
    tab.open_game(before_bots("forum_trajanum", players=2))
    decide(tab)
    page.locator(".strip li .move").first.click()
    marks = page.locator('.raised [data-panel="board of player 1"] .mark.last')
    expect(marks).not_to_have_count(0)  # even though a secret choice followed the marked turn


@by_server
def test_a_phone_shows_the_ranking_beside_the_board_and_a_tapped_move_on_both(tabs):
    tab = tabs(PHONE, has_touch=True)
    page, ranks = tab.page, tab.page.locator(".ranks")
    tab.open_game(start_game("trajan", [None, "greedy"], 5, {"markers": "random"}))
    page.locator(".raised .close").tap()  # of the panel with the first choice
    suggest = page.get_by_role("button", name="Suggest", exact=True)
    suggest.tap()
    card = page.locator(".ranking tbody").first
    expect(card).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Stop", exact=True).tap()
    tab.accessible()
    card.tap(position={"x": 300, "y": 5})  # beside the words
    expect(card).to_contain_text("Tap again to choose this.")
    marks = page.locator(".raised .mark.step")
    expect(marks.first).to_be_in_viewport()
    mark, top = marks.first.bounding_box(), ranks.bounding_box()["y"]
    assert mark["y"] + mark["height"] <= top
    tab.at(0)
    ranks.get_by_role("button", name="Close").tap()
    expect(ranks.get_by_role("button", name="Close")).to_be_hidden()
    expect(marks.first).to_be_in_viewport()
    suggest.tap()
    page.locator(".ranking tbody", has_text="Tap again").locator(".move").tap()
    page.wait_for_function("() => !location.hash.endsWith('/0')")
    expect(ranks.get_by_role("button", name="Close")).to_be_hidden()


def at_end_of_quarter():
    """Return a game at a decision by which the user ends a quarter and becomes consul.

    Also return the action that does so, and whether the votes are tied.
    """
    for seed in range(100):
        tree = start_game("trajan", [None, "greedy"], seed, {"markers": "random"})
        node, choose = 0, random.Random(seed)
        while tree.position(node).player is not None:
            position = tree.position(node)
            action = choose.choice(position.legal())
            events = position.events(action, 0)
            votes = {event.count for event in events if event.name == "count_votes"}
            if votes and (position.player, position.after(action).player) == (0, 0):
                tree.here = node
                return tree, action, len(votes) == 1
            if votes:
                break
            node = tree.add(node, action)
    raise AssertionError("no such quarter")


@by_server
@pytest.mark.parametrize(("size", "has_touch"), [(PHONE, True), (WIDE, False)])
def test_the_end_of_a_quarter_is_shown_before_the_bonus_tile_is_chosen(tabs, size, has_touch):
    tab = tabs(size, has_touch=has_touch)
    page, card = tab.page, tab.page.locator(".ending")
    tree, action, is_tied = at_end_of_quarter()
    tab.open_game(tree)
    expect(card).to_be_hidden()
    board = page.locator(".board").bounding_box()
    page.locator(f'.legal .move:has(code:text-is("{action}"))').dispatch_event("click")
    expect(card.locator("h2")).to_have_text("quarter 1 ends")
    expect(card.locator("dt")).to_have_count(2)
    expect(card.locator("dd").first).to_contain_text("in the senate")
    reason = "wins the tie in the senate" if is_tied else "has the most votes"
    expect(card.locator("dd").first).to_contain_text(reason)
    assert page.locator(".board").bounding_box() == board, "nothing moves"
    tab.accessible()
    who = page.locator(".who")
    (who.tap if has_touch else who.click)()
    expect(card).to_be_hidden()
    page.locator(".log .events button").last.dispatch_event("click")
    expect(card.locator("h2")).to_have_text("quarter 1 ends")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    page.locator(".legal .move").first.dispatch_event("click")
    expect(card).to_contain_text("gold side up")
    expect(page.locator(".log .events button")).to_have_count(1)


def in_the_first_quarter():
    """Return a game at a decision after which the other player sows a tray."""

    def is_before_the_other(position):
        after = position.after(position.legal()[0])
        return after.turn > 8 and position.player == 0 and after.player == 1

    tree = start_game("trajan", [None, "greedy"], 5, {"markers": "random"})
    return play_first_moves(tree, is_before_the_other)


LAST_LINE = """() => {
    const lines = [...document.querySelectorAll(".log > li:last-child :is(.move, .events li)")];
    return Math.max(...lines.map((line) => line.getBoundingClientRect().bottom));
}"""


@by_server
def test_the_newest_line_of_the_log_is_in_the_window(tabs):
    tab = tabs(WIDE)
    page = tab.page
    tab.open_game(in_the_first_quarter())
    decide(tab)
    assert page.evaluate(LAST_LINE) <= 900
    for _ in range(3):
        before = tab.node()
        page.locator(".legal .move").first.dispatch_event("click")
        page.wait_for_function(f"() => !location.hash.endsWith('/{before}')")
        expect(page.locator(".who")).to_contain_text("Your turn")
        assert page.evaluate(LAST_LINE) <= 900


@by_server
def test_the_turn_of_another_player_says_where_the_last_marker_falls(tabs):
    tab = tabs(WIDE)
    page, strip = tab.page, tab.page.locator(".strip")
    tab.open_game(in_the_first_quarter())
    decide(tab)
    sown = strip.locator("[data-step]", has_text="sows tray").last
    expect(sown).to_contain_text("last marker into tray")
    tray = sown.inner_text().rpartition("into tray ")[2].partition(":")[0]
    marks = page.evaluate("""() => [...document.querySelectorAll(".mark.last")].map((mark) => {
        const { x, y, width, height } = mark.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    })""")
    box = page.locator(f'.board [data-place="tray 1 {tray}"]').bounding_box()
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert any(mark == pytest.approx(middle, abs=2) for mark in marks)
    others = page.locator('.board [data-place^="tray 1 "]').all()
    boxes = [one.bounding_box() for one in others]
    centres = [[b["x"] + b["width"] / 2, b["y"] + b["height"] / 2] for b in boxes]
    assert sum(any(m == pytest.approx(c, abs=2) for m in marks) for c in centres) == 1


@by_server
def test_the_tray_that_gets_the_next_marker_says_what_to_do(tab):
    def is_reached(position):
        return position.player == 0 and "next_tray" in position.view(0)["to_decide"]

    tree = start_game("trajan", [None, "greedy"], 3, {"markers": "random"})
    play_first_moves(tree, is_reached)
    tray = tree.position(tree.here).view(0)["to_decide"]["next_tray"]
    tab.open_game(tree)
    tab.page.locator(f'.board [data-place="tray 0 {tray}"]').dispatch_event("click")
    expect(tab.page.locator("#notice")).to_contain_text("what you choose goes here")


@by_server
def test_short_steps_of_a_long_turn_share_lines(tabs):
    tab = tabs(WIDE)
    tree = start_game("trajan", [None, "greedy"], 5, {"markers": "random"})
    node, dropped, choose = 0, 0, random.Random(5)
    while dropped < 4 or tree.position(node).player != 0:
        position = tree.position(node)
        action = choose.choice(position.legal())
        if position.player == 0 or action.startswith("sow"):
            dropped = 0
        dropped += position.player == 1 and action.startswith("drop")
        node = tree.add(node, action)
    tree.here = node
    tab.open_game(tree)
    drops = tab.page.locator(".strip [data-step]", has_text=" into ").all()[1:]
    assert len(drops) >= 4
    assert len({round(drop.bounding_box()["y"]) for drop in drops}) < len(drops)


@by_server
def test_the_rules_show_whose_they_are(tab):
    tab.open()
    expect(
        tab.page.locator("form").first
    ).to_be_visible()  # the buttons above it react from now on
    tab.page.locator("#rules").click()
    one_game, other_game = (
        tab.page.locator(f'.dialog-head [aria-pressed="{on}"]') for on in ("true", "false")
    )
    ground = "(one) => getComputedStyle(one).backgroundColor"
    assert one_game.evaluate(ground) != other_game.evaluate(ground)


@by_server
def test_an_own_decision_in_the_past_is_called_so_but_not_after_undo(tab):
    page, who = tab.page, tab.page.locator(".who")
    tab.open_game(start_game("trajan", [None, "greedy"], 5, {}))  # the players place the markers
    page.locator(".legal .move").first.dispatch_event("click")
    tab.at(1)
    expect(who).to_contain_text("Your turn")
    page.keyboard.press("ArrowLeft")
    tab.at(0)
    expect(who).to_contain_text("Looking back")
    page.get_by_role("button", name="Back to the current decision").click()
    tab.at(1)
    expect(who).to_contain_text("Your turn")
    page.keyboard.press("u")
    tab.at(0)
    expect(who).to_contain_text("Your turn")
    expect(page.get_by_role("button", name="Back to the current decision")).to_have_count(0)


@by_server
def test_a_demand_that_the_users_turn_reveals_is_listed_before_the_turns_of_the_others(tab):
    tree = start_game("trajan", [None, "greedy"], 5, {"markers": "random"})
    node, mover, is_revealed = 0, 0, False
    while not (is_revealed and mover == 1 and tree.position(node).player == 0):
        position = tree.position(node)
        mover, action = position.player, position.legal()[0]
        events = position.events(action, 0)
        is_revealed |= mover == 0 and any(event.name == "reveal_demand" for event in events)
        node = tree.add(node, action)
    tree.here = node
    tab.open_game(tree)
    expect(tab.page.locator(".strip li").first).to_have_text(
        re.compile(r"the round ends: a demand for \w+ is revealed")
    )
