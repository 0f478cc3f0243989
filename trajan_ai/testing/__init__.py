"""The conformance kit checks everything that a game must guarantee (docs/own_game.md).

``check_game(GAME)`` checks a game and raises an error that lists every broken promise;
``conformance_cases(GAME)`` returns the checks as cases for pytest; and
``python -m trajan_ai.testing GAME`` runs them on the command line.
"""

from trajan_ai.testing.courses import position_at
from trajan_ai.testing.findings import BrokenPromise, ConformanceError, Report
from trajan_ai.testing.kit import Case, check_game, conformance_cases
from trajan_ai.testing.registry import CHECKS
from trajan_ai.testing.statistics import check_uniform

__all__ = [
    "CHECKS",
    "BrokenPromise",
    "Case",
    "ConformanceError",
    "Report",
    "check_game",
    "check_uniform",
    "conformance_cases",
    "position_at",
]
