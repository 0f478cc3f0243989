"""Advice on one decision: what each of its moves is worth."""

from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.analysis.decision.move_values import Estimate, MoveValue, TriedMove
from trajan_ai.analysis.decision.whole_turns import Turn

__all__ = ["Analysis", "Estimate", "MoveValue", "TriedMove", "Turn"]
