"""The whole turn that a move begins: what its player is expected to go on with, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trajan_ai.analysis import outlook
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import in_words
from trajan_ai.core.seeds import derive_seed


@dataclass(frozen=True)
class Turn:
    """A player's turn from a decision on, as far as a search expects it.

    After the decisions in ``reveals`` something comes up that the rest may depend on: the turn
    goes on with what is most likely then. ``complete`` is false where it was followed no further.
    """

    actions: tuple[str, ...]
    words: str
    reveals: tuple[int, ...]
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {"actions": list(self.actions), "reveals": list(self.reveals)}


def whole_turn(known: InformationSet, line: Sequence[tuple[int, str]]) -> Turn:
    """Return the turn at the beginning of an expected line of play, (player, action) by step."""
    position, player, turn = known.canonical, known.player, known.turn
    actions: list[str] = []
    reveals: list[int] = []
    complete = certain = False
    for number, (mover, action) in enumerate(line):
        if mover != player or (actions and certain and position.turn != turn):
            complete = True
            break
        actions.append(action)
        certain = action in position.legal()
        if certain:
            move = position.game.move(action)
            own = player == known.observer
            if own and outlook.reveals(position, move, player, derive_seed("reveal", number)):
                reveals.append(number)
            position = position.after_move(move)
            complete = position.player != player or position.turn != turn
            if complete:
                break
    words = in_words(known.game.rules, actions)
    return Turn(tuple(actions), words, tuple(reveals), complete)
