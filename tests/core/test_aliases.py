"""Names of release 0.3.0 that changed work for one release, with a warning."""

from importlib import import_module

import pytest
from golden_games import golden, witnessed

from trajan_ai.core.aliases import NAMES
from trajan_ai.core.errors import Renamed
from trajan_ai.records import following, position_files, position_sources


@pytest.mark.parametrize(
    ("module", "name", "new"),
    [(module, name, new) for module, names in NAMES.items() for name, new in names.items()],
)
def test_old_names_are_the_new_ones_with_a_warning(module, name, new):
    place, _, attribute = new.partition(":")
    with pytest.warns(Renamed, match=f"{module}.{name} is called trajan_ai.{place}.{attribute}"):
        value = getattr(import_module(f"trajan_ai.{module}"), name)
    assert value is getattr(import_module(f"trajan_ai.{place}"), attribute)


@pytest.mark.parametrize("module", NAMES)
def test_other_names_are_missing(module):
    with pytest.raises(AttributeError, match="has no attribute 'castle'"):
        import_module(f"trajan_ai.{module}").castle  # noqa: B018


def test_the_reveals_of_a_move_have_their_old_name():
    move = following.Move(0, "pass", {"card": ["a"]})
    with pytest.warns(Renamed, match=r"Move.shown is called Move.reveals"):
        assert move.shown is move.reveals
    with pytest.raises(AttributeError):
        move.castle  # noqa: B018


def test_old_functions_read_files_as_before(tmp_path):
    game = witnessed(golden(), 1, count=5)
    game.save(tmp_path / "game.json")
    assert position_sources.read_followed(tmp_path / "game.json").moves == game.moves
    position_files.write(tmp_path / "here.yaml", game.position_file())
    assert position_sources.observer_of(tmp_path / "here.yaml") == 1
