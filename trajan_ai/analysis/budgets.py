"""Defaults of analyses, separate from the search so that the help need not import it."""

DEFAULT_BOT = "expert"
PLAIN_BOT = "ismcts"  # the default for games without the knowledge that the expert needs
GRADES = ("quick", "verified", "rollout")
QUICK_ITERATIONS = 5_000  # iterations of a whole quick analysis
VERIFIED_ITERATIONS = 80_000  # iterations of a whole verified analysis
ROLLOUT_REDEALS = 100  # redeals of a rollout
ROLLOUT_ITERATIONS = 120  # iterations per decision of a rolled-out game
CHOICE_ITERATIONS = 10_000  # iterations of the search that chooses the moves to roll out
ANNOTATION_ITERATIONS = 10_000  # iterations per judged decision
ROUGH_ITERATIONS = 600  # iterations per roughly judged decision
PRACTICE_ITERATIONS = 20_000  # iterations per answer to an exercise
EQUAL = 1.0  # an answer is right if it loses fewer VP than this
PROFILE_SECONDS = 2.0  # duration of each measured search
