"""Edits of a position file: the keys that change together with an edited key."""

from collections.abc import Mapping
from typing import Any

from trajan_ai.core.errors import KeyPath


def list_dependent_edits(view: Mapping[str, Any], path: KeyPath) -> dict[KeyPath, Any]:
    """Return the new values of other keys after a change to the value at `path`.

    The size of a hand is the sum of its counts. A disc that enters a senate space lies on top of
    the discs there.
    """
    if len(path) != 3 or path[2] not in ("hand", "senate"):
        return {}
    boards = [board if isinstance(board, dict) else {} for board in view["players"]]
    _, moved, key = path
    if key == "hand":
        board = boards[int(moved)]
        counts = [count for count in board["hand"].values() if isinstance(count, int)]
        return {("players", moved, "hand_size"): sum(counts)} if "hand_size" in board else {}
    order = view.get("senate_order")
    spaces = [board.get("senate") or 0 for board in boards]
    if not isinstance(order, list) or not all(isinstance(space, int) for space in spaces):
        return {}
    if not all(player in range(len(boards)) for player in order):
        return {}
    ranks = sorted(order, key=lambda player: (spaces[player], player == moved))
    return {("senate_order",): ranks}
