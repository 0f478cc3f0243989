"""Practising after a game, and the exercises, in a headless browser."""

import json
import re

from browser_tab import by_server, expect, in_browser
from golden_games import golden_line
from started_games import play_first_moves

from trajan_ai.analysis.annotation import judging
from trajan_ai.page import practice, reviews
from trajan_ai.page.game_tree import start_game

pytestmark = in_browser


@by_server
def test_a_finished_game_teaches(tabs, monkeypatch):
    """The page states which decisions were judged, can reveal all cards, and lets the user retry
    mistakes."""
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 20)
    monkeypatch.setattr(judging, "ANNOTATION_ITERATIONS", 1000)
    monkeypatch.setattr(practice, "PRACTICE_ITERATIONS", 2000)
    tab = tabs()
    page = tab.page
    options = {"lap_length": 2, "markers": "random"}
    tab.open_game(play_first_moves(start_game("trajan", [None, "level-80"], 4, options)))
    analysis = page.locator(".analysis")
    practise = page.get_by_role("link", name="Learn from your mistakes")
    expect(practise).to_be_visible(timeout=60_000)
    expect(analysis).to_contain_text("Not judged: those of other players")
    page.locator(".analysis details").evaluate_all("all => all.forEach((one) => one.open = true)")
    expect(analysis).to_contain_text("+ rest, with others' errors")
    expect(analysis.locator("table").first.locator("tbody tr")).to_have_count(1)

    page.keyboard.press("m")  # from the end of the game
    expect(page.locator(".story .bad")).to_be_visible()
    mistakes = page.locator(".jump")
    turn, node = re.search(r"turn (\d+) #(\d+)", mistakes.first.inner_text()).groups()
    mistakes.first.click()
    tab.at(int(node))  # the address contains the same number
    row = page.locator(f'.log li:has([data-node="{int(node) + 1}"]) .turn').last
    assert row.inner_text() == turn
    tab.accessible()

    page.get_by_role("button", name="Reveal all cards and judge every player").click()
    expect(practise).to_be_visible(timeout=60_000)
    expect(analysis.locator("table").first.locator("tbody tr")).to_have_count(2)
    expect(analysis).not_to_contain_text("Not judged")

    practise.click()
    expect(page.locator(".who")).to_contain_text("Mistake 1 of ")
    count = int(re.search(r"Mistake 1 of (\d)", page.locator(".who").inner_text())[1])
    assert 1 <= count <= practice.MAX_MISTAKES
    for number in range(count):
        expect(page.locator(".who")).to_contain_text(f"Mistake {number + 1} of {count}")
        exercise = tab.served.page.practice.find(page.url.rpartition("/")[2])
        page.locator("details.legal-moves").evaluate("one => one.open = true")
        page.locator(f'.legal [data-action="{exercise.tried}"]').click()
        expect(page.locator(".verdict .problem")).to_contain_text("Try again")
        page.locator(f'.legal [data-action="{exercise.right[0]}"]').click()
        expect(page.locator(".verdict .right")).to_be_visible()
        expect(page.locator(".verdict .reason").first).to_be_visible()
        page.keyboard.press("n")
    expect(page.locator(".verdict")).to_contain_text("All of these are solved")
    tab.accessible()


def search(tab, change):
    """Search a decision, and show the result after `change` has changed the best move in it."""

    def answer(route):  # in Firefox, a handler cannot read the body of the request
        body = {"node": tab.node(), "seconds": 3}
        with tab.served.client() as client:
            answered = client.post(route.request.url, json=body)
        ranking = json.loads(answered.text.splitlines()[-1])
        change(ranking["moves"][0])
        route.fulfill(body=f"{json.dumps(ranking)}\n", content_type="application/json")

    tab.page.locator("#seconds").select_option("3")
    tab.page.route("**/search*", answer)
    tab.page.keyboard.press("s")


@by_server
def test_a_turn_with_equal_continuations_names_none(tab):
    page = tab.page
    tab.load(golden_line(), 99)
    search(tab, lambda best: best["turn"].update(undecided=True))
    line = page.locator(".ranking .best .line:not(.reason)")
    expect(line).to_contain_text("then several continuations are about equal")
