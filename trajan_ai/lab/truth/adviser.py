"""A bot that plays the best move of an analysis, to measure how strong advice is.

``trajan-ai tournament configs/truth/quick-advice.yaml`` and the plans beside it play the matches
of docs/lab/truth.md against the bot whose settings the analysis uses.
"""

from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.move_values import Grade
from trajan_ai.bots import read_bot
from trajan_ai.bots.observation import Observation
from trajan_ai.core.game import Game
from trajan_ai.mcts.clock import TimeBudget, read_clock

LEAST = 0.001  # seconds of an analysis when those of the turn are used up


class Adviser:
    """Analyses each decision from scratch, within the CPU time per turn of the default bot."""

    def __init__(self, game: Game, *, grade: Grade, cpu_seconds_per_turn: float) -> None:
        """Prepare the default bot.

        Args:
            game: the game.
            grade: of the analyses.
            cpu_seconds_per_turn: divided among the decisions of a turn as the bot divides them.
        """
        settings = {"seconds_per_turn": cpu_seconds_per_turn, "clock": "cpu"}
        self.advisor = advice.prepare(game, read_bot(DEFAULT_BOT).with_settings(**settings))
        self.clock = TimeBudget(self.advisor.settings)
        self.grade = grade

    def start(self, seat: int, players: int, seed: int) -> None:
        """Set the clock."""
        self.clock.start()

    def choose(self, observation: Observation, seed: int) -> int:
        """Return the best move of an analysis."""
        started = read_clock(self.advisor.settings)
        seconds = self.clock.seconds(observation.canonical, seed)
        assert seconds is not None
        analysis = self.advisor.analyse(
            observation, grade=self.grade, seconds=max(seconds, LEAST), seed=seed
        )
        self.clock.spend(read_clock(self.advisor.settings) - started)
        return analysis.best.move
