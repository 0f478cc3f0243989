"""The module of `Turn` in release 0.4.0, kept until release 0.6.0."""

import warnings

from trajan_ai.analysis.decision import Turn

__all__ = ["Turn"]

warnings.warn(
    "trajan_ai.analysis.turns.Turn has moved to trajan_ai.analysis.decision.Turn; "
    "the old path works until release 0.6.0",
    DeprecationWarning,
    stacklevel=2,
)
