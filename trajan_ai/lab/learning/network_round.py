"""A round of expert iteration: a network learns further from games of the bot that uses it.

The network learns two things at once. The rows of the games teach leads: of later searches and
results, TD(lambda). The decisions teach what a choice depends on: differences between the moves of
a decision. The mean over cut playouts behind a move should differ from that of its siblings as the
values of strong searches behind them do. Anthony, Tian and Barber, Thinking Fast and Slow with
Deep Learning and Tree Search (2017), call such rounds expert iteration.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
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

HELD_OUT = 10  # one game in this number measures the error, and another one chooses the epoch
EPOCHS = 8
RATE, BATCH = 3e-4, 4096  # of AdamW; rows of games in a step
WARM_STEPS = 50  # over which the learning rate rises
SPAN = 4  # turns that share one mean error of VP
LEAVES = 16  # playouts behind each move of a decision
SHARE = 5.0  # weight of the errors of differences, relative to those of values
MEASURED = 500  # decisions measured together

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Leaves:
    """Ends of cut playouts behind the moves of decisions, K of each move.

    Attributes:
        features: tensor (S, K, features), of the player to move there.
        evaluations: tensor (S, K, players), VP by seat, from the player to decide on.
        seats: tensor (S, K), the player to move, counted from the player to decide, or GAME_OVER.
        behind: tensor (S, players), VP by seat that a strong search behind a move expects.
        sizes: numbers of moves (D) of the decisions, whose moves follow one another.
        game: numbers of the games (D).
    """

    features: Any
    evaluations: Any
    seats: Any
    behind: Any
    sizes: Integers
    game: Integers

    @staticmethod
    def play(games: Sequence[Arrays], maker: GameMaker) -> Leaves:
        """Play to the leaves of all decisions of games, as searches of the bot do."""
        names = ("states", "sizes", "moves", "behind")
        rows = join_parts([{name: one[name] for name in names} for one in games])
        decision = np.repeat(np.arange(len(rows["sizes"])), rows["sizes"])
        shape = (len(decision), LEAVES)
        features = np.zeros((*shape, maker.features), np.uint8)
        evaluations = np.empty((*shape, maker.players), np.float32)
        seats = np.empty(shape, np.uint8)
        weights = maker.bot.weights_for(maker.game)

        def fill(place: int) -> None:
            number = int(decision[place])
            play_to_leaves(
                maker.game.from_bytes(rows["states"][number].tobytes()),
                int(rows["moves"][place]),
                weights,
                derive_seed("leaves", maker.seed, number),
                maker.cut_turns,
                features[place],
                evaluations[place],
                seats[place],
            )

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for _ in pool.map(fill, range(len(decision))):
                pass  # raises what a call raised
        return Leaves(
            to_tensor(features),
            to_tensor(evaluations),
            to_tensor(seats),
            to_tensor(rows["behind"]),
            rows["sizes"],
            np.repeat(np.arange(len(games)), [len(one["sizes"]) for one in games]),
        )

    def errors(self, weights: Tensors, levels: Tensors, decisions: Integers) -> Any:
        """Return by how much the VP behind moves differ from the mean of their decision.

        That is, otherwise than those of the searches do. The shape is (moves, K, players); a mean
        over K leaves less of the scatter of playouts.
        """
        begins, sizes = (self.sizes.cumsum() - self.sizes)[decisions], self.sizes[decisions]
        number = np.repeat(np.arange(len(decisions)), sizes)
        within = np.arange(len(number)) - (sizes.cumsum() - sizes)[number]
        places = to_tensor(begins[number] + within)
        evaluations, seats = self.evaluations[places], self.seats[places].long()
        players = evaluations.shape[-1]
        added = corrections(weights, levels, self.features[places].flatten(0, 1))
        added = added.view_as(evaluations) * (seats != GAME_OVER)[..., None]
        by_seat = (torch.arange(players, device=device()) - seats[..., None]) % players
        values = evaluations + added.gather(2, by_seat) - self.behind[places][:, None]
        groups = to_tensor(number)
        sums = torch.zeros((len(decisions), *values.shape[1:]), device=device())
        means = sums.index_add(0, groups, values) / torch.bincount(groups)[:, None, None]
        return values - means[groups]

    def squares(self, weights: Tensors, levels: Tensors, decisions: Integers) -> Floats:
        """Return the mean squared error of leads over the others in each decision.

        A square is the product of the means of two halves of the playouts, so that their scatter
        is not in it. That of the searches is.
        """
        result: list[Floats] = [np.empty(0, np.float32)]
        for begin in range(0, len(decisions), MEASURED):
            some = decisions[begin : begin + MEASURED]
            with torch.no_grad():
                errors = self.errors(weights, levels, some).cpu().numpy()
            leads = errors[..., 0] - errors[..., 1:].mean(-1)
            squares = leads[:, ::2].mean(1) * leads[:, 1::2].mean(1)
            ends = self.sizes[some].cumsum()
            sums = np.add.reduceat(squares, ends - self.sizes[some])
            result.append((sums / self.sizes[some]).astype(np.float32))
        return np.concatenate(result)


def train_further(
    levels: FeatureLevels, weights: Tensors, games: Sequence[Arrays], maker: GameMaker
) -> str:
    """Train a network on games of a bot, and return its errors before and after in words.

    Leads are those of the mixed values. The mean VP of all players stays, apart from the scatter
    of results, at the network's value, because the bot scores more than the policy.
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
    leaves = Leaves.play(games, maker)
    held_out, chooses, learned = split(game)
    decisions_held_out, decisions_choosing, decisions = split(leaves.game)

    def measure(places: Integers, some: Integers) -> tuple[Floats, Floats]:
        rests = gains[places] - predict(weights, shape, inputs[torch.from_numpy(places)])
        return lead_squares(rests), leaves.squares(weights, shape, some)

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
                loss = loss + SHARE * loss_of(leaves.errors(weights, shape, some).mean(1))
            descend(optimizer, loss)
        leads, siblings = measure(chooses, decisions_choosing)
        error = leads.mean() + (SHARE * siblings.mean() if len(siblings) else 0)
        if error < lowest:
            best, lowest = (epoch, copy_weights(weights)), error
    restore(weights, best[1])
    new = measure(held_out, decisions_held_out)
    errors = [
        f"{len(game):,} positions, {len(leaves.game):,} decisions, epoch {best[0]} of {EPOCHS}"
    ]
    for what, branch in (("in games", 0), ("at branches", 1)):
        chosen = rows["branch"][held_out] == branch
        errors.append(f"{what}: {compare(game[held_out][chosen], old[0][chosen], new[0][chosen])}")
    if len(decisions_held_out):
        errors.append(f"siblings: {compare(leaves.game[decisions_held_out], old[1], new[1])}")
    return "; ".join(errors)


def split(game: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the places held out, those that choose the epoch, and those that are learned."""
    part = np.minimum(game % HELD_OUT, 2)
    held_out, chooses, learned = (np.flatnonzero(part == one) for one in range(3))
    return held_out, chooses, learned


def compare(game: Integers, old: Floats, new: Floats) -> str:
    """Return squared errors of leads in words, with a 95 % interval by whole games."""
    sums, counts = np.bincount(game, old - new), np.bincount(game)
    fall = sums.sum() / counts.sum()
    interval = 1.96 * np.sqrt(((sums - fall * counts) ** 2).sum()) / counts.sum()
    return (
        f"error of leads {np.sqrt(old.mean()):.2f} VP before, {np.sqrt(new.mean()):.2f} after "
        f"(square lower by {fall:.2f} +- {interval:.2f})"
    )
