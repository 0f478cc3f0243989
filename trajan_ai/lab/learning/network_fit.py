"""Networks that correct the evaluation, trained while their positions are made.

Positions are starts of turns as the player to move sees them: in games of the policy, and some
rounds after starts of turns in games of a bot. A label is the final VP of one game of the policy
from there. The network learns what the evaluation lacks. Its rows are trained as they are stored,
in integers: Jacob et al., Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference (2018). A second stage trains it further on games of the bot.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trajan_ai import records
from trajan_ai.bots import thinking
from trajan_ai.bots.game_loop import play
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.lab.learning.labelling import label_views
from trajan_ai.lab.learning.learn_plan import NetworkPlan, is_noise, searching_bot
from trajan_ai.lab.learning.network_games import GameMaker
from trajan_ai.lab.learning.parts import Arrays, LearningRun, join_parts, read_part
from trajan_ai.mcts.network import NEURONS, UNITS
from trajan_ai.mcts.network_file import fingerprint_features

try:
    import torch
except ImportError:
    torch = None

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Tensors = dict[str, Any]

FILE, FIRST = "network.bin", "first.bin"  # files of the second and of the first stage
BLOCK = 16_384  # positions that are generated together
DEALS = 4  # one block in this number begins with new deals, the others in games of the bot
ROUNDS = 4  # most rounds that the policy plays from the start of a turn in those games
NOISE = (
    0.1,
    0.3,
    1.0,
    1.0,
)  # multiples of the noise of the bot's policy, on the way to a position
STEPS, BATCH = 12, 16_384  # per block
MEMORY = 128  # blocks that batches are drawn from
SAVED = 50  # blocks between checkpoints
RATE, DECAY = 1e-3, 0.01  # of AdamW
HELD_OUT = 10  # one game of the bot in this number measures the error
MEASURED, TRUTH = 4096, 64  # positions that measure it, and games that label each of them
MAX_LEVELS = 10  # of a feature
RARE, CLOSE = 5e-4, 1e-4  # fractions of positions that reach a level, and beyond the next one
ONE, LIMIT = 128, 127  # integer that stands for 1.0 in a row, and the largest integer there
NEURON = 1023  # integer that stands for 1.0 in a neuron
VP = 16.0  # VP that 1.0 stands for in an output
EPOCHS = 8  # most epochs of the second stage
FURTHER_RATE, FURTHER_BATCH = 3e-4, 4096  # there
WARM_STEPS = 50  # steps of the second stage over which the learning rate rises
SPAN = 4  # turns that share one mean error of VP in the second stage


def learn_network(plan: NetworkPlan, game: Game, run: LearningRun) -> Path:
    """Train a network for each number of players, and write them to a file; return its path."""
    if torch is None:
        raise TrajanError("learn: network needs PyTorch; run pip install 'trajan-ai[learners]'")
    trained: Trained = {}
    card = plan.model_dump(mode="json", exclude={"test", "backend", "scheduler"})
    for players in plan.players:
        levels, weights, error = train(plan, game, players, run)
        trained[players], card[f"error with {players} players"] = (levels, weights), error
    if plan.second is not None:
        first = write_network(run.folder / FIRST, game, trained, card)
        bot = searching_bot(plan.bot).with_settings(network=str(first.absolute()))
        for players in plan.players:
            maker = GameMaker(game, bot, plan.second.iterations, players, plan.seed)
            parts = [read_part(path) for path in maker.make_all(plan.second.games, run)]
            error = train_further(*trained[players], parts, plan.seed)
            run.report(f"{players} players, second stage: {error}")
            card[f"second stage with {players} players"] = error
    return write_network(run.folder / FILE, game, trained, card)


def write_network(path: Path, game: Game, trained: Trained, card: dict[str, Any]) -> Path:
    """Write the file of a game's networks, and return its path."""
    numbers = b"".join(pack(*network) for network in trained.values())
    head = {
        "format": "trajan_ai network",
        "version": 1,
        "game": game.name,
        "sha256": hashlib.sha256(numbers).hexdigest(),
        "parts": [
            {
                "players": players,
                "features": fingerprint_features(game, players),
                "columns": len(levels.columns),
                "rows": len(levels.levels),
            }
            for players, (levels, _) in trained.items()
        ],
        "card": card,
    }
    path.write_bytes(json.dumps(head).encode() + b"\n" + numbers)
    return path


def make_starts(plan: NetworkPlan, game: Game, players: int, run: LearningRun) -> list[Path]:
    """Return the files of the starts of turns in games of the bot, a game in each."""
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
    """Makes blocks of positions and labels; a block depends on the seed and its number only."""

    game: Game
    players: int
    seed: int
    starts: list[Position]
    turns: int  # of a game
    weights: tuple[float, ...]

    def make(self, block: int, size: int, games: int = 1) -> tuple[Bytes, Floats]:
        """Return features (size, F), and the VP that the evaluation lacks (size, players).

        Both begin with the player to move. A label is the mean of a number of games.
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
        """Yield blocks in their order; threads are a few blocks ahead."""
        with ThreadPoolExecutor(jobs) as pool:
            ahead: deque[Future[tuple[Bytes, Floats]]] = deque()
            for block in blocks:
                ahead.append(pool.submit(self.make, block, size, games))
                if len(ahead) > 2 * jobs:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()


@dataclass(frozen=True)
class FeatureLevels:
    """The features that a network reads, and the values from which they count as more."""

    columns: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    levels: Bytes

    @staticmethod
    def choose(names: Sequence[str], inputs: Bytes) -> FeatureLevels:
        """Return levels that positions (N, F) reach often; scores are left to the evaluation."""
        columns, counts, levels = [], [], []
        for column, name in enumerate(names):
            counted = np.bincount(inputs[:, column], minlength=256)
            reached = counted[::-1].cumsum()[::-1] / len(inputs)
            chosen = [v for v in range(1, 256) if RARE < reached[v] < reached[v - 1] - CLOSE]
            if len(chosen) > MAX_LEVELS:
                places = np.linspace(0, len(chosen) - 1, MAX_LEVELS)
                chosen = sorted({chosen[int(place)] for place in places})
            if chosen and not name.endswith(".score"):
                columns.append(column)
                counts.append(len(chosen))
                levels += chosen
        return FeatureLevels(np.array(columns), np.array(counts), np.array(levels, np.uint8))

    def tensors(self, device: Any) -> Tensors:
        """Return, by row: its column, its level, the last value of it, and the rows it sums."""
        owner = np.repeat(np.arange(len(self.counts)), self.counts)
        last = np.append(self.levels[1:], 0) - np.uint8(1)
        last[self.counts.cumsum() - 1] = 255
        sums = np.tril(owner[:, None] == owner).astype(np.float32)
        arrays = {"column": self.columns[owner], "level": self.levels, "last": last, "sums": sums}
        return {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}


# levels, tensors and weights by number of players
Trained = dict[int, tuple[FeatureLevels, Tensors]]


def start_weights(rows: int, players: int, device: str) -> Tensors:
    """Return the weights of an untrained network; a row adds to those of lower levels."""

    def uniform(*shape: int) -> Any:
        return torch.empty(shape).uniform_(-1, 1) / math.sqrt(shape[-1])

    weights = {
        "rows": torch.randn(rows, UNITS) / 18,  # scaled, because some 300 of the rows are added
        "bias": torch.full((UNITS,), 0.3),
        "second": uniform(NEURONS, UNITS),
        "second_bias": torch.zeros(NEURONS),
        "out": uniform(players, NEURONS),
        "out_bias": torch.zeros(players),
        "skip": uniform(players, UNITS),
    }
    return {name: weight.to(device).requires_grad_() for name, weight in weights.items()}


def stored(weights: Any, limit: int) -> Any:
    """Return weights as their file has them; the gradient ignores the difference."""
    rounded = (weights * ONE).round().clamp(-limit, limit) / ONE
    return weights + (rounded - weights).detach()


def corrections(weights: Tensors, levels: Tensors, inputs: Any) -> Any:
    """Return VP (N, players) for features (N, F)."""
    values = inputs[:, levels["column"]]
    present = ((values >= levels["level"]) & (values <= levels["last"])).float()
    rows = stored(levels["sums"] @ weights["rows"], LIMIT)
    units = (present @ rows + stored(weights["bias"], 1 << 15)).clamp(0, 1)
    neurons = (units @ weights["second"].T + weights["second_bias"]).clamp(0, 1)
    return VP * (neurons @ weights["out"].T + units @ weights["skip"].T + weights["out_bias"])


def loss_of(errors: Any) -> Any:
    """Return the mean square of errors of VP (N, players), plus that of errors of leads."""
    players = errors.shape[1]
    leads = 2 * players / (players - 1) * errors.var(1, correction=0).mean()
    return errors.square().mean() + leads


def train(
    plan: NetworkPlan, game: Game, players: int, run: LearningRun
) -> tuple[FeatureLevels, Tensors, str]:
    """Return the levels and weights of the network for a number of players, and its error."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
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
    shape = levels.tensors(device)
    torch.manual_seed(plan.seed)
    weights = start_weights(len(levels.levels), players, device)
    optimizer = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=DECAY)
    path = run.folder / f"network-{players}.pt"
    done, blocks = 0, max(1, plan.positions // BLOCK)
    if path.exists():
        done, saved, state = torch.load(path, weights_only=True, map_location=device)
        restore(weights, saved)
        optimizer.load_state_dict(state)
    memory: deque[tuple[Any, Any]] = deque(maxlen=MEMORY)
    for block, arrays in enumerate(generator.make_all(range(done, blocks), jobs, BLOCK), done + 1):
        memory.append(
            (torch.from_numpy(arrays[0]).to(device), torch.from_numpy(arrays[1]).to(device))
        )
        optimizer.param_groups[0]["lr"] = RATE * (1 + math.cos(math.pi * block / blocks)) / 2
        for _ in range(STEPS):
            inputs, gains = draw(memory)
            descend(optimizer, corrections(weights, shape, inputs) - gains)
        if block % SAVED == 0 or block == blocks:
            content = (block, copy_weights(weights), optimizer.state_dict())
            half = path.with_suffix(f".{os.getpid()}.pt")
            torch.save(content, half)
            os.replace(half, path)
            run.progress(f"{players} players, positions", block * BLOCK, blocks * BLOCK)
    unseen = Generator(game, players, plan.seed + 1, held_out, turns, bot_weights)
    error = measure(weights, shape, unseen, jobs, device)
    run.report(f"{players} players, {blocks * BLOCK:,} positions: {error}")
    return levels, weights, error


def descend(optimizer: Any, errors: Any) -> None:
    """Make a step that lowers the loss of errors."""
    optimizer.zero_grad()
    loss_of(errors).backward()
    optimizer.step()


def copy_weights(weights: Tensors) -> Tensors:
    """Return a copy of weights."""
    return {name: weight.detach().clone() for name, weight in weights.items()}


def restore(weights: Tensors, saved: Tensors) -> None:
    """Set weights to a copy of them."""
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(saved[name])


def train_further(
    levels: FeatureLevels, weights: Tensors, games: Sequence[Arrays], seed: int
) -> str:
    """Train a network on games of a bot, and return its errors before and after in words.

    Leads are those of the mixed values. The mean VP of all players stays, apart from the scatter
    of results, at the network's value, because the bot scores more than the policy.
    """
    rows, device = join_parts(games), weights["bias"].device
    game = np.repeat(np.arange(len(games)), [len(one["turn"]) for one in games])
    shape, inputs = levels.tensors(device), torch.from_numpy(rows["features"]).to(device)
    before, gains = predict(weights, shape, inputs), rows["finals"] - rows["evaluations"]
    values, span = rows["values"] - rows["evaluations"], rows["turn"] // SPAN
    usual = np.bincount(span, (gains - before).mean(1)) / np.maximum(1, np.bincount(span))
    values += (gains.mean(1) - usual[span] - values.mean(1))[:, None].astype(np.float32)
    held_out, chooses = (game % HELD_OUT == part for part in (0, 1))
    learned = torch.from_numpy(np.flatnonzero(~held_out & ~chooses))
    targets, unseen = torch.from_numpy(values).to(device), inputs[torch.from_numpy(chooses)]
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(weights.values(), betas=(0.9, 0.99), weight_decay=0)
    step, steps = 0, EPOCHS * -(-len(learned) // FURTHER_BATCH)
    best, lowest = (0, copy_weights(weights)), math.inf
    for epoch in range(EPOCHS + 1):
        order = learned[torch.randperm(len(learned))]
        for places in order.split(FURTHER_BATCH) if epoch else ():
            step += 1
            fraction = min(1, step / WARM_STEPS) * (1 + math.cos(math.pi * step / steps)) / 2
            optimizer.param_groups[0]["lr"] = FURTHER_RATE * fraction
            descend(optimizer, corrections(weights, shape, inputs[places]) - targets[places])
        error = lead_squares(gains[chooses] - predict(weights, shape, unseen)).mean()
        if error < lowest:
            best, lowest = (epoch, copy_weights(weights)), error
    restore(weights, best[1])
    after = predict(weights, shape, inputs)
    errors = [f"{len(game):,} positions, epoch {best[0]} of {EPOCHS}"]
    for what, place in (("in games", rows["branch"] == 0), ("at branches", rows["branch"] == 1)):
        chosen = held_out & place
        rests = ((gains - network)[chosen] for network in (before, after))
        errors.append(f"{what}: {compare(game[chosen], *rests)}")
    return "; ".join(errors)


def compare(game: npt.NDArray[np.int64], before: Floats, after: Floats) -> str:
    """Return the errors of leads in words, with a 95 % interval by whole games."""
    old, new = lead_squares(before), lead_squares(after)
    sums, counts = np.bincount(game, old - new), np.bincount(game)
    fall = sums.sum() / counts.sum()
    interval = 1.96 * np.sqrt(((sums - fall * counts) ** 2).sum()) / counts.sum()
    return (
        f"error of leads {np.sqrt(old.mean()):.2f} VP before, {np.sqrt(new.mean()):.2f} after "
        f"(square lower by {fall:.1f} +- {interval:.1f})"
    )


def predict(weights: Tensors, shape: Tensors, inputs: Any) -> Floats:
    """Return the corrections of many positions."""
    with torch.no_grad():
        parts = [corrections(weights, shape, part).cpu() for part in inputs.split(BLOCK)]
    result: Floats = torch.cat(parts).numpy()
    return result


def lead_squares(errors: Floats) -> Floats:
    """Return squared errors of the lead over the next player, for errors of VP."""
    result: Floats = np.square(errors[:, 0] - errors[:, 1])
    return result


def draw(memory: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return a batch of which each block gives the same share, at random places."""
    share = -(-BATCH // len(memory))
    places = torch.randint(BLOCK, (share,), device=memory[0][0].device)
    inputs, gains = (torch.cat([part[i][places] for part in memory]) for i in (0, 1))
    return inputs, gains


def measure(weights: Tensors, shape: Tensors, generator: Generator, jobs: int, device: str) -> str:
    """Return the errors of leads before and after the correction, in words."""
    places = [block for block in range(2 * DEALS) if block % DEALS]
    parts = list(generator.make_all(places, jobs, MEASURED // len(places), TRUTH))
    inputs, gains = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    network = predict(weights, shape, torch.from_numpy(inputs).to(device))
    before, after = (
        np.sqrt(lead_squares(rest).mean()) for rest in (gains - gains.mean(0), gains - network)
    )
    return (
        f"error of leads {before:.2f} VP without the network, {after:.2f} with it "
        f"(labels: means of {TRUTH} games)"
    )


def pack(levels: FeatureLevels, weights: Tensors) -> bytes:
    """Return the numbers of a part in the order of its file."""
    numbers = {name: weight.detach().double().cpu() for name, weight in weights.items()}
    sums = levels.tensors("cpu")["sums"].double()
    arrays = (
        ("<u2", levels.columns),
        ("u1", levels.counts),
        ("u1", levels.levels),
        ("i1", stored(sums @ numbers["rows"], LIMIT) * ONE),
        ("<i4", numbers["bias"] * ONE),
        ("<i2", np.full(UNITS, ONE)),
        ("<i2", numbers["second"] * (1024 * NEURON / ONE)),
        ("<i4", numbers["second_bias"] * (1024 * NEURON)),
        ("<i4", numbers["out"] * (VP * 2**20 / NEURON)),
        ("<i4", numbers["skip"] * (VP * 2**20 / ONE)),
        ("<i4", numbers["out_bias"] * (VP * 2**14)),
    )
    return b"".join(pack_array(kind, np.asarray(array)) for kind, array in arrays)


def pack_array(kind: str, array: npt.NDArray[Any]) -> bytes:
    """Return numbers, rounded; raise TrajanError if one does not fit."""
    limits, rounded = np.iinfo(kind), np.round(array)
    if rounded.min() < limits.min or rounded.max() > limits.max:
        raise TrajanError("a weight of the network is too large for its file; train it again")
    return rounded.astype(kind).tobytes()
