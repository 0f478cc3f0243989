"""Trajan's knowledge: prior, policy and evaluation by what they must prefer."""

import math
import random

import pytest
import yaml
from trajan_boards import at_action, board, position

from trajan_ai.core.errors import TrajanError
from trajan_ai.gamekit.weights import read_weights
from trajan_ai.learning.knowledge import evaluation, policy_choice, priors
from trajan_ai.trajan import GAME
from trajan_ai.trajan.components import COMPONENTS
from trajan_ai.trajan.weights import FILE, GROUPS, WEIGHTS


def prior(start, **weights):
    values = tuple((WEIGHTS | weights).values())
    return dict(zip(start.legal(), priors(start, values), strict=True))


def best(start, **weights):
    rates = prior(start, **weights)
    return max(rates, key=rates.get)


def quiet(**weights):
    """The default weights without noise, and with changes."""
    noise = {"moves.noise": 0.0, "moves.sow_noise": 0.0}
    return tuple((WEIGHTS | noise | weights).values())


def test_a_prior_is_a_distribution_over_the_legal_moves():
    start = GAME.start(4, seed=3)
    random = iter(range(10**6))
    while start.player is not None:
        rates = prior(start)
        assert math.isclose(sum(rates.values()), 1, rel_tol=1e-4)
        assert min(rates.values()) > 0
        legal = start.legal()
        start = start.after(legal[next(random) * 7919 % len(legal)])


@pytest.mark.parametrize(
    ("slot", "tile", "tray"), [("I", "points-blue-blue", "V"), ("IV", "points-pink-pink", "II")]
)
def test_the_prior_completes_trajan_tiles(slot, tile, tray):
    view = board()
    view["players"][0]["arch"] = "II"
    without = prior(position(view))[f"sow {tray}"]
    view["players"][0]["slots"] = {slot: tile}
    assert prior(position(view))[f"sow {tray}"] > 4 * without


def test_of_this_turn_alone_the_prior_prefers_a_tile_completed_to_one_fetched():
    view = board()
    view["players"][0] |= {"slots": {"IV": "points-pink-pink"}, "arch": "II"}
    assert best(position(view), **{"moves.next": 0.0}) == "sow II"
    assert best(position(view)) == "sow III"  # which leaves the other for the next turn


def test_the_prior_covers_demands():
    view = at_action(board(), "forum")
    view |= {"forum": {"bread": 1, "games": 1}, "round": 2, "demands": {"games": 1}}
    assert best(position(view)) == "forum games"


def test_the_prior_prefers_a_full_ship():
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = {"fish": 4, "oil": 1}
    assert best(position(view)) == "ship equal fish 4 0"


def test_the_drop_keeps_what_the_target_needs():
    view = board()
    view["players"][0]["trays"] |= {"V": ["white", "yellow"], "VI": ["white", "yellow"]}
    view["players"][0] |= {"slots": {"I": "points-blue-white"}, "arch": "II"}
    start = position(view).after("sow V")
    assert best(start) == "drop yellow"
    for seed in range(20):
        assert start.legal()[policy_choice(start, quiet(), seed)] == "drop yellow"


@pytest.mark.parametrize("action", ["senate", "forum", "construction", "military", "trajan"])
def test_without_noise_the_policy_takes_the_move_of_the_highest_prior(action):
    view = at_action(board(), action)
    view["forum"] = {"bread": 2, "votes5": 1, "wild-building": 1}
    start = position(view)
    chosen = start.legal()[policy_choice(start, quiet(), 5)]
    assert prior(start)[chosen] == max(prior(start).values())


def test_noise_spreads_the_policy():
    start = position(at_action(board(), "military"))
    weights = quiet(**{"moves.noise": 50.0})
    chosen = {policy_choice(start, weights, seed) for seed in range(200)}
    assert chosen == set(range(len(start.legal())))


def values(view):
    return evaluation(position(view), GAME.default_weights)


def test_a_finished_game_is_worth_its_scores():
    start = GAME.start(3, seed=1)
    while start.player is not None:
        start = start.after(start.legal()[0])
    assert evaluation(start, GAME.default_weights) == start.scores


def test_vp_count_in_full_and_the_start_is_worth_a_usual_score():
    view = board()
    plain = values(view)
    assert all(60 < value < 220 for value in plain)
    view["players"][0]["score"] = 10
    assert values(view)[0] == pytest.approx(plain[0] + 10)
    assert values(view)[1] == pytest.approx(plain[1])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("moves.card", {}),
        ("evaluation_3.cards.now", {}),
        ("evaluation_2.cards.now", {"hand": {"fish": 1}}),
        ("evaluation_2.plus2.left", {"plus2": ["senate"]}),
        ("evaluation_2.leader_out.now", {"leader": "alpes"}),
    ],
)
def test_each_weight_of_the_evaluation_counts_its_feature(name, change):
    view = board()
    view["players"][0] |= change
    state = position(view)
    raised = evaluation(state, tuple((WEIGHTS | {name: WEIGHTS[name] + 1}).values()))
    plain = evaluation(state, GAME.default_weights)
    assert (raised[0] > plain[0]) == bool(change)
    assert raised[1] == plain[1]


def test_the_weights_are_finite_and_named():
    assert GAME.has_knowledge == ("policy", "prior", "evaluate", "turns_left")
    assert GAME.weight_names == tuple(WEIGHTS)
    assert all(math.isfinite(weight) for weight in GAME.default_weights)
    assert WEIGHTS["moves.temperature"] > 0


def test_weights_have_the_order_of_the_engine_whatever_the_order_of_the_file(tmp_path):
    groups = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    path = tmp_path / "weights.yaml"
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")  # sorted by name
    assert list(read_weights(path, GROUPS).items()) == list(WEIGHTS.items())
    groups["moves"]["charm"] = 1
    del groups["moves"]["card"]
    groups["evaluation_3"]["cards"] = 1
    path.write_text(yaml.safe_dump(groups), encoding="utf-8")
    with pytest.raises(TrajanError) as caught:
        read_weights(path, GROUPS)
    problems = "\n".join(caught.value.messages)
    assert len(caught.value.messages) == 3
    assert "moves.charm: unknown weight" in problems
    assert "moves.card: is missing" in problems
    assert "evaluation_3.cards: must be 2 numbers, got 1" in problems


def rate_of(view, name):
    """VP that one more of a weight of moves adds to each move's rate, but for a constant.

    Of this turn alone.
    """
    hot = {"moves.temperature": 50.0, "moves.sow_temperature": 50.0, "moves.next": 0.0}
    start = position(view)
    plain, raised = (
        priors(start, tuple((WEIGHTS | hot | {name: WEIGHTS[name] + more}).values()))
        for more in (0.0, 1.0)
    )
    return {
        move: 50 * math.log(after / before)
        for move, before, after in zip(start.legal(), plain, raised, strict=True)
    }


def adds(view, name, move, other):
    """What one more of a weight adds to a move's rate over another's."""
    rates = rate_of(view, name)
    return rates[move] - rates[other]


def near(value):
    return pytest.approx(value, abs=0.1)


@pytest.fixture
def builder():
    """Player 0, high in the senate, builds with a worker at C2 and one in the camp."""
    view = at_action(board(), "construction")
    view["senate_order"] = [1, 0]
    view["players"][0] |= {"workers": ["C2"], "supply": 12, "senate": 5}
    view["players"][0]["buildings"] = [view["sites"].pop("C2")]
    return view


def test_a_site_rates_the_buildings_that_it_makes_free(builder):
    assert adds(builder, "moves.build_reach", "build D2", "pass") == near(3)
    assert adds(builder, "moves.build_reach", "build C1", "pass") == near(2)
    builder["players"][0]["workers"] += ["D2"]
    builder["players"][0]["buildings"] += [builder["sites"].pop("D2")]
    builder["players"][0]["supply"] -= 1
    assert adds(builder, "moves.build_reach", "build C1", "pass") == near(1)


def test_the_first_building_of_a_kind_rates_its_action(builder):
    assert builder["sites"]["C3"].startswith("door")
    assert builder["sites"]["D2"].startswith("roof")
    assert adds(builder, "moves.free_action_share", "build C3", "pass") > 7
    assert adds(builder, "moves.free_action_share", "build D2", "pass") > 5
    builder["players"][0]["workers"] += ["C1"]
    builder["players"][0]["buildings"] += [builder["sites"].pop("C1")]
    builder["players"][0]["supply"] -= 1
    assert builder["players"][0]["buildings"][-1].startswith("roof")
    assert adds(builder, "moves.free_action_share", "build C3", "pass") > 7
    assert adds(builder, "moves.free_action_share", "build D2", "pass") == near(0)


def test_an_extra_action_tile_rates_its_action():
    view = at_action(board(), "forum")
    view |= {"forum": {"extra-senate": 1, "extra-seaport": 1, "wild-goods": 1}}
    view["senate_order"] = [1, 0]
    view["players"][0]["senate"] = 5
    senate, seaport = (
        adds(view, "moves.extra_share", f"forum extra-{action}", "forum wild-goods")
        for action in ("senate", "seaport")
    )
    assert senate > 5 > seaport


@pytest.mark.parametrize(
    ("action", "tray"),
    [
        ("seaport", "V"),
        ("forum", "VI"),
        ("military", "I"),
        ("senate", "II"),
        ("construction", "IV"),
    ],
)
def test_an_action_is_worth_more_or_less_while_much_of_the_game_is_left(action, tray):
    view = board()
    assert adds(view, f"moves.{action}_later", f"sow {tray}", "sow III") == near(1)
    view |= {"round": 4, "demands": {"bread": 2, "games": 1}}
    assert adds(view, f"moves.{action}_later", f"sow {tray}", "sow III") == near(13 / 16)


TILE_VP = {tile.name: tile.vp for tile in COMPONENTS.tiles}
POINTS = sorted(name for name in TILE_VP if "points" in name and name not in str(board()))


def lacking(tile, colours):
    """Return the colours that a Trajan tile lacks among those of its tray."""
    left = list(colours)
    return [c for c in tile.split("-")[1:] if c not in left or left.remove(c)]


def tray_rates(trays, slots, near_done, skip):
    """Return by tray what the tile brings to which it leads, less a quarter VP for each marker.

    Tiles count that lack nothing or one colour that is sown. A tile of `near_done` lacks nothing,
    one of `skip` never counts.
    """
    names = COMPONENTS.trays
    rates = {}
    for place, name in enumerate(names):
        if not trays[name]:
            continue
        target = names[(place + len(trays[name])) % len(names)]
        rates[name] = -0.25 * len(trays[name])
        if target in slots and target not in skip:
            lack = [] if target in near_done else lacking(slots[target], trays[target])
            if (not lack and target != name) or (len(lack) == 1 and lack[0] in trays[name]):
                rates[name] += TILE_VP[slots[target]]
    return rates


def sow_rates(trays, slots):
    """Return by tray its own rate and half of the best rate in the next turn."""
    names = COMPONENTS.trays
    rates = tray_rates(trays, slots, (), ())
    for name in rates:
        hand = trays[name]
        passed = [names[(names.index(name) + i) % 6] for i in range(1, len(hand) + 1)]
        after = {each: list(trays[each]) for each in names} | {name: []}
        near_done = [
            each
            for each in set(passed) & set(slots)
            if len(lack := lacking(slots[each], trays[each])) == 1 and lack[0] in hand
        ]
        target = passed[-1]
        shifted = {each: after[each] + [None] * passed.count(each) for each in names}
        rates[name] += 0.5 * max(tray_rates(shifted, slots, near_done, (name, target)).values())
    return rates


def test_a_tray_is_rated_by_this_turn_and_the_best_of_the_next():
    """Against a plain twin, with tiles alone worth something."""
    weights = dict.fromkeys(WEIGHTS, 0.0) | {
        "moves.complete": 1.0,
        "moves.spread": 0.25,
        "moves.next": 0.5,
        "moves.sow_temperature": 20.0,
    }
    dice = random.Random(5)
    told_apart = 0
    for _ in range(300):
        view = board()
        markers = list(2 * COMPONENTS.colours)
        dice.shuffle(markers)
        trays = {name: [] for name in COMPONENTS.trays}
        for marker in markers:
            trays[dice.choice(COMPONENTS.trays)].append(marker)
        slots = dict(zip(dice.sample(COMPONENTS.trays, 4), dice.sample(POINTS, 4), strict=True))
        view["players"][0] |= {"trays": trays, "slots": slots, "senate": 8}
        view["senate_order"] = [1, 0]
        view["players"][0]["arch"] = next(tray for tray in trays if tray not in slots)
        start = position(view)
        rates = sow_rates(trays, slots)
        best_rate = max(rates.values())
        shares = {tray: math.exp((rates[tray] - best_rate) / 20) + 1e-3 for tray in rates}
        found = dict(zip(start.legal(), priors(start, tuple(weights.values())), strict=True))
        for tray, share in shares.items():
            assert found[f"sow {tray}"] == pytest.approx(share / sum(shares.values()), rel=2e-3)
        told_apart += len(set(rates.values())) > 2
    assert told_apart > 250
