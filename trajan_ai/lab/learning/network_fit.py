"""Train networks that correct the evaluation, in the first stage and the rounds of a plan.

In the first stage, a network is trained while its positions are generated. The positions are
starts of turns as the player to move sees them, either in games of the policy or some rounds after
the start of a turn in a game of a bot. A label is the final VP of one game that the policy plays
from the position. The network learns the difference between the labels and the evaluation.
"""

from __future__ import annotations

import math
import os
import shutil
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai import records
from trajan_ai.analysis.decision.advice import searching_bot
from trajan_ai.bots import thinking
from trajan_ai.bots.game_loop import play
from trajan_ai.core.atomic_file import draft_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.labelling import label_views
from trajan_ai.lab.learning.learn_plan import BACKEND_KEYS, NetworkPlan, is_noise
from trajan_ai.lab.learning.network_games import GameMaker
from trajan_ai.lab.learning.network_model import (
    Bytes,
    FeatureLevels,
    Floats,
    Tensors,
    Trained,
    copy_weights,
    corrections,
    descend,
    device,
    lead_squares,
    loss_of,
    predict,
    read_trained,
    restore,
    start_weights,
    to_tensor,
    torch,
    write_network,
)
from trajan_ai.lab.learning.network_round import train_further
from trajan_ai.lab.learning.parts import Arrays, LearningRun, read_part

FILE = "network.bin"
BLOCK = 16_384  # positions that are generated together
DEALS = 4  # every fourth block begins with new deals, the other blocks in games of the bot
ROUNDS = 4  # maximum rounds that the policy plays from the start of a turn in a game of the bot
# Factors for the noise of the bot's policy while it plays on to the positions of a block. The
# factor changes after every DEALS blocks, and half of the blocks have the bot's noise.
NOISE = (0.1, 0.3, 1.0, 1.0)
STEPS, BATCH = 12, 16_384  # training steps per block, and positions per step
MEMORY = 128  # blocks that batches are drawn from
SAVED = 50  # blocks between checkpoints
RATE, DECAY = 1e-3, 0.01  # learning rate and weight decay of AdamW
HELD_OUT = 10  # one in this many games of the bot is used to measure the error
MEASURED, TRUTH = 4096, 64  # positions on which errors are measured; games for each label


def learn_network(plan: NetworkPlan, game: Game, run: LearningRun) -> Path:
    """Train a network for each number of players; return the path of the networks' file."""
    if torch is None:
        raise TrajanError("learn: network needs PyTorch; run pip install 'trajan-ai[learners]'")
    trained: Trained = {} if plan.start is None else read_trained(game, plan.start)
    card = plan.model_dump(mode="json", exclude={*BACKEND_KEYS})
    for players in plan.players:
        if players not in trained:
            levels, weights, error = train(plan, game, players, run)
            trained[players], card[f"error with {players} players"] = (levels, weights), error
    newest = write_network(run.folder / "network-0.bin", game, trained, card)
    for number, one in enumerate(plan.rounds, 1):
        bot = searching_bot(plan.bot).with_settings(network=str(newest.absolute()))
        for players in plan.players:
            maker = GameMaker(game, bot, one, players, plan.seed, f"round-{number}")
            parts = [read_part(path) for path in maker.make_all(run)]
            error = train_further(*trained[players], parts, maker)
            run.report(f"{players} players, round {number}: {error}")
            card[f"round {number} with {players} players"] = error
        newest = write_network(run.folder / f"network-{number}.bin", game, trained, card)
    return Path(shutil.copyfile(newest, run.folder / FILE))


def make_starts(plan: NetworkPlan, game: Game, players: int, run: LearningRun) -> list[Path]:
    """Return files with the positions at which turns of the bot's games start, one per game."""
    bot = thinking(plan.bot, plan.iterations)

    def make(number: int) -> Arrays:
        record = play(game, [bot] * players, seed=derive_seed("starts", plan.seed, number))
        starts = [
            position for position in records.positions(record) if position.player is not None
        ]
        turns = {position.turn: position.to_bytes() for position in reversed(starts)}
        states = np.frombuffer(b"".join(turns.values()), np.uint8)
        return {"states": states.reshape(len(turns), -1)}

    names = [f"starts-{players}-{number:04}" for number in range(plan.games)]
    return run.make_parts(names, make, f"{players} players, games")


@dataclass(frozen=True)
class Generator:
    """Makes blocks of positions and labels; a block depends only on the seed and its number."""

    game: Game
    players: int
    seed: int
    starts: list[Position]
    turns: int  # mean number of turns of a game
    weights: tuple[float, ...]

    def make(self, block: int, size: int, games: int = 1) -> tuple[Bytes, Floats]:
        """Return features (size, F), and final VP minus the evaluation (size, players).

        In both, the player to move comes first. The final VP are means of `games` games.
        """
        features = needed(self.game, HasFeatures).features(self.players)
        inputs = np.empty((size, len(features)), np.uint8)
        evaluations = np.empty((size, self.players), np.float32)
        finals = np.empty_like(evaluations)
        dealt = block % DEALS == 0
        factor = NOISE[block // DEALS % len(NOISE)]
        named = zip(self.game.weight_names, self.weights, strict=True)
        label_views(
            [self.game.start(self.players)] if dealt else self.starts,
            [weight * factor if is_noise(name) else weight for name, weight in named],
            self.weights,
            derive_seed("views", self.seed, self.players, block),
            (0, self.turns if dealt else ROUNDS * self.players),
            games,
            inputs,
            evaluations,
            finals,
        )
        return inputs, finals - evaluations

    def make_all(
        self, blocks: Sequence[int], jobs: int, size: int, games: int = 1
    ) -> Iterator[tuple[Bytes, Floats]]:
        """Yield blocks in order while threads compute the next few."""
        with ThreadPoolExecutor(jobs) as pool:
            ahead: deque[Future[tuple[Bytes, Floats]]] = deque()
            for block in blocks:
                ahead.append(pool.submit(self.make, block, size, games))
                if len(ahead) > 2 * jobs:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()


def train(
    plan: NetworkPlan, game: Game, players: int, run: LearningRun
) -> tuple[FeatureLevels, Tensors, str]:
    """Train the network for a given number of players; return its levels, weights and error.

    A run that was interrupted continues at its last checkpoint, with the same result.
    """
    jobs = os.cpu_count() or 1
    games = [read_part(path)["states"] for path in make_starts(plan, game, players, run)]
    held_out, learned = (
        [game.from_bytes(state.tobytes()) for one in some for state in one]
        for some in (games[::HELD_OUT], [g for i, g in enumerate(games) if i % HELD_OUT])
    )
    turns = sum(map(len, games)) // len(games)
    bot_weights = searching_bot(plan.bot).weights_for(game)
    generator = Generator(game, players, plan.seed, learned, turns, bot_weights)
    names = [feature.name for feature in needed(game, HasFeatures).features(players)]
    sample = generator.make_all(range(-DEALS, 0), jobs, BLOCK)
    levels = FeatureLevels.choose(names, np.concatenate([inputs for inputs, _ in sample]))
    shape = levels.tensors()
    torch.manual_seed(plan.seed)
    weights = start_weights(len(levels.levels), players)
    optimizer = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=DECAY)
    path = run.folder / f"network-{players}.pt"
    done, blocks = 0, max(1, plan.positions // BLOCK)
    if path.exists():
        done, saved, state = torch.load(path, weights_only=True, map_location=device())
        restore(weights, saved)
        optimizer.load_state_dict(state)
    memory: deque[tuple[Any, Any]] = deque(maxlen=MEMORY)
    # After a checkpoint, the blocks that the next batches are drawn from are made again.
    first = max(0, done + 1 - MEMORY)
    for block, arrays in enumerate(
        generator.make_all(range(first, blocks), jobs, BLOCK), first + 1
    ):
        memory.append((to_tensor(arrays[0]), to_tensor(arrays[1])))
        if block <= done:
            continue
        torch.manual_seed(derive_seed("batches", plan.seed, players, block))
        optimizer.param_groups[0]["lr"] = RATE * (1 + math.cos(math.pi * block / blocks)) / 2
        for _ in range(STEPS):
            inputs, gains = draw(memory)
            descend(optimizer, loss_of(corrections(weights, shape, inputs) - gains))
        if block % SAVED == 0 or block == blocks:
            content = (block, copy_weights(weights), optimizer.state_dict())
            with draft_of(path) as draft:
                torch.save(content, draft)
            run.progress(f"{players} players, positions", block * BLOCK, blocks * BLOCK)
    unseen = Generator(game, players, plan.seed + 1, held_out, turns, bot_weights)
    error = measure(weights, shape, unseen, jobs)
    run.report(f"{players} players, {blocks * BLOCK:,} positions: {error}")
    return levels, weights, error


def draw(memory: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return a batch with the same number of random positions from every block."""
    share = -(-BATCH // len(memory))
    places = torch.randint(BLOCK, (share,), device=memory[0][0].device)
    inputs, gains = (torch.cat([part[i][places] for part in memory]) for i in (0, 1))
    return inputs, gains


def measure(weights: Tensors, shape: Tensors, generator: Generator, jobs: int) -> str:
    """Return a text with the errors of leads before and after the correction."""
    places = [block for block in range(2 * DEALS) if block % DEALS]
    parts = list(generator.make_all(places, jobs, MEASURED // len(places), TRUTH))
    inputs, gains = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    network = predict(weights, shape, to_tensor(inputs))
    before, after = (
        np.sqrt(lead_squares(rest).mean()) for rest in (gains - gains.mean(0), gains - network)
    )
    return (
        f"error of leads {before:.2f} VP without the network, {after:.2f} with it "
        f"(labels: means of {TRUTH} games)"
    )
