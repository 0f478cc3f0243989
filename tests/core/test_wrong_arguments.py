"""No argument from Python crashes a compiled module."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from calls import python

from trajan_ai.adapters.batch import Batch
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import GAMES
from trajan_ai.games.reference import KUHN
from trajan_ai.mcts.greedy import greedy_move
from trajan_ai.testing.probe import Probe

PROGRAM = Path(__file__).with_name("wrong_calls.py")
COUNT = int(os.environ.get("TRAJAN_WRONG_CALLS", "60"))  # calls of each function and method


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_wrong_arguments_raise_and_never_crash():
    result = python(PROGRAM, COUNT, 1)
    assert result.returncode == 0, result.stderr
    *crashes, total = map(json.loads, result.stdout.splitlines())
    assert total["calls"] > 100 * COUNT, "there are fewer functions than expected"
    lines = [f"{one['name']} (exit status {one['status']}): {one['call']}" for one in crashes]
    assert not crashes, "\n" + "\n".join(lines)


@pytest.mark.parametrize("observer", [-1, 2, 345])
def test_a_plan_needs_an_observer_at_the_table(observer):
    with pytest.raises(TrajanError, match="player must be 0 to 1"):
        greedy_move(KUHN.start(2), observer, 1)


@pytest.mark.parametrize("seed", ["a", None, [1]])
def test_a_deal_needs_a_whole_number_as_seed(seed):
    with pytest.raises(TrajanError, match="seed must be an integer, got "):
        KUHN.start(2, seed=seed)


def test_events_are_those_of_an_observer_at_the_table():
    position = GAMES["trajan"].start(2, 1)
    with pytest.raises(TrajanError, match="observer must be 0 to 1, got 5"):
        position.events(position.legal()[0], observer=5)


def test_only_the_first_decision_of_a_deal_can_be_dealt_again():
    start = GAMES["trajan"].start(2, 1)
    probe = Probe(start.game)
    later = start.after_move(start.legal_moves()[0])
    for position in (later, start.game.from_bytes(start.to_bytes()), KUHN.start(2, 1)):
        with pytest.raises(ValueError, match="first decision of a deal"):
            probe.deal(position, 1)
    assert probe.deal(start, 1) != start.to_bytes()


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_probe_makes_legal_moves_only(name):
    position = GAMES[name].start(2, 1)
    probe, state, legal = Probe(position.game), position.to_bytes(), position.legal_moves()
    count = len(position.game.actions)
    wrong = next(move for move in range(count) if move not in legal)
    for move in (wrong, -1, count):
        for call in (probe.apply, probe.step):
            with pytest.raises(ValueError, match="must be legal"):
                call(state, move)
    for moves in ([], [wrong], legal * 1000):
        with pytest.raises(ValueError, match="must be legal"):
            probe.prior(state, moves)
    assert len(probe.prior(state, legal)) == len(legal)


def create_batch(kind, read_only=""):
    """Return three games with features in the array `kind`; the array `read_only` is read-only."""
    start = GAMES["trajan"].start(2, 1)
    width, actions = len(start.features(0)), len(start.game.actions)
    shapes = {"mask": (3, actions), "rewards": (3, 2), "scores": (3, 2)}
    types = {"rewards": np.float32, "mask": np.uint8, "done": np.uint8}
    names = ("mask", "rewards", "scores", "player", "seat", "done")
    arrays = {name: np.zeros(shapes.get(name, 3), types.get(name, np.int32)) for name in names}
    arrays |= dict.fromkeys(("bytes_", "floats", "scales"))
    if kind == "floats":
        arrays["scales"] = np.ones(width, np.float32)
    arrays[kind] = np.zeros((3, width), np.uint8 if kind == "bytes_" else np.float32)
    if read_only:
        arrays[read_only].flags.writeable = False
    return Batch([start], 3, 2, **arrays, opponents=0, seated=False, reward=0, margin_scale=20.0)


@pytest.mark.parametrize(
    "name", ["bytes_", "floats", "mask", "rewards", "scores", "player", "seat", "done"]
)
def test_arrays_that_games_are_written_to_must_be_writable(name):
    kind = name if name in ("bytes_", "floats") else "bytes_"
    create_batch(kind)
    with pytest.raises(ValueError, match="writable"):
        create_batch(kind, name)
    create_batch("floats", "scales")
