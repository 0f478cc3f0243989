"""Games found by name: built-in games, and games that installed packages register."""

import pytest
from calls import python

import trajan_ai
from trajan_ai import games
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.reference import KUHN


@pytest.fixture
def register(tmp_path, monkeypatch):
    """Register games as an installed package does, by a folder of metadata on the import path."""
    monkeypatch.setattr(games.GAMES, "_loaded", {})
    monkeypatch.syspath_prepend(tmp_path)

    def write(package, **points):
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (info / "entry_points.txt").write_text("[trajan_ai.games]\n" + "\n".join(lines) + "\n")

    return write


def test_a_registered_game_is_found_by_its_name(register):
    register("small-games", nim="trajan_ai.games.reference:NIM", fork="no_such_module:FORK")
    assert trajan_ai.game("nim").name == "nim"
    assert list(trajan_ai.GAMES) == ["trajan", "forum_trajanum", "fork", "nim"]
    assert len(trajan_ai.GAMES) == 4
    assert "nim" in trajan_ai.GAMES
    assert "kuhn" not in trajan_ai.GAMES


def test_a_registered_game_is_recorded_and_replayed_by_its_name(register):
    register("small-games", nim="trajan_ai.games.reference:NIM")
    entry = trajan_ai.play("nim", ["random", "greedy"], seed=3)
    assert entry["game"] == "nim"
    assert trajan_ai.records.replay(entry).scores == entry["scores"]


def test_a_built_in_name_cannot_be_taken(register):
    register("thief", trajan="trajan_ai.games.reference:NIM")
    assert trajan_ai.game("trajan").state_bytes > 100
    assert list(trajan_ai.GAMES).count("trajan") == 1


def test_built_in_games_load_no_registered_games(register, tmp_path):
    register("broken", broken="broken_module:GAME")
    (tmp_path / "broken_module.py").write_text("raise SystemError('was loaded')\n")
    assert trajan_ai.game("trajan").name == "trajan"
    assert "broken" in trajan_ai.GAMES
    with pytest.raises(TrajanError, match="games are trajan, forum_trajanum, broken"):
        trajan_ai.game("no_such_game")


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("no_such_module:GAME", "no_such_module:GAME of bad-game cannot be loaded: ModuleNot"),
        ("json:GAME", "json:GAME of bad-game cannot be loaded: AttributeError"),
        ("json:dumps", "json:dumps of bad-game must be a trajan_ai.Game, got <function dumps"),
        ("trajan_ai.games.reference:NIM", "is a game called 'nim'; register it under that name"),
    ],
)
def test_a_broken_registration_is_named(register, value, complaint):
    register("bad-game", bad=value)
    with pytest.raises(TrajanError, match=complaint) as caught:
        trajan_ai.game("bad")
    assert str(caught.value).startswith("game 'bad': entry point ")


def test_two_packages_that_register_one_name_are_both_named(register):
    register("first", nim="trajan_ai.games.reference:NIM")
    register("second", nim="trajan_ai.games.reference:FORK")
    with pytest.raises(TrajanError, match="both register this name") as caught:
        trajan_ai.game("nim")
    assert "NIM of first" in str(caught.value)
    assert "FORK of second" in str(caught.value)


@pytest.mark.slow
def test_a_built_in_game_is_loaded_without_entry_points():
    done = python(
        "-c",
        "import importlib.metadata as metadata\n"
        "metadata.entry_points = None\n"
        "from trajan_ai.games import game\n"
        "game('trajan').start(2)\n"
        "game('forum_trajanum').start(2)\n",
    )
    assert done.returncode == 0, done.stderr


def test_only_the_requested_game_is_loaded():
    done = python("-c", "import sys, trajan_ai; trajan_ai.game('trajan'); print(*sys.modules)")
    loaded = done.stdout.split()
    assert "trajan_ai.games.trajan" in loaded
    assert "trajan_ai.games.forum_trajanum" not in loaded


def test_states_of_another_length_and_illegal_moves_are_rejected():
    start = trajan_ai.game("trajan").start(2, seed=1)
    with pytest.raises(TrajanError, match="bytes"):
        start.game.from_bytes(start.to_bytes()[:-1])
    illegal = next(move for move in range(99) if move not in start.legal_moves())
    with pytest.raises(TrajanError, match="is not legal for player 0"):
        start.after_move(illegal)


def test_a_player_of_kuhn_poker_sees_only_their_own_card_until_a_bet_is_called():
    position = KUHN.restore(2, {"cards": ["king", "jack"]})
    both = {"0": "king", "1": "jack"}
    views = [KUHN.rules.view(position, player)["cards"] for player in (None, 0, 1)]
    assert views == [both, {"0": "king"}, {"1": "jack"}]
    assert KUHN.rules.view(position.after("bet").after("bet"), 1)["cards"] == both
