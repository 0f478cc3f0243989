"""Random play of Trajan: every game ends, every move can be played, nothing appears or is lost."""

import json
import pickle
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.trajan import GAME
from trajan_ai.trajan.components import COMPONENTS
from trajan_ai.trajan.rules import derived
from trajan_ai.trajan.types import fields, state_bytes

SEEDS = st.integers(0, 2**32)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "lap_length": st.integers(1, 25),
        "markers": st.sampled_from(["chosen", "random"]),
        "tile_effects": st.sampled_from(["automatic", "optional"]),
        "wild_demand_scores": st.booleans(),
        "score_slot_tiles": st.booleans(),
        "demand_payment": st.sampled_from(["automatic", "chosen"]),
        "final_tie": st.sampled_from(["stack", "track"]),
        "province_votes": st.sampled_from(["stay", "leave"]),
    },
)
TABLES = st.tuples(st.integers(2, 4), SEEDS, OPTIONS)
FEW = settings(max_examples=25, deadline=None)


def play(players, seed, options):
    """Yield every position of a random game."""
    position = GAME.start(players, seed=seed, **options)
    random = Random(seed)
    while position.player is not None:
        yield position
        moves = position.legal_moves()
        position = position.after_move(moves[random.below(len(moves))])
    yield position


@FEW
@given(TABLES)
def test_games_end_and_legal_moves_are_unique_and_applicable(table):
    turn = 0
    for position in play(*table):
        moves = position.legal_moves()
        assert len(moves) == len(set(moves))
        assert len(moves) >= 2 or position.player is None
        assert position.turn in (turn, turn + 1) or table[2].get("markers") == "random"
        turn = position.turn
        if position.ply % 7 == 0:
            for move in moves:
                position.after_move(move)
    assert sorted(position.ranks) == list(range(1, table[0] + 1))
    best = position.ranks.index(1)
    assert position.scores[best] == max(position.scores)


def census(view):
    """Count every component of a full view, by kind and name."""
    hidden, players = view["hidden"], view["players"]
    found = Counter()

    def add(kind, names):
        found.update((kind, name) for name in names)

    add("good", hidden["goods_deck"])
    add("tile", [*hidden["forum_supply"], *hidden["extra_supply"]])
    add("tile", Counter(view["forum"]).elements())
    add("tile", view["provinces"].values())
    add("tile", Counter(view["forum_gone"]).elements())
    add("demand", hidden["demands"])
    add("demand", [*Counter(view["demands"]).elements()])
    add("demand", [*Counter(view["demands_gone"]).elements()])
    add("bonus", [*hidden["bonus_tiles"], *view["bonus_offer"]])
    add("trajan", [name for stack in hidden["trajan_stacks"].values() for name in stack])
    add("trajan", view["trajan_gone"])
    add("building", view["sites"].values())
    for pile in view["discard_piles"].values():
        add("good", pile)
    for own in players:
        add("good", Counter(own["hand"]).elements())
        add("good", Counter(own["display"]).elements())
        add("tile", Counter(own["forum_tiles"]).elements())
        add("trajan", own["slots"].values())
        add("bonus", [*own["gold_bonus"], *own["silver_bonus"]])
        add("building", own["buildings"])
    pending = view["to_decide"] or {}
    if "effect" in pending:
        add("trajan", [pending["effect"]])
    return found


EVERYTHING = Counter(
    [("good", name) for name in COMPONENTS.goods_deck()]
    + [("tile", name) for name in COMPONENTS.forum_supply() + COMPONENTS.extra_supply()]
    + [("demand", name) for name in COMPONENTS.demand_tiles()]
    + [("bonus", name) for name in COMPONENTS.bonus_tiles]
    + [("trajan", name) for name in COMPONENTS.tile_names()]
    + [("building", name) for name in COMPONENTS.buildings]
)


def check_players(view):
    """Figures, markers, the arch and what others know of a hand."""
    pending = view["to_decide"] or {}
    for player, own in enumerate(view["players"]):
        figures = own["supply"] + own["military_camp"] + own["worker_camp"]
        assert figures + len(own["legionnaires"]) + len(own["workers"]) == 15
        markers = Counter(colour for tray in own["trays"].values() for colour in tray)
        if pending.get("turn_of") == player:
            markers.update(pending.get("markers_in_hand", []))
        if pending.get("decision") != "marker":
            assert markers == Counter(dict.fromkeys(COMPONENTS.colours, 2))
        assert (own["arch"] == "centre") == (len(own["slots"]) == 6)
        assert own["arch"] not in own["slots"]
        assert not Counter(own["known_cards"]) - Counter(own["hand"])
        assert sum(own["hand"].values()) == own["hand_size"]


@pytest.mark.slow
@FEW
@given(TABLES)
def test_every_component_exists_once_throughout(table):
    for position in play(*table):
        if position.ply % 5 == 0 or position.player is None:
            view = GAME.rules.view(position, None)
            assert census(view) == EVERYTHING
            check_players(view)


@FEW
@given(TABLES)
def test_fields_that_follow_from_others_are_kept_right(table):
    for position in play(*table):
        assert derived(position.to_bytes()) == position.to_bytes()


@FEW
@given(TABLES, st.integers(0, 400))
def test_positions_survive_bytes_pickle_and_views(table, ply):
    *_, position = (p for p in play(*table) if p.ply <= ply)
    assert GAME.from_bytes(position.to_bytes()) == position
    again = pickle.loads(pickle.dumps(position))
    assert again == position
    assert again.ply == position.ply
    view = json.loads(json.dumps(GAME.rules.view(position, None)))
    assert GAME.rules.from_view(view) == position
    assert len(max(GAME.rules.draw(position).splitlines(), key=len)) <= 100


def final_score(own, before, options):
    """Score a player from the full view before the last decision, section 6."""
    score = before
    score += own["hand_size"] + own["worker_camp"] + own["military_camp"]
    score += len(own["slots"]) if options["score_slot_tiles"] else 0
    sizes = Counter(building[:-1] for building in own["buildings"])
    wilds = own["forum_tiles"].get("wild-building", 0)
    kinds = COMPONENTS.data["buildings"]
    spread = [Counter()]
    for _ in range(wilds):
        spread = [more + Counter([kind]) for more in spread for kind in kinds]
    score += max(
        sum((sizes + more)[k] >= 3 and (10 if (sizes + more)[k] == 3 else 20) for k in kinds)
        for more in spread
    )
    goods = []
    for side, name in [(0, n) for n in own["gold_bonus"]] + [(1, n) for n in own["silver_bonus"]]:
        each = COMPONENTS.data["bonus_tiles"][name][side]
        if name == "bonus-workers":
            score += len(own["workers"]) if side == 0 else (len(own["workers"]) + 1) // 2
        elif name == "bonus-legions":
            score += each * len(own["legionnaires"])
        elif name == "bonus-gold":
            score += each * len(own["gold_bonus"])
        elif not name.startswith("bonus-"):
            goods.append(each)
            score += each * sum(own["display"].get(good, 0) for good in name.split("-"))
    return score + max(goods, default=0) * own["forum_tiles"].get("wild-goods", 0)


def symbol_bonus(own, options):
    """VP of the bonus tiles for symbols, with the tiles that are left at the end."""
    tiles, score, missed = own["forum_tiles"], 0, []
    for side, key in enumerate(("gold_bonus", "silver_bonus")):
        for name in own[key]:
            symbol = name.removeprefix("bonus-")
            if symbol in COMPONENTS.symbols:
                vp = COMPONENTS.data["bonus_tiles"][name][side]
                if tiles.get(symbol, 0):
                    score += vp
                else:
                    missed.append(vp)
    wilds = tiles.get("wild-demand", 0) if options["wild_demand_scores"] else 0
    return score + sum(sorted(missed, reverse=True)[:wilds])


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_final_score_recomputed_from_the_last_board(table):
    *_, last, over = play(*table)
    options = over.origin[1]
    assert GAME.rules.view(last, None)["to_decide"]["decision"] == "bonus"
    for player, own in enumerate(GAME.rules.view(over, None)["players"]):
        score = final_score(own, last.scores[player], options) + symbol_bonus(own, options)
        assert over.scores[player] == score


@FEW
@given(TABLES)
def test_wrong_length_and_illegal_moves_are_refused(table):
    position = next(play(*table))
    with pytest.raises(TrajanError, match="bytes"):
        GAME.from_bytes(position.to_bytes()[:-1])
    legal = set(position.legal_moves())
    illegal = next(move for move in range(len(GAME.actions)) if move not in legal)
    with pytest.raises(TrajanError, match="is not legal for player 0"):
        position.after_move(illegal)


def test_fields_of_a_state_are_read_in_their_places():
    state = fields(GAME.start(3, seed=1, markers="random").to_bytes())
    assert state["players"] == 3
    assert state["lap_length"] == 16
    assert state["order"][:3] == [0, 1, 2]
    assert [player["supply"] for player in state["player"]] == [13, 13, 13, 0]


@FEW
@given(TABLES)
def test_states_survive_the_way_through_fields(table):
    for position in play(*table):
        if position.ply % 11 == 0:
            assert state_bytes(fields(position.to_bytes())) == position.to_bytes()
