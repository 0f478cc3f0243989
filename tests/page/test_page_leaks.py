"""What the page is told of a game against bots depends on nothing that its player cannot know."""

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

import pytest

from trajan_ai import records
from trajan_ai.analysis import suggest
from trajan_ai.core.information import InformationSet
from trajan_ai.page import shown
from trajan_ai.page.searches import Searches
from trajan_ai.page.shown import Shown
from trajan_ai.page.study import Study, new_game
from trajan_ai.page.work import Threads

GOLDEN = Path(__file__).parent.parent / "golden"
ME, OTHER = 0, 1


def table(root, person=ME):
    """A study that begins at `root`, with one person among bots."""
    seats = [None if player == person else "random" for player in range(root.players)]
    return Study(root, {}, seats=seats, seed=1, id="0" * 16)


def told(study, number=0):
    return json.dumps(shown.state(Shown(study), number, None), sort_keys=True)


def ranked(study, node=0):
    """What a search of the page says, without what a clock says."""
    known = InformationSet(shown.known(study, node))

    async def think():
        searches = Searches(work := Threads(1))
        asked = suggest.begin(known, grade="verified", iterations=1000, sources=True)
        try:
            async with aclosing(searches.analyses("x", asked)) as found:
                async for last, analysis in found:
                    if last:
                        return analysis.moves, shown.reasons(analysis)
        finally:
            work.close()

    return asyncio.run(think())


@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
def test_positions_that_look_alike_are_ranked_alike(game):
    played = records.positions(records.read(GOLDEN / f"{game}_3p.jsonl")[0])
    position = next(p for p in played if p.player == ME and p.ply > 40)
    alike = position.determinized(ME, 9)
    assert alike != position
    assert ranked(table(position)) == ranked(table(alike))


def hidden_step():
    """A game of Forum Trajanum in which the bot is to make hidden decisions."""
    position = new_game("forum_trajanum", [None, "random"], 8, {}).root
    while not (position.player == OTHER and position.legal()[0].startswith("take")):
        position = position.after(position.legal()[0])
    return position


def test_a_hidden_decision_of_a_bot_has_no_number_and_shows_nothing():
    root = hidden_step()
    answers = set()
    for choice in root.legal()[:6]:
        study = table(root)
        node = study.add(0, choice)
        assert Shown(study).number(node) == 0
        assert Shown(study).deepest(0) == node
        answers.add(told(study))
    assert answers == {told(table(root))}


def test_the_page_is_not_told_the_seed_and_the_deal():
    study = new_game("trajan", [None, "greedy"], 123_456_789, {})
    answer = told(study)
    assert "123456789" not in answer
    assert '"setup"' not in answer
    study.opened = True
    assert told(study) != answer


def test_only_one_person_alone_is_kept_from_seeing():
    for seats, views in (
        ([None, "greedy"], [0]),
        (["greedy", None], [1]),
        ([None, None], [0, 1, "open"]),
        (["greedy", "greedy"], [0, 1, "open"]),
    ):
        assert shown.views(new_game("trajan", seats, 1, {})) == views
