"""A bot that plays the best move of an analysis, to measure how strong advice is.

``trajan-ai tournament configs/truth/quick-advice.yaml`` and the plans beside it play the matches
of docs/lab/truth.md against the bot whose settings the analysis uses.
"""

from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.move_values import Grade
from trajan_ai.bots import read_bot
from trajan_ai.bots.observation import Observation
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.clock import TimeBudget, read_clock
from trajan_ai.mcts.driver import ThreadedSearch

LEAST = 0.001  # seconds of an analysis when the time of the turn is used up


class Adviser:
    """Analyses each decision with the default bot's settings, within a CPU time per turn.

    Each analysis continues in the tree of the last one, as in the engine process if a client names
    its tree. Like the bot, the adviser ends a search whose best move is settled, so that both
    spend their time on the other decisions.
    """

    def __init__(self, game: Game, *, grade: Grade, cpu_seconds_per_turn: float) -> None:
        """Prepare the default bot.

        Args:
            game: the game.
            grade: the grade of the analyses.
            cpu_seconds_per_turn: CPU seconds, divided among the decisions of a turn as the bot
                divides them.
        """
        settings = {"seconds_per_turn": cpu_seconds_per_turn, "clock": "cpu"}
        self.advisor = advice.prepare(game, read_bot(DEFAULT_BOT).with_settings(**settings))
        self.clock = TimeBudget(self.advisor.settings)
        self.grade = grade

    def start(self, seat: int, players: int, seed: int) -> None:
        """Start the clock for a game, and forget the tree and the last analysis."""
        self.clock.start()
        self.tree: ThreadedSearch | None = None
        self.place: Position | None = None  # position of the last analysis

    def choose(self, observation: Observation, seed: int) -> int:
        """Return the best move of an analysis."""
        started = read_clock(self.advisor.settings)
        seconds = self.clock.seconds(observation.canonical, seed)
        assert seconds is not None
        knowledge = InformationSet(observation.canonical, observation.observer)
        run = self.advisor.begin(
            knowledge, grade=self.grade, seconds=max(seconds, LEAST), seed=seed
        )
        if self.tree is None or self.place is None:
            self.tree = ThreadedSearch(observation.game, self.advisor.settings)
        else:
            self.tree.follow_actions(self.place, [action for _, action in observation.moves])
        self.place = knowledge.canonical
        advice.make_searches(run, engine=self.tree)
        best = run.analysis().best
        self.clock.spend(read_clock(self.advisor.settings) - started)
        return best.move
