"""What a move leads to, besides events: where markers fall, and what a Trajan tile is worth.

A tray is sown as if its markers fell in the order of the moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules_drawing import Preview
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.views import view
from trajan_ai.games.trajan.words import thing

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

TILES = {tile.name: tile for tile in C.tiles}


def preview(position: Position, action: str) -> Preview:
    """Return the preview of a legal action; see `HasPreviews`."""
    kind, *rest = action.split()
    player = position.player
    if player is None or kind not in ("sow", "start", "tile"):
        return Preview((action,))
    now = view(position, player)
    if kind == "sow":
        return _preview_sowing(position, player, now, action)
    return Preview((action,), facts=(_describe_tile(now["trajan_tops"][rest[0]]),))


def _preview_sowing(
    position: Position, player: int, before: Mapping[str, Any], action: str
) -> Preview:
    actions, after = [action], position.after(action)
    while after.player == player and (moves := after.legal())[0].startswith("drop "):
        actions.append(moves[0])
        after = after.after(moves[0])
    trays = before["players"][player]["trays"]
    end_view = view(after, player)
    other = end_view["players"][player]["trays"]
    sown = C.trays.index(action.split()[1])
    fallen = {}
    for i in range(1, len(C.trays) + 1):
        tray = C.trays[(sown + i) % len(C.trays)]
        left = Counter(other[tray])
        left.subtract({} if i == len(C.trays) else Counter(trays[tray]))
        if colours := list(left.elements()):
            fallen[tray] = colours
    words = ", ".join(f"{tray} {' + '.join(map(tr, names))}" for tray, names in fallen.items())
    fact = tr("Markers: {trays}.", trays=words)
    if len(actions) > 1:
        fact = tr("Markers, for example: {trays}. You choose the order.", trays=words)
    facts = [fact]
    if end_view["rounds_due"]:
        ends_quarter = end_view["round"] + end_view["rounds_due"] > rules.ROUNDS
        facts.append(
            tr("The quarter ends after this turn.")
            if ends_quarter
            else tr("The round ends after this turn.")
        )
    return Preview(
        actions=tuple(actions),
        places=tuple(f"tray {player} {tray}" for tray in fallen),
        facts=tuple(facts),
    )


def _describe_tile(name: str) -> str:
    tile = TILES[name]
    return tr("When it is fulfilled: {vp} VP, {effect}.", vp=tile.vp, effect=thing(tile.effect))
