"""Compute the columns that the data set has for Trajan."""

from collections.abc import Callable

import numpy as np

from trajan_ai.core.enums import names
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.games.trajan.notation import EVENTS
from trajan_ai.lab.dataset.batches import Array, Columns, GameBatch, Topic
from trajan_ai.lab.dataset.state_layout import ones_in

ACTIONS = names(rules, "ACTION_")
SETUP = [rules.DECIDE_MARKER, rules.DECIDE_GOODS, rules.DECIDE_START]
STAGES = rules.QUARTERS
STACK_OF = {tile.name: tile.stack for tile in COMPONENTS.tiles}


def _by_thing(kind: str, prefix: str, name_of: Callable[[str], str] = str) -> dict[Topic, str]:
    """Return the column for each thing that a kind of event can have.

    `name_of` may give several things the same column.
    """
    things = next(one.things for one in EVENTS if one.name == kind)
    return {(kind, one): f"{prefix}_{name_of(one)}".replace("-", "_") for one in things}


# Columns that count the events of a seat in the setup, by kind of event and thing.
IN_SETUP: dict[Topic, str] = {("draw", None): "goods_deck"} | _by_thing(
    "take_tile", "start", STACK_OF.__getitem__
)
# Columns that count the events of a seat after the setup.
TIMES: dict[Topic, str] = (
    _by_thing("take_tile", "tile", STACK_OF.__getitem__)
    | _by_thing("fulfil", "fulfil", STACK_OF.__getitem__)
    | _by_thing("take_forum_tile", "forum")
    | _by_thing("take_province_tile", "province")
    | _by_thing("march", "march")
    | _by_thing("win_gold", "bonus", lambda tile: tile.removeprefix("bonus-"))
    | _by_thing("ship", "ship")
    | {
        ("advance", None): "senate",
        ("deploy", None): "deploy",
        ("draw", None): "draw",
        ("take_card", None): "take",
    }
)
# Columns that add up the counts of a seat's events after the setup.
NUMBERS: dict[Topic, str] = {
    ("get_workers", None): "workers",
    ("get_legionnaires", None): "legionnaires",
    ("lay_out", None): "displayed",
}


def turns(batch: GameBatch, rows: Array, seats: Array) -> Columns:
    """Return the columns of turns, such as the sown tray, its action and the open demands."""
    states, own = batch.states[rows], batch.own(rows, seats)
    sowing = batch.in_rows(batch.is_kind("sow"), rows, seats)
    sown = sowing >= 0
    tray, size = (np.where(sown, batch.events[name][sowing], 0) for name in ("thing", "count"))
    action = (tray + size) % rules.TRAYS
    setup = np.isin(states["decision"], SETUP)
    first = rules.TILE_DEMAND
    stock = own["tiles"][:, first : first + rules.SYMBOLS] + own["demands"]
    missing = np.maximum(states["row"].astype(np.int16) - stock, 0).sum(axis=1)
    return {
        "quarter": np.where(setup, 0, states["quarter"] + 1).astype(np.int8),
        "round": np.where(setup, 0, states["round"] + 1).astype(np.int8),
        "tray": np.where(sown, tray + 1, 0).astype(np.int8),
        "size": size.astype(np.int8),
        "action": np.array([*ACTIONS, None], object)[np.where(sown, action, -1)],
        "legionnaires": ones_in(own["legions_on"]).astype(np.int8),
        "demands_open": missing.astype(np.int8),
    }


def stage_of(batch: GameBatch) -> Array:
    """Return the quarter of every row, from 0."""
    return batch.states["quarter"].astype(np.int64).clip(max=STAGES - 1)


def stages(batch: GameBatch, stage_of: Array) -> Columns:
    """Return the numbers of unmet demands at the end of each quarter."""
    missed = batch.events[batch.is_kind("miss_demands")]
    unmet = np.zeros((len(batch.scores), STAGES, batch.players), np.int8)
    of_row = batch.of_row[missed["row"]]
    unmet[of_row, stage_of[missed["row"]], missed["player"]] = missed["count"]
    return {"unmet": unmet}


def seats(batch: GameBatch) -> Columns:
    """Return what each seat did in the game and what it has at the end, (N, P) each."""
    in_setup = np.isin(batch.states["decision"], SETUP)[batch.events["row"]]
    columns = batch.of_seats(IN_SETUP, in_setup, counted=False)
    columns |= batch.of_seats(TIMES, ~in_setup, counted=False)
    columns |= batch.of_seats(NUMBERS, ~in_setup, counted=True)
    final = batch.states["player"][batch.ends, : batch.players]
    return columns | {
        f"built_{kind}": ones_in(final["buildings"] >> np.uint32(4 * k) & np.uint32(15))
        for k, kind in enumerate(COMPONENTS.data["buildings"])
    }
