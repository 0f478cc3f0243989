"""Which sources are mutated together, and which tests notice a fault there first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """Source files as patterns, and the tests to run on a fault in them, in this order."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


def game(name: str, reference: str) -> Room:
    """The rules and the scoring of a game."""
    topics = {
        "trajan": "rules actions dealing ends legal repeats scoring seaport stock turn",
        "forum_trajanum": "rules building citizens opening rewards scoring step_one tasks "
        "trajan_cards",
    }[name].split()
    return Room(
        tuple(f"ext/trajan_ai/{name}/{topic}.p*" for topic in topics),
        (
            f"tests/reference/test_{reference}_reference.py",
            "tests/golden",
            *(f"tests/{name}/test_{name}_{topic}*.py" for topic in ("rules", "scoring")),
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
    "trajan": game("trajan", "trajan"),
    "forum_trajanum": game("forum_trajanum", "forum"),
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
}
