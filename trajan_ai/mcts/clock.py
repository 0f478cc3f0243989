"""Distribute thinking time: a game's seconds over turns, and a turn's seconds over decisions."""

from __future__ import annotations

import time
from typing import cast

from trajan_ai.core.game import Position, Random
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts.remaining import turn_need, turns_left
from trajan_ai.mcts.settings import Settings

TURN_SAMPLES = 16  # random plays that estimate the rest of the turn; they take about 20 us
GAME_SAMPLES = 4  # random plays that estimate the turns left and the decisions of the next turn
RESERVE = 0.05  # fraction of a game's clock that no turn may use


def read_clock(settings: Settings) -> float:
    """Return the time on the clock that limits a search with these settings."""
    return time.thread_time() if settings.clock == "cpu" else time.monotonic()


def decision_seconds(position: Position, remaining: float, increment: float, seed: int) -> float:
    """Return how many seconds of a player's game clock a decision should use.

    The remaining time is divided among this and the later decisions in proportion to their bits,
    which are the base-2 logarithm of the number of legal moves. The increment of a turn is divided
    among its decisions. `position` must be canonical.
    """
    now, rest = turn_need(position, TURN_SAMPLES, derive_seed("need", seed))
    turns = turns_left(position, GAME_SAMPLES, derive_seed("turns", seed))
    later = [_next_turn_need(position, derive_seed("later", seed, i)) for i in range(GAME_SAMPLES)]
    game = now + rest + (turns - 1.0) * sum(later) / GAME_SAMPLES
    seconds = remaining * now / game + increment * now / (now + rest)
    return min(seconds, (1.0 - RESERVE) * remaining)


def _next_turn_need(position: Position, seed: int) -> float:
    """Return the bits of the decisions in the player's next turn, which random play reaches.

    Returns 0 if the game ends before this turn.
    """
    random = Random(seed)
    after = position.determinized(cast(int, position.player), seed)
    while after.player is not None:
        if after.player == position.player and after.turn != position.turn:
            return sum(turn_need(after, TURN_SAMPLES, seed))
        moves = after.legal_moves()
        after = after.after_move(moves[random.below(len(moves))])
    return 0.0


class TimeBudget:
    """Allots seconds to decisions, and stores the time left for the turn and the game.

    Call `start` first, then `seconds` before each decision of a player and `spend` after it.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.start()

    def start(self) -> None:
        """Begin a game with a full clock."""
        self.turn: int | None = None
        self.game_left = self.settings.seconds_per_game
        self.turn_left: float | None = None

    def seconds(self, position: Position, seed: int) -> float | None:
        """Return the seconds for the decision at `position`, or None without a time limit."""
        if position.turn != self.turn:
            self.turn = position.turn
            self.turn_left = self._turn_budget(position, seed)
        limits = [one for one in (self.settings.seconds_per_decision,) if one is not None]
        if self.turn_left is not None:
            now, rest = turn_need(position, TURN_SAMPLES, derive_seed("need", seed))
            limits.append(max(self.turn_left, 0.0) * now / (now + rest))
        return min(limits, default=None)

    def spend(self, seconds: float) -> None:
        """Subtract the time that a decision took from the time left for the turn and the game."""
        if self.turn_left is not None:
            self.turn_left -= seconds
        if self.game_left is not None:
            self.game_left -= seconds

    def _turn_budget(self, position: Position, seed: int) -> float | None:
        budgets = [one for one in (self.settings.seconds_per_turn,) if one is not None]
        if self.game_left is not None:
            self.game_left += self.settings.seconds_increment
            turns = turns_left(position, GAME_SAMPLES, derive_seed("turns", seed))
            saved = max(self.game_left - self.settings.seconds_increment, 0.0)
            budget = saved / turns + self.settings.seconds_increment
            budgets.append(min(budget, (1.0 - RESERVE) * max(self.game_left, 0.0)))
        return min(budgets, default=None)
