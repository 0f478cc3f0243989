"""Trajan's board as text, from a view."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from trajan_ai.trajan.components import COMPONENTS as C

WIDTH = 99
INITIAL = {colour: colour[0] for colour in C.colours}


def draw(view: Mapping[str, Any]) -> str:
    """Return the board of a view as lines of at most 99 characters."""
    lines = [_headline(view), *_table(view)]
    for player, seat in enumerate(view["seats"]):
        lines += ["", *_seat(view, player, seat)]
    return "\n".join(line for text in lines for line in _wrapped(text))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, subsequent_indent=" " * 12, break_on_hyphens=False, break_long_words=False
    ) or [""]


def _counted(counts: Mapping[str, int]) -> str:
    """Return names with their numbers, such as ``bread x2, games``."""
    return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in counts.items()) or "-"


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "-"


def _headline(view: Mapping[str, Any]) -> str:
    text = f"Quarter {view['quarter']}, round {view['round']}, time {view['time_marker']}"
    pending = view["to_decide"]
    if pending is None:
        return f"{text}: the game is over"
    text += f": player {pending['player']} decides {pending['decision']}"
    if pending.get("markers_in_hand"):
        text += f", markers in hand {' '.join(INITIAL[c] for c in pending['markers_in_hand'])}"
    return text


def _table(view: Mapping[str, Any]) -> list[str]:
    """Return the lines of what belongs to no player."""
    order = " < ".join(f"{p} on {view['seats'][p]['senate']}" for p in view["senate_order"])
    piles = view["discard_piles"]
    tops = [f"{side} {pile[-1] if pile else '-'} ({len(pile)})" for side, pile in piles.items()]
    lines = [
        f"demands     {_counted(view['demands'])}    coloured ships: "
        f"{_listed(view['coloured_ships'])}",
        f"forum       {_counted(view['forum'])}",
        f"senate      {order}    on offer: {_listed(view['bonus_offer'])}",
        f"piles       {', '.join(tops)}",
        f"stacks      {', '.join(view['trajan_tops'].values()) or '-'}",
        "provinces   " + ", ".join(f"{name}: {tile}" for name, tile in view["provinces"].items()),
    ]
    columns = C.data["site_columns"]
    for row in range(1, C.data["site_rows"] + 1):
        sites = [f"{view['sites'].get(f'{column}{row}', '.'):<10}" for column in columns]
        lines.append(f"sites {row}     " + " ".join(sites).rstrip())
    return lines


def _seat(view: Mapping[str, Any], player: int, seat: Mapping[str, Any]) -> list[str]:
    """Return the lines of a player."""
    trays = []
    for name, colours in seat["trays"].items():
        markers = "".join(INITIAL[colour] for colour in colours) or "-"
        tile = seat["slots"].get(name, "arch" if seat["arch"] == name else "free")
        trays.append(f"{name} {markers} [{tile}]")
    hand = f"{seat['hand_size']} cards, known: {_counted(seat['known_cards'])}"
    if "hand" in seat:
        hand = _counted(seat["hand"])
    pending = view["to_decide"]
    mark = " *" if pending is not None and pending["player"] == player else ""
    return [
        f"PLAYER {player}{mark}   {seat['score']} VP",
        f"trays       {'  '.join(trays)}",
        f"hand        {hand}    display: {_counted(seat['display'])}",
        f"figures     supply {seat['supply']}, military camp {seat['military_camp']}, worker camp "
        f"{seat['worker_camp']}, leader {seat['leader']}, legionnaires: "
        f"{_listed(seat['legionnaires'])}, workers: {_listed(seat['workers'])}",
        f"tiles       {_counted(seat['forum_tiles'])}    demands kept: "
        f"{_counted(seat['demand_tiles'])}    +2: {_listed(seat['plus2'])}",
        f"buildings   {_listed(seat['buildings'])}    gold: {_listed(seat['gold_bonus'])}"
        f"    silver: {_listed(seat['silver_bonus'])}",
    ]
