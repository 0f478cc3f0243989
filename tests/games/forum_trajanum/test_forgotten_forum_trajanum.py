"""Position files of Forum Trajanum that lack forgotten information, which is drawn at random."""

from collections import Counter
from itertools import product
from math import perm

import pytest
from drawn import assert_in_proportion

import trajan_ai
from trajan_ai.games.forum_trajanum import GAME
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.forum_trajanum.fields import CORNER_BITS, HIDDEN
from trajan_ai.games.forum_trajanum.notation import CITIZENS, CLASSES
from trajan_ai.games.forum_trajanum.rules import can_fill_rows, fields
from trajan_ai.games.forum_trajanum.witnessing import Arranger
from trajan_ai.records import following

EVERY = 23  # decisions between positions
SAMPLES = 800
WORLDS = 1000  # number of samples that are compared with all possible worlds
CELLS = [bit for bit in range(48) if bit not in CORNER_BITS]  # plain cells
PAST = 2  # number of street cards in the view, those of the current round


def positions_of(seed):
    entry = trajan_ai.play("forum_trajanum", ["greedy"] * 3, seed=seed)
    for position in trajan_ai.records.positions(entry):
        if position.player is not None and position.ply % EVERY == 0 and position.ply > 30:
            yield position


def forgotten(position, observer):
    """Return the view without the unseen tiles and without the street cards of past rounds."""
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
def test_unseen_tiles_are_inferred_at_any_decision(seed):
    checked = 0
    for position in positions_of(seed):
        for observer in range(3):
            view = position.view(observer)
            read = GAME.rules.from_view(forgotten(position, observer)).view(observer)
            for true, player in zip(view["players"], read["players"], strict=True):
                unseen = Counter(player.pop("unseen"))
                assert not Counter(true.pop("unseen")) - unseen
                assert sum(player.pop("unclear_citizens").values()) <= sum(
                    true["citizens"].values()
                )
                del player["may_lie"]
            for one in (view, read):
                del one["street_cards"]
            assert read == view
            checked += 1
    assert checked > 15


@pytest.mark.slow
@pytest.mark.parametrize("bots", [["greedy"] * 3, ["random"] * 4, ["greedy", "random"]])
def test_forgotten_tiles_are_inferred_while_tiles_are_used(bots):
    """A citizen is seated before its tile is put away, and a picked tile may be put back."""
    checked = 0
    entry = trajan_ai.play("forum_trajanum", bots, seed=1)
    for position in trajan_ai.records.positions(entry):
        state = fields(position.to_bytes())
        if state["depth"] or any(player["picked"] for player in state["player"]):
            observer = position.ply % position.players
            read = GAME.rules.from_view(forgotten(position, observer))
            assert read.legal() == position.legal() or observer != position.player
            checked += 1
    assert checked > 40


def test_a_passed_citizen_is_in_no_row_before_it_is_used():
    checked = 0
    for seed in (1, 2, 3):
        entry = trajan_ai.play("forum_trajanum", ["greedy"] * 3, seed=seed)
        for position in trajan_ai.records.positions(entry):
            state = fields(position.to_bytes())
            giver = (state["decider"] + 1) % position.players
            kind = state["player"][giver]["given"]
            if state["hand"] & 2 and kind % 2 and kind <= len(CITIZENS):  # a male citizen
                read = GAME.rules.from_view(forgotten(position, state["decider"])).to_bytes()
                assert not fields(read)["player"][giver]["may_lie"] >> kind - 1 & 1
                checked += 1
    assert checked > 2


def test_a_view_with_forgotten_parts_reads_back():
    position, observer = forgetful()
    view = position.view(observer)
    assert len(view["street_cards"]) == PAST
    assert GAME.rules.from_view(view).view(observer) == view
    assert any(p["lost_count"] for p in fields(position.to_bytes())["player"])


def test_samples_depend_only_on_knowledge():
    position, observer = forgetful()
    other = position.determinized(observer, 5)
    assert other != position
    for seed in range(20):
        assert other.determinized(observer, seed) == position.determinized(observer, seed)
        assert position.determinized(observer, seed).view(observer) == position.view(observer)


@pytest.mark.slow
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
    counts = Counter(sample["face_down"][cell] for sample in samples)
    assert HIDDEN not in counts
    assert set(counts) <= set(pool)
    kinds = [kind for kind in pool if kind not in CITIZENS]  # citizens are less likely: see below
    assert_in_proportion(
        {kind: counts[kind] for kind in kinds}, {kind: pool[kind] for kind in kinds}
    )


# --- owners of citizens in rows ------------------------------------------------------------------


def worlds_of_class(view, rank):
    """Count how the uncertain citizens of a class can be placed.

    There is a count for each set of males that are gone and of owners of start citizens. Each
    uncertain citizen is in a row of its owner, in a row of the right neighbour, in no row, or, if
    male, among the unseen tiles. All combinations are tried.
    """
    players = view["players"]
    doubts = []
    for one, player in enumerate(players):
        if f"{rank}-m" in player["unseen"]:
            doubts.append((one, "m", ("own", "right", "nowhere", "hidden")))
        for sex in "mf":
            if f"{rank}-{sex}" in player.get("may_lie", ()):
                doubts.append((one, sex, ("own", "right", "nowhere")))
    unclear = [player.get("unclear_citizens", {}).get(rank, 0) for player in players]
    counts = Counter()
    for where in product(*(among for _, _, among in doubts)):
        rows, gone, starts = [0] * len(players), set(), set()
        for (one, sex, among), place in zip(doubts, where, strict=True):
            if place in ("own", "right"):
                rows[one if place == "own" else (one - 1) % len(players)] += 1
            if place == "own" and sex == "f":
                starts.add(one)
            if "hidden" in among and place != "hidden":
                gone.add((one, f"{rank}-m"))
        if rows == unclear:
            counts[frozenset(gone), frozenset(starts)] += 1
    return counts


def worlds(view):
    """Return every set of male citizens that may be gone, each with its number of arrangements."""
    players = view["players"]
    ways = Counter({(frozenset(), frozenset()): 1})
    for rank in CLASSES:
        further, of_class = Counter(), worlds_of_class(view, rank)
        for (gone, starts), (more, others) in product(ways, of_class):
            count = ways[gone, starts] * of_class[more, others]
            further[gone | more, starts | others] += count
        ways = further
    counts = Counter()
    for (gone, starts), count in ways.items():
        unsure = {one for one, player in enumerate(players) if females(player) > 1}
        if unsure <= starts:  # the start citizens of the other players are certain
            counts[tuple(sorted(gone))] += count * arrangements(view, gone)
    return +counts


def females(player):
    return sum(name.endswith("-f") for name in player.get("may_lie", ()))


def arrangements(view, gone):
    """Return in how many ways the hidden tiles of all colours can be arranged.

    The males in `gone` are not hidden.
    """
    count = 1
    for one, player in enumerate(view["players"]):
        males = sum(name.endswith("-m") for name in player["unseen"])
        hidden = males - sum(owner == one for owner, _ in gone)
        others = sum(player["unseen"].values()) - males
        places = len(player["face_down"]) + pair(player).count(HIDDEN)
        places += "ship_tile" not in player
        if others < places - hidden:
            return 0
        count *= perm(places, hidden) * perm(others, places - hidden)
    return count


def pair(player):
    return [player[key] for key in ("kept", "passed") if key in player]


def gone_in(sample, view):
    """Return the uncertain male citizens that are not among the hidden tiles of their colour."""
    gone = []
    for one, player in enumerate(view["players"]):
        true = sample["players"][one]
        there = {*true["face_down"].values(), *pair(true), true["ship_tile"]}
        gone += [
            (one, citizen)
            for citizen in CITIZENS
            if player["unseen"].get(citizen) and citizen not in there
        ]
    return tuple(sorted(gone))


def beginnings_of_rounds(players, seed, bot="greedy"):
    """Yield the position in each round before a tile is taken."""
    entry = trajan_ai.play("forum_trajanum", [bot] * players, seed=seed)
    for position in trajan_ai.records.positions(entry):
        if position.player is not None:
            view = position.view(position.player)
            if view["stage"] == "take" and view["to_decide"].get("open_cards") == [1, 2]:
                yield position


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "seed", "round_"), [(2, 1, 4), (2, 2, 9), (3, 4, 6), (4, 3, 5)]
)
def test_face_up_tiles_are_drawn_in_proportion_to_their_arrangements(players, seed, round_):
    position = next(
        one for one in beginnings_of_rounds(players, seed) if one.view(0)["round"] == round_
    )
    observer = position.player
    read = GAME.rules.from_view(forgotten(position, observer))
    view = read.view(observer)
    expected = worlds(view)
    assert len(expected) > 3
    assert gone_in(GAME.rules.view(position, None), view) in expected  # the truth must be possible
    drawn = Counter(
        gone_in(GAME.rules.view(read.determinized(observer, seed), None), view)
        for seed in range(WORLDS)
    )
    assert set(drawn) <= set(expected)
    rare = {gone for gone in expected if expected[gone] * WORLDS <= 5 * expected.total()}
    for counts in (drawn, expected):  # pooled, because chi-square needs large counts
        together = sum(counts.pop(gone, 0) for gone in rare)
        counts.update({"rare": together} if rare else {})
    assert_in_proportion(drawn, expected)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, pytest.param(3, marks=pytest.mark.long), 4])
def test_the_true_position_is_always_possible(players):
    """The true position must remain possible even if nothing about the rows is remembered."""
    for seed in range(2):
        for position in beginnings_of_rounds(players, seed, "random"):
            view = forgotten(position, position.player)
            read = GAME.rules.from_view(view)
            result = read.view(position.player)
            assert GAME.rules.from_view(result).view(position.player) == result
            if position.ply % 20 == 0:
                assert gone_in(GAME.rules.view(position, None), result) in worlds(result)


@pytest.mark.parametrize(
    ("round_", "owners", "rows", "complaint"),
    [
        (8, (0, 1), {"1": 2, "2": 2}, "more patricians in the rows than possible"),
        (3, (0,), {}, "start citizen"),  # each player's start citizen lies in one of their rows
    ],
)
def test_impossible_citizens_in_rows_are_rejected(round_, owners, rows, complaint):
    position = next(one for one in beginnings_of_rounds(2, 1) if one.view(0)["round"] == round_)
    view = forgotten(position, position.player)
    for owner in owners:
        view["players"][owner] |= {"citizens": rows, "inactive": []}
    with pytest.raises(trajan_ai.TrajanError, match=complaint):
        GAME.rules.from_view(view)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "seed"), [(2, 1), (3, 4), (4, 2)])
def test_a_game_can_be_followed_without_its_past(players, seed):
    """Every face-up tile is accepted, and the citizens in rows remain possible."""
    entry = trajan_ai.play("forum_trajanum", ["greedy"] * players, seed=seed)
    for observer in range(players):
        table = None
        for position, move in following.witness(entry, observer):
            view = position.view(observer)
            if table is None and view["round"] == 5 and view["stage"] == "turn":
                start = GAME.rules.from_view(forgotten(position, observer))
                table = following.follow(start, observer)
            if table is None or move is None:
                continue
            if position.ply % 6 == 0:
                sample = table.position.determinized(observer, position.ply)
                assert can_fill_rows(sample.to_bytes())
                assert sample.view(observer) == table.view
                assert sample.determinized(observer, 1) == table.position.determinized(observer, 1)
            table.play(move.action, move.reveals)
        assert [player["score"] for player in table.view["players"]] == entry["scores"]


def test_a_tile_that_must_have_come_up_cannot_come_up_again():
    """The rows of both players are full of patricians, so every patrician has been face up."""
    position = next(one for one in beginnings_of_rounds(2, 1) if one.view(0)["round"] == 6)
    view = forgotten(position, position.player)
    for player in view["players"]:
        citizens = {row: n for row, n in player["citizens"].items() if row > "2"}
        player["citizens"] = {"1": 1, "2": 1, **citizens}
        player["inactive"] = []
        for cell in [cell for cell, name in player["face_up"].items() if "patrician" in name]:
            del player["face_up"][cell]
            player["cranes"][cell] = player["cranes"][cell].replace("covered", "open")
        player["reserve"] = [name for name in player["reserve"] if "patrician" not in name]
    read = GAME.rules.from_view(view)
    for seed in range(100):
        sample = GAME.rules.view(read.determinized(position.player, seed), None)
        for player in sample["players"]:
            assert "patrician-m" not in player["face_down"].values()
    arranger = Arranger(fields(read.to_bytes()), position.player)
    bit = next(bit for bit in CELLS if arranger.s["player"][0]["tiles"] >> bit & 1)
    arranger.put(0, (arranger.s["player"][0]["tile"], bit), "patrician-m")
    with pytest.raises(trajan_ai.TrajanError, match="would have no owner"):
        arranger.to_bytes()


@pytest.mark.slow
def test_street_cards_of_past_rounds_may_come_again_if_they_are_forgotten():
    entry = trajan_ai.play("forum_trajanum", ["random"] * 2, seed=3)
    position = next(p for p in trajan_ai.records.positions(entry) if p.view(0)["round"] == 6)
    view = forgotten(position, 0)
    read = GAME.rules.from_view(view)
    symbols = load(view["components"]).street_cards
    pool = Counter(symbols) - Counter(view["street_cards"])
    samples = [GAME.rules.view(read.determinized(0, seed), None) for seed in range(SAMPLES)]
    assert_in_proportion((sample["street_cards"][12] for sample in samples), pool)


@pytest.mark.slow
def test_a_first_decision_follows_from_the_stage():
    entry = trajan_ai.play("forum_trajanum", ["random"] * 3, seed=2)
    result = set()
    for position in trajan_ai.records.positions(entry):
        if position.player is None:
            break
        view = position.view(position.player)
        pending = view["to_decide"]
        if pending["decision"] == "use" or pending.get("open_cards") == [1, 2]:
            view["to_decide"] = {"player": position.player}
            assert GAME.rules.from_view(view).view(position.player)["to_decide"] == pending
            result.add(pending["decision"])
    assert result == {"use", "take"}
