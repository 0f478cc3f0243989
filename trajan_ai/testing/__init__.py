"""The conformance kit: everything that must hold for any game over the contract.

``check_game(GAME)`` checks a game and raises with every promise that it breaks;
``conformance_cases(GAME)`` gives the same as cases for pytest; on the command line it is
``python -m trajan_ai.testing GAME``. See docs/own_game.md.
"""

from trajan_ai.testing.courses import position_at
from trajan_ai.testing.findings import ConformanceError, Problem, Report
from trajan_ai.testing.kit import Case, check_game, conformance_cases
from trajan_ai.testing.registry import CHECKS, promises_table
from trajan_ai.testing.statistics import check_uniform

__all__ = [
    "CHECKS",
    "Case",
    "ConformanceError",
    "Problem",
    "Report",
    "check_game",
    "check_uniform",
    "conformance_cases",
    "position_at",
    "promises_table",
]
