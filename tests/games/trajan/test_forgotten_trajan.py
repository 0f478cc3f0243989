"""Position files of Trajan that lack forgotten information, which is then drawn uniformly."""

from collections import Counter
from itertools import product
from math import comb, prod

import pytest
from drawn import assert_in_proportion

import trajan_ai
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.games.trajan import GAME
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.records import position_files
from trajan_ai.records.following import follow

SAMPLES = 1200


def late(seed=1, players=3, ply=330):
    return trajan_ai.records.replay(trajan_ai.play("trajan", ["greedy"] * players, seed=seed), ply)


def sizes(full):
    hidden = full["hidden"]
    return {
        "goods_deck": len(hidden["goods_deck"]),
        "forum_supply": len(hidden["forum_supply"]),
        "trajan_stacks": {stack: len(tiles) for stack, tiles in hidden["trajan_stacks"].items()},
    }


def forgotten(position, observer):
    """Return the view without most of the facts that a player may forget.

    The view omits the tiles of the extra supply, all cards of a pile but the top one, and the
    tiles that left the game, except Trajan tiles from the stack of demands. The view adds the
    sizes of the deck, the forum supply and the Trajan stacks.
    """
    view = position.view(observer)
    for key in ("forum_gone", "demands_gone", "extra_supply"):
        del view[key]
    demand_tiles = set(C.stack_names("demands"))
    view["trajan_gone"] = [name for name in view["trajan_gone"] if name in demand_tiles]
    view["discard_piles"] = {side: pile[-1:] for side, pile in view["discard_piles"].items()}
    return view | sizes(GAME.rules.view(position, None))


def forgetful(seed=1, observer=0):
    return GAME.rules.from_view(forgotten(late(seed), observer))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_view_with_forgotten_parts_reads_back(seed):
    position = forgetful(seed)
    view = position.view(0)
    assert GAME.rules.from_view(view).view(0) == view
    assert view["trajan_stacks"] == forgotten(late(seed), 0)["trajan_stacks"]
    assert "extra_supply" not in view
    assert any("unknown" in pile for pile in view["discard_piles"].values())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_samples_depend_only_on_knowledge(seed):
    position = forgetful(seed)
    other = position.determinized(0, 5)
    assert other != position
    for sample in range(10):
        assert other.determinized(0, sample) == position.determinized(0, sample)
        assert position.determinized(0, sample).view(0) == position.view(0)
        assert position.determinized(0, sample).features(0) == position.features(0)


@pytest.fixture(scope="module")
def samples():
    position = forgetful()
    return [GAME.rules.view(position.determinized(0, seed), None) for seed in range(SAMPLES)]


@pytest.mark.slow
def test_forgotten_demand_tiles_are_drawn_uniformly(samples):
    view = forgetful().view(0)
    pool = Counter(C.demand_tiles()) - Counter(view["demands"]) - Counter(view["demands_gone"])
    assert_in_proportion((full["hidden"]["demands"][0] for full in samples), pool)


@pytest.mark.slow
@pytest.mark.parametrize("stack", ["cards", "points", "workers"])
def test_forgotten_trajan_tiles_are_drawn_uniformly(stack, samples):
    view = forgetful().view(0)
    visible = Counter(t for p in view["players"] for t in p["slots"].values())
    visible += Counter(view["trajan_tops"].values())
    pool = Counter(C.stack_names(stack)) - visible
    assert 0 < view["trajan_stacks"][stack] - 1 < pool.total()
    second = (full["hidden"]["trajan_stacks"][stack][1] for full in samples)
    assert_in_proportion(second, pool)


@pytest.mark.slow
def test_forgotten_discards_and_the_deck_share_the_unseen_goods(samples):
    view = forgetful().view(0)
    pool = Counter(C.goods_deck()) - Counter(view["players"][0]["hand"])
    for p in view["players"]:
        pool -= Counter(p["display"])
    for p in view["players"][1:]:
        pool -= Counter(p["known_cards"])
    pool -= Counter(card for pile in view["discard_piles"].values() for card in pile)
    buried = [side for side, pile in view["discard_piles"].items() if "unknown" in pile]
    assert buried
    for side in buried:
        assert_in_proportion((full["discard_piles"][side][-2] for full in samples), pool)
    assert_in_proportion((full["hidden"]["goods_deck"][0] for full in samples), pool)
    for full in samples:
        cards = Counter(full["hidden"]["goods_deck"])
        cards += sum(map(Counter, full["discard_piles"].values()), Counter())
        for p in full["players"]:
            cards += Counter(p["hand"]) + Counter(p["display"])
        assert cards == Counter(C.goods_deck())


def all_extras(position):
    """Return the counts of unseen forum tiles, and the sizes of the extra and forum supplies."""
    view = position.view(0)
    full = GAME.rules.view(position, None)
    counts = Counter(C.forum_supply() + C.extra_supply())
    counts -= Counter(view["forum"]) + Counter(view["forum_gone"])
    counts -= Counter(view["provinces"].values())
    for p in view["players"]:
        counts -= Counter(p["forum_tiles"])
    return counts, len(full["hidden"]["extra_supply"]), len(full["hidden"]["forum_supply"])


@pytest.mark.slow
def test_forgotten_tiles_of_both_supplies_fit_their_kinds(samples):
    pool, extra_size, size = all_extras(forgetful())
    for full in samples:
        hidden = full["hidden"]
        extra, forum = Counter(hidden["extra_supply"]), Counter(hidden["forum_supply"])
        assert (extra.total(), forum.total()) == (extra_size, size)
        assert extra + forum <= pool
        assert max(extra.values(), default=0) <= 2
        assert all(forum[name] <= 1 for name in C.extra_tiles)


def ways(counts, extra_size, supply_size):
    """Return the probability, over all arrangements, that each tile is drawn first."""
    first, total = Counter(), 0
    kinds = [name for name in counts if name in C.extra_tiles]
    others = Counter({name: n for name, n in counts.items() if name not in C.extra_tiles})
    for split in product(*(range(min(2, counts[name]) + 1) for name in kinds)):
        if sum(split) != extra_size:
            continue
        in_extra = prod(comb(counts[k], n) for k, n in zip(kinds, split, strict=True))
        left = {k: counts[k] - n for k, n in zip(kinds, split, strict=True)}
        for in_forum_supply in product(*(range(min(1, left[name]) + 1) for name in kinds)):
            rest = supply_size - sum(in_forum_supply)
            if rest < 0:
                continue
            in_forum = prod(comb(left[k], n) for k, n in zip(kinds, in_forum_supply, strict=True))
            number = in_extra * in_forum * comb(others.total(), rest)
            total += number
            for name, n in others.items():
                first[name] += number * rest * n / others.total() / supply_size
            for name, n in zip(kinds, in_forum_supply, strict=True):
                first[name] += number * n / supply_size
    return {name: weight / total for name, weight in first.items() if weight}


@pytest.mark.slow
def test_forgotten_forum_tiles_are_drawn_uniformly_over_all_arrangements(samples):
    counts, extra_size, size = all_extras(forgetful())
    expected = ways(counts, extra_size, size)
    assert_in_proportion((full["hidden"]["forum_supply"][0] for full in samples), expected)


def test_a_card_that_comes_up_in_a_pile_must_be_stated():
    position = forgetful(5, late(5).player)
    table = follow(position, position.player)
    while not any(action.startswith("take ") for action in table.legal()):
        action = table.legal()[0]
        reveals = {ask.key: ask.names[: ask.count] for ask in table.asks(action)}
        table.play(action, reveals)
    assert table.asks("draw")[0].text == "the cards that you draw, in order"
    for side in ("left", "right"):
        with pytest.raises(Unstated) as unstated:
            table.play(f"take {side}")
        assert unstated.value.asks[0].key == side
        for good in unstated.value.asks[0].names:
            table.play(f"take {side}", {side: good})
            assert table.view["discard_piles"][side][-1] == good
            table.undo(1)


def test_suggestions_do_not_depend_on_forgotten_things():
    player = late().player
    position = forgetful(observer=player)
    settings = {"iterations": 60, "seed": 3}
    one = trajan_ai.search(position, **settings)
    other = trajan_ai.search(position.determinized(player, 9), **settings)
    assert [(m.action, m.visits) for m in one.moves] == [(m.action, m.visits) for m in other.moves]
    view = position.view(player)
    assert (
        position_files.parse(position_files.position_file(position, player)).view(player) == view
    )
