"""No argument from Python crashes a compiled module."""

import json
import os
from pathlib import Path

import pytest
from calls import python

from trajan_ai.core.errors import TrajanError
from trajan_ai.games import GAMES
from trajan_ai.games.reference import KUHN
from trajan_ai.mcts.greedy import greedy_move
from trajan_ai.testing.probe import Probe

PROGRAM = Path(__file__).with_name("wrong_calls.py")
COUNT = int(os.environ.get("TRAJAN_WRONG_CALLS", "60"))  # calls of each function and method


@pytest.mark.slow
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


def test_only_a_first_decision_can_be_dealt_again():
    position = GAMES["trajan"].start(2, 1)
    while position.turn == 0:
        position = position.after_move(position.legal_moves()[0])
    with pytest.raises(ValueError, match="first decision"):
        Probe(position.game).deal(position.to_bytes(), 1)
