"""Which sources are mutated together, and which tests notice a fault there first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """Source files as patterns, and the tests to run on a fault in them, in this order."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


def game(name: str) -> Room:
    """The rules and the scoring of a game."""
    topics = {
        "trajan": "rules actions dealing ends legal repeats scoring seaport stock turn",
        "forum_trajanum": "rules building citizens opening rewards scoring step_one tasks "
        "trajan_cards",
    }[name].split()
    return Room(
        tuple(f"ext/trajan_ai/{name}/{topic}.p*" for topic in topics),
        (
            "tests/reference/test_reference.py",
            "tests/golden",
            f"tests/{name}/test_{name}_*.py",
            "tests/analysis/test_vp_sources.py",
        ),
    )


def hidden(name: str) -> Room:
    """What a player cannot know of a game, and what they see."""
    return Room(
        (
            f"ext/trajan_ai/{name}/hidden.pyx",
            f"ext/trajan_ai/{name}/unclear.p*",
            f"trajan_ai/{name}/views.py",
        ),
        (
            f"tests/{name}/test_{name}_hidden.py",
            f"tests/{name}/test_{name}_*.py",
            f"tests/{name}/test_{name}_play.py",
            f"tests/{name}/test_forgotten_{name}.py",
            "tests/bots/test_observation.py",
            "tests/files/test_following.py",
            "tests/kit/test_every_game.py",
        ),
    )


def files(name: str) -> Room:
    """The position files of a game."""
    return Room(
        (f"trajan_ai/{name}/reading.py",),
        (
            f"tests/{name}/test_{name}_*.py",
            f"tests/{name}/test_forgotten_{name}.py",
            "tests/files/test_position_pages.py",
            "tests/snapshots",
        ),
    )


ROOMS = {
    "trajan": game("trajan"),
    "forum_trajanum": game("forum_trajanum"),
    "trajan_hidden": hidden("trajan"),
    "forum_trajanum_hidden": hidden("forum_trajanum"),
    "trajan_files": files("trajan"),
    "forum_trajanum_files": files("forum_trajanum"),
    "search": Room(
        (
            "ext/trajan_ai/mcts/ismcts.pyx",
            "ext/trajan_ai/mcts/choosing.pxd",
            "ext/trajan_ai/mcts/crediting.pxd",
            "ext/trajan_ai/mcts/descending.pxd",
            "ext/trajan_ai/mcts/playing.pxd",
            "ext/trajan_ai/mcts/sharing.pxd",
            "ext/trajan_ai/mcts/tree.pxd",
            "trajan_ai/mcts/driver.py",
            "trajan_ai/mcts/clock.py",
            "trajan_ai/mcts/result.py",
        ),
        ("tests/mcts/test_search_*.py",),
    ),
    "records": Room(
        ("trajan_ai/records.py", "trajan_ai/positions.py", "trajan_ai/playing.py"),
        (
            "tests/files/test_records.py",
            "tests/bots/test_playing.py",
            "tests/bots/test_bots.py",
            "tests/*/test_*_reading.py",
            "tests/files/test_position_pages.py",
            "tests/files/test_record_faults.py",
        ),
    ),
    "ratings": Room(
        (
            "tournaments/ratings.py",
            "tournaments/sprt.py",
            "tournaments/comparison.py",
            "tournaments/pairing.py",
            "tournaments/schedule.py",
            "tournaments/summary.py",
        ),
        (
            "tests/tournaments/test_ratings.py",
            "tests/tournaments/test_tournament_*.py",
            "tests/tournaments/test_tournament_schedule.py",
            "tests/tournaments/test_results_command.py",
            "tests/tournaments/test_report.py",
            "tests/tournaments/test_same_results.py",
        ),
    ),
    "harness": Room(
        (
            "tournaments/runner.py",
            "tournaments/guard.py",
            "tournaments/store.py",
            "tournaments/play.py",
            "tournaments/config.py",
        ),
        (
            "tests/tournaments/test_tournament_*.py",
            "tests/tournaments/test_failures.py",
            "tests/tournaments/test_guard.py",
            "tests/tournaments/test_kills.py",
            "tests/tournaments/test_same_results.py",
            "tests/simulation",
        ),
    ),
    "analysis": Room(
        (
            "trajan_ai/analysis/turns.py",
            "trajan_ai/analysis/decision.py",
            "trajan_ai/analysis/calibration.py",
            "trajan_ai/analysis/sources.py",
            "trajan_ai/analysis/suggest.py",
            "trajan_ai/analysis/text.py",
            "trajan_ai/analysis/accounts.py",
            "trajan_ai/analysis/annotate.py",
        ),
        (
            "tests/analysis/test_analysis.py",
            "tests/analysis/test_decision.py",
            "tests/analysis/test_calibration.py",
            "tests/analysis/test_annotate.py",
            "tests/page/test_every_door.py",
            "tests/analysis/test_vp_sources.py",
        ),
    ),
    "knowledge": Room(
        (
            "ext/trajan_ai/*/knowledge.pyx",
            "ext/trajan_ai/*/evaluation.pyx",
            "ext/trajan_ai/mcts/knowledge.pyx",
        ),
        (
            "tests/reference/test_reference.py",
            "tests/*/test_*knowledge.py",
            "tests/mcts/test_strength.py",
            "tests/learning/test_learning.py",
            "tests/kit/test_every_game.py",
        ),
    ),
    "following": Room(
        (
            "trajan_ai/following.py",
            "trajan_ai/*/following.py",
            "trajan_ai/gamekit/sets.py",
        ),
        (
            "tests/files/test_following.py",
            "tests/files/test_sets.py",
            "tests/cli/test_follow_command.py",
            "tests/bots/test_twins.py",
            "tests/analysis/test_annotate.py",
        ),
    ),
    "observations": Room(
        (
            "trajan_ai/bots/observation.py",
            "trajan_ai/bots/minds.py",
            "trajan_ai/bots/programs.py",
            "trajan_ai/core/information.py",
        ),
        (
            "tests/bots/test_observation.py",
            "tests/bots/test_twins.py",
            "tests/bots/test_bots.py",
            "tests/tournaments/test_programs.py",
            "tests/tournaments/test_hostile_bots.py",
        ),
    ),
    "explanations": Room(
        (
            "trajan_ai/*/words.py",
            "trajan_ai/analysis/annotate.py",
            "trajan_ai/analysis/accounts.py",
            "trajan_ai/analysis/sources.py",
            "trajan_ai/analysis/turns.py",
            "trajan_ai/analysis/text.py",
        ),
        (
            "tests/analysis/test_annotate.py",
            "tests/analysis/test_turn_words.py",
            "tests/analysis/test_analysis.py",
            "tests/analysis/test_decision.py",
            "tests/analysis/test_vp_sources.py",
            "tests/snapshots",
        ),
    ),
    "engine": Room(
        (
            "trajan_ai/server/scheduler.py",
            "trajan_ai/server/engine.py",
            "trajan_ai/server/outbox.py",
            "trajan_ai/server/states.py",
            "trajan_ai/server/trees.py",
        ),
        (
            "tests/server/test_engine_*.py",
            "tests/server/test_engine_process.py",
        ),
    ),
    "page": Room(
        (
            "trajan_ai/page/guard.py",
            "trajan_ai/page/edits.py",
            "trajan_ai/page/study.py",
            "trajan_ai/page/folder.py",
            "trajan_ai/page/shown.py",
            "trajan_ai/page/levels.py",
        ),
        (
            "tests/page/test_page_edits.py",
            "tests/page/test_page_study.py",
            "tests/page/test_page_server.py",
            "tests/page/test_every_door.py",
        ),
    ),
    "adapters": Room(
        ("trajan_ai/adapters/*.py",),
        (
            "tests/adapters/test_vector_env.py",
            "tests/adapters/test_gymnasium.py",
            "tests/adapters/test_pettingzoo.py",
            "tests/adapters/test_openspiel.py",
        ),
    ),
    "learn": Room(
        ("trajan_ai/learning/*.py", "trajan_ai/gamekit/weights.py"),
        ("tests/learning/test_learning.py", "tests/analysis/test_calibration.py"),
    ),
    "tune": Room(("tournaments/tuning.py",), ("tests/tournaments/test_tune.py",)),
    "identity": Room(
        (
            "trajan_ai/analysis/signature.py",
            "trajan_ai/bots/descriptions.py",
            "trajan_ai/bots/sources.py",
        ),
        (
            "tests/mcts/test_search_signature.py",
            "tests/bots/test_bots.py",
            "tests/mcts/test_strength.py",
            "tests/tournaments/test_identity.py",
        ),
    ),
}
