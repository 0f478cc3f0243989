"""One function opens every kind of file that contains a position, in all its forms."""

import io
import json
import sys
from pathlib import Path

import pytest
import yaml
from calls import problems
from golden_games import GOLDEN, golden, witnessed

from trajan_ai import records
from trajan_ai.analysis.decision import advice
from trajan_ai.bots import descriptions
from trajan_ai.cli.main import main
from trajan_ai.core import yamlfile
from trajan_ai.records import following, position_files, position_sources

PLY = 60
BOM = b"\xef\xbb\xbf"


def forms(data):
    """Return plain data as one line of JSON, as indented JSON and as YAML."""
    return {
        "one line": json.dumps(data),
        "indented": json.dumps(data, indent=1),
        "yaml": yaml.safe_dump(data),
    }


@pytest.mark.parametrize("form", ["one line", "indented", "yaml"])
@pytest.mark.parametrize("name", ["file.json", "file.yaml", "file.jsonl", "file"])
def test_a_record_is_opened_in_every_form_and_under_every_name(tmp_path, form, name):
    entry = {key: value for key, value in golden().items() if key != "x_legal"}
    path = tmp_path / name  # the entry lacks x_legal, because YAML reads some hashes as numbers
    path.write_text(forms(entry)[form], encoding="utf-8")
    if name.endswith(".jsonl") and form != "one line":
        (problem,) = problems(position_sources.read, path, ply=PLY)
        assert problem.startswith(f"{path}:1: not a complete JSON object")
        return
    source = position_sources.read(path, ply=PLY)
    assert source.position == records.replay(entry, PLY)
    assert (source.observer, source.record, source.ply) == (None, entry, PLY)
    assert source.last == tuple(entry["actions"][PLY - 1])


def test_a_file_that_is_not_yaml_is_neither_a_record_nor_a_position(tmp_path):
    path = tmp_path / "README.md"
    path.write_text("# Title\n\ntext: more: text\n", encoding="utf-8")
    (problem,) = problems(position_sources.read, path)
    assert problem == (
        f"{path}:3:11: mapping values are not allowed here; "
        "the file is neither a game record nor a position file"
    )


@pytest.mark.parametrize("form", ["one line", "indented", "yaml"])
def test_a_witnessed_record_is_opened_in_every_form(tmp_path, form):
    game = witnessed(golden(), 1, count=40)
    path = tmp_path / "file.json"
    path.write_text(forms(json.loads(json.dumps(game.record())))[form], encoding="utf-8")
    source = position_sources.read(path, ply=30)
    assert source.position == game.positions[30]
    assert (source.observer, source.record.moves, source.ply) == (1, game.moves, 30)
    move = game.moves[29]
    assert source.last == (None if move.action is None else (move.player, move.action))
    assert position_sources.read_followed(path).moves == game.moves


@pytest.mark.parametrize("form", ["one line", "indented", "yaml"])
def test_a_position_file_is_opened_in_every_form(tmp_path, form):
    position = records.replay(golden("forum_trajanum"), PLY)
    data = position_files.position_file(position, 1)
    path = tmp_path / "file"
    path.write_text(forms(json.loads(json.dumps(data)))[form], encoding="utf-8")
    source = position_sources.read(path)
    assert source.position.view(1) == position.view(1)
    assert (source.observer, source.record, source.last) == (1, None, None)
    assert problems(position_sources.read, path, ply=3) == (
        "a ply requires a record, but this is a position file",
    )


def test_a_byte_order_mark_changes_nothing(tmp_path):
    """Some editors write a byte-order mark; concatenated files contain it in the middle."""
    line = json.dumps(golden()).encode() + b"\n"
    path = tmp_path / "games.jsonl"
    path.write_bytes(BOM + line + BOM + line + BOM)
    assert records.read(path) == [golden(), golden()]
    assert [place for place, _ in position_sources.scan(path)] == [f"{path}:1", f"{path}:2"]
    assert position_sources.read(path, number=2, ply=PLY).position == records.replay(golden(), PLY)
    position = records.replay(golden(), PLY)
    text = position_files.dumps(position_files.position_file(position, 0))
    path = tmp_path / "here.yaml"
    path.write_bytes(BOM + text.encode())
    assert position_sources.read(path).position.view(0) == position.view(0)


def test_the_last_game_is_chosen_without_a_number():
    path = GOLDEN / "trajan_2p.jsonl"
    entries = records.read(path)
    assert position_sources.read(path, number=None).record == entries[-1]
    count = len(entries)
    assert problems(position_sources.read, path, number=count + 1) == (
        f"{path}: has {count} records, so there is no record {count + 1}",
    )


def test_one_record_is_counted_in_the_singular(tmp_path):
    path = tmp_path / "one.jsonl"
    records.write(path, [golden()])
    expected = (f"{path}: has 1 record, so there is no record 2",)
    assert problems(position_sources.read, path, number=2) == expected


def test_errors_name_the_line_of_the_record(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("\n" + json.dumps(golden()) + "\n{broken\n", encoding="utf-8")
    assert position_sources.read(path).position.player is None
    (problem,) = problems(position_sources.read, path, number=2)
    assert problem.startswith(f"{path}:3: not a complete JSON object")
    (problem,) = problems(position_sources.read, path, ply=9999)
    assert problem.startswith(f"{path}:2: ply must be 0 to ")


def test_a_text_is_opened_like_a_file():
    text = json.dumps(golden())
    source = position_sources.parse(f"{text}\n{text}\n", "text", number=2, ply=PLY)
    assert source.position == records.replay(golden(), PLY)


def test_the_observer_must_decide(tmp_path):
    game = witnessed(golden(), 1, count=40)
    path = tmp_path / "game.json"
    game.save(path)
    for ply in (30, 31, 32, 33, 34, 35):
        source = position_sources.read(path, ply=ply)
        if source.position.player == 1:
            assert source.information_set().observer == 1
        else:
            (problem,) = problems(source.information_set)
            assert "the file contains only what player 1 knows" in problem


def test_a_position_file_is_checked_and_shown_with_its_board(tmp_path, capsys):
    position = records.replay(golden(), PLY)
    path = tmp_path / "file.yaml"
    position_files.write(path, position_files.position_file(position, position.player))
    assert main(["board", str(path)]) == 0
    board = capsys.readouterr().out
    assert main(["position", str(path)]) == 0
    text = capsys.readouterr().out
    assert len(board) > 500
    assert text.startswith(board.rstrip())
    assert f"player {position.player} to decide: {position.legal()[0]}" in text


def test_a_position_file_is_shown_as_its_observer_knows_it(tmp_path, capsys):
    """It is another player's turn to decide, and the file does not contain that player's hand."""
    position = records.replay(golden(), PLY)
    observer = 1 - position.player
    path = tmp_path / "file.yaml"
    position_files.write(path, position_files.position_file(position, observer))
    assert main(["board", str(path)]) == 0
    board = capsys.readouterr().out
    assert main(["position", str(path)]) == 0
    possible = ", ".join(following.follow(position, observer).legal())
    decision = f"\nplayer {position.player} to decide: {possible}\n"
    assert capsys.readouterr().out == board + decision


def test_no_player_decides_in_the_position_file_of_a_finished_game(tmp_path, capsys):
    path = tmp_path / "file.yaml"
    position_files.write(path, position_files.position_file(records.replay(golden()), 1))
    assert main(["board", str(path)]) == 0
    board = capsys.readouterr().out
    assert main(["position", str(path)]) == 0
    assert capsys.readouterr().out == board


@pytest.mark.parametrize("kind", ["position", "record", "witnessed"])
@pytest.mark.parametrize("command", ["suggest", "board", "position", "follow"])
def test_a_file_is_read_once_and_a_bot_is_validated_once(tmp_path, monkeypatch, kind, command):
    """The counts cover all the steps from a file to a suggestion, a drawing or a position file."""
    position = records.replay(golden(), PLY)
    game = witnessed(golden(), position.player)
    path = tmp_path / "file.json"
    if kind == "position":
        position_files.write(path, position_files.position_file(position, position.player))
    elif kind == "record":
        records.write(path, [golden()])
    else:
        game.save(path)
    bot = tmp_path / "mine.yaml"
    bot.write_text("kind: ismcts\nextends: ismcts\n", encoding="utf-8")
    opened, validated = [], []
    whole_open, whole_validate = Path.open, yamlfile.validate

    def counting_open(self, *arguments, **options):
        opened.append(self)
        return whole_open(self, *arguments, **options)

    def counting_validate(model, document, *arguments):
        validated.append(document.name)
        return whole_validate(model, document, *arguments)

    monkeypatch.setattr(Path, "open", counting_open)
    for module in (yamlfile, descriptions, advice):
        if hasattr(module, "validate"):
            monkeypatch.setattr(module, "validate", counting_validate)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    at = next(n for n, move in enumerate(game.moves) if n > 40 and move.player == game.observer)
    ply = {"position": [], "record": ["--ply", str(PLY)], "witnessed": ["--ply", str(at)]}[kind]
    options = {
        "suggest": [*ply, "--bot", str(bot), "--iterations", "20", "--json"],
        "follow": ["--save", "other.json"],
    }.get(command, ply)
    is_possible = (command, kind) != ("follow", "record")
    assert main([command, str(path), *options]) == (0 if is_possible else 2)
    assert opened.count(path) == 1
    assert validated.count(str(bot)) == (command == "suggest")
