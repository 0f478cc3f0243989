"""The knowledge of Forum Trajanum: rates of moves, evaluation, weights, learning."""

import math

import numpy as np
import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.forum_trajanum import GAME
from trajan_ai.forum_trajanum.weights import FILE, GROUPS, WEIGHTS
from trajan_ai.gamekit.weights import read_weights
from trajan_ai.learning.knowledge import evaluation, play_by_policy, priors

SHIPPED = tuple(WEIGHTS.values())


def test_the_game_has_all_knowledge():
    assert GAME.has_knowledge == ("policy", "prior", "evaluate", "turns_left")
    assert GAME.weight_names == tuple(WEIGHTS)


def test_rates_do_not_depend_on_hidden_tiles():
    position = GAME.start(3, 8)
    while position.view(0)["stage"] != "turn":
        if position.view(position.player)["stage"] == "take":
            drawn = position.determinized(position.player, 5)
            assert priors(drawn, SHIPPED) == priors(position, SHIPPED)
        position = position.after_move(position.legal_moves()[0])


def error(weights, games=30):
    """Root mean square error of expected final VP along games of the policy."""
    misses = []
    for deal in range(games):
        scores, states = play_by_policy(GAME.start(2, seed=deal), [SHIPPED] * 2, deal, 25)
        for state in states:
            misses += [a - b for a, b in zip(evaluation(state, weights), scores, strict=True)]
    return math.sqrt(np.mean(np.square(misses)))


def test_the_evaluation_knows_more_than_the_clock():
    """Against the best guess from time alone: VP so far and a mean rate of VP to come."""
    clock = {name: 0.0 for name in WEIGHTS if name.startswith("evaluation_2.")}
    clock |= {f"evaluation_2.{name}": WEIGHTS[f"evaluation_2.{name}"] for name in ("one", "turns")}
    assert error(SHIPPED) < 16
    assert error(SHIPPED) < 0.7 * error(tuple((WEIGHTS | clock).values()))


def changed_weights(tmp_path, change):
    """The weights of a copy of the file whose lines `change` has changed."""
    path = tmp_path / "weights.yaml"
    lines = FILE.read_text(encoding="utf-8").splitlines()
    change(lines)
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_weights(path, GROUPS)


def test_a_missing_or_unknown_weight_is_named_with_its_line(tmp_path):
    def change(lines):
        lines[lines.index("  coin: 2.639")] = "  coyn: 2.28"

    with pytest.raises(TrajanError) as caught:
        changed_weights(tmp_path, change)
    missing, unknown = caught.value.messages
    assert missing.endswith("moves.coin: is missing")
    line = 1 + FILE.read_text(encoding="utf-8").splitlines().index("  coin: 2.639")
    assert unknown.endswith(f"weights.yaml:{line}: moves.coyn: unknown weight")
