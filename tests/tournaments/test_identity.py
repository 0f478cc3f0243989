"""Edited bots and changed engines are never rated together with their predecessors."""

import json
import shlex

import pytest
from calls import problems, python
from plans import NIM, outputs, plan, plan_file

from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.forum_trajanum import components
from trajan_ai.tournaments import game_task, runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import Store

WORST = """
class Mine:
    def __init__(self, game): ...
    def start(self, seat, players, seed): ...
    def choose(self, position, seed):
        return position.legal_moves()[0]
    def observe(self, position, move): ...
"""
BETTER = WORST.replace(
    "return position.legal_moves()[0]",
    "return greedy_move(position.determinized(seed), position.player, seed)",
)
BETTER = "from trajan_ai.mcts.greedy import greedy_move\n" + BETTER
DEALS = 2


def elo(folder, name="mine"):
    data = json.loads((folder / "results.json").read_text())
    return next(row["elo"] for row in data["standings"] if row["bot"] == name)


def own_plan(folder, text, game="trajan"):
    mine = {"name": "mine", "kind": "python", "class": "mine:Mine"}
    path = plan_file(folder, bots=[mine, "random"], deals=DEALS, game=game)
    (folder / "mine.py").write_text(text)
    return path


@pytest.mark.slow
def test_an_edited_bot_is_rated_as_in_a_new_folder(tmp_path, capsys):
    path = own_plan(tmp_path, WORST)

    def played(folder, *more):
        words = ["tournament", str(path), "--out", str(tmp_path / folder), "--jobs", "1", *more]
        assert main(words) == 0
        return capsys.readouterr()

    played("out")
    old = elo(tmp_path / "out")
    own_plan(tmp_path, BETTER)
    after, fresh = played("out", "--resume"), played("fresh")
    assert f"mine: differs from the bot that played {2 * DEALS} games" in after.err
    assert "the code of mine.py differs" in after.err
    assert f"({2 * DEALS} played now, 0 reused)" in after.out
    assert elo(tmp_path / "out") == elo(tmp_path / "fresh") > old
    assert outputs(tmp_path / "out") == outputs(tmp_path / "fresh")
    assert "differs from the bot" not in fresh.err
    again = played("out")
    assert "differs from the bot" not in again.err
    assert f"(0 played now, {2 * DEALS} reused)" in again.out
    results = ["results", str(tmp_path / "out")]
    assert main(results) == 0
    text = capsys.readouterr().out
    assert "mine@" not in text
    assert f"{2 * DEALS} games in the folder do not belong to its last plan" in text
    assert max(map(len, text.splitlines())) <= 80
    assert main([*results, "--all"]) == 0
    text = capsys.readouterr().out
    assert "mine@" in text
    assert max(map(len, text.splitlines())) <= 80


def test_games_with_an_edited_component_set_are_different_games(tmp_path, monkeypatch):
    monkeypatch.setenv("TRAJAN_AI_COMPONENTS", str(tmp_path / "sets"))
    (tmp_path / "sets").mkdir()

    def name_games(vp, name="mine"):
        text = f"name: mine\nbase: recon-1\narea_bonus: {{vp: {vp}}}\n"
        (tmp_path / "sets" / "mine.yaml").write_text(text, encoding="utf-8")
        components.load.cache_clear()  # as at the beginning of another run
        keys = {"game": "forum_trajanum", "bots": ["random", "greedy"]}
        return set(Schedule(plan(tmp_path, options={"components": name}, **keys)).ids())

    first, again, edited = (name_games(vp) for vp in (3, 3, 4))
    assert first == again
    assert not first & edited
    assert name_games(3, "recon-1") == name_games(4, "recon-1")


def test_differences_between_makeups_are_described():
    old = {"kind": "ismcts", "iterations": 10, "weights": {"win": 1}, "code": {"a.py": "1"}}
    new = {"kind": "ismcts", "threads": 2, "weights": {"win": 2}, "code": {"a.py": "2"}}
    assert runner.describe_difference(old, new) == (
        "the code of a.py differs; iterations was 10, is default; threads was default, is 2; "
        "the weights of its knowledge differ"
    )
    assert runner.describe_difference(old, old) == ""


@pytest.mark.slow
def test_games_outside_the_plan_are_not_rated(tmp_path):
    """Results, tables and records contain the same games, namely those of the plan."""
    bots = ["random", "greedy", {"name": "five", "extends": "ismcts", "iterations": 5}]
    large, out = plan(tmp_path, bots=bots, deals=3, game=NIM), tmp_path / "out"
    write_outputs(runner.run(large, out, 1))
    for keys in ({"deals": 2}, {"deals": 3, "seed": 5}, {"deals": 3, "bots": bots[:2]}):
        small = plan(tmp_path, **{"bots": bots, "game": NIM} | keys)
        write_outputs(runner.run(small, out, 1))
        write_outputs(runner.run(small, tmp_path / "fresh", 1))
        assert outputs(out) == outputs(tmp_path / "fresh")
        for file in (tmp_path / "fresh").iterdir():
            file.unlink()


@pytest.fixture
def two_engines(tmp_path, monkeypatch):
    """Return a plan and the folder of its games, which another engine has played."""
    tournament = plan(tmp_path, bots=["random", "greedy"], deals=1)
    monkeypatch.setattr(game_task, "get_engine_signature", lambda game: "0123abcd")
    runner.run(tournament, tmp_path / "out", 1)
    monkeypatch.setattr(game_task, "get_engine_signature", lambda game: "feedbeef")
    return tournament, tmp_path / "out"


@pytest.mark.slow
def test_another_engine_is_rejected_with_remedies_that_work(two_engines, capsys):
    tournament, out = two_engines
    (message,) = problems(runner.run, tournament, out, 1)
    assert f"{out}: contains 2 games of these bots played by another engine" in message
    assert "play signature 0123abcd, but this one has feedbeef" in message
    for way in ("--out", "trajan-ai results drop 0123abcd", "--engine 0123abcd"):
        assert way in message
    assert main(["results", str(out), "--engine", "0123abcd"]) == 0
    assert "2 games of 1 deals" in capsys.readouterr().out
    drop = message.split("delete the old games (")[1].split(")", maxsplit=1)[0]
    assert main(shlex.split(drop)[1:]) == 0
    assert "2 games deleted, 0 left" in capsys.readouterr().out
    state = runner.run(tournament, out, 1)
    assert (state.played, state.reused) == (2, 0)


@pytest.mark.slow
def test_games_of_two_engines_have_two_tables(two_engines, capsys):
    """Bots that have no games by the other engine may use its folder, and are rated separately."""
    _, out = two_engines
    others = plan(
        out.parent, bots=["random", {"name": "r", "extends": "greedy", "kind": "greedy"}]
    )
    with pytest.raises(TrajanError, match="played by another engine"):
        runner.run(others, out, 1)
    five = [{"name": str(n), "extends": "ismcts", "iterations": n} for n in (5, 6)]
    runner.run(plan(out.parent, bots=five, deals=1), out, 1)
    assert main(["results", str(out), "--all"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "trajan, engine 0123abcd" in text
    assert "trajan, engine feedbeef" in text
    runner.run(plan(out.parent, bots=["random", "greedy"], deals=1, game=NIM), out, 1)
    assert main(["results", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2
    assert main(["results", str(out), "--all"]) == 0
    assert capsys.readouterr().out.count("2 games of 1 deals") == 3
    assert main(["results", str(out), "--all", "--json", "--game", NIM]) == 0
    capsys.readouterr()
    assert main(["results", str(out), "--all", "--json"]) == 2
    assert "choose one with --game or --engine" in capsys.readouterr().err


@pytest.mark.slow
def test_tables_mark_a_bot_that_cheats(tmp_path, capsys):
    """Python bots and searching bots can cheat."""
    search = {"name": "seer", "extends": "ismcts", "iterations": 5, "cheat": True}
    own_plan(tmp_path, WORST)
    mine = {"name": "mine", "kind": "python", "class": "mine:Mine", "cheat": True}
    path = plan_file(tmp_path, bots=[mine, search, "random"], deals=1)
    assert main(["tournament", str(path), "--out", str(tmp_path / "out"), "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    data = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {row["bot"] for row in data["standings"] if row["cheats"]} == {"mine", "seer"}
    assert main(["results", str(tmp_path / "out")]) == 0
    for text in (printed, capsys.readouterr().out):
        assert "mine (cheats)" in text
        assert "random (cheats)" not in text
    page = (tmp_path / "out" / "report.html").read_text()
    assert "seer (cheats)" in page


@pytest.mark.long
def test_users_modules_named_as_ours_break_nothing(tmp_path):
    text = WORST.replace("position.legal_moves()[0]", "pick(position)")
    own_plan(tmp_path, f"from play import pick\n{text}", NIM)
    (tmp_path / "play.py").write_text(
        "import tournaments\n\ndef pick(position):\n    return position.legal_moves()[0]\n"
    )
    (tmp_path / "tournaments.py").write_text("NUMBER = 1\n")
    words = ("-m", "trajan_ai", "tournament", "plan.yaml", "--out", "out", "--jobs", "2")
    done = python(*words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    with Store(tmp_path / "out") as store:
        code = [makeup["code"] for makeup in store.makeups().values() if "code" in makeup]
    assert [set(files) for files in code] == [{"mine.py", "play.py", "tournaments.py"}]
