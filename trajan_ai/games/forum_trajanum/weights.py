"""The weights of Forum Trajanum's knowledge, read by name from weights.yaml."""

from pathlib import Path

from trajan_ai.core.enums import names
from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.kit.weight_file import read_weights

FILE = Path(__file__).with_name("weights.yaml")
MOVES = names(rules, "WEIGHT_")
FEATURES = names(rules, "FEATURE_")
NAMES = [f"moves.{name}" for name in MOVES] + [
    f"evaluation_{players}.{name}" for players in PLAYER_COUNTS for name in FEATURES
]

WEIGHTS = read_weights(FILE, NAMES)
