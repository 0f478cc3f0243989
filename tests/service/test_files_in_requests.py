"""Requests name component sets, never files, so no interface reads a local file for a client."""

import json
from pathlib import Path

import pytest
from engine_requests import Desk

import trajan_ai
from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import all_options, example_values
from trajan_ai.page import app, requests
from trajan_ai.page.game_tree import start_game
from trajan_ai.records import position_files
from trajan_ai.service.agents import AgentTools

SETS = Path(trajan_ai.__file__).parent / "games" / "forum_trajanum" / "sets"


@pytest.fixture
def path(tmp_path):
    """Return the path of a valid component set that no interface may load."""
    file = tmp_path / "asked.yaml"
    file.write_text((SETS / "recon-1.yaml").read_text().replace("recon-1", "asked"))
    return str(file)


@pytest.fixture
def start():
    return trajan_ai.game("forum_trajanum").start(2, 1)


@pytest.fixture
def record(start, path):
    record = records.record(start, [])
    return record | {"setup": record["setup"] | {"components": path}}


@pytest.fixture
def view(start, path):
    return position_files.position_file(start, start.player) | {"components": path}


def test_the_option_of_a_new_game_is_no_file(path):
    options = {"components": path}
    message = "option components must be the name of a component set but not a file"
    with pytest.raises(TrajanError, match=message):
        AgentTools({}).call("start_game", {"game": "forum_trajanum", "options": options})
    with pytest.raises(TrajanError, match=message):
        start_game("forum_trajanum", [None, None], 1, options)
    position = {"start": {"game": "forum_trajanum", "players": 2, "options": options}}
    with Desk() as desk:
        (problem,) = desk.ask(id=1, kind="legal", position=position)["problems"]
    assert message in problem


def test_the_component_set_of_a_record_or_a_view_is_no_file(record, view):
    message = "no component set is called"
    for data in (record, view):
        with pytest.raises(TrajanError, match=message):
            AgentTools({}).call("open_game", {"text": json.dumps(data)})
        with pytest.raises(TrajanError, match=message):
            app._parse_file(requests.GameFile(text=json.dumps(data)))
    with Desk() as desk:
        for position in ({"record": record}, {"view": view}):
            answer = desk.ask(id=1, kind="legal", position=position)
            assert message in answer["problems"][0]


@pytest.mark.parametrize("game", trajan_ai.GAMES)
def test_no_other_option_can_be_a_file(game):
    """An option that accepts arbitrary text must declare which of its values are files."""
    for option in all_options(trajan_ai.game(game).rules):
        if option.accepts("/a/file.yaml", 2):
            assert option.is_file("/a/file.yaml")
        assert not any(map(option.is_file, example_values(option, 2)))
