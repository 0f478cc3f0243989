"""The knowledge of Forum Trajanum: rates of moves, evaluation, weights, learning."""

import math

import numpy as np
import pytest
from forum_trajanum_boards import place, to_step_1

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.forum_trajanum import GAME
from trajan_ai.forum_trajanum.weights import FILE, GROUPS, WEIGHTS
from trajan_ai.gamekit.weights import read_weights
from trajan_ai.learning.knowledge import evaluation, play_by_policy, priors

SHIPPED = tuple(WEIGHTS.values())
NEVER = 10**6  # decisions
WARM = 20.0  # VP: a temperature at which no prior comes near its least value


def rated(position, **changed):
    """Rates of the legal actions by name, the best one 0: logarithms of their priors."""
    weights = WEIGHTS | {f"moves.{name}": value for name, value in changed.items()}
    weights["moves.temperature"] = WARM
    shares = priors(position, tuple(weights.values()))
    best = max(shares)
    rates = [WARM * math.log(share / best) for share in shares]
    return dict(zip(position.legal(), rates, strict=True))


def test_the_game_has_all_knowledge():
    assert GAME.has_knowledge == ("policy", "prior", "evaluate", "turns_left")
    assert GAME.weight_names == tuple(WEIGHTS)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_legal_move_has_a_prior(players):
    position, random = GAME.start(players, 3, novices=[0]), Random(3)
    while position.player is not None:
        moves = position.legal_moves()
        shares = priors(position, SHIPPED)
        assert len(shares) == len(moves)
        assert all(share > 0 for share in shares)
        position = position.after_move(moves[random.below(len(moves))])


def test_the_policy_beats_uniform_play_by_far():
    """Mean VP in self-play: uniform play reaches 33."""
    scores = [
        play_by_policy(GAME.start(2, seed=deal), [SHIPPED] * 2, deal, NEVER)[0]
        for deal in range(40)
    ]
    assert np.mean(scores) > 85


def test_weights_matter_to_the_policy():
    """A policy whose rates are noise plays like uniform play."""
    blind = tuple((WEIGHTS | {"moves.noise": 1e4}).values())
    scores = [
        play_by_policy(GAME.start(2, seed=deal), [blind] * 2, deal, NEVER)[0] for deal in range(40)
    ]
    assert np.mean(scores) < 45


def test_a_grey_that_the_row_lacks_is_worth_more():
    first = {"resources": {"builder": 1}, "buildings": {"B1": "column"}, "citizens": {"2": 2}}
    found = rated(place(first))
    assert found["build column A2"] > found["build column A3"] > found["build column C1"]


def test_a_completed_pattern_is_worth_its_value():
    """Card 25: a structure between two greys of a row."""
    first = {"resources": {"blue": 1}, "buildings": {"B1": "column", "D1": "column"}}
    found = rated(place(first), match=1.0, break_pair=0.0)
    assert found["build fountain C1"] - found["build fountain A3"] == pytest.approx(3, abs=0.02)


def taking(played=1, **first):
    """Step 1 of round `played`, row 1 and column A; tiles are on the corners, A3, C1 and D1."""
    first = {
        "face_down": ["A3", "C1", "D1"],
        "unseen": {"builder+coin": 1, "coin+tribune": 1, "tribune+upgrade": 1},
        "ship_tile": "builder+blue",
        **first,
    }
    decision = {"player": 0, "decision": "take", "open_cards": [1, 2]}
    return place(first, stage="take", round=played, to_decide=decision)


def test_clearing_a_cell_beside_a_free_one_is_worth_more():
    """A3 has none beside it, C1 has B1."""
    found = rated(
        taking(buildings={"A2": "column", "B3": "house", "A4": "house"}),
        free_pair=2.0,
        free_row=0.0,
        clear_match=0.0,
    )
    assert found["take 1 C1"] - found["take 2 A3"] == pytest.approx(2, abs=0.02)


def test_clearing_a_cell_is_worth_more_where_its_row_lacks_greys():
    """Three scorings are left; a row with an active citizen counts twice."""
    kept = {"free_pair": 0.0, "clear_match": 0.0}
    asked = taking(buildings={"B3": "column", "C3": "library", "D3": "house"}, citizens={"1": 1})
    found = rated(asked, free_row=0.5, **kept)
    gain = 0.5 * 3 * (2 * 4 - 1 * 2)
    assert found["take 1 C1"] - found["take 2 A3"] == pytest.approx(gain, abs=0.02)


def test_clearing_a_cell_is_worth_less_where_many_are_free():
    """Against a tile from a corner: six free cells count, and all of a fresh board are covered."""
    for asked, free in ((taking(), 6), (to_step_1(GAME.start(2, 3)), 0)):
        gone = []
        for weight in (0.0, 0.5):
            found = rated(asked, free_many=weight, open_crane=0.0)
            corners = {"A1", "F1", "A6", "F6"}
            corner = next(rate for name, rate in found.items() if name.split()[2] in corners)
            covered = next(rate for name, rate in found.items() if name.split()[2] not in corners)
            gone.append(corner - covered)
        assert gone[1] - gone[0] == pytest.approx(0.5 * free, abs=0.02)


@pytest.mark.parametrize(("played", "later"), [(1, 6.0), (7, 3.0), (12, 0.5)])
def test_ignoring_a_card_costs_more_than_its_tribune(played, later):
    """`later` VP of 6 by the rounds left of 12, the running one included."""
    asked = taking(played, resources={"tribune": 1})
    found = rated(asked, tribune=1.0, ignore_card=2.0, ignore_card_later=6.0)
    cost = found["take 2 A3"] - found["take 1 A3 tribune"]
    assert cost == pytest.approx(1 + 2 + later, abs=0.02)


def test_a_conversion_has_a_worth_of_its_own():
    first = {"resources": {"assistant": 1}, "citizens": {"6": 1}}
    found = rated(place(first), builder=4.0, assistant=1.0, conversion=2.0)
    assert found["promote"] - found["no build"] == pytest.approx(5, abs=0.02)


def test_a_single_building_that_breaks_a_pair_of_free_cells_is_worth_less():
    """Beside C1 both B1 and D1 are built on, beside A3 no cell is."""
    first = {"resources": {"blue": 1}, "buildings": {"B1": "house", "D1": "house"}}
    found = rated(place(first), match=0.0, break_pair=2.0)
    assert found["build fountain C1"] - found["build fountain A3"] == pytest.approx(2, abs=0.02)


def test_a_double_tile_and_a_column_change_their_worth_with_the_rounds_left():
    first = {"resources": {"builder": 1, "green": 1}}
    kept = {"match": 0.0, "break_pair": 0.0, "build_row": 0.0}
    gains = []
    for weight in (0.0, 0.25):
        found = rated(place(first), double=weight, column_later=0.0, **kept)
        gains.append(found["build column+park B1 C1"] - found["no build"])
    assert gains[1] - gains[0] == pytest.approx(0.25 * 12, abs=0.02)
    found = rated(place(first), column_later=-2.0, **kept)
    before = rated(place(first), column_later=0.0, **kept)
    assert (found["build column B1"] - found["no build"]) - (
        before["build column B1"] - before["no build"]
    ) == pytest.approx(-2, abs=0.02)


def test_an_envoy_likes_eagles_and_its_own():
    first = {"resources": {"blue": 1, "builder": 1}, "ship": 1, "forum": ["m3.4"]}
    asked = place(first).after("build fountain B1")
    found = rated(asked, eagle=1.0, group=2.0, envoy_sent=1.0, fill_area=0.0)
    plain = found["envoy m4.6"]  # three scorings are left
    assert found["envoy m2.3"] - plain == pytest.approx(3, abs=0.02)  # beside the eagle m2.2
    assert found["envoy m3.3"] - plain == pytest.approx(6, abs=0.02)  # beside the own m3.4


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


def test_a_finished_game_is_worth_its_score():
    position = GAME.start(2, 1)
    while position.player is not None:
        position = position.after_move(position.legal_moves()[0])
    assert evaluation(position, SHIPPED) == position.scores


def test_features_are_those_of_the_player():
    raised = tuple(
        (WEIGHTS | {"evaluation_2.builder": WEIGHTS["evaluation_2.builder"] + 1}).values()
    )
    position = place({"resources": {"builder": 2}})
    gains = zip(evaluation(position, raised), evaluation(position, SHIPPED), strict=True)
    assert [a - b for a, b in gains] == pytest.approx([2, 0], abs=1e-4)


def changed_weights(tmp_path, change):
    """The weights of a copy of the file whose lines `change` has changed."""
    path = tmp_path / "weights.yaml"
    lines = FILE.read_text(encoding="utf-8").splitlines()
    change(lines)
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_weights(path, GROUPS)


def swap(lines, one, other):
    """Exchange the lines of two weights."""
    first, second = (
        next(i for i, line in enumerate(lines) if name in line) for name in (one, other)
    )
    lines[first], lines[second] = lines[second], lines[first]


def test_two_swapped_lines_of_the_weights_change_nothing(tmp_path):
    def change(lines):
        swap(lines, " builder:", " coin:")
        swap(lines, " turns:", " ship_turns:")

    assert list(changed_weights(tmp_path, change).items()) == list(WEIGHTS.items())


def test_a_missing_or_unknown_weight_is_named_with_its_line(tmp_path):
    def change(lines):
        lines[lines.index("  coin: 2.639")] = "  coyn: 2.28"

    with pytest.raises(TrajanError) as caught:
        changed_weights(tmp_path, change)
    missing, unknown = caught.value.messages
    assert missing.endswith("moves.coin: is missing")
    line = 1 + FILE.read_text(encoding="utf-8").splitlines().index("  coin: 2.639")
    assert unknown.endswith(f"weights.yaml:{line}: moves.coyn: unknown weight")
