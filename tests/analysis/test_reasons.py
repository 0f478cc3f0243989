"""Reasons: their events, their sources of VP, and their sums.

tests/experiments/reasons.py tests whether reasons are true.
"""

from dataclasses import replace

import pytest
from trajan_boards import board, position

from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.analysis.decision.reason_words import word_reasons
from trajan_ai.analysis.decision.reasons import (
    MAX_REASONS,
    MIN_GAIN,
    Happening,
    Reason,
    Sum,
    _compare_lines,
    explain,
    find_reasons,
    list_differences,
)
from trajan_ai.core.events import Event
from trajan_ai.core.foresight import Foresight, find_next_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr, use_language
from trajan_ai.games import game
from trajan_ai.page.practice import describe_reasons, puzzles
from trajan_ai.records import position_files


def compare(exercise, iterations, seed):
    """Return the player's knowledge, and the values of a right move and the best wrong one."""
    information = InformationSet(position_files.parse(exercise.position))
    quick = advice.analyse(information, grade="quick", iterations=2000)
    wrong = next(move.move for move in quick.moves if move.action not in exercise.right)
    named = [information.game.move(exercise.right[0]), wrong]
    analysis = advice.analyse(
        information,
        grade="verified",
        iterations=iterations,
        seed=seed,
        top=2,
        named=named,
        sources=True,
    )
    values = {move.move: move for move in analysis.moves}
    return information, *(values[move] for move in named)


def test_reasons_are_gains_of_at_least_one_vp():
    information, better, worse = compare([*puzzles().values()][4], 4000, 0)
    reasons, _ = find_reasons(information, better, worse)
    assert 1 <= len(reasons) <= MAX_REASONS
    for reason in reasons:
        sides = [move.sources[reason.player][reason.source] for move in (better, worse)]
        assert reason.vp.mean == pytest.approx(sides[0] - sides[1])
        assert (reason.vp.mean > 0) == (reason.player == better.player)
        assert abs(reason.vp.mean) >= MIN_GAIN
        assert reason.is_sure or reason.happenings
        assert reason.is_lost == (max(sides) < 0)
    assert find_reasons(information, better, replace(worse, sources=None)) == ([], None)
    assert find_reasons(information, better, replace(worse, source_errors=None)) == ([], None)


def test_the_sum_names_who_gets_more_if_no_source_is_sure():
    information, better, worse = compare([*puzzles().values()][4], 4000, 0)
    unsure = tuple(dict.fromkeys(errors, 1000.0) for errors in worse.source_errors)
    still = replace(worse, source_errors=unsure, turn=better.turn, line=better.line)
    reasons, total = find_reasons(information, better, still)
    assert reasons == []
    own = better.player
    assert total.vp[own] == pytest.approx(
        better.sources[own]["total"] - worse.sources[own]["total"]
    )
    assert total.sources


@pytest.mark.parametrize(("gain", "has_reasons"), [(-5.0, True), (0.0, False), (0.5, False)])
def test_there_are_no_reasons_against_a_move_that_looks_as_good(gain, has_reasons):
    information, better, worse = compare([*puzzles().values()][4], 4000, 0)
    other = replace(worse, gain=Estimate(gain, 1.0))
    assert bool(describe_reasons(information, better, other, is_solved=True)) == has_reasons


REASONS = [
    (
        Reason(
            0,
            "trajan_tiles",
            Estimate(9.0, 6.0),
            (Happening(Event("fulfil", 0, 9, "points-blue-blue", 0, "trajan_tiles"), True),),
            is_lost=False,
        ),
        ["The best turn fulfils the Trajan tile 9 VP (blue, blue): 9 VP."],
        ["Der beste Zug erfüllt das Trajanplättchen 9 SP (blau, blau): 9 SP."],
    ),
    (
        Reason(
            0,
            "ships",
            Estimate(6.0, 4.0),
            (Happening(Event("ship", 0, 12, "equal", 3, "ships"), True, 6),),
            is_lost=False,
        ),
        ["The best turn ships 3 equal goods: 12 VP instead of 6 VP."],
        ["Der beste Zug verschifft 3 gleiche Waren: 12 SP statt 6 SP."],
    ),
    (
        Reason(
            1,
            "ships",
            Estimate(-6.0, 0.5),
            (Happening(Event("take_card", 1, 0, "fruit", 0, None), False),),
            is_lost=False,
        ),
        [
            "After “sow tray II”, the opponent takes fruit from a discard pile.",
            "After the best turn, the opponent can expect 6.0 ± 0.5 VP fewer from ships.",
        ],
        [
            "Der Gegner nimmt Obst von einem Ablagestapel (nach „sow tray II“).",
            "Der Gegner bekommt nach dem besten Zug voraussichtlich 6,0 ± 0,5 SP weniger "
            "(Schiffe).",
        ],
    ),
    (
        Reason(0, "demands", Estimate(7.0, 0.5), (), is_lost=True),
        ["After the best turn, you can expect to save 7.0 ± 0.5 VP at demands."],
        ["Nach dem besten Zug verlierst du voraussichtlich 7,0 ± 0,5 SP weniger (Bedarf)."],
    ),
    (
        Sum({0: 1.0, 1: -4.4}, ("ships",)),
        [
            "“sow tray II” costs 5.4 ± 1.2 VP of the lead: the opponent gets 4.4 VP more, "
            "mostly from ships, and you get 1.0 VP fewer."
        ],
        [
            "„sow tray II“ kostet 5,4 ± 1,2 SP Vorsprung: der Gegner bekommt 4,4 SP mehr, "
            "vor allem durch Schiffe, und du bekommst 1,0 SP weniger."
        ],
    ),
    (
        Sum({0: 6.4, 1: 1.0}, ("ships",)),
        [
            "“sow tray II” costs 5.4 ± 1.2 VP of the lead: you get 6.4 VP fewer, "
            "mostly from ships; but the opponent gets 1.0 VP fewer."
        ],
        [
            "„sow tray II“ kostet 5,4 ± 1,2 SP Vorsprung: du bekommst 6,4 SP weniger, "
            "vor allem durch Schiffe; aber der Gegner bekommt 1,0 SP weniger."
        ],
    ),
    (
        Reason(
            0,
            "trajan_tiles",
            Estimate(9.5, 1.0),
            (Happening(Event("fulfil", 0, 9, "points-blue-blue", 0, "trajan_tiles"), True),),
            is_lost=False,
        ),
        ["The best turn fulfils the Trajan tile 9 VP (blue, blue): 9 VP."],  # explains all VP
        ["Der beste Zug erfüllt das Trajanplättchen 9 SP (blau, blau): 9 SP."],
    ),
    (
        Reason(0, "ships", Estimate(7.0, 0.0), (), is_lost=False),
        ["After the best turn, you can expect 7.0 VP more from ships."],
        ["Nach dem besten Zug bekommst du voraussichtlich 7,0 SP mehr (Schiffe)."],
    ),
]


@pytest.mark.parametrize(("reason", "english", "german"), REASONS)
def test_reasons_are_sentences(reason, english, german):
    is_sum = isinstance(reason, Sum)
    for language, expected in (("en", english), ("de", german)):
        with use_language(language):
            opponent = tr("the opponent")
            words = word_reasons(
                game("trajan").rules,
                [],
                [] if is_sum else [reason],
                reason if is_sum else None,
                own=0,
                name=[None, opponent].__getitem__,
                worse="sow tray II",
                cost=Estimate(5.4, 1.2),
            )
        assert words == expected


def test_the_next_turn_is_one_turn_of_another_player():
    there = position(board())
    information = InformationSet(there)
    line, here, own = [], there, there.player
    while here.turn < there.turn + 3:
        action = here.legal()[0]
        line.append((here.player, action))
        here = here.after(action)
    player, actions, events, before = find_next_turn(information, line)
    assert [*before, *actions] == [action for _, action in line[: len(before) + len(actions)]]
    assert player != own
    assert [action.split()[0] for action in actions].count("sow") == 1
    assert [event.name for event in events].count("sow") == 1
    assert {event.player for event in events if event.name == "sow"} == {player}
    assert find_next_turn(information, line[:1]) is None


def test_a_smaller_gain_of_the_same_kind_is_no_advantage():
    door, fountain = (Event("build", 0, vp, f"{kind}{vp}", 0, "construction")
                      for kind, vp in (("door", 4), ("fountain", 5)))  # fmt: skip
    for better, worse, named in ((fountain, door, [fountain]), (door, fountain, [])):
        differences = {True: [better], False: [worse]}
        listed = explain(game("trajan"), differences, 0, 0, "construction")
        assert [one.event for one in listed] == named


def test_differences_are_events_of_only_one_turn():
    information, better, worse = compare([*puzzles().values()][1], 4000, 0)
    differences = list_differences(information, better, worse)
    assert {one.is_after_better for one in differences} == {True, False}
    lines = {True: better, False: worse}
    for one in differences:
        foresight = Foresight(information)
        assert one.event in foresight.make_all(lines[one.is_after_better].turn.actions)
        other = Foresight(information)
        assert one.event not in other.make_all(lines[not one.is_after_better].turn.actions)
        assert one.event.player == better.player
        assert one.is_after_better or one.event.vp
    # Reasons also include events in the next turn of another player.
    player, _, reply, _ = find_next_turn(information, better.line)
    happened = _compare_lines(information, better, worse)[True]
    assert [event for event in happened if event.player == player]
    assert all(event in reply for event in happened if event.player == player)
    # An event does not count as a difference if it may still occur in the unfinished turn.
    short = replace(worse, turn=replace(better.turn, actions=(), complete=False), line=better.line)
    assert not [one for one in list_differences(information, better, short) if one.is_after_better]
