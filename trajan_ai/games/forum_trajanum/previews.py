"""What taking or keeping a tile leads to, from the rules and what the player knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trajan_ai.core.languages import tr
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.forum_trajanum.notation import BOARD_CELLS, CORNERS
from trajan_ai.games.forum_trajanum.views import view
from trajan_ai.games.forum_trajanum.words import thing

if TYPE_CHECKING:
    from trajan_ai.core.game import Position


def previews(position: Position) -> dict[str, dict[str, list[str]]]:
    """Return the previews of the moves of step 1; see `HasPreviews`.

    A tile face down is not looked at.
    """
    player = position.player
    if player is None:
        return {}
    now = view(position, player)
    lines = {}
    for action in position.legal():
        kind, *rest = action.split(" ")
        if kind == "take":
            lines[action] = _take(now["components"], now["players"][player], *rest[1:])
        elif kind == "keep":
            lines[action] = _keep(now["to_decide"]["taken"], rest[0])
    return {action: {"places": [], "lines": texts} for action, texts in lines.items()}


def _take(components: str, board: Mapping[str, Any], cell: str, paid: str = "") -> list[str]:
    tile = board["face_up"].get(cell)
    lines = [tr("Gives: {tile}.", tile=thing(tile)) if tile else tr("Its tile is face down.")]
    if paid:
        lines.append(tr("Costs a tribune."))
    if cell in CORNERS:
        colour = board["cranes"][cell].split(" ")[0]
        return [*lines, tr("Opens the {crane} crane.", crane=tr(colour))]
    beside = ", ".join(c for c in _list_neighbours(cell) if _is_free(components, board, c))
    ground = tr("Then {cell} is free for a single building.", cell=cell)
    if beside:
        ground = tr(
            "Then {cell} is free, with {cells}: room for a double tile.", cell=cell, cells=beside
        )
    return [*lines, ground]


def _keep(tiles: Mapping[str, Any], card: str) -> list[str]:
    gains = thing(tiles[card]["tile"])
    passed = [thing(one["tile"]) for name, one in tiles.items() if name != card]
    lines = [tr("You may use: {tile}.", tile=gains)]
    return lines + [tr("Your neighbour on the right gets: {tile}.", tile=one) for one in passed]


def _list_neighbours(cell: str) -> list[str]:
    row, column = divmod(BOARD_CELLS.index(cell), 6)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [BOARD_CELLS[6 * i + j] for i, j in around if 0 <= i < 6 and 0 <= j < 6]


def _is_free(components: str, board: Mapping[str, Any], cell: str) -> bool:
    temples = {BOARD_CELLS[temple] for temple in load(components).temples}
    tiles = (board["face_down"], board["face_up"], board["buildings"], temples, CORNERS)
    return not any(cell in cells for cells in tiles)
