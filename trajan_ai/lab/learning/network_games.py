"""Make games of a bot, with the VP that its searches expect, to train a network further.

A part contains one game, its branches, and some of its decisions with a value for each move. A
branch begins at the start of a turn in the game, with everything dealt again that the player to
move cannot know; in half of the branches, the moves of this turn are random. The policy then plays
for as many turns as a playout has before it is cut, and the bot plays from there to the end. Each
decision is the first of its turn; a search after each of its moves gives the value of the move.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trajan_ai.bots import IsmctsBot
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.learn_plan import Round
from trajan_ai.lab.learning.parts import Arrays, LearningRun
from trajan_ai.mcts import ThreadedSearch
from trajan_ai.mcts.knowledge import evaluation, play_by_policy
from trajan_ai.mcts.remaining import turns_left

Floats = npt.NDArray[np.float32]

BRANCHES = 4  # branches of each game
# weight that later searches and the final VP together have in a value; the search at the position
# has the remaining weight
RESULT = 0.9
TURN_SAMPLES = 16  # random playouts that estimate the turns left


@dataclass(frozen=True)
class GameMaker:
    """Makes games of a bot; a game depends only on the seed and its number."""

    game: Game
    bot: IsmctsBot
    plan: Round
    players: int
    seed: int
    name: str  # name of the round, with which the names of its files begin

    @property
    def features(self) -> int:
        """The number of features of a position."""
        return len(needed(self.game, HasFeatures).features(self.players))

    @property
    def cut_turns(self) -> int:
        """The number of turns after which the bot cuts a playout."""
        network_of = self.game if self.bot.network_for(self.game) is not None else None
        return self.bot.cut_turns(self.players, network_of)

    def make_all(self, run: LearningRun) -> list[Path]:
        """Return the files of games, one file per game."""
        names = [f"{self.name}-{self.players}-{number:04}" for number in range(self.plan.games)]
        return run.make_parts(names, self.make, f"{self.players} players, {self.name}, games")

    def make(self, number: int) -> Arrays:
        """Return the starts of turns (N) of a game and its branches, and decisions (D).

        ``evaluations``, ``finals`` (VP) and ``values`` are ordered by seat from the player to
        move; values mix the VP that the search at the start of the turn and later searches expect
        with the final VP. ``features`` are those of the player to move. ``branch`` numbers the
        starts in a branch from 1, and is 0 for those in the game itself.

        ``states`` (D, bytes) are the positions of the decisions, ``sizes`` (D) the numbers of
        their moves, ``moves`` (S) these moves, one decision after another, and ``behind``
        (S, players) the VP by seat, beginning with the player to move, that a search expects after
        each move.
        """
        seed = derive_seed(self.name, self.seed, self.players, number)
        starts, rows = self._play(self.game.start(self.players, seed=seed), seed)
        random = Random(seed)
        for branch in range(BRANCHES):
            seed_of_branch = derive_seed("branch", seed, branch)
            begin = self._branch(starts[random.below(len(starts))], seed_of_branch)
            if begin is not None:
                further = self._play(begin, seed_of_branch)[1]
                rows += [row | {"branch": np.uint16(i)} for i, row in enumerate(further, 1)]
        result = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return result | self._decide(starts, random)

    def _decide(self, starts: list[Position], random: Random) -> dict[str, npt.NDArray[Any]]:
        """Return decisions at some of the starts, with the results of searches after each move."""
        until = 0 if self.bot.network_until is None else self.bot.network_until
        open_ = [one for one in starts if turns_left(one, TURN_SAMPLES, one.turn) > until]
        engine = ThreadedSearch(self.game, self.bot)
        chosen: list[Position] = []
        while open_ and len(chosen) < self.plan.decisions:
            chosen.append(open_.pop(random.below(len(open_))))
        moves = [one.legal_moves() for one in chosen]
        behind = [
            self._search_behind(engine, one, move)
            for one, some in zip(chosen, moves, strict=True)
            for move in some
        ]
        states = b"".join(one.to_bytes() for one in chosen)
        size = len(starts[0].to_bytes())
        return {
            "states": np.frombuffer(states, np.uint8).reshape(-1, size),
            "sizes": np.array([len(some) for some in moves], np.int64),
            "moves": np.array([move for some in moves for move in some], np.int64),
            "behind": np.array(behind, np.float32).reshape(-1, self.players),
        }

    def _search_behind(self, engine: ThreadedSearch, start: Position, move: int) -> Floats:
        """Return the final VP expected by a search that allows only `move` at its root.

        The player to move comes first. The searches of all moves of a decision have the same seed
        and therefore the same redeals.
        """
        assert start.player is not None
        seed = derive_seed("behind", self.seed, start.turn)
        scores = engine.search(
            InformationSet(start), seed, iterations=self.plan.behind, allowed=(move,)
        ).best.scores
        return np.roll(np.array(scores, np.float32), -start.player)

    def _play(self, position: Position, seed: int) -> tuple[list[Position], list[dict[str, Any]]]:
        """Play to the end; return the starts of turns, and the arrays for each."""
        engine, weights = ThreadedSearch(self.game, self.bot), self.bot.weights_for(self.game)
        starts: list[Position] = []
        searched = []
        while position.player is not None:
            best = engine.search(
                InformationSet(position),
                derive_seed("search", seed, position.ply),
                iterations=self.plan.iterations,
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
        """Return the position where a branch begins, or None if the game ends earlier."""
        assert start.player is not None
        random, position = Random(seed), start.determinized(start.player, seed)
        if random.below(2):
            while position.player is not None and position.turn == start.turn:
                moves = position.legal_moves()
                position = position.after_move(moves[random.below(len(moves))])
        if position.player is None:
            return None
        turns = position.turn + self.cut_turns
        weights = [self.bot.weights_for(self.game)] * self.players
        met = play_by_policy(position, weights, seed, 1)[1]
        return next((one for one in met if one.turn >= turns), None)
