"""A view of Forum Trajanum drawn as text, at most 100 columns wide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trajan_ai.forum_trajanum.components import LETTERS, Components, load
from trajan_ai.forum_trajanum.moves import BOARD_CELLS, CORNERS, RESOURCES
from trajan_ai.forum_trajanum.setups import STRIDE, mosaic_masks

CODES = {
    "column": "Co",
    "library": "Li",
    "basilica": "Ba",
    "market": "Ma",
    "fountain": "fo",
    "park": "pa",
    "house": "ho",
    "stable": "st",
}
RESOURCE_CODES = dict(zip(RESOURCES, ("bu", "B", "G", "R", "Y", "as", "co", "tr"), strict=True))
ROW_NAMES = ("P1", "P2", "M1", "M2", "C1", "C2")
WIDTH = 25
LEGEND = (
    "Co Li Ba Ma greys, fo pa ho st structures, ## tile, ^^ temple; corner: colour of the crane "
    "with\n## covered, + open, - used. Rows: citizens * active, o inactive. Mosaic: digits are "
    "envoys, e eagle."
)


def _corner(player: Mapping[str, Any], cell: str) -> str:
    crane = player["cranes"].get(cell)
    if crane is None:
        return "##" if cell in player["face_up"] else "??"
    colour, state = str(crane).split()
    return colour[0].upper() + {"covered": "#", "open": "+", "used": "-"}[state]


def _cell(player: Mapping[str, Any], cell: str, temples: set[str]) -> str:
    if cell in CORNERS:
        return _corner(player, cell)
    if cell in temples:
        return "^^"
    if cell in player["buildings"]:
        return CODES[str(player["buildings"][cell])]
    return "##" if cell in player["face_down"] else " ."


def _board(view: Mapping[str, Any], number: int, components: Components) -> list[str]:
    """Lines of a player's board and goods."""
    player = view["players"][number]
    temples = {BOARD_CELLS[cell] for cell in components.temples}
    you = " (you)" if view["you"] == number else ""
    lines = [f"player {number}{you}: {player['score']} VP", "       A  B  C  D  E  F"]
    for row in range(6):
        count = player["citizens"].get(str(row + 1), 0)
        mark = "o" if row + 1 in player["inactive"] else "*"
        cells = " ".join(
            _cell(player, cell, temples) for cell in BOARD_CELLS[6 * row : 6 * row + 6]
        )
        lines.append(f"{ROW_NAMES[row]}{mark * count:<2} {row + 1} {cells}")
    goods = [f"{RESOURCE_CODES[name]}{count}" for name, count in player["resources"].items()]
    lines += [" ".join(goods[:4]), " ".join(goods[4:])]
    lines.append(f"slider {player['slider']} ship {player['ship']}")
    lines.append(f"reserve {len(player['reserve'])}")
    for key in ("kept", "passed", "picked"):
        if key in player:
            lines.append(f"{key} {player[key]}"[: WIDTH - 1])
    return lines


def _forum(view: Mapping[str, Any], components: Components) -> list[str]:
    """Lines of the mosaic."""
    masks = mosaic_masks(components, len(view["players"]), view["mosaic"])
    letters = {name: letter.lower() for letter, name in LETTERS.items()}
    signs = {
        bit: letters[name] for name, mask in masks.items() for bit in range(128) if mask >> bit & 1
    }
    for number, player in enumerate(view["players"]):
        for cell in player["forum"]:
            row, column = cell[1:].split(".")
            signs[(int(row) - 1) * STRIDE + int(column) - 1] = str(number)
    rows = max(signs) // STRIDE + 1
    columns = max(bit % STRIDE for bit in signs) + 1
    return [
        f"{row + 1:>2} " + " ".join(signs.get(row * STRIDE + i, " ") for i in range(columns))
        for row in range(rows)
    ]


def draw(view: Mapping[str, Any]) -> str:
    """Return the board that a view describes as text."""
    components = load(view["components"])
    cards = ", ".join(map(str, view["trajan_cards"]))
    head = (
        f"Forum Trajanum, components {components.name}: round {view['round']} of 12, "
        f"{view['stage']}; Trajan cards {cards}"
    )
    lines = [head]
    if view["stage"] not in ("setup", "novices"):
        first, second = view["street_cards"][2 * view["round"] - 2 : 2 * view["round"]]
        lines.append(f"street cards: {first}, {second}")
    if "to_decide" in view:
        decision = view["to_decide"]
        lines.append(f"player {decision['player']} decides: {decision['task']}")
    boards = [_board(view, number, components) for number in range(len(view["players"]))]
    height = max(map(len, boards))
    lines.append("")
    for i in range(height):
        parts = [board[i] if i < len(board) else "" for board in boards]
        lines.append("".join(f"{part:<{WIDTH}}" for part in parts).rstrip())
    lines += ["", "Forum", *_forum(view, components), "", LEGEND]
    return "\n".join(lines)
