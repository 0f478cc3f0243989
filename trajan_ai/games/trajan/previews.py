"""The effects of a move besides its events, such as where markers fall or what a tile is worth.

When a tray is sown, its markers are assumed to fall in an order that fulfils the Trajan tile of
the last tray, if there is such an order, and otherwise in the order of their move numbers.
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


def preview(position: Position, action: str) -> Preview:
    """Return the preview of a legal action; see `HasPreviews`."""
    kind, *rest = action.split()
    player = position.player
    if player is None or kind not in ("sow", "drop", "discard", "build", "start", "tile"):
        return Preview((action,))
    now = view(position, player)
    if kind == "sow":
        return _preview_sowing(position, player, now, action)
    if kind == "build":
        is_empty = rest[0] not in now["sites"]
        return Preview((action,), facts=(tr("No building is left there."),) * is_empty)
    if kind == "discard":
        covered = now["discard_piles"][rest[1]][-1:]
        return Preview(
            (action,), facts=tuple(tr("The card covers {good}.", good=thing(g)) for g in covered)
        )
    if kind == "drop":
        return Preview((action,), facts=_find_lost_tile(now, player, rest[0]))
    return Preview((action,), facts=(_describe_tile(now["trajan_tops"][rest[0]]),))


def _preview_sowing(
    position: Position, player: int, before: Mapping[str, Any], action: str
) -> Preview:
    actions, after = [action], position.after(action)
    while after.player == player and (moves := after.legal())[0].startswith("drop "):
        now = view(after, player)
        suitable = (move for move in moves if not _find_lost_tile(now, player, move.split()[1]))
        actions.append(next(suitable, moves[0]))
        after = after.after(actions[-1])
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
        places=tuple(
            f"tray {player} {C.trays[(sown + i) % len(C.trays)]}"
            for i in range(1, 1 + len(trays[C.trays[sown]]))
        ),
        facts=tuple(facts),
    )


def _find_lost_tile(now: Mapping[str, Any], player: int, colour: str) -> tuple[str, ...]:
    """Return a sentence if the tile of the last marker's tray can no longer be fulfilled.

    `colour` is the marker that the move puts into the next tray.
    """
    board, pending = now["players"][player], now["to_decide"]
    hand = Counter(pending["markers_in_hand"])
    start = C.trays.index(pending["next_tray"])
    falls = [C.trays[(start + i) % len(C.trays)] for i in range(hand.total())]
    name = board["slots"].get(falls[-1])
    if name is None:
        return ()
    needed = Counter(C.tile[name].colours) - Counter(board["trays"][falls[-1]])
    still = needed - Counter([colour] if falls[0] == falls[-1] else [])
    could = needed <= hand and needed.total() <= falls.count(falls[-1])
    can = still <= hand - Counter([colour]) and still.total() <= falls[1:].count(falls[-1])
    if not could or can:
        return ()
    return (tr("Then the Trajan tile {tile} is not fulfilled.", tile=thing(name)),)


def _describe_tile(name: str) -> str:
    tile = C.tile[name]
    if tile.effect == "points":
        return tr("When it is fulfilled: {vp} VP.", vp=tile.vp)
    return tr("When it is fulfilled: {vp} VP, {effect}.", vp=tile.vp, effect=thing(tile.effect))
