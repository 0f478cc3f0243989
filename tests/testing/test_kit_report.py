"""What the kit says: problems that can be found again, the command line, single cases."""

import shlex

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
    position_at,
)
from trajan_ai.testing.__main__ import main


def problems_of(game, **arguments):
    with pytest.raises(ConformanceError) as caught:
        check_game(game, **arguments)
    return caught.value.report.problems


@pytest.mark.slow
def test_a_problem_names_its_place_and_the_command_that_finds_it_again(wrong_games, capsys):
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


@pytest.mark.slow
def test_a_case_fails_with_its_own_check_or_with_what_it_would_have_to_trust(wrong_games):
    def run(wrong, case):
        {str(case): case for case in conformance_cases(wrong_games[wrong])}[case].run()

    run("ranks_backwards", "hoard-turns-3 players")
    with pytest.raises(ConformanceError, match="broken: ranks"):
        run("ranks_backwards", "hoard-ranks-3 players")
    with pytest.raises(ConformanceError, match=r"not checked: playout: .* listed twice"):
        run("moves_twice", "hoard-playout-2 players")


@pytest.mark.slow
def test_a_check_that_raises_is_a_problem_with_its_place(wrong_games, monkeypatch):
    game = wrong_games["right"]
    monkeypatch.setattr(game.rules, "draw", lambda position, player=None: 1 / 0, raising=True)
    found = problems_of(game, checks=["views_are_plain"])
    assert "raises ZeroDivisionError: division by zero in " in found[0].message
    assert (found[0].players, found[0].seed, found[0].ply) == (2, 0, 0)


def test_every_check_says_what_is_promised(capsys):
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
def test_command_line_on_a_game_that_keeps_its_promises(capsys):
    assert main(["trajan_ai.games.reference:NIM"]) == 0
    assert capsys.readouterr().out.endswith("every promise is kept\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a game"),
        (["chess"], "no game is called 'chess'"),
        (["no_module:GAME"], "cannot be loaded"),
        (["trajan_ai.games.reference:KuhnRules"], "is not a game but an object of type"),
        (["trajan_ai.games.reference:NIM", "--check", "taste"], "no check is called taste"),
        (["trajan_ai.games.reference:NIM", "--seed", "1"], "--seed and --options need --players"),
        (
            ["trajan_ai.games.reference:NIM", "--players", "2", "--options", "[1"],
            "must be a JSON object",
        ),
        (
            ["trajan_ai.games.reference:NIM", "--players", "2", "--options", '{"x": 1}'],
            "there are no options",
        ),
        (["trajan_ai.games.reference:NIM", "--players", "7"], "players must be 2"),
    ],
)
def test_wrong_usage_is_told_in_one_line(capsys, arguments, message):
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_uniformity_is_refused_where_there_are_too_many_states():
    with pytest.raises(TrajanError, match="too many to count"):
        check_uniform(TRAJAN.start(2), 0)


def test_uniformity_finds_a_state_that_is_missing():
    position = KUHN.restore(2, {"cards": ["king", "jack"]})
    check_uniform(position, 0)
    with pytest.raises(AssertionError, match="does not look alike"):
        check_uniform(position, 0, [position.to_bytes()])


def test_uniformity_finds_a_coin_that_falls_60_to_40():
    class Coin:
        """The hidden penny, drawn left in six of ten."""

        def __init__(self, position):
            self.to_bytes = position.to_bytes

        def determinized(self, player, seed):
            return Coin(PENNIES.start(2).after("left" if seed % 10 < 6 else "right"))

    with pytest.raises(AssertionError, match="chi-square 80 at 1 degrees"):
        check_uniform(Coin(PENNIES.start(2).after("left")), 1)


@pytest.mark.slow
def test_only_numbers_of_players_that_the_rules_know_are_played():
    counted = {"checks": ["turns"]}
    assert check_game(NIM, **counted).games == check_game(NIM, players=[2], **counted).games
