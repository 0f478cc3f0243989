"""The game Trajan: GAME, its handle."""

from trajan_ai.core.game import Game
from trajan_ai.trajan.engine import ops
from trajan_ai.trajan.notation import ACTIONS
from trajan_ai.trajan.rules import TrajanRules

GAME = Game("trajan", "trajan_ai.trajan:GAME", ops, ACTIONS, TrajanRules())
