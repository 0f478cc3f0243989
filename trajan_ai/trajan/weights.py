"""The weights of the knowledge of Trajan: read from weights.yaml, in the engine's order."""

from pathlib import Path

import yaml

FILE = Path(__file__).with_name("weights.yaml")


def read_weights(path: Path = FILE) -> dict[str, float]:
    """Return the weights of a file by name, such as ``moves.card``, in the order of the file."""
    groups = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {
        f"{group}.{name}": float(weight)
        for group, weights in groups.items()
        for name, weight in weights.items()
    }


WEIGHTS = read_weights()
