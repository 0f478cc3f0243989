"""Checks of the arguments of `reset`, with which an environment starts games again."""

from collections.abc import Mapping
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position


def check_options(options: Mapping[str, Any], allowed: str) -> None:
    """Raise TrajanError if the options of a reset contain anything other than `allowed`."""
    unknown = sorted(set(options) - {allowed})
    if unknown:
        raise TrajanError(f"unknown option {', '.join(unknown)}; options are {allowed}")


def check_start(name: str, position: Any, game: Game, players: int) -> None:
    """Raise TrajanError unless a game with this number of players can start from `position`."""
    fits = (
        isinstance(position, Position)
        and position.game is game
        and position.players == players
        and position.player is not None
    )
    if not fits:
        raise TrajanError(
            f"{name} must be a position of {game.name} with {players} players, in which the game "
            f"is not over, got {position!r:.60}"
        )
