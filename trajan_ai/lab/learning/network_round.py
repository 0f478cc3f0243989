"""Train a network further in a round of expert iteration: on games of the bot that uses it.

The network learns from two kinds of data at once. From the rows of the games it learns leads,
with targets that mix later searches and results (TD(lambda)). From the decisions it learns the
differences between moves, on which a choice depends: the mean over cut playouts after a move
should differ from the means after its siblings as much as the values of strong searches after
these moves differ. Anthony, Tian and Barber, Thinking Fast and Slow with Deep Learning and Tree
Search (2017), call such rounds expert iteration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.labelling import GAME_OVER, play_to_leaves
from trajan_ai.lab.learning.network_games import GameMaker
from trajan_ai.lab.learning.network_model import (
    FeatureLevels,
    Floats,
    Tensors,
    copy_weights,
    corrections,
    descend,
    device,
    lead_squares,
    loss_of,
    predict,
    restore,
    to_tensor,
    torch,
)
from trajan_ai.lab.learning.parts import Arrays, join_parts

HELD_OUT = 10  # of this many games, one serves to measure the error, one to choose the epoch
EPOCHS = 8
RATE, BATCH = 3e-4, 4096  # learning rate of AdamW; rows of games in a step
WARM_STEPS = 50  # steps over which the learning rate rises
SPAN = 4  # turns that share one mean error of VP
LEAVES = 16  # playouts after each move of a decision
SHARE = 5.0  # weight of the errors of differences, relative to those of values
MEASURED = 500  # decisions measured together

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Decisions:
    """Decisions (D) of games; their moves (S) are stored one decision after another.

    Attributes:
        maker: the maker of the games.
        states: the positions, (D, bytes).
        sizes: the number of moves of each decision, (D).
        game: the index of the game of each decision, (D).
        moves: the moves, (S).
        behind: the VP by seat that strong searches expect after the moves, (S, players); the
            player to decide comes first.
    """

    maker: GameMaker
    states: npt.NDArray[np.uint8]
    sizes: Integers
    game: Integers
    moves: Integers
    behind: Floats

    @staticmethod
    def join(games: Sequence[Arrays], maker: GameMaker) -> Decisions:
        """Return the decisions of games."""
        names = ("states", "sizes", "moves", "behind")
        game = np.repeat(np.arange(len(games)), [len(one["sizes"]) for one in games])
        return Decisions(
            maker=maker, game=game, **join_parts([{n: one[n] for n in names} for one in games])
        )

    def errors(self, weights: Tensors, levels: Tensors, chosen: Integers, seed: int) -> Any:
        """Return each move's error in VP, minus the mean error of the moves of its decision.

        An error is the difference between the VP at the end of a cut playout after a move and the
        VP that the search expects after the move. The result is a tensor
        (moves, LEAVES, players); a mean over the `LEAVES` playouts of a move has less scatter.
        """
        sizes = self.sizes[chosen]
        decision = np.repeat(np.arange(len(chosen)), sizes)
        within = np.arange(len(decision)) - (sizes.cumsum() - sizes)[decision]
        places = (self.sizes.cumsum() - self.sizes)[chosen][decision] + within
        played = self._play(chosen[decision], places, seed)
        features, evaluations, seats = (to_tensor(array) for array in played)
        players = evaluations.shape[-1]
        added = corrections(weights, levels, features.flatten(0, 1)).view_as(evaluations)
        added = added * (seats != GAME_OVER)[..., None]
        by_seat = (torch.arange(players, device=device()) - seats[..., None].long()) % players
        values = evaluations + added.gather(2, by_seat) - to_tensor(self.behind[places])[:, None]
        groups = to_tensor(decision)
        sums = torch.zeros((len(chosen), *values.shape[1:]), device=device())
        means = sums.index_add(0, groups, values) / to_tensor(sizes)[:, None, None]
        return values - means[groups]

    def _play(
        self, decisions: Integers, places: Integers, seed: int
    ) -> tuple[npt.NDArray[np.uint8], Floats, npt.NDArray[np.uint8]]:
        """Play from moves to leaves as searches of the bot do, and return the leaves as arrays."""
        maker, shape = self.maker, (len(places), LEAVES)
        features = np.zeros((*shape, maker.features), np.uint8)
        evaluations = np.empty((*shape, maker.players), np.float32)
        seats = np.empty(shape, np.uint8)
        weights, turns = maker.bot.weights_for(maker.game), maker.cut_turns
        for row, (decision, place) in enumerate(zip(decisions, places, strict=True)):
            play_to_leaves(
                maker.game.from_bytes(self.states[decision].tobytes()),
                int(self.moves[place]),
                weights,
                derive_seed("leaves", seed, int(decision)),
                turns,
                features[row],
                evaluations[row],
                seats[row],
            )
        return features, evaluations, seats

    def squares(self, weights: Tensors, levels: Tensors, chosen: Integers) -> Floats:
        """Return each decision's mean squared error of the lead over the other players' mean.

        A square is the product of the means of two halves of the playouts, so it contains the
        scatter of the searches, but not that of the playouts.
        """
        result: list[Floats] = [np.empty(0, np.float32)]
        for begin in range(0, len(chosen), MEASURED):
            some = chosen[begin : begin + MEASURED]
            with torch.no_grad():
                errors = self.errors(weights, levels, some, 0).cpu().numpy()
            leads = errors[..., 0] - errors[..., 1:].mean(-1)
            squares = leads[:, ::2].mean(1) * leads[:, 1::2].mean(1)
            sizes = self.sizes[some]
            sums = np.add.reduceat(squares, sizes.cumsum() - sizes)
            result.append((sums / sizes).astype(np.float32))
        return np.concatenate(result)


def train_further(
    levels: FeatureLevels, weights: Tensors, games: Sequence[Arrays], maker: GameMaker
) -> str:
    """Train a network on games of a bot; return a text with the errors before and after.

    The targets have the leads of the mixed values. Apart from the scatter of results, the mean of
    the targets over all players stays that of the network, because the bot scores more than the
    policy.
    """
    names = ("features", "evaluations", "finals", "values", "turn", "branch")
    rows = join_parts([{name: one[name] for name in names} for one in games])
    game = np.repeat(np.arange(len(games)), [len(one["turn"]) for one in games])
    shape, inputs = levels.tensors(), to_tensor(rows["features"])
    before, gains = predict(weights, shape, inputs), rows["finals"] - rows["evaluations"]
    values, span = rows["values"] - rows["evaluations"], rows["turn"] // SPAN
    usual = np.bincount(span, (gains - before).mean(1)) / np.maximum(1, np.bincount(span))
    values += (gains.mean(1) - usual[span] - values.mean(1))[:, None].astype(np.float32)
    targets = to_tensor(values)
    siblings = Decisions.join(games, maker)
    held_out, chooses, learned = split(game)
    decisions_held_out, decisions_choosing, decisions = split(siblings.game)

    def measure(places: Integers, some: Integers) -> tuple[Floats, Floats]:
        rests = gains[places] - predict(weights, shape, inputs[torch.from_numpy(places)])
        return lead_squares(rests), siblings.squares(weights, shape, some)

    old = measure(held_out, decisions_held_out)
    torch.manual_seed(maker.seed)
    optimizer = torch.optim.AdamW(weights.values(), betas=(0.9, 0.99), weight_decay=0)
    parts = -(-len(learned) // BATCH)
    step, best, lowest = 0, (0, copy_weights(weights)), math.inf
    for epoch in range(EPOCHS + 1):
        shuffled = (one[torch.randperm(len(one)).numpy()] for one in (learned, decisions))
        batches = zip(*(np.array_split(one, parts) for one in shuffled), strict=True)
        for places, some in batches if epoch else ():
            step += 1
            fraction = min(1, step / WARM_STEPS) * (1 + math.cos(math.pi * step / parts / EPOCHS))
            optimizer.param_groups[0]["lr"] = RATE * fraction / 2
            rests = corrections(weights, shape, inputs[places]) - targets[places]
            loss = loss_of(rests)
            if len(some):
                errors = siblings.errors(weights, shape, some, step)
                loss = loss + SHARE * loss_of(errors[:, ::2].mean(1), errors[:, 1::2].mean(1))
            descend(optimizer, loss)
        leads, differences = measure(chooses, decisions_choosing)
        error = leads.mean() + (SHARE * differences.mean() if len(differences) else 0)
        if error < lowest:
            best, lowest = (epoch, copy_weights(weights)), error
    restore(weights, best[1])
    new = measure(held_out, decisions_held_out)
    errors = [
        f"{len(game):,} positions, {len(siblings.game):,} decisions, epoch {best[0]} of {EPOCHS}"
    ]
    for what, branch in (("in games", 0), ("at branches", 1)):
        chosen = rows["branch"][held_out] == branch
        errors.append(f"{what}: {compare(game[held_out][chosen], old[0][chosen], new[0][chosen])}")
    if len(decisions_held_out):
        errors.append(f"siblings: {compare(siblings.game[decisions_held_out], old[1], new[1])}")
    return "; ".join(errors)


def split(game: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the indices to hold out, to choose the epoch with, and to learn from."""
    part = np.minimum(game % HELD_OUT, 2)
    held_out, chooses, learned = (np.flatnonzero(part == one) for one in range(3))
    return held_out, chooses, learned


def compare(game: Integers, old: Floats, new: Floats) -> str:
    """Return a text: both errors of leads, and the decrease in the square with a 95 % interval.

    The interval treats games as independent, but not the positions of one game.
    """
    sums, counts = np.bincount(game, old - new), np.bincount(game)
    fall = sums.sum() / counts.sum()
    interval = 1.96 * np.sqrt(((sums - fall * counts) ** 2).sum()) / counts.sum()
    return (
        f"error of leads {np.sqrt(old.mean()):.2f} VP before, {np.sqrt(new.mean()):.2f} after "
        f"(square lower by {fall:.2f} +- {interval:.2f})"
    )
