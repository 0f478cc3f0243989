"""Games of a bot for the second stage of a network, with the VP that its searches expect.

A part is one game and branches of it. A branch begins at a start of a turn in the game, dealt
again as far as the player to move cannot know; in half of them this turn is random. The policy
continues for as many turns as in a playout before it is cut. From there the bot plays to the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.bots import IsmctsBot
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.parts import Arrays, LearningRun
from trajan_ai.mcts import ThreadedSearch
from trajan_ai.mcts.knowledge import evaluation, play_by_policy

BRANCHES = 4  # branches of each game
# weight of later searches and the final VP in a value; the search at the position has the rest
RESULT = 0.9


@dataclass(frozen=True)
class GameMaker:
    """Makes games of a bot; a game depends on the seed and its number only."""

    game: Game
    bot: IsmctsBot
    iterations: int
    players: int
    seed: int

    def make_all(self, games: int, run: LearningRun) -> list[Path]:
        """Return the files of games, one in each."""
        names = [f"second-{self.players}-{number:04}" for number in range(games)]
        return run.make_parts(names, self.make, f"{self.players} players, second stage, games")

    def make(self, number: int) -> Arrays:
        """Return the starts of turns (N) of a game and its branches.

        By seat, from the player to move: ``evaluations``, ``finals`` (VP), and ``values``, which
        mix the VP that the present and later searches expect with the final VP. ``features`` are
        of the player to move. ``branch`` numbers the starts of a branch from 1; it is 0 in the
        game.
        """
        seed = derive_seed("second stage", self.seed, self.players, number)
        starts, rows = self._play(self.game.start(self.players, seed=seed), seed)
        random = Random(seed)
        for branch in range(BRANCHES):
            seed_of_branch = derive_seed("branch", seed, branch)
            begin = self._branch(starts[random.below(len(starts))], seed_of_branch)
            if begin is not None:
                further = self._play(begin, seed_of_branch)[1]
                rows += [row | {"branch": np.uint16(i)} for i, row in enumerate(further, 1)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def _play(self, position: Position, seed: int) -> tuple[list[Position], list[dict[str, Any]]]:
        """Play to the end; return the starts of turns, and their arrays."""
        engine, weights = ThreadedSearch(self.game, self.bot), self.bot.weights_for(self.game)
        starts: list[Position] = []
        searched = []
        while position.player is not None:
            best = engine.search(
                InformationSet(position),
                derive_seed("search", seed, position.ply),
                iterations=self.iterations,
            ).best
            if not starts or position.turn != starts[-1].turn:
                starts.append(position)
                searched.append(np.array(best.scores, np.float32))
            position = position.after_move(best.move)
        values = finals = np.array(position.scores, np.float32)
        rows: list[dict[str, Any]] = []
        for start, expected in zip(reversed(starts), reversed(searched), strict=True):
            assert start.player is not None
            values = RESULT * values + (1 - RESULT) * expected  # TD(lambda)
            by_seat = {
                "evaluations": np.array(evaluation(start, weights), np.float32),
                "values": values,
                "finals": finals,
            }
            row = {name: np.roll(array, -start.player) for name, array in by_seat.items()}
            features = np.frombuffer(start.features(start.player), np.uint8)
            turn, branch = np.uint16(start.turn), np.uint16(0)
            rows.append(row | {"features": features, "turn": turn, "branch": branch})
        return starts, rows[::-1]

    def _branch(self, start: Position, seed: int) -> Position | None:
        """Return where a branch begins, None if its game is over before."""
        assert start.player is not None
        random, position = Random(seed), start.determinized(start.player, seed)
        if random.below(2):
            while position.player is not None and position.turn == start.turn:
                moves = position.legal_moves()
                position = position.after_move(moves[random.below(len(moves))])
        if position.player is None:
            return None
        network_of = self.game if self.bot.network_for(self.game) is not None else None
        turns = position.turn + self.bot.cut_turns(self.players, network_of)
        weights = [self.bot.weights_for(self.game)] * self.players
        met = play_by_policy(position, weights, seed, 1)[1]
        return next((one for one in met if one.turn >= turns), None)
