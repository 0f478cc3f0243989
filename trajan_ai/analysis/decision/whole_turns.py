"""The whole turn that a move begins, as a search expects it, in words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trajan_ai.analysis.decision import outlook
from trajan_ai.core.foresight import word_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.core.seeds import derive_seed


@dataclass(frozen=True)
class Turn:
    """A player's expected turn from a decision on.

    Attributes:
        actions: the actions.
        words: the actions in words.
        reveals: the indices of actions that reveal something on which the rest of the turn may
            depend. The actions after a reveal are the most likely continuation.
        complete: whether the turn ends with the last action; False if the search looked no
            further.
        undecided: whether several continuations are about equal, so that searches with different
            seeds continue differently after the last action.
    """

    actions: tuple[str, ...]
    words: str
    reveals: tuple[int, ...]
    complete: bool
    undecided: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the turn as plain data."""
        return asdict(self) | {"actions": list(self.actions), "reveals": list(self.reveals)}


def whole_turn(
    information: InformationSet,
    line: Sequence[tuple[int, str]],
    others: Sequence[Sequence[tuple[int, str]]] = (),
) -> Turn:
    """Return the turn at the start of an expected line of play, a list of (player, action).

    The turn is cut where the lines in `others`, from searches with other seeds, continue
    differently.
    """
    position, player, turn = information.canonical, information.player, information.turn
    actions: list[str] = []
    reveals: list[int] = []
    complete = False
    for number, (mover, action) in enumerate(line):
        if mover != player:
            complete = True
            break
        actions.append(action)
        if action in position.legal():
            move = position.game.move(action)
            own = player == information.observer
            if own and outlook.reveals(position, move, player, derive_seed("reveal", number)):
                reveals.append(number)
            position = position.after_move(move)
            complete = position.player != player or position.turn != turn
            if complete:
                break
    # The lines may differ after a reveal, because the rest of the turn depends on it.
    sure = reveals[0] + 1 if reveals else len(actions)
    agreed = min((_agreed(information, line[:sure], other) for other in others), default=sure)
    undecided = agreed < sure
    if undecided:
        actions, reveals, complete = actions[:agreed], [], False
    words = word_turn(information, actions)
    return Turn(tuple(actions), words, tuple(reveals), complete, undecided)


def _agreed(
    information: InformationSet, line: Sequence[tuple[int, str]], other: Sequence[tuple[int, str]]
) -> int:
    """Return the largest number of steps after which both lines have led to the same position.

    If `other` is shorter than `line` and the lines agree where it ends, return the length of
    `line`.
    """
    one = two = information.canonical
    agreed = 0
    for number, ((_, action), (_, another)) in enumerate(zip(line, other, strict=False), start=1):
        if action not in one.legal() or another not in two.legal():
            return agreed
        one, two = one.after(action), two.after(another)
        agreed = number if one == two else agreed
    return len(line) if agreed == len(other) else agreed
