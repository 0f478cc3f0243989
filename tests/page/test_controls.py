"""Controls keep their places at every decision, in a headless browser."""

import random
from functools import cache

import pytest
from browser_tab import PHONE, WIDE, by_server, expect, in_browser
from test_board import GAMES
from test_choices import position_with

from trajan_ai.page.game_tree import start_game
from trajan_ai.page.visible_tree import VisibleTree

pytestmark = [*in_browser, by_server]

# Returns the places of the controls, of the lists below the choices, of the choices that do
# something, and of the choices that decline something; also returns the texts that are clipped.
PLACES = """() => {
  const box = (one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return [left, top + scrollY, right, bottom + scrollY].map(Math.round);
  };
  const boxes = (selector) => [...document.querySelectorAll(selector)].map(box);
  const isClipped = (one) =>
    one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
  return {
    controls: boxes('.now > .buttons > *'),
    below: boxes('main > :is(.ranks, .legal-moves, .logs)'),
    positive: boxes('.choices > :not(.plain)'),
    negative: boxes('.choices > .plain'),
    clipped: [...document.querySelectorAll('.who, .choices, .choices > *')]
      .filter(isClipped).map((one) => one.textContent),
  };
}"""


@cache
def game_of_choices(game, players):
    """Return a game against bots, and one node for each kind of decision of the user."""
    tree, choose = start_game(game, [None] + ["greedy"] * (players - 1), 5, {}), random.Random(5)
    node, kinds = 0, {}
    while tree.position(node).player is not None:
        position = tree.position(node)
        actions = position.legal()
        if position.player == 0:
            kinds.setdefault((*sorted({a.split()[0] for a in actions}), len(actions) > 6), node)
        node = tree.add(node, choose.choice(actions))
    visible = VisibleTree(tree)
    return tree, [visible.number(node) for node in kinds.values()]


def overlap(one, other):
    left, top, right, bottom = one
    return left < other[2] and other[0] < right and top < other[3] and other[1] < bottom


REASONS = """async (cases) => {
  const { Ranking } = await import('./static/ranking.js');
  const lines = (sources) => Ranking.prototype.reason({ sources });
  return cases.map((sources) => lines(sources).map((one) => one.textContent).join(''));
}"""


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_column_keeps_its_places_and_a_refusal_is_never_below_the_pointer(
    tabs, game, players, locale
):
    tab = tabs(WIDE, locale=locale)
    tree, nodes = game_of_choices(game, players)
    tab.served.page.folder.add(tree)
    tab.open(f"#{tree.id}/0")
    tab.board()
    results = []
    for node in nodes:
        if tab.node() != node:
            tab.go(node)
        tab.page.wait_for_function("document.querySelector('.board svg')")
        results.append(tab.page.evaluate(PLACES))
    assert len(results) > 10
    for part in ("controls", "below"):
        assert len({str(one[part]) for one in results}) == 1, part
    assert [one["clipped"] for one in results if one["clipped"]] == []
    refusals = [box for one in results for box in one["negative"]]
    assert refusals
    assert all(len(one["negative"]) < 2 for one in results)
    offers = [box for one in results for box in one["positive"]]
    assert not any(overlap(one, other) for one in refusals for other in offers)


WHOLE_LINES = """() => {
  const list = document.querySelector('.strip ol');
  const row = parseFloat(getComputedStyle(list).lineHeight);
  const isWhole = (height) => Math.abs(height / row - Math.round(height / row)) < 0.06;
  const isSeen = list.scrollHeight <= list.clientHeight + 1;
  const isAtStart = list.scrollTop === 0;
  const lines = list.clientHeight / row;
  return { isWhole: isWhole(list.clientHeight), isSeen, isAtStart, lines };
}"""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_turns_of_others_are_seen_from_their_beginning_in_whole_lines(tabs, game, size):
    tab = tabs(size)
    tree, _ = game_of_choices(game, 2)
    visible = VisibleTree(tree)
    starts = [
        visible.number(node)
        for node in range(1, len(tree.nodes))
        if tree.position(node).player == 0 and tree.nodes[node].player == 1
    ]
    tab.served.page.folder.add(tree)
    tab.open(f"#{tree.id}/{starts[0]}")
    tab.board()
    results = []
    for start in starts[4::5]:
        tab.go(start)
        results.append(tab.page.evaluate(WHOLE_LINES))
    assert all(one["isWhole"] and one["isAtStart"] for one in results)
    if size is WIDE:
        assert all(one["isSeen"] or one["lines"] > 11 for one in results)


def test_the_log_lists_what_happened_below_the_decision_that_caused_it(tab):
    tree, _ = game_of_choices("trajan", 2)
    visible = VisibleTree(tree)
    events = visible.events(0)
    causes = [n for n, one in enumerate(events) if any(e.name == "fulfil" for e in one)]
    assert causes
    tab.open_game(tree)
    for node in causes[:5]:
        below = tab.page.locator(f'.log [data-node="{node}"] + .events')
        expect(below).to_contain_text("fulfils the Trajan tile")
    lists = tab.page.locator(".log .events", has_text="fulfils the Trajan tile")
    expect(lists).to_have_count(len(causes))


@pytest.mark.parametrize("locale", ["en", "de"])
def test_the_figures_of_the_best_move_have_tips(tabs, locale):
    tab = tabs(WIDE, locale=locale)
    tree = start_game("trajan", [None, "greedy"], 5, {"markers": "random"})
    tab.open_game(tree)
    suggest = tab.page.locator(".now .main")
    width = suggest.bounding_box()["width"]
    tab.page.keyboard.press("s")
    expect(suggest).to_have_text("Stop" if locale == "en" else "Halt")
    assert suggest.bounding_box()["width"] == width, "what is beside it stays"
    expect(tab.page.locator("table.ranking")).to_be_visible()
    tab.page.keyboard.press("s")
    figures = tab.page.locator(".ranking tr:not(:has(.what)) td")
    titles = figures.evaluate_all("all => all.slice(1, 4).map((one) => one.title)")
    assert len({*titles} - {""}) == 3
    gains = {"construction": 2.4, "senate": 0.9, "total": 5.0}
    sources = [{"name": name, "others": [-vp]} for name, vp in gains.items()]
    reasons = tab.page.evaluate(REASONS, [sources, sources[1:]])
    assert "#2" in reasons[0]
    assert reasons[0].count("(") == 1, "a source, and no total"
    assert reasons[1] == ""


def test_cards_to_display_and_goods_to_ship_are_among_the_buttons(tabs):
    tab = tabs(WIDE)
    tab.load(position_with("trajan", r"play \w+ play \w+ play \w+ .*ship"))
    options = tab.page.locator("dialog .legal .move")
    for name, start in (("Display cards", "Display"), ("Ship goods", "Ship")):
        tab.page.locator(".choices").get_by_role("button", name=name, exact=True).click()
        expect(options.first).to_be_visible()
        assert options.count() > 2
        texts = options.all_inner_texts()
        assert all(text.startswith(start) for text in texts), texts
        tab.page.keyboard.press("Escape")
    tab.accessible()


COVERED_PILES = """(dialog) => {
  const box = dialog.getBoundingClientRect();
  return [...document.querySelectorAll('.table [data-place^="pile "]')].filter((pile) => {
    const { left, right, top, bottom } = pile.getBoundingClientRect();
    return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
  }).map((pile) => pile.dataset.place);
}"""


def test_a_card_to_discard_names_the_card_that_it_covers(tabs):
    tab = tabs(WIDE)
    tab.load(position_with("trajan", r"discard \w+ right"))
    place = tab.page.locator(".board [data-choices]").first
    place.dispatch_event("click")
    dialog = tab.page.locator("dialog")
    expect(dialog.locator("h2")).to_have_text("On which pile do you discard it?")
    expect(dialog.locator(".leads").first).to_contain_text("The card covers")
    covered = tab.page.locator("dialog").evaluate(COVERED_PILES)
    assert covered == [], "the piles stay in sight"
