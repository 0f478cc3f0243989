"""Show the actions of other players without what is hidden."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet

UNSEEN = "…"  # stands for what a player does not see of an action
DRAWS = 16  # number of determinizations that are searched for moves that look the same


def show_action(position: Position, move: int, observer: int) -> str | None:
    """Return a legal move as `observer` sees it, or None if they do not notice it.

    If several moves look alike to `observer`, the result contains only their common words, as in
    ``keep …``.
    """
    visible = position.observed(move, observer)
    if visible is None:
        return None
    game = position.game
    if not game.hidden_moves or observer == position.player:
        return game.actions[visible]
    return _name(_draw(position, observer), visible, observer)


def show_line(
    information: InformationSet, line: Sequence[tuple[int, str]]
) -> tuple[tuple[int, str], ...]:
    """Return a line of play, a sequence of (player, action), as the observer would see it.

    In `line`, every action of another player has the smallest move number among those that look
    alike. If none of a few determinizations allows the line up to some action, the rest of the
    line is returned unchanged.
    """
    game, observer = information.game, information.observer
    if not game.hidden_moves:
        return tuple(line)
    result = []
    drawn = _draw(information.canonical, observer)
    for player, action in line:
        move = game.move(action)
        continued = [(one, moves) for one in drawn if (moves := _alike(one, move, observer))]
        is_other = player != observer and continued
        result.append((player, _name(drawn, move, observer) if is_other else action))
        drawn = [one.after_move(moves[0]) for one, moves in continued]
    return tuple(result)


def _draw(position: Position, observer: int) -> list[Position]:
    return [position.determinized(observer, seed) for seed in range(DRAWS)]


def _alike(position: Position, visible: int, observer: int) -> list[int]:
    """Return the legal moves that look like the move `visible`."""
    legal = position.legal_moves()
    if observer == position.player:  # players see their moves in full
        return [visible] if visible in legal else []
    return [move for move in legal if position.observed(move, observer) == visible]


def _name(drawn: Iterable[Position], visible: int, observer: int) -> str:
    """Return the move `visible`, or the words that all actions that look like it have in
    common."""
    moves = {move for one in drawn for move in _alike(one, visible, observer)}
    actions = next(iter(drawn)).game.actions
    if moves <= {visible}:
        return actions[visible]
    columns = zip(*(actions[move].split() for move in moves), strict=False)
    common = takewhile(lambda words: len(set(words)) == 1, columns)
    return " ".join([*(words[0] for words in common), UNSEEN])
