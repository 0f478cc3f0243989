"""Knowledge of Trajan: its noise and its file of weights. Its move scores are tested with the slow
reference."""

import math
from collections import Counter

import pytest
import yaml
from calls import problems
from random_games import positions
from trajan_boards import at_action, board, position

from trajan_ai.games.kit.weight_file import read_weights
from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.games.trajan.weights import FILE, NAMES, WEIGHTS
from trajan_ai.mcts.knowledge import policy_choice, priors
from trajan_ai.mcts.remaining import turns_left
from trajan_ai.testing.probe import Probe


def quiet(**weights):
    """Return the default weights without noise, updated with `weights`."""
    noise = {"moves.noise": 0.0, "moves.sow_noise": 0.0}
    return tuple((WEIGHTS | noise | weights).values())


def test_noise_spreads_the_policy():
    start = position(at_action(board(), "military"))
    weights = quiet(**{"moves.noise": 50.0})
    chosen = {policy_choice(start, weights, seed) for seed in range(200)}
    assert chosen == set(range(len(start.legal())))


def test_pairs_of_a_card_and_a_wild_tile_have_equal_priors():
    view = at_action(board(), "seaport")
    view["players"][0] |= {
        "hand": dict.fromkeys(COMPONENTS.goods, 1),
        "forum_tiles": {"wild-goods": 2},
    }
    start = position(view).after("ship pairs")
    shares = dict(zip(start.legal(), priors(start, quiet()), strict=True))
    assert shares.pop("pair wild wild") != shares["pair oil wild"]
    assert list(shares) == [f"pair {good} wild" for good in COMPONENTS.goods]
    assert len(set(shares.values())) == 1


def test_the_order_of_weights_does_not_depend_on_the_file(tmp_path):
    groups = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    path = tmp_path / "weights.yaml"
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")  # sorted by name
    assert list(read_weights(path, NAMES).items()) == list(WEIGHTS.items())
    groups["moves"]["charm"] = 1
    del groups["moves"]["card"]
    groups["evaluation_3"]["cards"] = 1
    text = yaml.safe_dump(groups)
    path.write_text(text, encoding="utf-8")
    messages = problems(read_weights, path, NAMES)
    line = text.split("\n").index("  charm: 1") + 1
    assert len(messages) == 3
    assert any(one.startswith(f"{path}:{line}: moves.charm: unknown key") for one in messages)
    assert any(
        "moves.card: is missing; it must have a value such as a number" in one for one in messages
    )
    assert any(one.endswith(": evaluation_3.cards: must be 2 numbers, got 1") for one in messages)


def test_a_turn_is_expected_to_take_two_and_two_fifths_spaces():
    """A game has four quarters of four rounds, and with two players a round is a lap of 11 spaces.
    The number of remaining spaces divided by 2.4 is the number of turns left to both players."""
    left = []
    for one in positions(GAME.start(2, seed=1), 1):
        if one.player is not None:
            view = GAME.rules.view(one, one.player)
            rounds = 4 * (4 - view["quarter"]) + 5 - view["round"]
            spaces = 11 * rounds - view["time_marker"]
            left.append(turns_left(one, 1, 1))
            assert 1 + spaces / (2.4 * 2) == pytest.approx(left[-1] + 0.5, abs=0.501)
    assert (left[0], min(left) < 5) == (37, True)


def compute_shortfall(here, chosen):
    """Return how many VP below the best move a move scores, computed from a broad prior."""
    shares = priors(here, quiet(**{"moves.temperature": 50.0, "moves.sow_temperature": 50.0}))
    first, share = (one / max(shares) * 1.001 - 0.001 for one in (max(shares), shares[chosen]))
    return 50.0 * math.log(first / share)


def test_playouts_report_the_shortfall_of_their_moves():
    probe, counts = Probe(GAME), Counter()
    for seed in range(12):
        *middle, _ = positions(GAME.start(2 + seed % 3, seed), seed)
        for here in middle:
            probe.policy_playout(here.to_bytes(), here.ply, 1, 1 << 30, True)
            move = policy_choice(here, tuple(WEIGHTS.values()), here.ply)
            short = [0.0] * 4
            kind = here.legal()[0].split()[0]
            if kind == "sow" or any(probe.shortfalls):
                short[here.player] = compute_shortfall(here, move)
                counts[kind] += short[here.player] > 0.1
            assert probe.shortfalls == pytest.approx(short, abs=0.02)
    assert counts["sow"] > 50
    assert len(counts) > 4
