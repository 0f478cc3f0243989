"""`trajan-ai follow`, run with scripts of the lines that a user would type."""

import io
import sys
from itertools import chain
from pathlib import Path

import pytest
from golden_games import GOLDEN, golden

from trajan_ai import games, records
from trajan_ai.cli.common import event_line
from trajan_ai.cli.follow import Session, list_matches
from trajan_ai.cli.main import main
from trajan_ai.core.rules_words import list_notable
from trajan_ai.records import following, position_files, position_sources


@pytest.fixture
def follow(monkeypatch, capsys, tmp_path):
    """Return a function that runs the command in an empty folder, with given lines as input."""
    monkeypatch.chdir(tmp_path)

    def run(lines, *arguments):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main(["follow", *arguments])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return run


def answers(table, action, reveals):
    """Return the answers to the questions that follow an action, as reveals and as typed lines."""
    stated, lines = {}, []
    while asks := [ask for ask in table.asks(action, stated) if ask.key not in stated]:
        for ask in asks:
            stated[ask.key] = reveals.get(ask.key, [])
            lines.append(", ".join(stated[ask.key]))
    return stated, lines


def typed(entry, observer, count):
    """Return the start of a record, the lines to type for its first moves, and the followed
    game."""
    table, sets, lines, gathered, later = None, None, [], [], []
    for position, move in following.witness(entry, observer):
        if table is None:
            view = position.view(observer)
            table = following.follow(position.game.rules.from_view(view), observer)
        if len(table.moves) >= count:
            break
        then = () if move is None else move.reveals.get("then", ())
        for action in () if move is None else (move.action, *then):
            if action and action not in table.legal():
                continue  # the game ended without a message
            stated, more = answers(table, action, move.reveals)
            sets = sets if gathered else table.sets
            gathered += [action] if action else []
            lines, later = [*lines, action or ""], [*later, *more]
            before = table.position
            table.play(action, stated)
            if gathered and sets.take(gathered)[1]:
                laid, goes_on = before.game.rules.continue_set(before, action, table.position)
                if goes_on:
                    continue
                lines += laid or ["done"]
            lines, gathered, later = lines + later, [], []
    return position_files.position_file(table.start, observer), lines, table


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("trajan", 95), ("forum_trajanum", 60)])
def test_a_game_is_followed_line_by_line(follow, name, count):
    start, lines, table = typed(golden(name, "3p"), 1, count)
    position_files.write("start.yaml", start)
    status, text = follow([*lines, "export now.yaml"], "start.yaml")
    assert status == 0, text
    assert position_files.read("now.yaml").view(1) == table.view
    assert position_sources.read_followed("followed.json").moves == table.moves
    output = " ".join(text.split())
    rules = table.position.game.rules
    for event in list_notable(rules, chain(*table.events)):
        assert event_line(rules, event) in output


def test_an_interrupted_game_continues(follow):
    follow(["marker blue; blue", "m g"], "trajan", "--save", "evening.json")
    status, text = follow(["log", "undo", "log"], "evening.json")
    assert status == 0
    assert "3  player 0: marker green" in text
    assert "1 taken back, 2 left" in text
    assert "continue with: trajan-ai follow evening.json" in text
    assert len(position_sources.read_followed("evening.json").moves) == 2
    assert "2 moves; you are player 0" in follow(["load evening.json"], "trajan")[1]


def test_the_last_game_continues_and_is_not_overwritten(follow):
    follow(["marker blue"], "trajan")
    status, text = follow([], "trajan")
    assert status == 2
    assert "contains a saved game" in text
    status, text = follow(["log"])
    assert status == 0
    assert "player 0: marker blue" in text


def test_a_position_file_does_not_overwrite_moves(follow):
    start = games.game("trajan").start(2, seed=5)
    position_files.write("table.yaml", position_files.position_file(start, 0))
    status, text = follow(["load table.yaml", "marker blue", "load table.yaml", "log"], "trajan")
    assert status == 1
    assert "0 moves; you are player 0" in text
    message = "followed.json: contains the moves of this game; quit, and start the other with"
    assert f"{message} `trajan-ai follow table.yaml --save FILE`" in " ".join(text.split())
    assert "1  player 0: marker blue" in text
    assert len(position_sources.read_followed("followed.json").moves) == 1


def test_a_wrong_line_gets_a_message_and_changes_nothing(follow):
    status, text = follow(
        ["marker red", "marker", "undo 5", "undo 0", "log -1", "suggest x", "load no.json"],
        "trajan",
    )
    assert status == 1
    assert "there is no 'marker red' here" in text
    assert "'marker' is ambiguous: it matches marker blue, marker green" in text
    assert "cannot undo 5 of 0 moves" in text
    assert text.count("log and undo need a number of moves, at least 1, got") == 2
    assert "suggest needs a number of seconds, got 'x'" in text
    assert "no.json: there is no such file" in text
    assert position_sources.read_followed("followed.json").moves == []


@pytest.mark.slow
def test_an_empty_answer_undoes_the_move_and_a_question_mark_lists_answers(follow):
    start, lines, _ = typed(golden("trajan", "3p"), 1, 37)
    position_files.write("start.yaml", start)
    *before, last, answer = lines
    for lines, count, message in (
        ([last, "?", ""], 36, "an empty answer takes the move back"),
        ([last, "xyz", answer], 37, "there is no 'xyz' here"),
        ([last, f"{answer}, {answer}", answer], 37, "the number of names must be 1, got 2"),
        (
            [f"{last} = {answer}, {answer}", f"{last} = {answer}"],
            37,
            "the number of reveals must be 1",
        ),
    ):
        Path("followed.json").unlink(missing_ok=True)
        status, text = follow([*before, *lines], "start.yaml")
        assert (status, len(position_sources.read_followed("followed.json").moves)) == (
            count - 36,
            count,
        ), text
        assert message in text


def test_suggestions_are_for_your_own_decisions(follow):
    status, text = follow(["suggest"], "trajan", "--iterations", "50")
    assert status == 0
    assert "marker blue" in text
    status, text = follow(
        ["suggest"], "trajan", "--observer", "1", "--save", "other.json", "--iterations", "50"
    )
    assert status == 1
    assert "suggestions are available only for your own decisions" in text


def test_a_witnessed_record_works_wherever_records_and_positions_do(follow, capsys):
    start, lines, table = typed(golden("forum_trajanum", "3p"), 1, 40)
    position_files.write("start.yaml", start)
    status, text = follow([*lines, "export games.jsonl"], "start.yaml")
    assert (status, "added to games.jsonl" in text) == (0, True)
    records.write("games.jsonl", records.scan(GOLDEN / "forum_trajanum_2p.jsonl"), append=True)
    assert main(["replay", "games.jsonl", "--verify"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[0].startswith("games.jsonl:1: verified, 40 moves as player 1 saw them")
    assert "decisions, legal moves" in output[1]
    for file in ("followed.json", "games.jsonl"):
        assert main(["position", file, "--out", "now.yaml"]) == 0
        assert position_files.read("now.yaml").view(1) == table.view
        assert main(["board", file, "--ply", "0"]) == 0
        assert main(["replay", file, "--ply", "40"]) == 0
        assert main(["board", file, "--view", "0"]) == 2
        assert (
            "--view must be 1: the file contains only what that player" in capsys.readouterr().err
        )
    Path("followed.json").unlink()
    status, text = follow([], "games.jsonl")
    assert status == 2
    assert ": this record contains the whole game" in text
    Path("one.jsonl").write_text(Path("games.jsonl").read_text().splitlines()[0])
    follow(["save /nowhere/x.json"], "one.jsonl")
    assert position_sources.read_followed("followed.json").view == table.view
    own = next(n for n, move in enumerate(table.moves) if move.player == 1 and n > 10)
    ask = ["suggest", "games.jsonl", "--iterations", "40", "--ply"]
    assert main([*ask, str(own)]) == 0
    assert (
        main([*ask, str(next(n for n, move in enumerate(table.moves) if move.player == 0))]) == 2
    )
    assert "contains only what player 1 knows" in capsys.readouterr().err


SOME = ["sow I", "sow II", "sow III", "forum bread", "forum votes2", "forum votes3", "pass"]


@pytest.mark.parametrize(
    ("short", "names"),
    [
        ("sow i", ["sow I"]),
        ("II", ["sow II"]),
        ("f b", ["forum bread"]),
        ("bread", ["forum bread"]),
        ("vot", ["forum votes2", "forum votes3"]),
        ("pa", ["pass"]),
        ("x", []),
        ("", []),
    ],
)
def test_short_forms_match_names(short, names):
    assert list_matches(short, SOME) == names


def test_markers_can_be_named_in_any_order(follow):
    lines = ["marker yellow", "green", "undo 2", "green; yellow", "o; b", "w", "undo", "log"]
    status, text = follow(lines, "trajan")
    assert status == 0, text
    assert "you (marker yellow, and)> green" in text
    assert "and which other? marker blue, marker green, " in text
    assert "not played: marker white" in text
    actions = [
        move.action.split()[1] for move in position_sources.read_followed("followed.json").moves
    ]
    assert actions == ["green", "yellow", "blue", "orange"]


def settling(follow):
    """Return the lines up to the move that ends a hidden step 1, and the game before this move."""
    entry = golden("forum_trajanum", "3p")
    for count in range(20, 80):
        start, lines, table = typed(entry, 1, count)
        position_files.write("start.yaml", start)
        if "paid 0" in table.moves[-1].reveals or "took 0" in table.moves[-1].reveals:
            return lines, table
    raise AssertionError


def test_a_question_with_an_impossible_answer_is_repeated_and_the_others_stay(follow):
    lines, table = settling(follow)
    at = max(
        i for i, line in enumerate(lines) if line == ", ".join(table.moves[-1].reveals["took 0"])
    )
    paid = lines[at + 1]
    wrong = [*lines[: at + 1], "2" if paid != "2" else "0", *lines[at + 2 : at + 4]]
    wrong += [lines[at], paid, *lines[at + 4 :]]
    status, text = follow(wrong, "start.yaml")
    assert status == 1, "a script with a wrong answer needs a look"
    assert "cannot take" in text
    assert position_sources.read_followed("followed.json").moves == table.moves, text
    Path("followed.json").unlink()
    follow([line or "0" if i > at else line for i, line in enumerate(lines)], "start.yaml")
    assert position_sources.read_followed("followed.json").moves == table.moves


@pytest.mark.parametrize("word", ["q", "exit", "quit"])
def test_leaving_prints_how_to_continue(follow, word):
    status, text = follow(["marker blue", word, "marker blue"], "trajan")
    assert (status, len(position_sources.read_followed("followed.json").moves)) == (0, 1)
    assert "You are player 0, counted from 0; `help` lists the commands.\n" in text
    assert text.endswith("saved; continue with: trajan-ai follow followed.json\n")


def test_an_interrupt_prints_how_to_continue(follow, monkeypatch):
    def interrupted(self, prompt, names):
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "read", interrupted)
    status, text = follow([], "trajan")
    assert status == 130
    assert "saved; continue with: trajan-ai follow followed.json" in text
