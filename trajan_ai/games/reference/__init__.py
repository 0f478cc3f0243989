"""Small games of known value, for tests and as examples of how to write a game."""

from trajan_ai.core.game import Game
from trajan_ai.games.reference import choices, nim
from trajan_ai.games.reference.small_rules import ForkRules, KuhnRules, NimRules, PenniesRules

NIM = Game(
    "nim",
    "trajan_ai.games.reference:NIM",
    nim.NIM_OPS,
    nim.NIM_ACTIONS,
    NimRules(),
    ("trust",),
    (1.0,),
)
FORK = Game(
    "fork",
    "trajan_ai.games.reference:FORK",
    choices.FORK_OPS,
    choices.FORK_ACTIONS,
    ForkRules(),
)
KUHN = Game(
    "kuhn",
    "trajan_ai.games.reference:KUHN",
    choices.KUHN_OPS,
    choices.KUHN_ACTIONS,
    KuhnRules(),
)
PENNIES = Game(
    "pennies",
    "trajan_ai.games.reference:PENNIES",
    choices.PENNIES_OPS,
    choices.PENNIES_ACTIONS,
    PenniesRules(),
)
