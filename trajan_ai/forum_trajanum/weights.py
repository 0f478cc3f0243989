"""The weights of the knowledge of Forum Trajanum: read from weights.yaml, in C's order."""

from pathlib import Path

from trajan_ai.core.yamlfile import read_yaml

FILE = Path(__file__).with_name("weights.yaml")


def read_weights(path: Path = FILE) -> dict[str, float]:
    """Return the weights of a file by name, such as ``moves.coin``, in the order of the file."""
    return {
        f"{group}.{name}": float(weight)
        for group, weights in read_yaml(path).data.items()
        for name, weight in weights.items()
    }


WEIGHTS = read_weights()
