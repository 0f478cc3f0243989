"""Answers that arrive late or report a problem, in a headless browser."""

import pytest
from browser_tab import by_server, expect, in_browser
from golden_games import golden_line, short_game

from trajan_ai.core.languages import tr, use_language
from trajan_ai.page import practice
from trajan_ai.page.game_tree import open_record, start_game

pytestmark = [*in_browser, by_server]

WAIT = 2000  # milliseconds in which the page would ask again for the progress of an analysis


def hold(page, pattern):
    """Hold the requests to an address; return a function that lets the next request pass."""
    late = []
    page.route(pattern, lambda route: late.append(route))  # noqa: PLW0108

    def release():
        while not late:
            page.wait_for_timeout(10)
        route = late.pop(0)
        with page.expect_response(route.request.url):
            route.continue_()

    return release


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", ["Edit the position", "Share the position"])
def test_the_position_of_a_deleted_game_is_reported_as_missing(tabs, name, language):
    tab = tabs(locale=language)
    tree = start_game("trajan", [None, None], 1, {})
    tab.open_game(tree)
    tab.served.page.folder.delete(tree.id)
    with use_language(language):
        tab.page.get_by_role("button", name=tr(name)).dispatch_event("click")
        missing = tr("There is no such game. Was it deleted?")
    expect(tab.page.locator("#notice")).to_have_text(missing)
    expect(tab.page.locator("dialog")).not_to_be_visible()


def test_of_two_exercises_the_one_requested_last_is_shown(tab):
    page = tab.page
    first, last = (
        next(one.id for one in practice.puzzles().values() if one.position["game"] == game)
        for game in ("trajan", "forum_trajanum")
    )
    release = hold(page, f"**/api/practice/{first}")
    tab.open(f"#practice/{first}")
    expect(page.locator("#only")).to_be_attached()
    page.evaluate("(id) => (location.hash = `practice/${id}`)", last)
    task = page.locator(".task")
    expect(task).to_contain_text("Forum Trajanum")
    release()
    page.wait_for_timeout(100)
    expect(task).to_contain_text("Forum Trajanum")
    with page.expect_request(f"**/api/practice/{last}/answer"):
        page.keyboard.press("a")


def test_an_exercise_is_answered_while_another_one_is_loaded(tab):
    page = tab.page
    first, last = [*practice.puzzles()][:2]
    tab.open(f"#practice/{first}")
    tab.board()
    release = hold(page, f"**/api/practice/{last}")
    page.evaluate("(id) => (location.hash = `practice/${id}`)", last)
    with page.expect_request(f"**/api/practice/{first}/answer"):
        page.keyboard.press("a")
    release()


def test_a_closed_game_asks_no_longer_for_its_analysis(tab):
    page, requests = tab.page, []
    tree = open_record(short_game())
    tree.here = len(tree.nodes) - 1
    release = hold(page, "**/api/trees/*/review")
    tab.open_game(tree)
    page.on("request", lambda one: one.url.endswith("/review") and requests.append(one))
    page.get_by_role("button", name="Analyse this game").dispatch_event("click")
    while not requests:
        page.wait_for_timeout(10)
    page.evaluate("location.hash = ''")
    expect(page.locator(".board")).to_have_count(0)
    release()
    page.wait_for_timeout(WAIT)
    assert len(requests) == 1


def test_another_position_may_be_requested_before_the_first_is_shown(tab):
    page = tab.page
    with tab.served.client() as client:
        id = client.post("/api/load", json={"text": golden_line()}).json()["id"]
    release = hold(page, "**/api/trees/*/at")
    tab.open(f"#{id}/3")
    expect(page.locator(".board")).to_be_attached()
    page.evaluate("(id) => (location.hash = `${id}/5`)", id)
    release()
    page.unroute("**/api/trees/*/at")
    tab.at(5)
    tab.board()
