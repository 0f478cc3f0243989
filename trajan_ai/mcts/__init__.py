"""Game-agnostic search: information-set Monte Carlo tree search, and greedy plans."""

from trajan_ai.mcts.driver import ThreadedSearch, search
from trajan_ai.mcts.result import MoveResult, Result
from trajan_ai.mcts.settings import Payoff, Settings

__all__ = ["MoveResult", "Payoff", "Result", "Settings", "ThreadedSearch", "search"]
