"""The weights of Trajan's knowledge, read by name from weights.yaml."""

from pathlib import Path

from trajan_ai.core.enums import names
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.games.kit.weight_file import read_weights
from trajan_ai.games.trajan import rules

FILE = Path(__file__).with_name("weights.yaml")
MOVES = names(rules, "WEIGHT_")
FEATURES = names(rules, "FEATURE_")
NAMES = [f"moves.{name}" for name in MOVES] + [
    f"evaluation_{players}.{name}.{part}"
    for players in PLAYER_COUNTS
    for name in FEATURES
    for part in ("now", "left")
]

WEIGHTS = read_weights(FILE, NAMES)
