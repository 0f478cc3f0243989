"""Defaults of analyses: what help names without loading a search."""

from __future__ import annotations

DEFAULT_BOT = "expert"
PLAIN_BOT = "ismcts"  # the default for games without the knowledge that the expert needs
GRADES = ("quick", "verified")
QUICK_ITERATIONS = 5_000  # in all, where it is not said how many
VERIFIED_ITERATIONS = 80_000
ANNOTATION_ITERATIONS = 10_000  # per decision
ROUGH_ITERATIONS = 600  # of a decision judged roughly
PRACTICE_ITERATIONS = 20_000  # that judge an answer to an exercise,
EQUAL = 1.0  # which is right if it loses no more VP
PROFILE_SECONDS = 2.0  # of each measured search
