"""The analysis of a decision: its grades, order, errors, turns and sources of VP."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest
import random_games

import trajan_ai
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import (
    EXAMINED,
    MIN_SEARCHES,
    OFTEN,
    RIVALS,
    SEEDS,
    AnalysisRun,
    _Values,
)
from trajan_ai.analysis.decision.calibration import UNCALIBRATED
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.analysis.decision.vp_sources import SO_FAR, TOTAL, errors_of_sources
from trajan_ai.analysis.decision.wording import text
from trajan_ai.bots import IsmctsBot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES
from trajan_ai.mcts import Settings
from trajan_ai.mcts.clock import TimeBudget
from trajan_ai.mcts.driver import ThreadedSearch
from trajan_ai.mcts.result import MoveResult, Result

VERIFIED = {"grade": "verified", "iterations": 1000}
QUICK = {"grade": "quick", "iterations": 200}
GRADES = [QUICK, VERIFIED]
PLACES = [("trajan", 30), ("trajan", 61), ("trajan", 104), ("forum_trajanum", 50)]


def course(name, players=2, seed=3):
    steps = random_games.course(trajan_ai.game(name).start(players, seed), seed)
    return [*zip(*((at, move) for at, move in steps if move is not None), strict=True)]


def at(name, ply, players=2):
    return course(name, players)[0][ply]


def analyse(position, **options):
    return advice.analyse(InformationSet(position), **options)


def estimates(move):
    return [one for one in (move.win, move.margin, *(move.scores or ())) if one is not None]


@pytest.mark.parametrize("options", GRADES, ids=lambda options: options["grade"])
@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_whole_turns_are_legal_to_their_end(name, ply, options):
    position = at(name, ply)
    analysis = analyse(position, **options)
    for move in analysis.moves:
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
    assert analysis.best.turn.complete or analysis.best.turn.undecided


@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_verified_moves_come_first_and_the_others_follow_by_their_margins(name, ply):
    position = at(name, ply)
    analysis = analyse(position, **VERIFIED)
    grades = [move.grade for move in analysis.moves]
    count = grades.count("verified")
    assert grades == ["verified"] * count + ["quick"] * (len(grades) - count)
    assert {move.move for move in analysis.moves} == set(position.legal_moves())
    assert 2 <= count <= EXAMINED + RIVALS
    contenders = (analysis.searches - 1 - MIN_SEARCHES * count) / (SEEDS - MIN_SEARCHES)
    assert contenders in range(2, count + 1)
    assert all(a.margin.mean >= b.margin.mean for a, b in pairwise(analysis.moves[1:count]))
    assert (analysis.best.gain.mean, analysis.best.gain.error) == (0.0, 0.0)
    for move in analysis.moves[:count]:
        assert move.gain.mean == move.margin.mean - analysis.best.margin.mean
        assert move.gain.mean <= move.gain.error
        assert move.margin.error < 12.0  # VP; the spread of a playout is about 20


@pytest.mark.parametrize("options", GRADES, ids=lambda options: options["grade"])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_only_a_move_that_ends_the_game_the_same_way_in_all_worlds_has_no_error(name, options):
    positions, _ = course(name)
    for position in [*positions[20::60], *positions[-6:]]:
        analysis = analyse(position, **options)
        for move in analysis.moves:
            if position.after_move(move.move).player is not None:
                assert all(one.error > 0.0 for one in estimates(move))
                assert move is analysis.best or move.gain is None or move.gain.error > 0.0


def test_a_move_that_ends_the_game_is_worth_its_result():
    verified = {"grade": "verified", "iterations": 2000}
    over = analyse(FORK.start(3).after("right").after("left"), **verified)
    for move in over.moves:
        end = FORK.start(3).after("right").after("left").after_move(move.move)
        assert [one.mean for one in move.scores] == end.scores
        assert all(one.error == 0.0 for one in estimates(move))
    worlds = analyse(KUHN.restore(2, {"cards": ["king", "queen"]}).after("bet"), **verified)
    called, folded = (next(m for m in worlds.moves if m.action == a) for a in ("bet", "pass"))
    assert folded.margin.error == 0.0
    assert called.margin.error > 0.0  # the opponent may have either card


@pytest.mark.parametrize(
    ("ends", "visits", "unseen"), [(False, 99, 0.01), (True, 39, 1 / 40), (True, 40, 0)]
)
def test_agreeing_playouts_are_certain_only_of_an_end_and_if_there_are_many(ends, visits, unseen):
    values = SimpleNamespace(_is_last=lambda move: ends, _outlook=lambda result: None)
    result = SimpleNamespace(move=0, visits=visits, win=1.0, margin_error=2.0)
    sample = _Values._sample(values, result)
    assert sample.spread**2 == pytest.approx(4.0 * (visits - 1) + unseen)
    assert sample.win_spread**2 == pytest.approx((1 - unseen / 2) * unseen / 8)


def search_result(margins, iterations=1):
    """Return a search result in which each move has 10,001 playouts with a deviation of 20 VP."""
    moves = [
        MoveResult(
            action=NIM.actions[move],
            move=move,
            visits=10_001,
            share=0.5,
            payoff=0.5,
            win=0.5,
            scores=(10.0 + margin, 10.0),
            margin=margin,
            margin_error=0.2,
            sources=None,
            line=((0, NIM.actions[move]),),
        )
        for move, margin in margins.items()
    ]
    return Result("nim", 0, iterations, 0.0, 1, 1, 0, False, False, tuple(moves))


def run_of_nim(**options):
    position = NIM.restore(2, {"heaps": [3, 2]})
    moves = position.legal_moves()[:2]
    options |= {"among": moves, "calibrated": False}
    return AnalysisRun(InformationSet(position), Settings(), **options), *moves


def test_errors_of_a_verified_analysis_by_hand():
    """The four searches after the second move return margins of +5, +7, +5 and +7 VP, and those
    after the best move return +8. The standard deviation of a playout is 20 VP.

    The squared error of the margin is the sum of two parts. The first is (4 + 3 * (1.5 * 0.2)^2) /
    6 / 4: a sum of squares of 4 and three expected squares, divided by 6 degrees of freedom and by
    4 searches. The second is the square of 40 % of 20 VP. For the error of the gain, the expected
    squares are (1.5 * 0.283)^2, and 40 % becomes 20 %.
    """
    run, best, other = run_of_nim(grade="verified", iterations=100)
    while request := run.next_search():
        if request.behind is None:
            margins = {best: 8.0, other: 6.0}
        else:
            odd = len(run.behind[request.behind]) % 2
            margins = {request.behind: 8.0 if request.behind == best else 5.0 + 2.0 * odd}
        run.add_result(request, search_result(margins, request.iterations))
    first, second = run.analysis().moves
    assert [len(done) for done in run.behind.values()] == [SEEDS, SEEDS]
    assert (first.move, second.margin, second.gain) == (best, 6.0, -2.0)
    margin = ((4 + 3 * 0.09) / 6 / 4 + (0.4 * 20) ** 2) ** 0.5
    gain = ((4 + 3 * 0.18) / 6 / 4 + (0.2 * 20) ** 2) ** 0.5
    assert second.margin.error == pytest.approx(margin, rel=1e-4)
    assert second.gain.error == pytest.approx(gain, rel=1e-4)


@pytest.mark.parametrize(("ahead", "advised"), [(3.9, "played"), (4.2, "other")])
def test_the_move_that_the_bot_plays_is_best_unless_another_is_better_by_more_than_an_error(
    ahead, advised
):
    """The difference between the two moves has an error of 20 % of the deviation of 20 VP, and an
    error of 0.09 VP from searches that all agree."""
    run, played, other = run_of_nim(grade="verified", iterations=100)
    separate = {played: 8.0, other: 8.0 + ahead}
    while request := run.next_search():
        alone = {request.behind: separate.get(request.behind)}
        margins = {played: 8.0, other: 6.0} if request.behind is None else alone
        run.add_result(request, search_result(margins, request.iterations))
    best, second = run.analysis().moves
    assert best.move == {"played": played, "other": other}[advised]
    assert (
        second.gain
        == second.margin - best.margin
        == pytest.approx(ahead if advised == "played" else -ahead)
    )


def test_only_moves_that_may_be_the_best_are_searched_more_often():
    """Four searches are made after each of the two best moves, after every move within an error of
    the best, and after the named move. Every other move is searched twice.

    The error of a gain is at least 20 % of the deviation of 20 VP.
    """
    position = NIM.restore(2, {"heaps": [3, 2, 1]})
    near, named, *moves = position.legal_moves()
    best, second, far = moves[:3]
    margins = {best: 8.0, second: 7.0, near: 6.0, named: -40.0, far: -40.0}
    options = {"among": tuple(margins), "named": (named,), "top": 5, "calibrated": False}
    information = InformationSet(position)
    run = AnalysisRun(information, Settings(), grade="verified", iterations=1000, **options)
    while request := run.next_search():
        behind = margins if request.behind is None else {request.behind: margins[request.behind]}
        run.add_result(request, search_result(behind, request.iterations))
    counts = {move: len(done) for move, done in run.behind.items()}
    assert counts == {best: 4, second: 4, near: 4, named: 4, far: 2}


def test_errors_of_a_quick_analysis_by_hand():
    """One search does not show how much searches differ, so the errors include an expected value.

    In the search, the other move loses 5 VP; the analysis reports 60 % of this loss, which is 3
    VP. The error of this move's gain includes 15 % of 20 VP and half of the loss; the error of its
    margin also includes 40 % of 20 VP.
    """
    run, best, other = run_of_nim(grade="quick", iterations=2)
    run.add_result(run.next_search(), search_result({best: 8.0, other: 3.0}))
    assert run.next_search() is None
    first, second = run.analysis().moves
    assert (first.margin, second.margin, second.gain) == (8.0, 5.0, -3.0)
    alone = 0.09 + (0.15 * 20) ** 2
    behind = alone + (0.5 * 3) ** 2
    assert first.gain.error == 0.0
    assert second.gain.error == pytest.approx(behind**0.5, rel=1e-4)
    assert first.margin.error == pytest.approx((alone + (0.4 * 20) ** 2) ** 0.5, rel=1e-4)
    assert second.margin.error == pytest.approx((behind + (0.4 * 20) ** 2) ** 0.5, rel=1e-4)


def test_errors_of_sources_by_hand():
    """VP of 2, 4, 2 and 4 have a variance of 4/3; equal VP count as having a deviation of 0.5."""
    information = InformationSet(trajan_ai.game("trajan").start(2, seed=1))
    names = trajan_ai.game("trajan").vp_sources
    results = [
        SimpleNamespace(sources=[(vp, *[3.0] * (len(names) - 1))] * 2) for vp in (2.0, 4.0) * 2
    ]
    for errors in errors_of_sources(information, results, UNCALIBRATED):
        first, *others = errors.values()
        assert first == pytest.approx((4 / 3 / 4) ** 0.5)
        assert others == [0.25] * (len(names) - 1)
    assert errors_of_sources(information, results[:1], UNCALIBRATED) is None


@pytest.mark.parametrize("options", GRADES, ids=lambda options: options["grade"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_sources_add_up_to_the_vp_of_every_player(name, players, options):
    positions, _ = course(name, players)
    ply = len(positions) * 2 // 3
    while len(positions[ply].legal_moves()) < 2:
        ply += 1
    analysis = analyse(positions[ply], sources=True, **options)
    explained = [move for move in analysis.moves if move.sources is not None]
    assert analysis.best in explained
    for move in explained:
        for vp, total in zip(move.sources, move.scores, strict=True):
            parts = {source: value for source, value in vp.items() if source != TOTAL}
            assert vp[TOTAL] == total.mean
            assert sum(parts.values()) == pytest.approx(total.mean, abs=1e-9)
        for player, vp in enumerate(move.sources):
            assert vp[SO_FAR] == positions[ply].scores[player]


def test_a_game_without_sources_of_vp_is_rejected():
    with pytest.raises(TrajanError, match="this game does not define sources of VP"):
        analyse(KUHN.start(2, 1), sources=True)


@pytest.mark.parametrize("bot", ["expert", "ismcts"])
def test_advice_has_every_setting_of_the_bot(bot):
    for game in trajan_ai.GAMES.values():
        settings = advice.begin(InformationSet(game.start(2, 1)), bot).settings
        assert settings == read_bot(bot).model_copy(update={"early_stop": False})


@pytest.mark.parametrize("bot", ["expert", "ismcts"])
@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_the_first_quick_move_is_the_one_that_the_bot_plays(name, ply, bot):
    position = at(name, ply)
    run = advice.begin(InformationSet(position), bot, grade="quick", iterations=400)
    request = run.next_search()
    settings = read_bot(bot).model_copy(update={"early_stop": False})
    searched = ThreadedSearch(position.game, settings).search(
        run.information, request.seed, iterations=400
    )
    assert (
        analyse(position, bot=bot, grade="quick", iterations=400).best.move == searched.best.move
    )


def test_a_bot_that_cheats_gives_no_advice():
    cheating = read_bot("ismcts").model_copy(update={"cheat": True})
    with pytest.raises(TrajanError, match="bot ismcts: cheat must be false"):
        advice.search(NIM.start(2), cheating, iterations=10)


def test_without_knowledge_a_game_with_hidden_moves_is_searched_by_a_tree_per_player():
    for game, algorithm in ((FORK, "so"), (PENNIES, "mo")):
        information = InformationSet(game.start(game.player_counts[0], 1))
        assert advice.begin(information).settings.algorithm == algorithm
    pennies = analyse(PENNIES.start(2), grade="quick", iterations=4000)
    # With a single tree for both players, the search would expect this player to lose.
    assert pennies.best.win.mean == pytest.approx(0.5, abs=0.1)


def test_the_seconds_of_a_turn_are_divided_among_its_decisions():
    start = trajan_ai.game("trajan").start(2, seed=1, markers="random")
    bot = IsmctsBot.model_validate({"name": "slow", "kind": "ismcts", "seconds_per_turn": 9.0})
    first, second, third = start, start.after(start.legal()[0]), None
    third = second.after(second.legal()[0])
    runs = [advice.begin(InformationSet(place), bot) for place in (first, second, third)]
    assert [one.seconds for one in runs] == pytest.approx([3.0, 4.5, 9.0], rel=0.02)
    clock = TimeBudget(bot)
    clock.start()
    assert runs[0].seconds == clock.seconds(InformationSet(start).canonical, 0)
    assert all(one.iterations is None for one in runs)
    limited = advice.begin(InformationSet(start), bot, iterations=100)
    assert (limited.iterations, limited.seconds) == (100, None)


@pytest.mark.parametrize("grade", ["quick", "verified"])
def test_too_little_time_still_gives_an_analysis(grade):
    analysis = analyse(at("trajan", 60), grade=grade, seconds=1e-9)
    assert analysis.grade == grade
    assert analysis.iterations >= analysis.searches >= 1
    assert analysis.best.margin is not None


@pytest.mark.parametrize("grade", ["quick", "verified"])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_an_analysis_is_available_at_any_time(name, grade):
    position = at(name, 60)
    run = advice.begin(InformationSet(position), grade=grade, iterations=1200, sources=True, top=3)
    engine, interim = ThreadedSearch(position.game, run.settings), []
    engine.progress_stride = 20
    while (request := run.next_search()) is not None:
        result = engine.search(
            run.information, request.seed, with_sources=True,
            iterations=request.iterations, allowed=request.allowed,
            progress=lambda running: interim.append(run.analysis(running)),
        )  # fmt: skip
        interim.append(run.analysis(result))
        run.add_result(request, result)
        interim.append(run.analysis())
    for one in interim:
        assert {move.move for move in one.moves} == set(position.legal_moves())
        assert one.best.margin is not None
        assert text(one)
    work = [one.iterations for one in interim]
    assert interim[-1].grade == grade
    assert len({one.grade for one in interim}) == (1 if grade == "quick" else 2)
    whole = analyse(position, grade=grade, iterations=1200, sources=True, top=3)
    assert plain(interim[-1]) == plain(whole)
    assert work[-1] == whole.iterations


def plain(analysis):
    return {**analysis.to_dict(), "seconds": None, "memory_bytes": None}


def test_the_top_moves_and_the_named_ones_are_examined():
    position = at("trajan", 30)
    legal = position.legal_moves()
    assert len(legal) > 3
    for top in (1, 2, 3, len(legal), 99):
        analysis = analyse(position, top=top, **VERIFIED)
        examined = [move for move in analysis.moves if move.grade == "verified"]
        tried = sum(move.visits > 0 for move in analysis.moves)
        assert len(examined) == min(max(top, 2), tried)
    least = analysis.moves[-1].move
    named = analyse(position, top=2, named=(least,), **VERIFIED)
    assert {move.move for move in named.moves if move.grade == "verified"} >= {least}


def test_a_decision_of_another_player_is_analysed_quickly():
    position = at("trajan", 30)
    information = InformationSet(position, 1 - position.player)
    analysis = advice.analyse(information, **VERIFIED)
    assert analysis.grade == "quick"
    assert analysis.player == position.player


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
def test_the_grade_depends_on_the_limits(limits, grade):
    assert advice.begin(InformationSet(NIM.start(2, 1)), **limits).grade == grade


@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_only_settings_like_the_default_bots_are_calibrated(name):
    expert, position = read_bot("expert"), at(name, 40)
    changed = {"threads": 2, "iterations": 7, "name": "mine", "early_stop": False}
    for bot in (None, expert, expert.model_copy(update=changed)):
        assert analyse(position, bot=bot, **QUICK).calibrated
    others = {"exploration": 9.0}, {"network_rounds": {}}, {"algorithm": "so"}
    for bot in ("ismcts", *(expert.model_copy(update=other) for other in others)):
        assert not analyse(position, bot=bot, **QUICK).calibrated


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(("name", "players"), [("trajan", 4), ("forum_trajanum", 2)])
def test_texts_have_a_maximum_width(name, players, width):
    analysis = analyse(at(name, 60, players), sources=True, **VERIFIED)
    assert max(map(len, text(analysis, 5, width).splitlines())) <= width


@pytest.mark.parametrize(("width", "length"), [(40, 12), (80, 20), (120, 24)])
def test_a_long_name_has_a_quarter_of_the_table_of_reasons(width, length):
    analysis = analyse(at("trajan", 60, 4), sources=True, **QUICK)
    moves = tuple(replace(move, action="x" * 40) for move in analysis.moves[:2])
    reasons = text(replace(analysis, moves=moves), 2, width).partition("why:")[2]
    assert {len(name) for name in reasons.split() if "x" in name and "…" in name} == {length}


@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_an_unverified_move_never_looks_better_than_the_verified_ones(name, ply):
    """Which moves are verified depends on the figures of the search among all moves."""
    position = at(name, ply)
    analysis = analyse(position, **VERIFIED)
    run = advice.begin(InformationSet(position), **VERIFIED)
    engine = ThreadedSearch(position.game, run.settings)
    request = run.next_search()
    first = engine.search(run.information, request.seed, iterations=request.iterations)
    margins = {move.move: move.margin for move in first.moves if move.visits}
    verified = {move.move for move in analysis.moves if move.grade == "verified"}
    rest = [margin for move, margin in margins.items() if move not in verified]
    assert max(margins[move] for move in verified) >= max(rest, default=-100.0)


@pytest.mark.parametrize(("name", "ply"), PLACES)
def test_quick_moves_after_the_first_are_in_the_order_of_their_figures(name, ply):
    best, *moves = [m for m in analyse(at(name, ply), **QUICK).moves if m.margin is not None]
    most = best.visits
    assert all(move.visits <= most for move in moves)
    often = [move.margin for move in moves if move.visits >= OFTEN * most]
    rarely = [move.margin for move in moves if move.visits < OFTEN * most]
    assert [move.margin for move in moves] == sorted(often)[::-1] + sorted(rarely)[::-1]
    assert best.gain == 0.0


def test_a_quick_move_that_was_tried_rarely_comes_last_despite_its_figure():
    position = NIM.restore(2, {"heaps": [3, 2]})
    best, often, rarely = position.legal_moves()[:3]
    run = AnalysisRun(
        InformationSet(position), Settings(), calibrated=False, grade="quick", iterations=2
    )
    result = search_result({best: 8.0, often: 3.0, rarely: 7.0})
    tried = {best: 10_000, often: 2_500, rarely: 2_499}
    moves = tuple(replace(move, visits=tried[move.move]) for move in result.moves)
    run.add_result(run.next_search(), replace(result, moves=moves))
    analysis = run.analysis()
    assert [move.move for move in analysis.moves] == [best, often, rarely]
    assert [move.share for move in analysis.moves] == [
        n / sum(tried.values()) for n in tried.values()
    ]


def test_a_rough_figure_is_marked_even_if_it_is_zero():
    analysis = analyse(at("trajan", 30), top=2, **VERIFIED)
    rough = next(m for m in analysis.moves if m.grade == "quick" and m.margin is not None)
    nothing = replace(rough, margin=Estimate(0.0, 1.0))
    for line in (" ~ ", "~: rough estimate"):
        assert line in text(replace(analysis, moves=(analysis.best, nothing)), width=200)


def test_a_shortened_list_of_moves_counts_the_others():
    analysis = analyse(at("trajan", 30), **QUICK)
    assert f"\nand {len(analysis.moves) - 2} more\n" in text(analysis, 2)
    assert "more\n" not in text(analysis)
