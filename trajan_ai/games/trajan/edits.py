"""Edits of a position file by clicks: the keys that belong to the places of the drawing."""

from collections.abc import Mapping
from typing import Any

from trajan_ai.core.errors import KeyPath

PLACES = {
    "score": ("players[{0}].score",),
    "time": ("quarter", "round", "time_marker", "rounds_due", "turn"),
    "demands": ("demands",),
    "tray": ("players[{0}].trays.{1}", "players[{0}].slots/{1}", "players[{0}].arch"),
    "slot": ("players[{0}].slots/{1}", "players[{0}].arch"),
    "field": ("players[{0}].plus2/{1}",),
    "hand": ("players[{0}].hand", "players[{0}].known_cards", "players[{0}].hand_size"),
    "display": ("players[{0}].display",),
    "camp": (
        "players[{0}].supply",
        "players[{0}].military_camp",
        "players[{0}].worker_camp",
        "players[{0}].leader",
    ),
    "tile": ("players[{0}].forum_tiles", "players[{0}].demand_tiles"),
    "bonus": ("players[{0}].gold_bonus", "players[{0}].silver_bonus"),
    "built": ("players[{0}].buildings",),
    "marker": ("to_decide.markers_in_hand",),
    "pile": ("discard_piles.{0}",),
    "forum": ("forum",),
    "province": ("provinces/{0}", "players[*].leader", "players[*].legionnaires/{0}"),
    "site": ("sites/{0}", "players[*].workers/{0}"),
    "senate": ("players[*].senate",),
    "offer": ("bonus_offer",),
    "stack": ("trajan_tops.{0}",),
    "deck": ("goods_deck",),
    "ship": ("coloured_ships/{0}",),
}


def list_dependent_edits(view: Mapping[str, Any], path: KeyPath) -> dict[KeyPath, Any]:
    """Return the values that other keys need after a change of the one at `path`.

    The size of a hand is its sum. A disc that enters a senate space lies on those there.
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
