"""The whole turn that a move begins, as a search expects it, in words."""

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
    """A player's expected turn from a decision on.

    Attributes:
        actions: the actions.
        words: the same in words.
        reveals: the indices of actions that reveal something on which the rest may depend. The
            rest is then the most likely continuation.
        complete: whether the turn ends here; False if the search looked no further.
    """

    actions: tuple[str, ...]
    words: str
    reveals: tuple[int, ...]
    complete: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the turn as plain data."""
        return asdict(self) | {"actions": list(self.actions), "reveals": list(self.reveals)}


def whole_turn(information: InformationSet, line: Sequence[tuple[int, str]]) -> Turn:
    """Return the turn at the start of an expected line of play, a list of (player, action)."""
    position, player, turn = information.canonical, information.player, information.turn
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
            own = player == information.observer
            if own and outlook.reveals(position, move, player, derive_seed("reveal", number)):
                reveals.append(number)
            position = position.after_move(move)
            complete = position.player != player or position.turn != turn
            if complete:
                break
    words = in_words(information.game.rules, actions)
    return Turn(tuple(actions), words, tuple(reveals), complete)
