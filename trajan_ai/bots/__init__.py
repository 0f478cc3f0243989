"""Bots: descriptions in YAML, the code of Python bots, and the players built from them."""

from trajan_ai.bots.descriptions import (
    BUILTIN_NAMES,
    KINDS,
    Bot,
    IsmctsBot,
    LevelBot,
    ProgramBot,
    PythonBot,
    UserBot,
    build,
    guarded_mind,
    identity,
    local_mind,
    parse_bot,
    read_bot,
    thinking,
)
from trajan_ai.bots.minds import Mind
from trajan_ai.bots.players import Player
from trajan_ai.mcts.settings import LIMITS

__all__ = [
    "BUILTIN_NAMES",
    "KINDS",
    "LIMITS",
    "Bot",
    "IsmctsBot",
    "LevelBot",
    "Mind",
    "Player",
    "ProgramBot",
    "PythonBot",
    "UserBot",
    "build",
    "guarded_mind",
    "identity",
    "local_mind",
    "parse_bot",
    "read_bot",
    "thinking",
]
