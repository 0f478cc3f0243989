"""The notation; docs/notation.md contains every string of the engines and views."""

import pytest
from notation_tables import strings, tables

from trajan_ai.games import GAMES, game
from trajan_ai.games.forum_trajanum import components, notation
from trajan_ai.games.forum_trajanum import fields as forum_fields
from trajan_ai.games.forum_trajanum import setup as forum_setup
from trajan_ai.games.forum_trajanum.fields import CRANES
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.fields import DECISIONS, SHIPS
from trajan_ai.games.trajan.notation import ACTIONS, EQUAL_SHIPMENTS, PAYMENTS

TABLES = {"trajan": tables("Trajan"), "forum_trajanum": tables("Forum Trajanum")}
SETS = [components.load(path.stem) for path in sorted(components.HERE.iterdir())]
TASKS = notation.tasks(("", *notation.TILE_NAMES_IN_ORDER))
DECIDED = [name for name, (number, _) in TASKS.items() if number < forum_fields.rules.TASK_USE]

NAMES = {
    "trajan": {
        "colour": C.colours,
        "tray": C.trays,
        "action": C.actions,
        "good": C.goods,
        "size": [f"{cards} {wilds}" for cards, wilds in EQUAL_SHIPMENTS],
        "ship": SHIPS,
        "symbol": C.symbols,
        "tile": C.forum_tiles,
        "payment": ["+".join(tiles) for tiles in PAYMENTS],
        "stack": C.stacks,
        "Trajan tile": dict.fromkeys(C.tile_names()),
        "building": C.buildings,
        "site": C.sites,
        "province": C.provinces,
        "bonus": C.bonus_tiles,
        "decision": [name for name in DECISIONS if name != "over"],
    },
    "forum_trajanum": {
        "colour": notation.COLOURS,
        "icon": notation.ICONS,
        "gain": notation.GAINS,
        "swap": [" ".join(swap) for swap in notation.SWAPS],
        "grey": notation.GREYS,
        "structure": notation.STRUCTURES,
        "building": notation.BUILDINGS,
        "double": [f"{name}+{name}" for name in notation.STRUCTURES],
        "track": notation.TRACKS,
        "class": notation.CLASSES,
        "row": notation.CITIZEN_ROWS,
        "cell": notation.BOARD_CELLS,
        "corner": notation.CORNERS,
        "mosaic cell": notation.MOSAIC_CELLS,
        "card": notation.CARDS,
        "tile": notation.TILE_NAMES_IN_ORDER,
        "bonus": notation.BONUSES,
        "payment": ["+".join(payment) for payment in notation.PAYMENTS_IN_ORDER],
        "symbol": {symbol for one in SETS for symbol in one.symbols},
        "Trajan card": {str(card) for one in SETS for card in one.cards},
        "board": forum_setup.BOARDS,
        "mosaic board": {str(board) for one in SETS for board, _ in one.faces},
        "side": {side for one in SETS for _, side in one.faces},
        "turns": ["0", "2"],
        "mosaic colour": components.LETTERS,
        "set": [one.name for one in SETS],
        "crane": CRANES,
        "source": notation.SOURCES,
        "face": [*notation.TILE_NAMES_IN_ORDER, forum_fields.HIDDEN],
        "conversion": forum_fields.CONVERSIONS,
        "stage": forum_fields.STAGES,
        "decision": DECIDED,
        "task": TASKS,
    },
}


@pytest.mark.parametrize("name", GAMES)
def test_the_page_contains_every_action_string_once(name):
    listed = strings(TABLES[name]["Actions"], TABLES[name])
    assert sorted(listed) == sorted(game(name).actions)


@pytest.mark.parametrize(
    ("name", "table"), [(name, table) for name, names in NAMES.items() for table in names]
)
def test_the_page_contains_every_name_once(name, table):
    listed = strings(TABLES[name][table], TABLES[name])
    assert sorted(listed) == sorted(NAMES[name][table])


def test_payments_name_their_tiles_in_order_and_keep_earlier_move_numbers():
    """Tiles are in the order of docs/notation.md: bread, games, religion, wild-demand."""
    order = (*C.symbols, "wild-demand")
    assert len(set(PAYMENTS)) == 34
    assert all(sorted(tiles, key=order.index) == list(tiles) for tiles in PAYMENTS)
    assert ACTIONS[-35:-33] == ("no effect", "pay bread")
