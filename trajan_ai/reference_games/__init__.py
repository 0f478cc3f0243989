"""Small games of known value: tests of the search, and the example of how to add a game."""

from trajan_ai.core.game import Game
from trajan_ai.reference_games import hidden_games, open_games
from trajan_ai.reference_games.rules import ForkRules, KuhnRules, NimRules, PenniesRules

NIM = Game(
    "nim",
    "trajan_ai.reference_games:NIM",
    open_games.NIM_OPS,
    open_games.NIM_ACTIONS,
    NimRules(),
    ("trust",),
    (1.0,),
)
FORK = Game(
    "fork",
    "trajan_ai.reference_games:FORK",
    open_games.FORK_OPS,
    open_games.FORK_ACTIONS,
    ForkRules(),
)
KUHN = Game(
    "kuhn",
    "trajan_ai.reference_games:KUHN",
    hidden_games.KUHN_OPS,
    hidden_games.KUHN_ACTIONS,
    KuhnRules(),
)
PENNIES = Game(
    "pennies",
    "trajan_ai.reference_games:PENNIES",
    hidden_games.PENNIES_OPS,
    hidden_games.PENNIES_ACTIONS,
    PenniesRules(),
)
