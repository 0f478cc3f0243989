"""The analysis of a decision: its grades, order, errors, turns and sources of VP."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest
import random_games

import trajan_ai
from trajan_ai.analysis import advice
from trajan_ai.analysis.decision import EXAMINED, SEEDS, Estimate, _Values, one_tree
from trajan_ai.analysis.vp_sources import SO_FAR, TOTAL
from trajan_ai.analysis.wording import text
from trajan_ai.bots import IsmctsBot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES
from trajan_ai.mcts import Settings
from trajan_ai.mcts.clock import TimeBudget
from trajan_ai.mcts.driver import ThreadedSearch

VERIFIED = {"grade": "verified", "iterations": 1000}
QUICK = {"grade": "quick", "iterations": 200}
GRADES = [QUICK, VERIFIED]
PLACES = [("trajan", 30), ("trajan", 61), ("trajan", 104), ("forum_trajanum", 50)]


def course(name, players=2, seed=3):
    """The positions of a random game, and the moves between them."""
    steps = random_games.course(trajan_ai.game(name).start(players, seed), seed)
    return [*zip(*((at, move) for at, move in steps if move is not None), strict=True)]


def at(name, ply, players=2):
    return course(name, players)[0][ply]


def analysed(position, **asked):
    return advice.analyse(InformationSet(position), **asked)


def estimates(move):
    return [one for one in (move.win, move.margin, *(move.scores or ())) if one is not None]


@pytest.mark.parametrize("asked", GRADES, ids=lambda asked: asked["grade"])
@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_whole_turns_are_legal_to_their_end(name, ply, asked):
    position = at(name, ply)
    found = analysed(position, **asked)
    for move in found.moves:
        turn, place = move.turn, position
        assert turn.actions[0] == move.action
        certain = turn.actions[: turn.reveals[0] + 1] if turn.reveals else turn.actions
        for action in certain:
            assert (place.player, place.turn) == (position.player, position.turn)
            assert action in place.legal()
            place = place.after(action)
        over = (place.player, place.turn) != (position.player, position.turn)
        if not turn.reveals:
            assert turn.complete == over
    assert found.best.turn.complete


@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_verified_moves_come_first_by_their_margins(name, ply):
    position = at(name, ply)
    found = analysed(position, **VERIFIED)
    grades = [move.grade for move in found.moves]
    count = grades.count("verified")
    assert grades == ["verified"] * count + ["quick"] * (len(grades) - count)
    assert {move.move for move in found.moves} == set(position.legal_moves())
    assert 2 <= count <= EXAMINED
    assert found.searches == 1 + SEEDS * count
    assert all(a.margin.mean >= b.margin.mean for a, b in pairwise(found.moves[:count]))
    assert (found.best.gain.mean, found.best.gain.error) == (0.0, 0.0)
    for move in found.moves[:count]:
        assert move.gain.mean == move.margin.mean - found.best.margin.mean <= 0.0
        assert move.margin.error < 5.0  # VP, as more than 100 playouts that spread by 20 leave


@pytest.mark.parametrize("asked", GRADES, ids=lambda asked: asked["grade"])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_only_a_move_that_ends_the_game_alike_in_all_worlds_has_no_error(name, asked):
    positions, _ = course(name)
    for position in [*positions[20::60], *positions[-6:]]:
        found = analysed(position, **asked)
        for move in found.moves:
            if position.after_move(move.move).player is not None:
                assert all(one.error > 0.0 for one in estimates(move))
                assert move is found.best or move.gain is None or move.gain.error > 0.0


def test_a_move_that_ends_the_game_is_worth_its_result():
    over = analysed(FORK.start(3).after("right").after("left"), **VERIFIED)
    for move in over.moves:
        end = FORK.start(3).after("right").after("left").after_move(move.move)
        assert [one.mean for one in move.scores] == end.scores
        assert all(one.error == 0.0 for one in estimates(move))
    worlds = analysed(KUHN.restore(2, {"cards": ["king", "queen"]}).after("bet"), **VERIFIED)
    called, folded = (next(m for m in worlds.moves if m.action == a) for a in ("bet", "pass"))
    assert folded.margin.error == 0.0
    assert called.margin.error > 0.0  # they may have either card


@pytest.mark.parametrize(
    ("ends", "visits", "unseen"), [(False, 99, 0.01), (True, 39, 1 / 40), (True, 40, 0)]
)
def test_playouts_that_agree_are_sure_only_of_an_end_and_if_they_are_many(ends, visits, unseen):
    values = SimpleNamespace(_is_last=lambda move: ends, _outlook=lambda result: None)
    found = SimpleNamespace(move=0, visits=visits, win=1.0, margin_error=2.0)
    sample = _Values._sample(values, found)
    assert sample.spread**2 == pytest.approx(4.0 * (visits - 1) + unseen)
    assert sample.win_spread**2 == pytest.approx((1 - unseen / 2) * unseen / 2)


@pytest.mark.parametrize("asked", GRADES, ids=lambda asked: asked["grade"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_sources_add_up_to_the_vp_of_every_player(name, players, asked):
    positions, _ = course(name, players)
    ply = len(positions) * 2 // 3
    while len(positions[ply].legal_moves()) < 2:
        ply += 1
    found = analysed(positions[ply], sources=True, **asked)
    told = [move for move in found.moves if move.sources is not None]
    assert found.best in told
    for move in told:
        for vp, total in zip(move.sources, move.scores, strict=True):
            parts = {source: value for source, value in vp.items() if source != TOTAL}
            assert vp[TOTAL] == total.mean
            assert sum(parts.values()) == pytest.approx(total.mean, abs=1e-9)
        for player, vp in enumerate(move.sources):
            assert vp[SO_FAR] == positions[ply].scores[player]


def test_a_game_that_tells_no_sources_apart_says_so():
    with pytest.raises(TrajanError, match="this game has no VP by source"):
        analysed(KUHN.start(2, 1), sources=True)


@pytest.mark.parametrize("bot", [None, "ismcts", "expert"])
def test_a_game_with_hidden_moves_is_searched_by_a_tree_per_player(bot):
    for game in (*trajan_ai.GAMES.values(), KUHN, NIM, FORK):
        expected = "mo" if game.hidden_moves else "so"
        assert one_tree(Settings(algorithm="own"), game).algorithm == expected
        known = InformationSet(game.start(game.player_counts[0], 1))
        if bot != "expert" or game.has_knowledge:
            assert advice.begin(known, bot).settings.algorithm == expected
    if bot != "expert":
        pennies = analysed(PENNIES.start(2), bot=bot, grade="quick", iterations=4000)
        assert PENNIES.hidden_moves
        assert pennies.best.win.mean == pytest.approx(0.5, abs=0.1)  # so thinks it loses


def test_the_seconds_of_a_turn_are_shared_by_its_decisions():
    start = trajan_ai.game("trajan").start(2, seed=1, markers="random")
    bot = IsmctsBot.model_validate({"name": "slow", "kind": "ismcts", "seconds_per_turn": 9.0})
    first, second, third = start, start.after(start.legal()[0]), None
    third = second.after(second.legal()[0])
    asked = [advice.begin(InformationSet(place), bot) for place in (first, second, third)]
    assert [one.seconds for one in asked] == pytest.approx([3.0, 4.5, 9.0], rel=0.02)
    clock = TimeBudget(bot)
    clock.start()
    assert asked[0].seconds == clock.seconds(InformationSet(start).canonical, 0)
    assert all(one.iterations is None for one in asked)
    begun = advice.begin(InformationSet(start), bot, iterations=100)
    assert (begun.iterations, begun.seconds) == (100, None)


@pytest.mark.parametrize("grade", ["quick", "verified"])
def test_too_little_time_still_gets_an_answer(grade):
    found = analysed(at("trajan", 60), grade=grade, seconds=1e-9)
    assert found.iterations >= found.searches > 1
    assert found.best.margin is not None


@pytest.mark.parametrize("grade", ["quick", "verified"])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_an_analysis_can_be_had_at_any_time(name, grade):
    position = at(name, 60)
    asked = advice.begin(
        InformationSet(position), grade=grade, iterations=1200, sources=True, top=3
    )
    engine, had = ThreadedSearch(position.game, asked.settings, chunk=20), []
    while (request := asked.next_search()) is not None:
        result = engine.search(
            asked.known, request.seed, iterations=request.iterations, allowed=request.allowed,
            books=True,
            progress=lambda running: had.append(asked.analysis(running)),
        )  # fmt: skip
        had.append(asked.analysis(result))
        asked.add_result(request, result)
        had.append(asked.analysis())
    for one in had:
        assert {move.move for move in one.moves} == set(position.legal_moves())
        assert one.best.margin is not None
        assert text(one)
    work = [one.iterations for one in had]
    assert had[-1].grade == grade
    assert len({one.grade for one in had}) == (1 if grade == "quick" else 2)
    whole = analysed(position, grade=grade, iterations=1200, sources=True, top=3)
    assert plain(had[-1]) == plain(whole)
    assert work[-1] == whole.iterations


def plain(analysis):
    return {**analysis.to_dict(), "seconds": None, "memory_bytes": None}


def test_as_many_moves_as_are_shown_are_examined_and_those_named():
    position = at("trajan", 30)
    legal = position.legal_moves()
    assert len(legal) > 3
    for top in (1, 2, 3, len(legal), 99):
        found = analysed(position, top=top, **VERIFIED)
        examined = [move for move in found.moves if move.grade == "verified"]
        tried = sum(move.visits > 0 for move in found.moves)
        assert len(examined) == min(max(top, 2), tried)
    least = found.moves[-1].move
    named = analysed(position, top=2, named=(least,), **VERIFIED)
    assert {move.move for move in named.moves if move.grade == "verified"} >= {least}


def test_a_decision_of_another_is_ranked_roughly_and_nothing_is_examined():
    position = at("trajan", 30)
    known = InformationSet(position, 1 - position.player)
    found = advice.analyse(known, **VERIFIED)
    assert found.grade == "quick"
    assert found.player == position.player


@pytest.mark.parametrize(
    ("limits", "grade"),
    [
        ({"iterations": 19_999}, "quick"),
        ({"iterations": 20_000}, "verified"),
        ({"seconds": 0.99}, "quick"),
        ({"seconds": 1.0}, "verified"),
        ({}, "verified"),
        ({"iterations": 100, "grade": "verified"}, "verified"),
    ],
)
def test_the_grade_is_what_the_limit_is_enough_for(limits, grade):
    assert advice.begin(InformationSet(NIM.start(2, 1)), **limits).grade == grade


@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_only_what_plays_as_the_default_bot_is_calibrated(name):
    expert, position = read_bot("expert"), at(name, 40)
    changed = {"threads": 2, "iterations": 7, "name": "mine", "exploration_growth": {}}
    for bot in (None, expert, expert.model_copy(update=changed)):
        assert analysed(position, bot=bot, **QUICK).calibrated
    for bot in ("ismcts", expert.model_copy(update={"exploration": 9.0})):
        assert not analysed(position, bot=bot, **QUICK).calibrated


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(("name", "players"), [("trajan", 4), ("forum_trajanum", 2)])
def test_texts_keep_to_the_width(name, players, width):
    found = analysed(at(name, 60, players), sources=True, **VERIFIED)
    assert max(map(len, text(found, 5, width).splitlines())) <= width


def test_a_rough_figure_is_marked_even_where_it_is_nothing():
    found = analysed(at("trajan", 30), **VERIFIED)
    rough = next(m for m in found.moves if m.grade == "quick" and m.margin is not None)
    nothing = replace(rough, margin=Estimate(0.0, 1.0))
    for line in (" ~ ", "~: rough estimate"):
        assert line in text(replace(found, moves=(found.best, nothing)))


def test_a_shortened_list_of_moves_says_how_many_are_left_out():
    found = analysed(at("trajan", 30), **QUICK)
    assert f"\nand {len(found.moves) - 2} more\n" in text(found, 2)
    assert "more\n" not in text(found)
