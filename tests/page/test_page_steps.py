"""Steps through a game; the nodes next to the current one are fetched in advance."""

import pytest
from browser_tab import by_server, expect, in_browser
from golden_games import golden_line

from trajan_ai.page.game_tree import start_game

pytestmark = [*in_browser, by_server]
AT = "**/api/trees/*/at*"


class NodeRequests(list):
    """The page's requests for nodes."""

    def __init__(self, tab):
        self.page = tab.page
        self.page.on("request", lambda one: one.url.endswith("/at") and self.append(one))

    def await_sent(self, count):
        """Wait until `count` requests are sent."""
        while len(self) < count:
            self.page.wait_for_timeout(10)
        assert len(self) == count

    def await_answers(self, count):
        """Wait until `count` requests are answered."""
        self.await_sent(count)
        for one in self:
            one.response().finished()

    def bodies(self):
        return [one.post_data_json for one in self]


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_step_waits_for_no_answer(tab, game):
    requests = NodeRequests(tab)
    tab.load(golden_line(game), 40)
    # The first requests are for the beginning and the next node, the later ones for this node and
    # its neighbours.
    requests.await_answers(5)
    tab.page.route(AT, lambda route: None)  # never answered
    tab.page.keyboard.press("ArrowRight")
    tab.at(41)
    tab.page.keyboard.press("ArrowLeft")
    tab.at(40)
    requests.await_sent(7)
    assert requests.bodies()[2:] == [
        {"view": None, "node": 40},
        {"view": None, "node": 41, "here": 40},
        {"view": None, "node": 39, "here": 40},
        {"view": None, "node": 42, "here": 41},
        {"view": None, "node": 39, "here": 40},
    ]


def test_the_first_and_the_last_step_are_stored_too(tab):
    requests = NodeRequests(tab)
    tab.load(golden_line())
    requests.await_answers(2)  # also for the next node
    for count, key, node in ((3, "ArrowRight", 1), (4, "ArrowLeft", 0)):
        tab.page.keyboard.press(key)
        tab.at(node)
        requests.await_answers(count)
    id = tab.page.url.rpartition("#")[2].partition("/")[0]
    assert tab.served.page.folder.find(id).tree.here == 0


def test_another_view_is_fetched_again(tab):
    requests = NodeRequests(tab)
    tab.load(golden_line(), 40)
    requests.await_answers(5)
    tab.page.get_by_label("View").select_option("1")
    requests.await_answers(8)
    pairs = [(one["node"], one["view"]) for one in requests.bodies()[5:]]
    assert pairs == [(40, 1), (41, 1), (39, 1)]


def two_people(served):
    """Return the saved game of two people after three decisions."""
    tree = start_game("trajan", [None, None], 3, {})
    for node in range(3):
        tree.add(node, tree.position(node).legal()[0])
    served.page.folder.add(tree)
    return tree


def test_what_was_fetched_is_dropped_after_a_decision(tab):
    tree = two_people(tab.served)
    tab.open(f"#{tree.id}/1")
    tab.board()
    tab.page.locator(".legal .move").last.dispatch_event("click")
    tab.at(4)
    tab.page.keyboard.press("ArrowLeft")
    tab.at(1)
    expect(tab.page.locator(".log [data-node]")).to_have_count(4)


def test_decisions_of_another_tab_are_shown_after_a_step(tab):
    tree = two_people(tab.served)
    requests = NodeRequests(tab)
    tab.open(f"#{tree.id}/1")
    requests.await_answers(3)
    with tab.served.client() as client:
        action = tree.position(3).legal()[0]
        answer = client.post(f"/api/trees/{tree.id}/play", json={"node": 3, "action": action})
        assert answer.status_code == 200
    tab.page.keyboard.press("ArrowRight")
    tab.at(2)
    expect(tab.page.locator('.log [data-node="4"]')).to_have_count(1)
    assert tab.node() == 2
