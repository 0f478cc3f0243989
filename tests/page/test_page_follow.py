"""A game at a real table that is entered on a phone: questions, answers, and contradictions."""

import pytest
from browser_tab import PHONE, by_server, expect, in_browser
from golden_games import golden

from trajan_ai.core.shown_actions import UNSEEN
from trajan_ai.records import following, position_files

pytestmark = in_browser
# A value that changes with every answered click; it consists of the node, the named pieces and the
# questions.
STATE = """location.hash + document.querySelector('.who').innerText
  + (document.querySelector('dialog[open]')?.innerText ?? '')"""


# Returns whether a move has been made or has led to questions.
ANSWERED = """(node) => document.querySelector('dialog[open]')
  || Number(location.hash.split('/')[1]) >= node"""


def steps_of(game):
    """Return the positions of a game as player 0 sees them, each with the move made there."""
    return [step for step in following.witness(golden(game), 0) if step[1] is not None]


def end_of_quarter():
    """Return the position before the move that reveals the most, and the move."""
    steps = [s for s in steps_of("trajan") if not s[1].action.startswith("marker")]
    return max(steps, key=lambda step: len(step[1].reveals))


def enter(tab, action):
    """Make a move, on the board if it has a place there."""
    place = tab.page.locator(f'.board [data-action="{action}"]')
    before = tab.page.evaluate(STATE)
    if place.count() and action != UNSEEN:
        place.first.dispatch_event("click")
    else:
        offered = tab.page.locator(".legal .move").evaluate_all(
            "all => all.map((one) => (one.querySelector('code') ?? one).textContent.trim())"
        )
        if action not in offered:  # all cards of the move have been laid
            enter(tab, "done")
            return enter(tab, action)
        tab.page.locator(".legal .move").nth(offered.index(action)).dispatch_event("click")
    tab.page.wait_for_function(f"(before) => {STATE} !== before", arg=before)
    return None


def press(tab, key):
    """Press a button of the dialog with the questions."""
    tab.page.locator(f'dialog [data-key="{key}"]').click()


def answer(tab, names):
    """Answer the current question by pressing the picture of each name."""
    for name in names:
        press(tab, f"name {name}")


def start(tab, at):
    tab.load(position_files.dumps(position_files.position_file(at, 0)))


@by_server
@pytest.mark.parametrize("locale", ["en", "de"])
def test_only_copies_that_are_left_can_be_answered(tabs, locale):
    tab = tabs(PHONE, locale=locale)
    at, move = end_of_quarter()
    start(tab, at)
    enter(tab, move.action)
    dialog = tab.page.get_by_role("dialog")
    tab.accessible()
    for number, (key, names) in enumerate(move.reveals.items(), start=1):
        expect(dialog.locator("h3")).to_contain_text(f"{number}/{len(move.reveals)}: ")
        answer(tab, names)
        if key == "bonus_tiles":  # there is one copy of each tile
            for name in names:
                press(tab, f"place {names.index(name)}")
                expect(dialog.locator(f'[data-key="name {name}"]')).to_contain_text("×1")
                press(tab, f"name {name}")
                expect(dialog.locator(f'[data-key="name {name}"]')).to_contain_text("×0")
                expect(dialog.locator(f'[data-key="name {name}"]')).to_be_disabled()
        press(tab, "on")
    tab.at(1)


def has_ended(position, move, game):
    """Return whether a move ends the first quarter, or the first phase."""
    ends = {"trajan": "end_quarter", "forum_trajanum": "end_phase"}
    followed = following.FollowedGame(position, 0)
    followed.play(move.action, move.reveals)
    return any(event.name == ends[game] for event in followed.events[-1])


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_a_game_is_followed_to_the_end_of_its_first_part(tabs, game):
    """Every move is made and every question is answered as by two people at a table."""
    tab, steps = tabs(PHONE, has_touch=True), steps_of(game)
    while steps[0][1].action.startswith("marker"):  # at a table, markers lie in the trays already
        steps.pop(0)
    start(tab, steps[0][0])
    for position, move in steps:
        before = tab.node()
        enter(tab, move.action or UNSEEN)
        stated = {}
        while tab.page.locator("dialog[open]").count():
            asks = following.FollowedGame(position, 0).asks(move.action, stated)
            title = tab.page.locator("#dialog-title").inner_text()
            assert f"“{move.action}”" not in title, "notation"
            for at, ask in enumerate(asks, start=1):
                expect(tab.page.locator("dialog h3")).to_contain_text(f"{at}/{len(asks)}: ")
                stated[ask.key] = move.reveals.get(ask.key, [])
                answer(tab, stated[ask.key])
                press(tab, "on")
            tab.page.wait_for_function(ANSWERED, arg=before + 1)
        if has_ended(position, move, game):
            break
    expect(tab.page.locator(".ending")).to_be_visible()
