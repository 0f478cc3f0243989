"""Small games of known value, for tests and as examples of how to write a game."""

from trajan_ai.core.game import Game
from trajan_ai.games.reference import small_ops
from trajan_ai.games.reference.small_rules import ForkRules, KuhnRules, NimRules, PenniesRules

NIM = Game(
    "nim",
    "trajan_ai.games.reference:NIM",
    small_ops.NIM_OPS,
    small_ops.NIM_ACTIONS,
    NimRules(),
    ("trust",),
    (1.0,),
)
FORK = Game(
    "fork",
    "trajan_ai.games.reference:FORK",
    small_ops.FORK_OPS,
    small_ops.FORK_ACTIONS,
    ForkRules(),
)
KUHN = Game(
    "kuhn",
    "trajan_ai.games.reference:KUHN",
    small_ops.KUHN_OPS,
    small_ops.KUHN_ACTIONS,
    KuhnRules(),
)
PENNIES = Game(
    "pennies",
    "trajan_ai.games.reference:PENNIES",
    small_ops.PENNIES_OPS,
    small_ops.PENNIES_ACTIONS,
    PenniesRules(),
)
