"""Previews show those consequences of a possible move that can be foreseen as events."""

import pytest
from golden_games import golden
from trajan_boards import at_action, board, position

from trajan_ai import records
from trajan_ai.core.information import InformationSet
from trajan_ai.games.forum_trajanum import previews as previews_of_forum
from trajan_ai.games.forum_trajanum.notation import MOSAIC_CELLS
from trajan_ai.games.reference import NIM
from trajan_ai.games.trajan import previews as trajan_previews
from trajan_ai.page.previews import preview_moves

NAMES = ["A", "B", "C", "D"]


def previews(game, ply):
    return preview_moves(InformationSet(records.replay(golden(game), ply)), NAMES)


def lines_of(game, ply):
    return {action: one["lines"] for action, one in previews(game, ply).items()}


def test_sowing_shows_time_action_tile_and_trays():
    assert previews("trajan", 45)["sow VI"] == {
        "places": ["tray 0 I", "tray 0 II", "tray 0 III", "tray 0 IV"],
        "lines": [
            "Sows tray VI and spends 4 spaces of time.",
            "Fulfils the Trajan tile 2 legionnaires (white, yellow): 2 VP.",
            "Gets 2 legionnaires.",
            "Gets the senate action.",
            "Markers, for example: I blue, II orange, III orange, IV white. You choose the order.",
        ],
        "vp": 2,
        "price": [],
        "brief": "",
    }


@pytest.mark.parametrize(
    ("current", "demands", "line"),
    [
        (1, {}, "The round ends after this turn."),
        (4, {"bread": 1, "games": 1, "religion": 1}, "The quarter ends after this turn."),
    ],
)
def test_sowing_says_whether_the_turn_ends_a_round_or_the_quarter(current, demands, line):
    there = board() | {"round": current, "demands": demands, "time_marker": 9}
    lines = preview_moves(InformationSet(position(there)), NAMES)["sow I"]["lines"]
    assert lines[-1] == line
    there["time_marker"] = 3
    lines = preview_moves(InformationSet(position(there)), NAMES)["sow I"]["lines"]
    assert lines[-1].startswith("Markers")


def can_fulfil(there, player, slots):
    """Return whether the remaining markers can, in some order, fulfil a tile on the slots."""
    if there.player == player and there.legal()[0].startswith("drop"):
        return any(can_fulfil(there.after(action), player, slots) for action in there.legal())
    return len(there.view(player)["players"][player]["slots"]) < len(slots)


@pytest.mark.long
def test_a_marker_says_that_it_loses_the_tile_of_the_last_tray():
    """The preview shows the loss if and only if no order of the other markers fulfils the tile."""
    lost = 0
    for there in records.positions(golden("trajan")):
        if there.player is None or not there.legal()[0].startswith("drop "):
            continue
        slots = there.view(there.player)["players"][there.player]["slots"]
        could = can_fulfil(there, there.player, slots)
        for action in there.legal():
            words = " ".join(trajan_previews.preview(there, action).facts)
            after = there.after(action)
            is_lost = could and not can_fulfil(after, there.player, slots)
            assert ("is not fulfilled" in words) == is_lost, (there.ply, action)
            lost += is_lost
    assert lost > 5


def test_sowing_shows_the_tile_that_some_order_of_the_markers_fulfils():
    by_preview, by_first_moves = 0, 0
    for there in records.positions(golden("trajan")):
        if there.player is None or not there.legal()[0].startswith("sow "):
            continue
        player = there.player
        slots = there.view(player)["players"][player]["slots"]
        for action in there.legal():
            end = there
            for one in trajan_previews.preview(there, action).actions:
                end = end.after(one)
            is_fulfilled = len(end.view(player)["players"][player]["slots"]) < len(slots)
            sown = there.after(action)
            assert is_fulfilled == can_fulfil(sown, player, slots)
            by_preview += is_fulfilled
            while sown.player == player and sown.legal()[0].startswith("drop "):
                sown = sown.after(sown.legal()[0])
            by_first_moves += len(sown.view(player)["players"][player]["slots"]) < len(slots)
    assert by_preview > by_first_moves > 0


def test_building_shows_the_action_of_the_first_of_its_kind():
    assert lines_of("trajan", 30)["build D1"] == [
        "Places a worker on D1.",
        "Builds door 4, the first of its kind, and gets the senate action: 4 VP.",
        "Gets the senate action.",
    ]


def test_building_the_third_of_a_kind_shows_the_value_of_the_set():
    there = at_action(board(), "construction")
    own = {"workers": ["C3", "D3"], "buildings": ["door2", "door4"], "supply": 11}
    there["players"][0] |= own
    del there["sites"]["C3"], there["sites"]["D3"]
    preview = preview_moves(InformationSet(position(there)), NAMES)["build C4"]
    line = "Builds door 5, the third of its kind: a set for 10 VP at the end: 5 VP."
    assert line in preview["lines"]


def test_stopping_shows_the_vp_of_the_shipment():
    assert previews("trajan", 145)["done"]["vp"] == 2


def test_a_drawn_card_is_not_named():
    assert lines_of("trajan", 54)["draw"] == ["Draws 2 cards."]


def test_a_trajan_tile_shows_what_it_is_worth():
    assert lines_of("trajan", 108)["tile cards"][-1] == "When it is fulfilled: 3 VP, 2 cards."


def test_moves_that_name_all_that_happens_have_no_preview():
    assert previews("trajan", 0) == {}


def test_the_end_of_a_quarter_shows_demands_of_everybody():
    lines = lines_of("trajan", 94)["recruit"]
    assert lines == [
        "Gets a legionnaire.",
        "Meets 2 demands; misses a demand: −4 VP; has 2 votes in the senate.",
        "B: meets a demand; misses 2 demands: −9 VP; has no votes in the senate.",
    ]


def test_the_end_of_a_quarter_that_every_move_leads_to_is_no_part_of_its_vp():
    vp = {action: one["vp"] for action, one in previews("trajan", 94).items()}
    assert (vp["recruit"], vp["pass"], vp["deploy"]) == (0, 0, 6)


def test_a_card_shows_what_its_shipment_brings_if_nothing_is_added():
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = {"furs": 1, "oil": 1, "wine": 1}
    there = InformationSet(position(view).after("ship different"))
    vp = {action: one["vp"] for action, one in preview_moves(there, NAMES).items()}
    assert vp == {"card furs": 2, "card oil": 2, "card wine": 2}
    vp = {action: one["vp"] for action, one in preview_moves(there, NAMES, ["card oil"]).items()}
    assert vp == {"card furs": 4, "card wine": 4, "done": 2}


def test_sowing_numbers_a_place_for_every_marker():
    there = board()
    trays = there["players"][0]["trays"]
    trays |= {"I": [one for tray in ("I", "II", "III", "IV") for one in trays[tray]]}
    trays |= {"II": [], "III": [], "IV": []}
    places = preview_moves(InformationSet(position(there)), NAMES)["sow I"]["places"]
    assert [place.split()[2] for place in places] == [
        "II",
        "III",
        "IV",
        "V",
        "VI",
        "I",
        "II",
        "III",
    ]


def test_a_site_without_a_building_says_so():
    counts = {True: 0, False: 0}
    for there in records.positions(golden("trajan")):
        if there.player is None or "hire" not in there.legal():
            continue
        sites = there.view(there.player)["sites"]
        for action in there.legal():
            kind, _, site = action.partition(" ")
            is_said = "No building" in " ".join(trajan_previews.preview(there, action).facts)
            assert is_said == (kind == "build" and site not in sites), action
            counts[is_said] += 1
    assert min(counts.values()) > 0


def test_a_building_shows_price_and_reward():
    market = previews("forum_trajanum", 18)["build market A3"]
    assert market["lines"] == [
        "It costs a builder.",
        "Your marker moves to step 1 of the market.",
        "You get a coin.",
        "At the end of the phase: +2 VP in row 3.",
    ]
    assert market["price"] == ["builder"]
    assert market["brief"] == "A coin. At the end of the phase: +2 VP in row 3."
    fountain = previews("forum_trajanum", 33)["build fountain A3"]
    assert fountain["lines"] == [
        "It costs a blue worker.",
        "Then an envoy may go from your ship to a blue cell of the Forum.",
        "Other ways to pay: a green worker and an assistant; a yellow worker and an assistant.",
    ]
    assert fountain["price"] == ["blue"]
    assert fountain["brief"] == "An envoy to a blue cell."


def test_the_short_form_of_a_building_has_what_the_next_scoring_adds_for_it():
    """Only open cranes and active citizens add VP for a building."""
    view = records.replay(golden("forum_trajanum"), 18).view(0)
    own = view["players"][0]
    own |= {"cranes": {"A1": "blue open", "F1": "red used", "A6": "green covered"}}
    own |= {"buildings": {"B3": "market"}, "citizens": {"3": 2, "4": 1}, "inactive": [4]}

    def foresee(new, number=1):
        return previews_of_forum._foresee_scoring(view | {"round": number}, 0, new)

    assert foresee({"A3": "fountain"}) == ["At the end of the phase: +3 VP for the crane."]
    assert foresee({"A3": "fountain", "A2": "fountain"}, 5) == [
        "At the end of the phase: +4 VP for the crane."
    ]
    assert foresee({"A3": "house"}) == foresee({"A3": "park"}) == foresee({"A3": "market"}) == []
    assert foresee({"A3": "library", "A4": "fountain"}) == [
        "At the end of the phase: +3 VP for the crane, +3 VP in row 3."
    ]
    assert foresee({"C4": "library"}) == ["At the end of the phase: +1 VP in row 4."]


def test_an_envoy_says_what_its_cell_adds():
    """On the Forum of this recorded game, the eagles are at m3.2 and m3.5."""
    view = records.replay(golden("forum_trajanum"), 18).view(0)
    view["players"][0]["forum"] = ["m1.1"]
    view["players"][1]["forum"] = ["m2.2"]
    describe = previews_of_forum._describe_cell
    eagle = next(
        cell for cell in MOSAIC_CELLS if "At an eagle" in (describe(view, 0, cell) or [""])[0]
    )
    assert describe(view, 0, eagle)[0] == "At an eagle: 2 VP at the end of each phase."
    row, column = map(int, eagle[1:].split("."))
    beside = describe(view, 0, f"m{row}.{column - 1}")
    assert beside[0] == "Beside an eagle: 1 VP at the end of each phase."
    view["players"][0]["forum"] = ["m1.1", "m1.2", "m2.1"]
    assert "Your group there: 4." in describe(view, 0, "m2.2")
    assert "Your group there: 1." in describe(view, 0, "m4.9")


def test_the_player_reads_about_the_end_of_a_phase_in_the_second_person():
    for ply, one in enumerate(records.positions(golden("forum_trajanum"))):
        if one.player is None or "score_cranes" not in {
            event.name for action in one.legal() for event in one.events(action, 0)
        }:
            continue
        names = [f"P{player}" for player in range(2)]
        lines = [
            line
            for preview in preview_moves(InformationSet(one), names).values()
            for line in preview["lines"]
        ]
        assert any(line.startswith("You score your cranes") for line in lines), ply
        assert not [line for line in lines if line.startswith(f"P{one.player}: ")]
        return
    raise AssertionError("no phase ends with cranes")


@pytest.mark.parametrize("number", [2, 12])
def test_no_preview_of_a_building_says_a_thing_twice_or_that_a_round_begins(number):
    position = next(
        one
        for one in records.positions(golden("forum_trajanum"))
        if one.view(0)["round"] == number and "no build" in one.legal()
    )
    for action, one in preview_moves(InformationSet(position), NAMES).items():
        assert len({*one["lines"]}) == len(one["lines"]), action
        assert "begins" not in " ".join(one["lines"]), action
        assert "You build" not in " ".join(one["lines"]), action
        assert bool(one["price"]) is action.startswith("build "), action


@pytest.mark.parametrize(
    ("buildings", "ship", "lines"),
    [
        ("fountain", 2, ["Then an envoy may go from your ship to a blue cell of the Forum."]),
        ("house+house", 2, ["Then 2 envoys may go from your ship to red cells of the Forum."]),
        ("park+park", 1, ["Then an envoy may go from your ship to a green cell of the Forum."]),
        ("stable", 0, ["You cannot send an envoy: your ship is empty."]),
        ("column", 1, []),
        ("library", 1, ["Then you get a worker of any colour."]),
        ("library 1", 1, ["Choose a reward. Step 1: A worker of any colour and a tribune. "
                          "Step 2: A builder."]),
        ("library 2", 1, ["Choose a reward. Step 2: A builder. "
                          "Step 3: An envoy goes to a free eagle."]),
        ("basilica", 1, []),
        ("basilica 3", 1, ["Choose a reward. Step 3: A prestige step. "
                           "Step 4: Another building action, at the usual cost.",
                           "The end of the track scores Trajan's Column, too."]),
        ("market", 1, []),
        ("market 1", 1, ["Choose a reward. Step 1: A coin. Step 2: An area bonus."]),
        ("market 4", 1, []),
        ("market+stable", 1,
         ["Then an envoy may go from your ship to a yellow cell of the Forum."]),
    ],
)  # fmt: skip
def test_a_building_shows_what_it_brings_after_further_decisions(buildings, ship, lines):
    view = records.replay(golden("forum_trajanum"), 18).view(0)
    names, _, already = buildings.partition(" ")
    built = dict(zip("ABCD", [names] * int(already or 0), strict=False))
    view["players"][0] |= {"buildings": built, "ship": ship}
    assert previews_of_forum._list_consequences(view, names.split("+"), 0) == lines


def test_a_building_brings_no_envoy_where_no_cell_is_free():
    view = records.replay(golden("forum_trajanum"), 18).view(0)
    view["players"][1]["forum"] = list(MOSAIC_CELLS)
    assert previews_of_forum._list_consequences(view, ["house"], 0) == [
        "You cannot send an envoy: no red cell of the Forum is free."
    ]


def test_a_price_of_several_things_is_one_sentence():
    previews_of = lines_of("forum_trajanum", 33)
    prices = {
        line for lines in previews_of.values() for line in lines if line.startswith("It costs")
    }
    assert "It costs a blue worker and an assistant." in prices
    assert all(
        sum(line.startswith("It costs") for line in lines) < 2 for lines in previews_of.values()
    )


def test_taking_a_tile_shows_the_tile_and_the_room_that_it_leaves():
    lines = lines_of("forum_trajanum", 63)
    assert lines["take 2 A6"] == [
        "You take the tile from A6.",
        "The crane on corner A6 opens.",
        "Gives: craftsman.",
    ]
    assert lines["take 2 C6"] == [
        "Its tile is face down.",
        "Then C6 is free beside C5, with room for a double tile.",
    ]
    assert lines["take 2 D6"][1] == "Then D6 is free for a single building."


@pytest.mark.parametrize(
    ("cell", "around"),
    [
        ("C3", {"B3", "D3", "C2", "C4"}),
        ("A1", {"A2", "B1"}),
        ("F6", {"E6", "F5"}),
        ("A6", {"A5", "B6"}),
    ],
)
def test_a_double_tile_needs_a_neighbour(cell, around):
    assert set(previews_of_forum._list_neighbours(cell)) == around


def test_keeping_a_card_shows_both_tiles():
    assert lines_of("forum_trajanum", 41) == {
        "keep 1": [
            "You keep a merchant.",
            "Your neighbour on the right gets a builder and a coin.",
        ],
        "keep 2": [
            "You keep a builder and a coin.",
            "Your neighbour on the right gets a merchant.",
        ],
    }


def test_a_gathered_set_shows_what_all_of_it_brings():
    view = at_action(board(), "seaport")
    view["players"][0]["hand"] = {"furs": 1, "oil": 1, "wine": 1}
    there = InformationSet(position(view).after("ship different").after("card furs"))
    previews = preview_moves(there, NAMES, ["card wine"])
    assert {action: one["vp"] for action, one in previews.items()} == {"card oil": 6, "done": 4}


def test_rows_of_citizens_and_rewards_show_what_they_bring():
    kinds = {
        "seat": "citizen",
        "wage": "citizen",
        "no wage": "citizen",
        "reward library 3": "eagle",
    }
    tested = set()
    for at in records.positions(golden("forum_trajanum", "4p")):
        legal = at.legal() if at.player is not None else ()
        if not any(f"{action} ".startswith(f"{kind} ") for kind in kinds for action in legal):
            continue
        previews_of = preview_moves(InformationSet(at), NAMES)
        for kind, words in kinds.items():
            for action in legal:
                if f"{action} ".startswith(f"{kind} "):
                    tested.add(kind)
                    assert any(words in line for line in previews_of[action]["lines"]), action
    assert tested >= {"seat", "wage", "no wage"}


def test_a_crane_shows_what_it_scores():
    assert lines_of("forum_trajanum", 0)["crane blue"] == [
        "It scores one kind of structure: fountain.",
        "An open crane scores 3, 2 or 1 VP per structure of its colour at the end of phase I, II "
        "or III, once.",
    ]


def test_a_corner_shows_which_citizen_goes_where():
    ply = next(i for i, (_, action) in enumerate(golden("forum_trajanum")["actions"])
               if action.startswith("corner "))  # fmt: skip
    lines = lines_of("forum_trajanum", ply)
    assert lines["corner A6"] == [
        "A6: craftsman, F1: patrician. Taking one opens the crane below it."
    ]
    assert lines["corner F1"][0].startswith("F1: craftsman, A6: patrician.")


def test_a_game_without_previews_and_events_has_none():
    assert preview_moves(InformationSet(NIM.start(2, seed=1)), NAMES) == {}
