"""What sowing a tray leads to, from the rules, if the markers fall in the order of the moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trajan_ai.core.languages import tr
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.views import view
from trajan_ai.games.trajan.words import thing

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

TILES = {tile.name: tile for tile in C.tiles}


def previews(position: Position) -> dict[str, dict[str, list[str]]]:
    """Return the preview of every tray that can be sown; see `HasPreviews`."""
    player = position.player
    actions = [action for action in position.legal() if action.startswith("sow ")]
    if player is None or not actions:
        return {}
    before = view(position, player)
    return {action: _preview(position, player, before, action) for action in actions}


def _preview(
    position: Position, player: int, before: Mapping[str, Any], action: str
) -> dict[str, list[str]]:
    after = position.after(action)
    while after.player == player and (moves := after.legal())[0].startswith("drop "):
        after = after.after(moves[0])
    then = view(after, player)
    board, other = before["players"][player], then["players"][player]
    sown = C.trays.index(action.split()[1])
    fallen = {}
    for i in range(1, len(C.trays) + 1):
        tray = C.trays[(sown + i) % len(C.trays)]
        left = Counter(other["trays"][tray])
        left.subtract({} if i == len(C.trays) else Counter(board["trays"][tray]))
        if colours := list(left.elements()):
            fallen[tray] = colours
    spaces = (then["time_marker"] - before["time_marker"]) % before["options"].get(
        "lap_length", C.data["players"][len(before["players"])]["lap_length"]
    )
    trays = ", ".join(f"{tray} {' + '.join(map(tr, names))}" for tray, names in fallen.items())
    lines = [tr("Markers: {trays}.", trays=trays)]
    if "action" in (pending := then["to_decide"] or {}):
        lines.append(tr("Action: {action}.", action=thing(pending["action"])))
    words = tr("Spaces of time: {count}.", count=spaces)
    if then["rounds_due"] > before["rounds_due"]:
        words += " " + tr("A round ends after this turn.")
    lines.append(words)
    fulfilled = [tile for tray, tile in board["slots"].items() if other["slots"].get(tray) != tile]
    lines += [_describe_tile(tile, before) for tile in fulfilled]
    return {"places": [f"tray {player} {tray}" for tray in fallen], "lines": lines}


def _describe_tile(name: str, before: Mapping[str, Any]) -> str:
    tile = TILES[name]
    effect = thing(tile.effect)
    words = tr("Trajan tile fulfilled: {vp} VP, {effect}.", vp=tile.vp, effect=effect)
    if tile.effect in before["demands"]:
        words += " " + tr("It covers a demand of this quarter.")
    return words
