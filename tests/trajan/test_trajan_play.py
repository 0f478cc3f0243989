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
