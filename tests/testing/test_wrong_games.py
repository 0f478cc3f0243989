"""Broken games: the kit detects each of them and names the broken promise."""

import pytest
import tender

from trajan_ai.testing import CHECKS
from trajan_ai.testing.kit import make_kit, run_checks

LEAKS = {"search_sees_no_secrets", "reused_tree_sees_no_secrets"}
FORCED = {"steps", "forced_moves_stay_hidden"}
REPEATS = {"search_repeats_itself", "threads_agree"}
# Slow checks, which run only on the correct game and on games in which they may find a fault.
SLOW = {"determinize_is_uniform", "deals_are_alike", "other_processes_agree"} | LEAKS | REPEATS
SLOW |= {"forced_moves_stay_hidden"}

# For each fault, the checks that must detect it, and those that may detect its consequences.
EXPECTED = {
    "right_with_knowledge": (set(), set()),
    "determinize_copies": (
        {"hidden_information_declared", "views_read_back", "unseen_state_is_drawn"},
        {"hidden_moves_declared", *LEAKS},
    ),
    "determinize_rotates": (
        {"determinize_is_canonical", "search_sees_no_secrets"},
        {"hidden_moves_declared", "views_read_back", "unseen_state_is_drawn", *LEAKS, *FORCED},
    ),
    "determinize_cuts": ({"determinize_is_uniform"}, set()),
    "determinize_leans": ({"determinize_is_uniform"}, set()),
    "determinize_pairs": ({"determinize_is_uniform"}, set()),
    "determinize_sorts": ({"truth_is_possible"}, {"determinize_is_uniform"}),
    "determinize_own_hand": (
        {"determinize_keeps_knowledge", "views_hide_secrets", "features_hide_secrets"},
        {"hidden_moves_declared", "views_read_back", "unseen_state_is_drawn", *LEAKS, *FORCED},
    ),
    "determinize_forgets_choice": ({"determinize_keeps_knowledge"}, set()),
    "determinize_draws_elsewhere": (
        {"determinize_is_pure"},
        {
            "determinize_is_canonical",
            "hidden_moves_declared",
            "truth_is_possible",
            "views_read_back",
            "unseen_state_is_drawn",
            "observed_moves",
            *FORCED,
            *LEAKS,
            *REPEATS,
        },
    ),
    "determinize_leaves_bytes": (
        {"determinize_is_pure"},
        {"determinize_is_canonical", "views_read_back", *LEAKS, *REPEATS},
    ),
    "moves_twice": ({"moves_unique"}, {"determinize_keeps_knowledge", *FORCED}),
    "move_too_high": ({"moves_in_range"}, {"determinize_keeps_knowledge"}),
    "moves_by_deck": ({"determinize_keeps_knowledge"}, LEAKS),
    "moves_beyond_room": ({"writes_in_bounds"}, set()),
    "forced_move_left": (
        {"no_forced_decision", "every_move_applies"},
        {"determinize_keeps_knowledge", *FORCED},
    ),
    "apply_draws": (
        {"apply_is_determined"},
        {
            "every_move_applies",
            "equal_positions_equal_bytes",
            "record_replays",
            *FORCED,
            *LEAKS,
            *REPEATS,
        },
    ),
    "apply_leaves_trace": ({"equal_positions_equal_bytes"}, {"views_read_back", *FORCED}),
    "apply_writes_behind": ({"writes_in_bounds"}, set()),
    "step_missing": ({"forced_moves_stay_hidden"}, set()),
    "step_too_far": ({"forced_moves_stay_hidden"}, set()),
    "step_elsewhere": ({"steps"}, {*FORCED, *LEAKS}),
    "step_known": ({"forced_moves_stay_hidden"}, LEAKS),
    "endless": ({"game_ends"}, FORCED),
    "decider_beyond": ({"players_and_deciders"}, {"determinize_keeps_knowledge"}),
    "turns_by_two": ({"turns"}, set()),
    "turns_never": ({"turns"}, set()),
    "scores_after_the_end": ({"end_is_final"}, {"ranks"}),
    "scores_in_a_byte": ({"scores_do_not_wrap"}, {"ranks"}),
    "scores_counting_calls": (
        {"functions_are_pure"},
        {"end_is_final", "ranks", "record_replays", *LEAKS, *REPEATS},
    ),
    "ranks_without_tie_break": ({"ranks"}, set()),
    "ranks_backwards": ({"ranks"}, set()),
    "ranks_from_zero": ({"ranks"}, set()),
    "observed_shows_all": ({"hidden_moves_declared", "forced_moves_stay_hidden"}, LEAKS),
    "observed_hides_own": ({"observed_moves"}, {"hidden_moves_declared"}),
    "observed_notices_nothing": ({"observed_moves"}, {"hidden_moves_declared", *LEAKS}),
    "observed_by_deck": ({"observed_moves"}, {"hidden_moves_declared", *FORCED, *LEAKS}),
    "events_missing": ({"events_add_up"}, set()),
    "events_show_all": ({"events_stay_hidden"}, set()),
    "secrets_not_declared": (
        {"hidden_information_declared", "handle"},
        {"views_read_back", *LEAKS},
    ),
    "hidden_moves_not_declared": ({"handle"}, set()),
    "playout_draws_more": ({"playout"}, set()),
    "playout_without_end": ({"playout"}, set()),
    "playout_beyond_turns": ({"playout"}, set()),
    "playout_miscounts": ({"playout"}, {"end_is_final"}),
    "policy_playout_draws_more": ({"policy_playout"}, set()),
    "policy_playout_gains": ({"shortfalls"}, set()),
    "terms_of_nothing": ({"terms"}, set()),
    "prior_not_scaled": ({"prior"}, set()),
    "prior_with_zero": ({"prior"}, set()),
    "policy_by_move": ({"policy"}, set()),
    "policy_in_turn": ({"policy"}, {*LEAKS, *REPEATS}),
    "evaluation_not_finite": ({"evaluation"}, set()),
    "evaluation_beyond_weights": ({"evaluation"}, set()),
    "turns_left_after_the_end": ({"turns_left"}, set()),
    "features_of_the_next": ({"features_hide_secrets"}, set()),
    "features_left_out": ({"features_hide_secrets"}, set()),
    "features_too_high": ({"features_are_named"}, set()),
    "deals_low_cards": ({"deals_are_alike"}, set()),
    "deals_the_deck": ({"deals_are_alike"}, set()),
    "view_shows_hands": ({"views_hide_secrets"}, {"views_read_back"}),
    "picture_shows_hands": ({"views_hide_secrets"}, set()),
    "view_forgets": ({"views_read_back"}, set()),
    "view_not_plain": ({"views_are_plain"}, {"views_read_back"}),
    "deals_by_chance": ({"setups", "record_replays"}, set()),
    "deals_by_hash": ({"other_processes_agree"}, set()),
    "takes_any_setup": ({"setups"}, set()),
    "refuses_its_default": ({"options"}, {"setups"}),
    "loses_options": ({"options"}, {"record_replays"}),
    "wrong_reference": ({"handle"}, {"bytes_and_pickles"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", EXPECTED)
def test_a_fault_is_detected_and_named(wrong_games, fault):
    must, may = EXPECTED[fault]
    skips = SLOW - must - may if must else set()
    scale = 1 if fault == "scores_in_a_byte" else 0.5  # few games have such scores
    kit = make_kit(
        wrong_games[fault], players=[3], options={"bonus": [7]}, scale=scale, max_plies=200
    )
    report = run_checks(kit, [name for name in CHECKS if name not in skips])
    broken = {problem.check for problem in report.problems}
    assert must <= broken, report
    assert broken <= must | may, report


def test_every_broken_game_is_checked(wrong_games):
    assert {"right", *EXPECTED} == set(wrong_games)  # the right game is tested as Hoard
    broken = [fault for fault, (must, _) in EXPECTED.items() if must]
    assert len(broken) + len(tender.FAULTS) == 75  # as docs/trust.md states


def test_every_check_detects_a_fault():
    detected = {check for _, check in tender.FAULTS.values()}
    detected = detected.union(*(must for must, _ in EXPECTED.values()))
    consequences = set().union(*(may for _, may in EXPECTED.values()))
    assert set(CHECKS) - detected <= consequences
