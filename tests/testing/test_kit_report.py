"""Reports of the kit: how to reproduce problems, the command line, and single cases."""

import shlex
from types import SimpleNamespace

import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.games.reference import KUHN, NIM, PENNIES
from trajan_ai.games.trajan import GAME as TRAJAN
from trajan_ai.testing import (
    CHECKS,
    ConformanceError,
    check_game,
    check_uniform,
    conformance_cases,
    play_checks,
    position_at,
    unseen_checks,
    view_checks,
)
from trajan_ai.testing.__main__ import main
from trajan_ai.testing.courses import Course, Deal
from trajan_ai.testing.findings import BrokenPromise
from trajan_ai.testing.kit import make_kit
from trajan_ai.testing.statistics import compare_samples


def problems_of(game, **arguments):
    with pytest.raises(ConformanceError) as caught:
        check_game(game, **arguments)
    return caught.value.report.problems


@pytest.mark.slow
def test_a_problem_has_its_place_and_a_command_that_reproduces_it(wrong_games, capsys):
    game = wrong_games["ranks_backwards"]
    problem = next(p for p in problems_of(game, checks=["ranks"]) if p.options)
    place, again = str(problem).splitlines()
    assert place.startswith(f"ranks: {problem.message} ({problem.players} players, ")
    assert f"seed {problem.seed}, ply {problem.ply}" in place
    assert again == f"  again: {problem.command}"
    python, _, module, *arguments = shlex.split(problem.command)
    assert (python, module) == ("python", "trajan_ai.testing")
    assert main(arguments) == 1
    assert str(problem) in capsys.readouterr().out
    where = (problem.players, problem.seed, problem.ply)
    assert position_at(game, *where, **dict(problem.options)).ply == problem.ply


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ({}, []),
        ({"players": 3}, ["--players", "3"]),
        ({"players": 3, "seed": 0, "ply": 2}, ["--players", "3", "--seed", "0"]),
        (
            {"players": 3, "seed": 5, "options": {"bonus": 7}},
            ["--players", "3", "--seed", "5", "--options", '{"bonus": 7}'],
        ),
    ],
)
def test_the_command_of_a_problem_names_everything_that_it_needs(place, words):
    problem = BrokenPromise(check="ranks", message="wrong", game="mine:GAME", **place)
    command = ["python", "-m", "trajan_ai.testing", "mine:GAME", "--check", "ranks"]
    assert shlex.split(problem.command) == [*command, *words]


@pytest.mark.slow
def test_a_case_fails_with_its_check_or_with_a_flaw_that_makes_it_unsafe(wrong_games):
    def run(wrong, case):
        {str(case): case for case in conformance_cases(wrong_games[wrong])}[case].run()

    run("ranks_backwards", "hoard-turns-3 players")
    with pytest.raises(ConformanceError, match="broken: ranks"):
        run("ranks_backwards", "hoard-ranks-3 players")
    with pytest.raises(ConformanceError, match=r"not checked: playout: .* listed twice"):
        run("moves_twice", "hoard-playout-2 players")


@pytest.mark.slow
def test_an_exception_in_a_check_is_a_problem_with_its_place(wrong_games, monkeypatch):
    game = wrong_games["right"]
    monkeypatch.setattr(game.rules, "draw", lambda position, player=None: 1 / 0, raising=True)
    first = problems_of(game, checks=["views_are_plain"])[0]
    assert "raises ZeroDivisionError: division by zero in " in first.message
    assert (first.players, first.seed, first.ply) == (2, 0, 0)


def test_every_check_prints_its_promise(capsys):
    assert main(["--list"]) == 0
    listed = capsys.readouterr().out
    for check in CHECKS.values():
        assert check.promise.endswith(".")
        assert f"{check.name}\n    {check.promise}\n" in listed


def test_short_games_are_played_more_often():
    kuhn, trajan = (check_game(one, players=[2], checks=["ranks"]) for one in (KUHN, TRAJAN))
    assert kuhn.games > 4 * trajan.games
    assert kuhn.decisions >= 100


@pytest.mark.slow
def test_the_command_line_passes_a_correct_game(capsys):
    assert main(["trajan_ai.games.reference:NIM"]) == 0
    assert capsys.readouterr().out.endswith("every promise is kept\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no game is given"),
        (["chess"], "no game is called 'chess'"),
        (["no_module:GAME"], "cannot be loaded"),
        (["trajan_ai.games.reference:KuhnRules"], "is not a game but an object of type"),
        (["trajan_ai.games.reference:NIM", "--check", "taste"], "no check is called taste"),
        (
            ["trajan_ai.games.reference:NIM", "--seed", "1"],
            "--seed and --options require --players",
        ),
        (
            ["trajan_ai.games.reference:NIM", "--players", "2", "--seed", "1", "--scale", "2"],
            "--scale cannot be combined with --seed",
        ),
        (
            ["trajan_ai.games.reference:NIM", "--players", "2", "--options", "[1"],
            "must be a JSON object",
        ),
        (
            ["trajan_ai.games.reference:NIM", "--players", "2", "--options", '{"x": 1}'],
            "the game has no options",
        ),
        (["trajan_ai.games.reference:NIM", "--players", "7"], "players must be 2"),
    ],
)
def test_wrong_usage_is_reported_in_one_line(capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_uniformity_requires_few_states():
    with pytest.raises(TrajanError, match="allows at most 100"):
        check_uniform(TRAJAN.start(2), 0)


def test_uniformity_detects_a_missing_state():
    position = KUHN.restore(2, {"cards": ["king", "jack"]})
    check_uniform(position, 0)
    with pytest.raises(AssertionError, match="not among the expected states"):
        check_uniform(position, 0, [position.to_bytes()])


def test_uniformity_detects_a_probability_of_60_percent():
    class Coin:
        """A position with a hidden penny, which is left in six of ten draws."""

        def __init__(self, position):
            self.to_bytes = position.to_bytes

        def determinized(self, player, seed):
            return Coin(PENNIES.start(2).after("left" if seed % 10 < 6 else "right"))

    with pytest.raises(AssertionError, match="chi-square 80 at 1 degrees"):
        check_uniform(Coin(PENNIES.start(2).after("left")), 1)


def test_a_byte_with_two_values_has_one_degree_of_freedom():
    worst = compare_samples([b"\0"] * 100, [b"\1"] * 100)
    assert f"{worst.what}: {worst.figures}" == "byte 0: chi-square 200 at 1 degrees of freedom"


@pytest.mark.parametrize("game", [KUHN, NIM])
@pytest.mark.parametrize("scale", [0.1, 0.5, 1, 2, 10])
def test_scale_multiplies_the_number_of_games(game, scale):
    scope = {"players": [2], "checks": ["turns"]}
    once, report = check_game(game, **scope), check_game(game, scale=scale, **scope)
    assert report.games == round(scale * once.games)
    assert f"{report.games} games ({report.games} with 2 players)" in str(report)


def test_every_value_of_an_option_is_tried_in_the_first_round_of_deals():
    deals = make_kit(TRAJAN, players=[2]).deals[2]
    defaults = TRAJAN.rules.check(2, {})
    options = [deals[number].options for number in range(10 * deals.length)]
    assert options[0] == options[deals.length] == defaults
    for name in defaults:
        values = [repr(one[name]) for one in options]
        assert set(values) == set(values[: deals.length])
    assert len({repr(one) for one in options}) > deals.length  # later rounds differ


@pytest.mark.parametrize("scale", [0, -1, float("nan")])
def test_a_scale_that_is_not_positive_is_rejected(scale):
    with pytest.raises(TrajanError, match="scale must be above 0"):
        make_kit(NIM, scale=scale)


def test_a_single_deal_is_a_single_game(capsys):
    arguments = ["trajan_ai.games.reference:KUHN", "--players", "2", "--seed", "3"]
    assert main([*arguments, "--check", "turns"]) == 0
    assert "1 games (1 with 2 players)" in capsys.readouterr().out


@pytest.mark.slow
def test_a_failing_case_reports_the_games_of_its_number_of_players(wrong_games):
    cases = conformance_cases(wrong_games["ranks_backwards"], scale=2)
    case = next(case for case in cases if str(case) == "hoard-ranks-3 players")
    with pytest.raises(ConformanceError) as caught:
        case.run()
    report = caught.value.report
    assert report.games == len(case.kit.of(3))
    assert report.decisions == sum(course.end for course in case.kit.of(3))


@pytest.mark.slow
def test_only_numbers_of_players_that_the_rules_accept_are_played():
    scope = {"checks": ["turns"]}
    assert check_game(NIM, **scope).games == check_game(NIM, players=[2], **scope).games


@pytest.mark.parametrize(
    ("ranks", "scores", "ties", "problem"),
    [
        ([1, 2, 3], [90, 80, 80], False, None),
        ([1, 2, 3], [79, 80, 70], False, "ranks [1, 2, 3], but scores [79, 80, 70]"),
        ([2, 1, 3], [80, 79, 70], False, "ranks [2, 1, 3], but scores [80, 79, 70]"),
        ([1, 2, 3], [90, 69, 70], False, "ranks [1, 2, 3], but scores [90, 69, 70]"),
        ([1, 1, 3], [80, 80, 70], True, None),
        ([1, 1, 3], [80, 80, 70], False, "ranks [1, 1, 3] tie, but RANKS_TIE is not declared"),
        ([1, 1, 3], [80, 79, 70], True, "players 0 and 1 share a rank with scores [80, 79, 70]"),
        ([1, 1, 2], [80, 80, 70], True, "ranks [1, 1, 2]: a rank is 1 + the number of players"),
        ([0, 1, 2], [90, 80, 70], False, "ranks [0, 1, 2]: a rank is 1 + the number of players"),
    ],
)
def test_ranks_agree_with_scores_to_a_single_vp(ranks, scores, ties, problem):
    probe = SimpleNamespace(ranks=lambda state: ranks, scores=lambda state: scores, ranks_tie=ties)
    course = SimpleNamespace(probe=probe, ends=lambda count: [b"the end"])
    messages = list(play_checks.ranks(course))
    if problem is None:
        assert messages == []
    else:
        assert messages[0].startswith(problem)


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ({"a": 1, "b": [1, {"c": 2}]}, {"a": 1, "b": [1, {"c": 3}]}, "b[1].c (2 / 3)"),
        ({"b": {"c": [0]}}, {"b": {"c": [0, 1]}}, "b.c ([0] / [0, 1])"),
        ({"b": [1]}, {"b": None}, "b ([1] / None)"),
        ({"b": "x"}, {"b": "y"}, "b ('x' / 'y')"),
        ({"a": 1}, {"b": 1}, "all ({'a': 1} / {'b': 1})"),
        ([[1, 2], [3]], [[1, 2], [4]], "[1][0] (3 / 4)"),
    ],
)
def test_the_first_difference_of_two_views_has_its_place(one, other, difference):
    assert view_checks._difference(one, other) == difference


def test_the_decisions_of_a_course_are_spread_from_the_first_to_the_last():
    course = Course.play(Deal(TRAJAN, 2, {}, 1))
    last = course.end - 1
    plies = [course.now for _ in course.decisions(5)]
    assert plies == [0, last // 4, last // 2, 3 * last // 4, last]
    assert [course.now for _ in course.decisions(last + 1)] == [*range(last + 1)]
    assert [course.now for _ in course.stations(2)] == [0, last, last + 1]


def test_step_is_compared_with_apply_up_to_the_last_move():
    course = Course.play(Deal(TRAJAN, 2, {}, 1))
    assert list(play_checks.steps(course)) == []
    probe, last = course.probe, course.states[-2]
    course.probe = SimpleNamespace(
        step=lambda state, move: state if state == last else probe.step(state, move),
        legal=probe.legal,
    )
    (message,) = play_checks.steps(course)
    assert "lead to different states" in message
    assert course.now == course.end - 1


def test_games_that_look_alike_are_compared_up_to_their_end():
    course = Course.play(Deal(KUHN, 2, {}, 1))
    own, _ = course.origin[2]["cards"]
    for card in {"jack", "queen", "king"} - {own}:
        assert (
            list(unseen_checks._compare(course, KUHN.restore(2, {"cards": [own, card]}), 0)) == []
        )
        assert course.now == course.end
