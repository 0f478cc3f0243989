"""Small games of known value: tests of the search, and the example of how to add a game."""

from trajan_ai.core.game import Game
from trajan_ai.reference_games import choices, nim
from trajan_ai.reference_games.rules import ForkRules, KuhnRules, NimRules, PenniesRules

NIM = Game(
    "nim",
    "trajan_ai.reference_games:NIM",
    nim.NIM_OPS,
    nim.NIM_ACTIONS,
    NimRules(),
    ("trust",),
    (1.0,),
)
FORK = Game(
    "fork",
    "trajan_ai.reference_games:FORK",
    choices.FORK_OPS,
    choices.FORK_ACTIONS,
    ForkRules(),
)
KUHN = Game(
    "kuhn",
    "trajan_ai.reference_games:KUHN",
    choices.KUHN_OPS,
    choices.KUHN_ACTIONS,
    KuhnRules(),
)
PENNIES = Game(
    "pennies",
    "trajan_ai.reference_games:PENNIES",
    choices.PENNIES_OPS,
    choices.PENNIES_ACTIONS,
    PenniesRules(),
)
