"""The weights of the knowledge of Trajan: read from weights.yaml, in the engine's order."""

from pathlib import Path

import yaml

FILE = Path(__file__).with_name("weights.yaml")


def read_weights(path: Path = FILE) -> dict[str, float]:
    """Return the weights of a file by name, in the order of the file.

    A weight of ``moves`` is called such as ``moves.card``; a pair of ``evaluation`` gives two,
    such as ``evaluation.cards.now`` and ``evaluation.cards.left``.
    """
    groups = yaml.safe_load(path.read_text(encoding="utf-8"))
    moves = {f"moves.{name}": float(weight) for name, weight in groups["moves"].items()}
    pairs = {
        f"evaluation.{name}.{part}": float(weight)
        for name, pair in groups["evaluation"].items()
        for part, weight in zip(("now", "left"), pair, strict=True)
    }
    return moves | pairs


WEIGHTS = read_weights()
