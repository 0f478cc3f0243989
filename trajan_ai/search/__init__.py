"""Search for any game of the contract: information-set Monte-Carlo tree search, greedy plans."""

from trajan_ai.search.driver import Engine, search
from trajan_ai.search.result import MoveResult, Result
from trajan_ai.search.settings import Payoff, Settings

__all__ = ["Engine", "MoveResult", "Payoff", "Result", "Settings", "search"]
