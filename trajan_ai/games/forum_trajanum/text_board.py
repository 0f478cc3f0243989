"""The board of Forum Trajanum as text."""

from collections.abc import Mapping
from typing import Any

from trajan_ai.core.game import Position
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.games.drawing.text_layout import MIN_WIDTH, Paint, side_by_side, wrapped
from trajan_ai.games.forum_trajanum import views
from trajan_ai.games.forum_trajanum.components import LETTERS, Components, load
from trajan_ai.games.forum_trajanum.fields import MOSAIC_BITS
from trajan_ai.games.forum_trajanum.notation import (
    BOARD_CELLS,
    COLOURS,
    CORNERS,
    RESOURCES,
    STRUCTURES,
)
from trajan_ai.games.forum_trajanum.rules import MOSAIC_STRIDE
from trajan_ai.games.forum_trajanum.setup import mosaic_masks

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
WIDTH = 25  # columns of a player's board
COLOUR_OF = {CODES[name]: colour for name, colour in zip(STRUCTURES, COLOURS, strict=True)}
LEGEND = (
    "Cells: Co Li Ba Ma are grey buildings, fo pa ho st are structures, ## is a tile, ^^ a "
    "temple. Corners: the colour of the crane, then # if it is covered, + if open, - if used. "
    "Rows: * is an active citizen, o an inactive one. Mosaic: digits are envoys, e is an eagle."
)


def _corner(player: Mapping[str, Any], cell: str, paint: Paint) -> str:
    crane = player["cranes"].get(cell)
    if crane is None:
        return "##" if cell in player["face_up"] else "??"
    colour, state = str(crane).split()
    text = colour[0].upper() + {"covered": "#", "open": "+", "used": "-"}[state]
    return paint.colour(text, colour)


def _cell(player: Mapping[str, Any], cell: str, temples: set[str], paint: Paint) -> str:
    if cell in CORNERS:
        return _corner(player, cell, paint)
    if cell in temples:
        return paint.faint("^^")
    if cell in player["buildings"]:
        code = CODES[str(player["buildings"][cell])]
        return paint.colour(code, COLOUR_OF[code]) if code in COLOUR_OF else paint.bold(code)
    return "##" if cell in player["face_down"] else " ."


def _goods(player: Mapping[str, Any], paint: Paint) -> list[str]:
    goods = [
        paint.colour(f"{RESOURCE_CODES[name]}{count}", name)
        if name in COLOURS
        else f"{RESOURCE_CODES[name]}{count}"
        for name, count in player["resources"].items()
    ]
    return [" ".join(goods[:4]), " ".join(goods[4:])]


def _board(
    view: Mapping[str, Any], number: int, components: Components, paint: Paint
) -> list[str]:
    player = view["players"][number]
    temples = {BOARD_CELLS[cell] for cell in components.temples}
    you = " (you)" if view["observer"] == number else ""
    name = paint.player(f"player {number}", number)
    lines = [f"{name}{you}: {player['score']} VP", "       A  B  C  D  E  F"]
    for row in range(6):
        count = player["citizens"].get(str(row + 1), 0)
        mark = "o" if row + 1 in player["inactive"] else "*"
        cells = " ".join(
            _cell(player, cell, temples, paint) for cell in BOARD_CELLS[6 * row : 6 * row + 6]
        )
        lines.append(f"{ROW_NAMES[row]}{mark * count:<2} {row + 1} {cells}")
    lines += _goods(player, paint)
    lines.append(f"slider {player['slider']} ship {player['ship']}")
    lines.append(f"reserve {len(player['reserve'])}")
    for key in ("kept", "passed", "picked"):
        if key in player:
            lines.append(f"{key} {player[key]}"[: WIDTH - 1])
    return lines


def _forum(view: Mapping[str, Any], components: Components, paint: Paint) -> list[str]:
    masks = mosaic_masks(components, len(view["players"]), view["mosaic"])
    letters = {name: letter.lower() for letter, name in LETTERS.items()}
    signs = {
        bit: paint.colour(letters[name], name)
        for name, mask in masks.items()
        for bit in range(128)
        if mask >> bit & 1
    }
    for number, player in enumerate(view["players"]):
        for cell in player["forum"]:
            signs[MOSAIC_BITS[cell]] = paint.bold(paint.player(str(number), number))
    rows = max(signs) // MOSAIC_STRIDE + 1
    columns = max(bit % MOSAIC_STRIDE for bit in signs) + 1
    return [
        f"{row + 1:>2} "
        + " ".join(signs.get(row * MOSAIC_STRIDE + i, " ") for i in range(columns)).rstrip()
        for row in range(rows)
    ]


def draw(
    position: Position, player: int | None = None, *, width: int = TEXT_WIDTH, colour: bool = False
) -> str:
    """Return the board that `player` sees, or all of it if `player` is None; see `Rules.draw`."""
    view = views.view(position, player)
    width = max(width, MIN_WIDTH)
    paint = Paint(colour)
    components = load(view["components"])
    cards = ", ".join(map(str, view["trajan_cards"]))
    head = [
        f"Forum Trajanum, components {components.name}: round {view['round']} of 12, "
        f"{view['stage']}; Trajan cards {cards}"
    ]
    if view["stage"] not in ("setup", "novices"):
        first, second = views.cards_of_round(view)
        head.append(f"street cards: {first}, {second}")
    if "to_decide" in view:
        decision = view["to_decide"]
        head.append(f"player {decision['player']} decides: {paint.bold(decision['decision'])}")
    boards = [_board(view, number, components, paint) for number in range(len(view["players"]))]
    return "\n".join(
        [
            *(line for text in head for line in wrapped(text, width)),
            "",
            *side_by_side(boards, width, WIDTH),
            "",
            "Forum",
            *_forum(view, components, paint),
            "",
            *wrapped(LEGEND, width),
        ]
    )
