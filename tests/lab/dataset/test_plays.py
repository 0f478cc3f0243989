"""Logged plays: three formats become one table without names, and every play is accounted for."""

import json
import re

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


def export(folder, capsys, *files):
    """Export files, by name and text; return status, the table's lines, output, and errors."""
    names = []
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
        names.append(str(folder / name))
    target = folder / "to.csv"
    status = main(["export", *names, "--plays", "--to", str(target)])
    printed = capsys.readouterr()
    lines = target.read_text().splitlines()[1:] if target.exists() else []
    errors = printed.err.replace(f"{folder}/", "").splitlines()
    return status, lines, printed.out.replace(f"{folder}/", ""), errors


def counts(output):
    """Return the numbers of plays read, counted, skipped and of other games; they add up."""
    rows = re.findall(
        r"(\d+) plays read: (\d+) counted, (\d+) skipped, (\d+) of other games", output
    )
    for read, *parts in rows:
        assert int(read) == sum(map(int, parts))
    return [tuple(map(int, one)) for one in rows]


def bg_stats(*plays, games=({"id": 3, "name": "Trajan"},), players=()):
    data = {"games": list(games), "players": list(players), "plays": list(plays)}
    return "a.json", json.dumps(data)


def logged(*scores, **keys):
    """Return a play of BG Stats in which player N has the N-th score."""
    rows = [{"playerRefId": number, "score": score} for number, score in enumerate(scores)]
    return {"gameRefId": 3, "playDate": "2024-03-02", "playerScores": rows} | keys


def geek(*plays):
    return "b.xml", f"<plays>{''.join(plays)}</plays>"


def geek_play(number=1, scores=("120", "110"), **keys):
    attributes = {"date": "2026-11-20", "quantity": "1"} | keys
    written = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    rows = "".join(f'<player name="P{k}" score="{one}"/>' for k, one in enumerate(scores))
    return f'<play id="{number}" {written}><item name="Trajan"/><players>{rows}</players></play>'


def table(*rows, delimiter=","):
    lines = ["play,month,game,person,seat,score,won", *rows]
    return "c.csv", "\n".join(lines).replace(",", delimiter)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps(BG_STATS)),
        ("b.xml", BGG),
        ("c.csv", TABLE),
        ("c.CSV", TABLE.replace(",", ";")),
        ("d.csv", WRITTEN),
    ],
)
def test_each_format_gives_the_same_table_without_names(name, text, tmp_path, capsys):
    status, lines, output, errors = export(tmp_path, capsys, (name, text))
    assert (status, lines, errors) == (0, WRITTEN.splitlines()[1:], [])
    assert counts(output) == [(1 + (name == "a.json"), 1, 0, int(name == "a.json"))]
    assert output.endswith("to.csv: 1 plays written\n")


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (bg_stats(logged("0", "0", ignored=True)), "play 1: marked as ignored in BG Stats"),
        (bg_stats(logged("12", "12", "10", usesTeams=True)), "play 1: played in teams"),
        (bg_stats(logged("1", "2", gameRefId=9)), "play 1: its game is not in the file's list"),
        (bg_stats(logged("1", "2"), games=[{"id": 3}]), "its game is not in the file's list"),
        (bg_stats(logged("1", "2", playerScores=None)), "0 players, there must be 2 to 4"),
        (bg_stats(logged("1", None)), "play 1: a player has no score"),
        (bg_stats(logged("1", True)), "play 1: score True is not a whole number"),
        (bg_stats(logged("10+20+", "3")), "play 1: score '10+20+' is not a whole number"),
        (bg_stats(logged("3--2", "3")), "play 1: score '3--2' is not a whole number"),
        (bg_stats(7), "play 1: must be an object"),
        (geek(geek_play(incomplete="1")), "play 1: marked as incomplete"),
        (geek(geek_play(nowinstats="1")), "play 1: marked as not counting for win statistics"),
        (geek(geek_play(quantity="0")), "play 1: quantity is '0'"),
        (geek(geek_play(quantity="2")), "play 1: quantity is '2'"),
        (geek(geek_play(scores=())), "play 1: 0 players"),
        (geek(geek_play(scores=("133.0", "121.5"))), "score '121.5' is not a whole number"),
        (
            table("1,,trajan,Ada,1,143,", "1,,forum_trajanum,Bo,2,90,"),
            "play 1: its rows name several games: trajan, forum_trajanum",
        ),
        (
            table("1,2026-11,trajan,Ada,1,143,", "1,2026-12,trajan,Bo,2,90,"),
            "play 1: its rows name several months: 2026-11, 2026-12",
        ),
        (
            table(f"1,,trajan,Ada,1,{10**20},", "1,,trajan,Bo,2,90,"),
            "is not a whole number from -999 to 999",
        ),
        (table("1,,trajan,Ada,1,9,maybe", "1,,trajan,Bo,2,8,"), "won is 'maybe': must be yes"),
        (table("1,,trajan,Ada,1,9,no", "1,,trajan,Bo,2,8,yes"), "a winner has a lower score"),
        (table("1,,trajan,Ada", "1,,trajan,Bo,2,8,1"), "play 1: a player has no score"),
        (table("1,,trajan,Ada,1,2,3,4,5", "1,,trajan,Bo,2,8,1"), "more than 7 columns"),
        (table("1,,trajan,Ada,1,9,", "1,,trajan,Ada,2,8,"), "2 to 4 different ones"),
    ],
)
def test_plays_that_do_not_count_are_reported_with_their_reason(file, reason, tmp_path, capsys):
    status, lines, output, errors = export(tmp_path, capsys, file)
    assert (status, lines) == (1, [])
    assert counts(output) == [(1, 0, 1, 0)]
    assert len(errors) == 1
    assert errors[0].startswith(f"{file[0]}: play 1: ")
    assert reason in errors[0]


def test_an_odd_entry_does_not_lose_the_others(tmp_path, capsys):
    good = logged("120", "110")
    odd = [7, logged("1", "2", gameRefId=None), logged("1", "2", gameRefId=[1]), logged("1")]
    file = bg_stats(*odd, good, games=[{"id": 3, "name": "Trajan"}, {"id": 4}, None, {"id": None}])
    status, lines, output, errors = export(tmp_path, capsys, file)
    assert (status, len(lines), len(errors)) == (1, 2, 4)
    assert counts(output) == [(5, 1, 4, 0)]


@pytest.mark.parametrize("date", [None, "", "0000-00-00"])
def test_a_play_without_a_date_counts(date, tmp_path, capsys):
    status, lines, _, errors = export(
        tmp_path, capsys, bg_stats(logged("120", "110", playDate=date))
    )
    assert (status, errors) == (0, [])
    assert lines == ["1,,trajan,1,,120,1", "1,,trajan,2,,110,0"]


def test_unnamed_persons_are_different_persons(tmp_path, capsys):
    anonymous = {"id": 1, "name": "Anonymous player", "isAnonymous": True}
    rows = [{"playerRefId": 0, "score": "9"}, *({"playerRefId": 1, "score": "8"},) * 2]
    file = bg_stats(logged(playerScores=[*rows, {"score": "7"}]), players=[anonymous])
    status, lines, _, _ = export(tmp_path, capsys, file)
    assert status == 0
    assert [line.split(",")[3] for line in lines] == ["1", "2", "3", "4"]


def test_persons_have_one_number_per_file(tmp_path, capsys):
    """Persons of two files are different persons, even if they have the same name."""
    first = table("1,2026-01,trajan,Ada,1,9,", "1,2026-01,trajan,Bo,2,8,",
                  "2,2026-02,trajan,Bo,1,7,", "2,2026-02,trajan,Cy,2,6,")  # fmt: skip
    second = table("1,2026-03,trajan,Ada,1,5,", "1,2026-03,trajan,Bo,2,4,")
    _, lines, _, _ = export(tmp_path, capsys, first, ("other.csv", second[1]))
    assert [line.split(",")[3] for line in lines] == ["1", "2", "2", "3", "4", "5"]


def test_a_renamed_game_counts_by_its_name_on_boardgamegeek(tmp_path, capsys):
    game = {"id": 3, "name": "Trajan (Deluxe)", "bggName": "Trajan"}
    status, lines, _, _ = export(tmp_path, capsys, bg_stats(logged("2", "1"), games=[game]))
    assert (status, lines[0]) == (0, "1,2024-03,trajan,1,,2,1")


@pytest.mark.parametrize(
    ("orders", "start", "seats"),
    [
        ((1, 2, 3), 1, ["3", "1", "2"]),
        ((2, "1", 5), 0, ["1", "3", "2"]),
        ((2, 1, 5), None, ["2", "1", "3"]),
        ((0, 0, 0), 2, ["", "", "1"]),
        ((0, 0, 0), None, ["", "", ""]),
    ],
)
def test_seats_count_from_the_start_player(orders, start, seats, tmp_path, capsys):
    play = logged("3", "2", "1")
    for number, row in enumerate(play["playerScores"]):
        row |= {"seatOrder": orders[number], "startPlayer": number == start}
    _, lines, _, errors = export(tmp_path, capsys, bg_stats(play))
    assert [line.split(",")[4] for line in lines] == seats
    assert errors == []


@pytest.mark.parametrize(
    ("rows", "seats", "note"),
    [
        (("1.0,9,", "2,8,"), ["1", "2"], ""),
        ((",9,", "1,8,"), ["", "1"], ""),
        (("7,9,", "1,8,"), ["", ""], "seats 7, 1 ignored: must be different numbers from 1 to 2"),
        (("1,9,", "1,8,"), ["", ""], "seats 1, 1 ignored"),
        (("red,9,", ",8,"), ["", ""], "seats red, none ignored"),
    ],
)
def test_seats_that_cannot_be_are_reported(rows, seats, note, tmp_path, capsys):
    file = table(*(f"1,2026-11,trajan,P{k},{row}" for k, row in enumerate(rows)))
    status, lines, _, errors = export(tmp_path, capsys, file)
    assert status == 0
    assert [line.split(",")[4] for line in lines] == seats
    assert len(errors) == bool(note)
    assert not note or f"c.csv: play 1: {note}" in errors[0]


def test_dates_that_cannot_be_read_are_reported(tmp_path, capsys):
    file = table("1,11/2026,trajan,A,1,9,", "1,11/2026,trajan,B,2,8,")
    status, lines, _, errors = export(tmp_path, capsys, file)
    assert (status, lines[0]) == (0, "1,,trajan,1,1,9,1")
    assert errors == ["c.csv: play 1: date '11/2026' ignored: must begin with YYYY-MM"]


@pytest.mark.parametrize("yes", ["1", "yes", "TRUE", "x"])
def test_the_winner_of_a_tie_is_the_one_that_is_marked(yes, tmp_path, capsys):
    file = table("1,2026-11,trajan,Ada,1,143,no", f"1,2026-11,trajan,Bo,2,143,{yes}")
    _, lines, _, _ = export(tmp_path, capsys, file)
    assert [line[-1] for line in lines] == ["0", "1"]


@pytest.mark.parametrize(
    ("files", "written"),
    [
        ([geek(geek_play(1), geek_play(1))], 1),
        ([geek(geek_play(1), geek_play(2))], 2),
        ([geek(geek_play(1)), ("e.xml", geek(geek_play(1, date="2026-12-01"))[1])], 1),
        ([geek(geek_play(1)), ("e.xml", geek(geek_play(2))[1])], 1),
        ([geek(geek_play(1)), ("e.xml", geek(geek_play(2, date="2026-11-21"))[1])], 2),
        ([geek(geek_play(1)), bg_stats(logged("110", "120", playDate="2026-11-20 19:00"))], 1),
        ([geek(geek_play(1)), table("1,2026-11,trajan,A,1,120,", "1,2026-11,trajan,B,2,110,")], 1),
        ([table("1,,trajan,A,1,2,", "1,,trajan,B,2,1,")] * 2, 1),
        ([geek(geek_play(1, date="")), ("e.xml", geek(geek_play(2, date=""))[1])], 2),
    ],
)
def test_a_play_in_two_files_counts_once(files, written, tmp_path, capsys):
    status, lines, output, errors = export(tmp_path, capsys, *files)
    assert len(lines) == 2 * written
    read, counted, skipped, _ = map(sum, zip(*counts(output), strict=True))
    assert (read, counted, skipped) == (2, written, 2 - written)
    assert status == len(errors) == skipped
    assert all("duplicate of a play" in error for error in errors)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "play,game\n", "a.csv: 1: no column person, score"),
        ("a.csv", "", "a.csv: 1: no column play, game, person, score"),
        ("a.json", "{}", "a.json: not an export of BG Stats: must contain lists"),
        ("a.json", "[]", "a.json: not an export of BG Stats: must contain lists"),
        ("a.json", "[", "a.json: Expecting value"),
        ("a.json", "[" * 300, "a.json: nested deeper"),
        ("a.csv", TABLE + "a" * 200000, "a.csv: field larger than field limit"),
        ("a.xml", "<plays>", "a.xml: no element found"),
        ("a.xml", "<message>accepted</message>", "a.xml: BoardGameGeek is still preparing"),
        ("a.xml", "<html/>", "a.xml: not a list of plays: must be <plays>, got <html>"),
        ("a.txt", "", "a.txt: plays are read from .json, .xml, .csv files"),
    ],
)
def test_files_of_another_kind_are_rejected(name, text, message, tmp_path, capsys):
    status, lines, _, errors = export(tmp_path, capsys, (name, text))
    assert (status, lines, len(errors)) == (2, [], 1)
    assert message in errors[0]


def test_an_input_is_not_overwritten(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    other = tmp_path / "other.csv"
    other.symlink_to(path)
    for target in (path, other):
        assert main(["export", str(path), "--plays", "--to", str(target)]) == 2
        assert "--to must not be a file that is read" in capsys.readouterr().err
        assert path.read_text() == TABLE
