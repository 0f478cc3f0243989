"""Drawings of all pieces of a game with the names of the pieces, for docs/boards.md."""

from trajan_ai.games.drawing.svg import (
    GAP,
    PAD,
    PANEL,
    TITLE,
    Flow,
    Marks,
    Panel,
    draw_table,
    text_width,
)
from trajan_ai.games.forum_trajanum import notation as forum
from trajan_ai.games.forum_trajanum import picture as forum_picture
from trajan_ai.games.forum_trajanum.words import thing as forum_thing
from trajan_ai.games.trajan import picture as trajan_picture
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.words import thing as trajan_thing

MIN_WIDTH = 123  # smallest width of a piece and its name


def _named(things, thing):
    return {name: thing(name) for name in things}


def key_of_trajan():
    groups = {
        "Colours of markers": _named(C.colours, trajan_thing),
        "Actions": _named(C.actions, trajan_thing),
        "Goods": {f"{name}-card": trajan_thing(name) for name in C.goods},
        "Forum tiles": {f"{name}-tile": trajan_thing(name) for name in C.forum_tiles},
        "Buildings": _named(C.data["buildings"], trajan_thing),
        "Effects of Trajan tiles": _named(
            ("cards2", "points", "worker", "legion", "plus2"), trajan_thing
        ),
        "Figures": {
            **_named(("figure", "worker", "legion"), trajan_thing),
            "leader": "leader (on the token)",
        },
        "Others": {"back": "face down", "v3": "VP", "arch": "arch"},
    }
    return _draw_key(trajan_picture.LOOK, "Pieces of Trajan", groups)


def key_of_forum_trajanum():
    resources = ("builder", "assistant", "coin", "tribune", "upgrade")
    groups = {
        "Workers": _named(forum.COLOURS, forum_thing),
        "Resources": _named(resources, forum_thing),
        "Grey buildings": _named(forum.GREYS, forum_thing),
        "Structures": {
            name: f"{name}, {colour}"
            for name, colour in zip(forum.STRUCTURES, forum.COLOURS, strict=True)
        },
        "Mosaic": {f"m-{name}": name for name in (*forum.COLOURS, "eagle")},
        "Citizens": _named(forum.CLASSES, forum_thing),
        "On the boards": {
            "back0": "tile face down, of player 0",
            "envoy": "envoy",
            "crane": "crane (its colour beside it)",
            "temple": "temple",
            "row": "street symbol of a row",
            "street": "street symbol of a column",
            "first": "first player",
        },
        "Rewards and tasks": {
            "anyworker": forum_thing("anyworker"),
            "coloured": "any coloured structure",
            **_named(("laurel", "building-action", "tile", "bust"), forum_thing),
        },
    }
    return _draw_key(forum_picture.LOOK, "Pieces of Forum Trajanum", groups)


KEYS = {"trajan": key_of_trajan, "forum_trajanum": key_of_forum_trajanum}


def _draw_key(look, title, groups):
    panels = []
    for heading, names in groups.items():
        panel = Panel(heading, Marks())
        flow = Flow(PAD, TITLE, PANEL, 44, 0)
        for symbol, name in names.items():
            x, y = flow.next(max(MIN_WIDTH, text_width(name) + 52))
            panel.use(symbol, x + 20, y + 20)
            panel.text(x + 44, y + 24, name)
        panel.height = flow.bottom + 4
        panels.append(panel)
    columns = [[], [], []]
    for panel in sorted(panels, key=lambda panel: -panel.height):
        min(columns, key=_height).append(panel)
    return draw_table(look, title, (), columns, marks=Marks())


def _height(column):
    return sum(panel.height + GAP for panel in column)
