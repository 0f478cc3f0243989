"""Position files of Forum Trajanum that leave out what nobody remembers: that is drawn anew."""

from collections import Counter

import pytest
from scipy.stats import chisquare

import trajan_ai
from trajan_ai.forum_trajanum import GAME
from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.types import fields
from trajan_ai.forum_trajanum.views import HIDDEN

SMALLEST_P = 1e-4
SAMPLES = 800
PAST = 2  # street cards that are remembered: those of the round


def positions_of(seed, every=23):
    entry = trajan_ai.play("forum_trajanum", ["greedy"] * 3, seed=seed)
    for position in trajan_ai.records.positions(entry):
        if position.player is not None and position.ply % every == 0 and position.ply > 30:
            yield position


def forgotten(position, observer):
    """The view without the tiles of past rounds and the street cards of past rounds."""
    view = position.view(observer)
    for player in view["players"]:
        del player["unseen"]
    view["street_cards"] = view["street_cards"][-PAST:]
    return view


def late():
    *_, position = positions_of(4)
    return position


def forgetful():
    position = late()
    return GAME.rules.from_view(forgotten(position, position.player)), position.player


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_unseen_is_worked_out_at_any_decision(seed):
    checked = 0
    for position in positions_of(seed):
        for observer in range(3):
            view = position.view(observer)
            read = GAME.rules.from_view(forgotten(position, observer)).view(observer)
            for true, player in zip(view["players"], read["players"], strict=True):
                unseen = Counter(player.pop("unseen"))
                missing = Counter(true.pop("unseen")) - unseen
                assert all(name.endswith("-m") for name in missing), missing
            for one in (view, read):
                del one["street_cards"]
            assert read == view
            checked += 1
    assert checked > 15


def test_the_view_of_what_is_forgotten_reads_back():
    position, observer = forgetful()
    view = position.view(observer)
    assert len(view["street_cards"]) == PAST
    assert GAME.rules.from_view(view).view(observer) == view
    assert any(p["lost_count"] for p in fields(position.to_bytes())["player"])


def test_samples_depend_on_what_is_known_alone():
    position, observer = forgetful()
    other = position.determinized(observer, 5)
    assert other != position
    for seed in range(20):
        assert other.determinized(observer, seed) == position.determinized(observer, seed)
        assert position.determinized(observer, seed).view(observer) == position.view(observer)


def test_forgotten_tiles_lie_under_each_cell_in_proportion():
    position, observer = forgetful()
    other = (observer + 1) % 3
    view = position.view(observer)
    pool = view["players"][other]["unseen"]
    cell = view["players"][other]["face_down"][0]
    samples = [
        GAME.rules.view(position.determinized(observer, seed), None)["players"][other]
        for seed in range(SAMPLES)
    ]
    found = Counter(sample["face_down"][cell] for sample in samples)
    assert HIDDEN not in found
    expected = {kind: SAMPLES * count / sum(pool.values()) for kind, count in pool.items()}
    assert set(found) <= set(expected)
    numbers = [found[kind] for kind in expected]
    assert chisquare(numbers, [*expected.values()]).pvalue > SMALLEST_P


def test_street_cards_of_past_rounds_may_come_again_if_they_are_forgotten():
    entry = trajan_ai.play("forum_trajanum", ["random"] * 2, seed=3)
    position = next(p for p in trajan_ai.records.positions(entry) if p.view(0)["round"] == 6)
    view = forgotten(position, 0)
    read = GAME.rules.from_view(view)
    symbols = load(view["components"]).street_cards
    pool = Counter(symbols) - Counter(view["street_cards"])
    found = Counter()
    for seed in range(SAMPLES):
        found[GAME.rules.view(read.determinized(0, seed), None)["street_cards"][12]] += 1
    expected = [SAMPLES * pool[symbol] / pool.total() for symbol in pool]
    assert chisquare([found[symbol] for symbol in pool], expected).pvalue > SMALLEST_P


def test_a_first_decision_follows_from_the_stage():
    entry = trajan_ai.play("forum_trajanum", ["random"] * 3, seed=2)
    seen = set()
    for position in trajan_ai.records.positions(entry):
        if position.player is None:
            break
        view = position.view(position.player)
        pending = view["to_decide"]
        if pending["decision"] == "use" or pending.get("open_cards") == [1, 2]:
            view["to_decide"] = {"player": position.player}
            assert GAME.rules.from_view(view).view(position.player)["to_decide"] == pending
            seen.add(pending["decision"])
    assert seen == {"use", "take"}
