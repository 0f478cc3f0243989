"""Plays that people logged, from three forms to one table without names."""

import json

import pytest

from trajan_ai.cli import main

BG_STATS = {
    "players": [{"id": 7, "name": "Ada"}, {"id": 9, "name": "Bo"}],
    "games": [{"id": 3, "name": "Trajan"}, {"id": 4, "name": "Go"}],
    "plays": [
        {"gameRefId": 4, "playerScores": []},
        {
            "gameRefId": 3,
            "playDate": "2026-11-20 19:00:00",
            "playerScores": [
                {"playerRefId": 9, "score": "100+51", "winner": True, "seatOrder": 5},
                {"playerRefId": 7, "score": "143", "winner": False, "seatOrder": 2},
            ],
        },
    ],
}
BGG = """<?xml version="1.0" encoding="utf-8"?>
<plays><play id="1" date="2026-11-20"><item name="Trajan"/><players>
<player name="Bo" userid="0" startposition="2" score="151" win="1"/>
<player name="Ada" userid="0" startposition="1" score="143" win="0"/></players></play></plays>"""
TABLE = """play,month,game,person,seat,score
a,2026-11,Trajan,Bo,2,151
a,2026-11,Trajan,Ada,1,143
"""
WRITTEN = """play,month,game,person,seat,score,won
1,2026-11,trajan,1,2,151,1
1,2026-11,trajan,2,1,143,0
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", json.dumps(BG_STATS)), ("b.xml", BGG), ("c.csv", TABLE), ("d.csv", WRITTEN)],
)
def test_each_form_gives_the_same_table_without_names(name, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    assert main(["export", name, "--plays", "--to", "plays.csv"]) == 0
    assert (tmp_path / "plays.csv").read_text() == WRITTEN
    assert capsys.readouterr().out == f"{name}: 1 plays\n"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", TABLE.replace("143", "many"), "a.csv: play a: score 'many' is no whole number"),
        ("a.csv", TABLE.replace("Ada", "Bo"), "2 players, there must be 2 to 4 different ones"),
        ("a.csv", "play,game\n", "a.csv: 1: no column person, score"),
        ("a.json", "{}", "a.json: not such an export (KeyError('games'))"),
        ("a.json", "[", "a.json: Expecting value"),
        ("a.json", "[" * 300, "a.json: nested deeper"),
        ("a.csv", TABLE + "a" * 200000, "a.csv: field larger than field limit"),
        ("a.xml", "<plays>", "a.xml: no element found"),
        ("a.txt", "", "a.txt: plays are read from .json, .xml, .csv files"),
    ],
)
def test_what_cannot_be_used_is_told(name, text, told, tmp_path, capsys):
    (tmp_path / name).write_text(text)
    assert main(["export", f"{tmp_path / name}", "--plays", "--to", f"{tmp_path}/to.csv"])
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
