"""The value network in PyTorch: its layers, its loss, and its file.

In training, rows are rounded to the integers that are stored, as in Jacob et al., Quantization and
Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference (2018). PyTorch is
optional; without it, `torch` is None here.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.mcts.network import NEURONS, UNITS
from trajan_ai.mcts.network_file import fingerprint_features, read_network, read_parts

try:
    import torch as torch  # noqa: PLC0414 (exported to the other modules of networks)
except ImportError:
    torch = None

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Tensors = dict[str, Any]

MAX_LEVELS = 10  # maximum number of levels of a feature
RARE, CLOSE = 5e-4, 1e-4  # minimum fractions of positions that reach a level, or just miss it
ONE, LIMIT = 128, 127  # in a row: the integer that stands for 1.0, and the largest integer
NEURON = 1023  # integer that stands for 1.0 in a neuron
VP = 16.0  # VP that 1.0 stands for in an output
PREDICTED = 16_384  # positions that are predicted together


@dataclass(frozen=True)
class FeatureLevels:
    """The features that a network reads, and the values at which their levels begin."""

    columns: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    levels: Bytes

    @staticmethod
    def choose(names: Sequence[str], inputs: Bytes) -> FeatureLevels:
        """Return levels that positions (N, F) reach often; the evaluation covers the scores."""
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

    def tensors(self) -> Tensors:
        """Return for each row its column, level and last value, and the rows that add up to it."""
        owner = np.repeat(np.arange(len(self.counts)), self.counts)
        last = np.append(self.levels[1:], np.uint8(0)) - np.uint8(1)
        last[self.counts.cumsum() - 1] = 255
        sums = np.tril(owner[:, None] == owner).astype(np.float32)
        arrays = {"column": self.columns[owner], "level": self.levels, "last": last, "sums": sums}
        return {name: to_tensor(array) for name, array in arrays.items()}


def device() -> str:
    """Return the device on which PyTorch computes."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def to_tensor(array: npt.NDArray[Any]) -> Any:
    """Return an array as a tensor on the device on which PyTorch computes."""
    return torch.from_numpy(array).to(device())


# levels and weights by number of players
Trained = dict[int, tuple[FeatureLevels, Tensors]]


def start_weights(rows: int, players: int) -> Tensors:
    """Return the weights of an untrained network.

    For each level of a feature, the network uses the sum of the row of this level and the rows of
    all lower levels.
    """

    def uniform(*shape: int) -> Any:
        return torch.empty(shape).uniform_(-1, 1) / math.sqrt(shape[-1])

    weights = {
        "rows": torch.randn(rows, UNITS) / 18,  # scaled, because about 300 rows are added up
        "bias": torch.full((UNITS,), 0.3),
        "second": uniform(NEURONS, UNITS),
        "second_bias": torch.zeros(NEURONS),
        "out": uniform(players, NEURONS),
        "out_bias": torch.zeros(players),
        "skip": uniform(players, UNITS),
    }
    return {name: weight.to(device()).requires_grad_() for name, weight in weights.items()}


def stored(weights: Any, limit: int) -> Any:
    """Return weights rounded as in their file; the gradient ignores the rounding."""
    rounded = (weights * ONE).round().clamp(-limit, limit) / ONE
    return weights + (rounded - weights).detach()


def corrections(weights: Tensors, levels: Tensors, inputs: Any) -> Any:
    """Return the corrections in VP (N, players) for positions with features `inputs` (N, F)."""
    values = inputs[:, levels["column"]]
    present = ((values >= levels["level"]) & (values <= levels["last"])).float()
    rows = stored(levels["sums"] @ weights["rows"], LIMIT)
    units = (present @ rows + stored(weights["bias"], 1 << 15)).clamp(0, 1)
    neurons = (units @ weights["second"].T + weights["second_bias"]).clamp(0, 1)
    return VP * (neurons @ weights["out"].T + units @ weights["skip"].T + weights["out_bias"])


def loss_of(errors: Any, again: Any = None) -> Any:
    """Return the mean squared error of VP, plus that of differences between two players' VP.

    `errors` are the errors of VP (N, players), and `again` the same errors from independent
    samples. With `again`, squares become products, in which the scatter of the samples cancels.
    """
    again = errors if again is None else again
    players = errors.shape[1]
    apart, again_apart = (one - one.mean(1, keepdim=True) for one in (errors, again))
    leads = 2 * players / (players - 1) * (apart * again_apart).mean()
    return (errors * again).mean() + leads


def descend(optimizer: Any, loss: Any) -> None:
    """Take one step that lowers a loss."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def copy_weights(weights: Tensors) -> Tensors:
    """Return a copy of weights."""
    return {name: weight.detach().clone() for name, weight in weights.items()}


def restore(weights: Tensors, saved: Tensors) -> None:
    """Set weights to the values of a saved copy."""
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(saved[name])


def predict(weights: Tensors, shape: Tensors, inputs: Any) -> Floats:
    """Return the corrections for many positions."""
    with torch.no_grad():
        parts = [corrections(weights, shape, part).cpu() for part in inputs.split(PREDICTED)]
    result: Floats = torch.cat(parts).numpy()
    return result


def lead_squares(errors: Floats) -> Floats:
    """Return the squared errors of the lead over the next player, given errors of VP."""
    result: Floats = np.square(errors[:, 0] - errors[:, 1])
    return result


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


def read_trained(game: Game, path: str) -> Trained:
    """Return the networks in a file; raise TrajanError as `read_network` does."""
    read_network(game, path)
    return {
        players: unpack({name: np.array(numbers) for name, numbers in arrays.items()}, players)
        for players, arrays in read_parts(game, path)[1].items()
    }


def unpack(arrays: dict[str, npt.NDArray[Any]], players: int) -> tuple[FeatureLevels, Tensors]:
    """Return the network that the numbers of a part store; `pack` returns these numbers again."""
    counts = arrays["counts"].astype(np.int64)
    levels = FeatureLevels(arrays["columns"].astype(np.int64), counts, arrays["levels"])
    rows = arrays["rows"].reshape(-1, UNITS).astype(np.float64) / ONE
    added = np.diff(rows, axis=0, prepend=0)
    first = np.append(0, counts.cumsum()[:-1])  # rows of the lowest levels
    added[first] = rows[first]
    weights = {
        "rows": added,
        "bias": arrays["bias"] / ONE,
        "second": arrays["second"].reshape(NEURONS, UNITS) * (ONE / (1024 * NEURON)),
        "second_bias": arrays["second_bias"] / (1024 * NEURON),
        "out": arrays["out"].reshape(players, NEURONS) * (NEURON / (VP * 2**20)),
        "skip": arrays["skip"].reshape(players, UNITS) * (ONE / (VP * 2**20)),
        "out_bias": arrays["out_bias"] / (VP * 2**14),
    }
    return levels, {
        name: to_tensor(numbers.astype(np.float32)).requires_grad_()
        for name, numbers in weights.items()
    }


def pack(levels: FeatureLevels, weights: Tensors) -> bytes:
    """Return the numbers of a part as bytes, in the order of the file."""
    numbers = {name: weight.detach().double().cpu() for name, weight in weights.items()}
    sums = levels.tensors()["sums"].double().cpu()
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
    """Return the rounded numbers of an array as bytes; raise TrajanError if any is too large."""
    limits, rounded = np.iinfo(kind), np.round(array)
    if rounded.min() < limits.min or rounded.max() > limits.max:
        raise TrajanError("a weight is too large for the network's file; train the network again")
    return rounded.astype(kind).tobytes()
