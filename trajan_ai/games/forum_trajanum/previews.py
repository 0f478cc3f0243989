"""The effects of a move besides its events, such as tiles, ground for buildings, and prices.

The preview of a building assumes the first of its legal payments, and lists some others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules_drawing import Preview
from trajan_ai.core.tips import read_tips
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.components import load
from trajan_ai.games.forum_trajanum.fields import MOSAIC_BITS
from trajan_ai.games.forum_trajanum.notation import (
    BOARD_CELLS,
    COLOURS,
    CORNERS,
    GREYS,
    STRUCTURES,
    TRACKS,
)
from trajan_ai.games.forum_trajanum.views import view
from trajan_ai.games.forum_trajanum.words import count_things, list_things

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

STRIDE = rules.MOSAIC_STRIDE
MAX_PAYMENTS = 4  # maximum number of payments that are listed
TIPS = Path(__file__).with_name("tips.yaml")
# Rewards that are used in a further decision, so that no event foresees them.
DECIDED = (
    *("library 3", "library 4"),
    *("basilica 3", "basilica 4"),
    *("market 2", "market 3", "market 4"),
)


def preview(position: Position, action: str) -> Preview:
    """Return the preview of a legal action; see `HasPreviews`.

    The preview does not depend on face-down tiles.
    """
    kind, *rest = action.split(" ")
    if kind == "take" and position.player is not None:
        now = view(position, position.player)
        board = now["players"][position.player]
        return Preview((action,), facts=tuple(_take(now["components"], board, rest[1])))
    if kind == "build" and position.player is not None:
        return _build(position, action, position.player)
    if kind == "corner" and position.player is not None:
        return Preview((action,), facts=(_place(position, action, position.player),))
    if position.player is not None:
        now = view(position, position.player)
        return Preview((action,), facts=tuple(_explain(now, position.player, kind, rest)))
    return Preview((action,))


def _explain(now: Mapping[str, Any], player: int, kind: str, rest: list[str]) -> list[str]:
    """Return what a crane, a row of citizens, a reward, a tile or an envoy brings.

    The board does not show these effects.
    """
    board = now["players"][player]
    if kind == "crane":
        structure = STRUCTURES[COLOURS.index(rest[0])]
        scored = tr("It scores one kind of structure: {structure}.", structure=tr(structure))
        return [scored, read_tips(TIPS)["crane"]]
    if kind in ("seat", "wage"):
        return [read_tips(TIPS)[f"citizens {rest[0]}"]]
    if kind == "no" and rest[0] == "wage":
        return [read_tips(TIPS)[f"citizens {rest[1]}"]]
    if kind == "reward":
        return _reward(*rest)
    if kind == "envoy":
        return _describe_cell(now, player, rest[0])
    if kind == "use" and rest[0] in CORNERS:
        return [_give(board["face_up"][rest[0]])]
    return []


def _place(position: Position, action: str, player: int) -> str:
    """Return a sentence with the cells and classes of the two female citizens that are laid."""
    face_up = view(position.after(action), player)["players"][player]["face_up"]
    placed = [(cell, tile) for cell, tile in face_up.items() if tile.endswith("-f")]
    placed.sort(key=lambda entry: entry[0] != action.split(" ")[1])
    first, second = (f"{cell}: {list_things(tile)}" for cell, tile in placed)
    return tr(
        "{first}, {second}. Taking one opens the crane below it.", first=first, second=second
    )


def _give(tile: str) -> str:
    return tr("Gives: {tile}.", tile=list_things(tile))


def _take(components: str, board: Mapping[str, Any], cell: str) -> list[str]:
    tile = board["face_up"].get(cell)
    lines = [_give(tile) if tile else tr("Its tile is face down.")]
    if cell in CORNERS:
        return lines
    beside = ", ".join(c for c in _list_neighbours(cell) if _is_free(components, board, c))
    ground = tr("Then {cell} is free for a single building.", cell=cell)
    if beside:
        ground = tr(
            "Then {cell} is free beside {cells}, with room for a double tile.",
            cell=cell,
            cells=beside,
        )
    return [*lines, ground]


def _build(position: Position, action: str, player: int) -> Preview:
    now = view(position, player)
    _, names, *cells = action.split(" ")
    buildings = names.split("+")
    follows = _list_consequences(now, buildings, player)
    after = position.after(action)
    payments = [move for move in after.legal() if move.startswith("pay ")]
    if after.player != player:
        payments = []
    actions = (action, *payments[:1])
    spent = [*position.events(action, player)]
    spent += [event for move in payments[:1] for event in after.events(move, player)]
    if payments[1:]:
        ways = [count_things(move.removeprefix("pay ")) for move in payments[1 : 1 + MAX_PAYMENTS]]
        text = "; ".join(ways) + (" …" if len(payments) - 1 > MAX_PAYMENTS else "")
        follows.append(tr("Other ways to pay: {ways}.", ways=text))
    scored = _foresee_scoring(now, player, dict(zip(cells, buildings, strict=True)))
    return Preview(
        actions,
        facts=(*follows, *scored),
        price=tuple(
            str(one.thing) for one in spent if one.name == "spend" for _ in range(one.count)
        ),
        brief=" ".join([*_shorten(now, player, buildings), *scored]),
    )


def _foresee_scoring(now: Mapping[str, Any], player: int, new: Mapping[str, str]) -> list[str]:
    """Return what buildings add to the next scoring, with the citizens that are active now."""
    board = now["players"][player]
    parts = []
    components = load(now["components"])
    phase = (now["round"] - 1) // rules.PHASE_ROUNDS
    for building in dict.fromkeys(new.values()):
        if building in STRUCTURES:
            crane = f"{COLOURS[STRUCTURES.index(building)]} open"
            vp = components.crane_vp[phase] * [*new.values()].count(building)
            if crane in board["cranes"].values():
                parts.append(tr("+{vp} VP for the crane", vp=vp))
    for row in sorted({cell[1] for cell in new}):
        before = {one for cell, one in board["buildings"].items() if cell[1] == row}
        kinds = {one for cell, one in new.items() if cell[1] == row and one in GREYS} - before
        is_active = int(row) not in board["inactive"]
        active = board["citizens"].get(row, 0) if is_active else 0
        if kinds:
            parts.append(tr("+{vp} VP in row {row}", vp=len(kinds) * (1 + active), row=row))
    return [tr("At the end of the phase: {parts}.", parts=", ".join(parts))] if parts else []


def _shorten(now: Mapping[str, Any], player: int, buildings: list[str]) -> list[str]:
    """Return in a few words what buildings bring at once, besides VP."""
    board = now["players"][player]
    tips = read_tips(TIPS)
    parts = []
    for track in (building for building in buildings if building in TRACKS):
        step = [*board["buildings"].values()].count(track) + 1
        if step <= rules.TRACK_END:
            reward = tips[f"track {track} {step}"].removesuffix(".")
            if step > 1:
                earlier = tips[f"track {track} {step - 1}"].removesuffix(".")
                reward += tr(" or ") + earlier[0].lower() + earlier[1:]
            parts.append(f"{reward}.")
    structures = [building for building in buildings if building in STRUCTURES]
    if structures:
        colour = COLOURS[STRUCTURES.index(structures[0])]
        count = _count_envoys(now, player, colour, len(structures))
        if count > 1:
            parts.append(tr("{count} envoys to {colour} cells.", count=count, colour=tr(colour)))
        elif count:
            parts.append(tr("An envoy to a {colour} cell.", colour=tr(colour)))
        else:
            parts.append(tr("No envoy."))
    return parts


def _list_consequences(now: Mapping[str, Any], buildings: list[str], player: int) -> list[str]:
    """Return what buildings bring after further decisions: rewards and envoys."""
    lines = []
    built = list(now["players"][player]["buildings"].values())
    for track in (building for building in buildings if building in TRACKS):
        step = built.count(track) + 1
        if step == 1:
            lines += _reward(track, "1")
        elif step <= rules.TRACK_END:
            lines.append(_choose_reward(track, step))
        if step == rules.TRACK_END:
            lines.append(tr("The end of the track scores Trajan's Column, too."))
    structures = [building for building in buildings if building in STRUCTURES]
    if structures:
        # Both structures of a double tile have the same colour.
        colour = COLOURS[STRUCTURES.index(structures[0])]
        lines.append(_send_envoys(now, player, colour, len(structures)))
    return lines


def _reward(track: str, step: str) -> list[str]:
    """Return what a step of a track brings, if events do not foresee all of it."""
    which = f"{track} {step}"
    if which == "library 1":  # the tribune is an event
        return [tr("Then you get a worker of any colour.")]
    return [read_tips(TIPS)[f"track {which}"]] if which in DECIDED else []


def _choose_reward(track: str, step: int) -> str:
    tips = read_tips(TIPS)
    return tr(
        "Choose a reward. Step {before}: {earlier} Step {step}: {later}",
        before=step - 1,
        earlier=tips[f"track {track} {step - 1}"],
        step=step,
        later=tips[f"track {track} {step}"],
    )


def _count_envoys(now: Mapping[str, Any], player: int, colour: str, most: int) -> int:
    """Return how many of `most` envoys can go to free cells of a colour."""
    players = now["players"]
    masks = setup.mosaic_masks(load(now["components"]), len(players), now["mosaic"])
    envoys = {cell for board in players for cell in board["forum"]}
    free = sum(masks[colour] >> bit & 1 for cell, bit in MOSAIC_BITS.items() if cell not in envoys)
    return min(most, int(players[player]["ship"]), free)


def _send_envoys(now: Mapping[str, Any], player: int, colour: str, most: int) -> str:
    count = _count_envoys(now, player, colour, most)
    if not now["players"][player]["ship"]:
        return tr("You cannot send an envoy: your ship is empty.")
    if not count:
        return tr(
            "You cannot send an envoy: no {colour} cell of the Forum is free.", colour=tr(colour)
        )
    if count == 1:
        return tr(
            "Then an envoy may go from your ship to a {colour} cell of the Forum.",
            colour=tr(colour),
        )
    return tr(
        "Then {count} envoys may go from your ship to {colour} cells of the Forum.",
        count=count,
        colour=tr(colour),
    )


def _describe_cell(now: Mapping[str, Any], player: int, cell: str) -> list[str]:
    """Describe an envoy on a cell of the Forum: VP from eagles, its group, and its area."""
    players = now["players"]
    masks = setup.mosaic_masks(load(now["components"]), len(players), now["mosaic"])
    bit = MOSAIC_BITS[cell]
    colour = next(name for name, mask in masks.items() if mask >> bit & 1)
    envoys = {MOSAIC_BITS[one] for board in players for one in board["forum"]} | {bit}
    own = {MOSAIC_BITS[one] for one in players[player]["forum"]} | {bit}
    lines = []
    if colour == "eagle":
        lines.append(tr("At an eagle: 2 VP at the end of each phase."))
    elif count := sum(masks["eagle"] >> one & 1 for one in _list_beside(bit)):
        lines.append(tr("Beside an eagle: {vp} VP at the end of each phase.", vp=count))
    lines.append(tr("Your group there: {count}.", count=len(_spread(bit, own))))
    if colour != "eagle":
        area = _spread(bit, {one for one in MOSAIC_BITS.values() if masks[colour] >> one & 1})
        free = len(area - envoys)
        lines.append(tr("Free cells left in this area: {count}.", count=free))
    return lines


def _list_beside(bit: int) -> list[int]:
    """Return the bits beside that of a cell of the Forum, including any outside the mosaic."""
    return [one for one in (bit - 1, bit + 1, bit - STRIDE, bit + STRIDE) if one >= 0]


def _spread(bit: int, cells: Collection[int]) -> set[int]:
    """Return a cell and all `cells` that are connected to it."""
    group, rest = {bit}, [bit]
    while rest:
        new = {one for one in _list_beside(rest.pop()) if one in cells} - group
        group |= new
        rest += new
    return group


def _list_neighbours(cell: str) -> list[str]:
    row, column = divmod(BOARD_CELLS.index(cell), 6)
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [BOARD_CELLS[6 * i + j] for i, j in around if 0 <= i < 6 and 0 <= j < 6]


def _is_free(components: str, board: Mapping[str, Any], cell: str) -> bool:
    temples = {BOARD_CELLS[temple] for temple in load(components).temples}
    tiles = (board["face_down"], board["face_up"], board["buildings"], temples, CORNERS)
    return not any(cell in cells for cells in tiles)
