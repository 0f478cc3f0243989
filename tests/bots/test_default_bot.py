"""The default bot: vanilla ISMCTS for games without knowledge."""

import json

import pytest
from engine_requests import Desk

from trajan_ai import games, records
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.measurement import benchmark, profiling
from trajan_ai.cli import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES

STANDS_IN = (
    "lacks the knowledge that these settings require: prior: game, playout: policy, "
    "cutoff: evaluate"
)


@pytest.fixture(autouse=True)
def reference_games(monkeypatch):
    handles = {handle.name: handle for handle in (FORK, KUHN, NIM, PENNIES)}
    monkeypatch.setattr(games.GAMES, "_loaded", handles)


@pytest.mark.parametrize("game", [FORK, KUHN, PENNIES], ids=lambda game: game.name)
def test_a_game_without_knowledge_is_searched_by_vanilla_ismcts(game):
    bot, note = advice.choose_bot(game)
    assert bot.name == "ismcts"
    assert note is not None
    assert note.startswith("ismcts (")
    assert note.endswith(f"because {game.name} {STANDS_IN}")
    start = game.start(game.player_counts[0])
    assert advice.search(start, iterations=200).iterations == 200


def test_a_game_with_knowledge_is_searched_by_the_expert():
    for game in (NIM, *map(games.game, games.registry.BUILT_IN)):
        bot, note = advice.choose_bot(game)
        assert (bot.name, note) == ("expert", None)


def test_a_named_bot_is_used_or_rejected():
    assert advice.choose_bot(FORK, "greedy")[0].name == "greedy"
    with pytest.raises(TrajanError, match="prior: game needs knowledge that the game fork"):
        advice.search(FORK.start(3), "expert", iterations=10)


@pytest.mark.parametrize(
    "call",
    [
        ["suggest", "fork.jsonl", "--ply", "1", "--iterations", "200"],
        ["profile", "--game", "fork", "--players", "3", "--time", "0.01"],
    ],
    ids=lambda call: call[0],
)
def test_commands_report_the_substitute_bot(call, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(profiling, "PLAYOUTS", 20)
    start = FORK.start(3)
    records.write("fork.jsonl", [records.record(start, [(0, "right")], start.after("right"))])
    assert main(call) == 0
    assert f", because fork {STANDS_IN}\n" in capsys.readouterr().out
    for named in ([], ["--bot", "ismcts"]):
        assert main([*call, "--json", *named]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["bot"] == "ismcts"
        assert answer.get("note", "").endswith("" if named else f"because fork {STANDS_IN}")
        assert ("note" in answer) == (not named)


def test_bench_measures_games_by_name(monkeypatch, capsys):
    for constant in ("PLAYOUTS", "DETERMINIZATIONS", "ITERATIONS", "DECISIONS", "REPETITIONS"):
        monkeypatch.setattr(benchmark, constant, 3)
    monkeypatch.setattr(benchmark, "BASELINE", 10)
    answer = []
    for _ in range(2):
        assert main(["bench", "--game", "fork", "--game", "nim", "--json"]) == 0
        answer.append(json.loads(capsys.readouterr().out))
    entries = answer[0]["results"]
    assert [(entry["game"], entry["players"]) for entry in entries] == [("fork", 3), ("nim", 2)]
    named = "playouts_per_second transitions_per_second iterations_per_second state_bytes"
    assert {*named.split(), "decisions", "turns"} <= set(entries[0])
    assert answer[0]["signature"] == answer[1]["signature"]


@pytest.mark.parametrize("game", [FORK, PENNIES], ids=lambda game: game.name)
def test_the_engine_searches_a_game_without_knowledge_as_suggest_does(game):
    players = game.player_counts[0]
    start = {"start": {"game": game.name, "players": players, "seed": 0}}
    expected = advice.search(game.start(players), iterations=200).to_dict()
    with Desk() as desk:
        result = desk.ask(id=1, kind="suggest", position=start, iterations=200)["result"]
    assert result["moves"] == json.loads(json.dumps(expected["moves"]))
