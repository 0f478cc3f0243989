"""The columns of the data set for Trajan."""

from collections.abc import Sequence

import numpy as np

from trajan_ai.core.enums import names
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.games.trajan.notation import EVENTS
from trajan_ai.lab.dataset.batches import Array, Columns, GameBatch
from trajan_ai.lab.dataset.state_layout import ones_in

ACTIONS = names(rules, "ACTION_")
SETUP = [rules.DECIDE_MARKER, rules.DECIDE_GOODS, rules.DECIDE_START]
STAGES = rules.QUARTERS
THINGS = {kind.name: kind.things for kind in EVENTS}
STACK_OF = {tile.name: tile.stack for tile in COMPONENTS.tiles}
# Kinds of events with a column for each thing, and how its name begins.
BY_THING = {
    "take_forum_tile": "forum",
    "take_province_tile": "province",
    "march": "march",
    "win_gold": "bonus",
    "ship": "ship",
}
# Kinds of events with one column: how often they happened, or the sum of their counts.
TIMES = {"advance": "senate", "deploy": "deploy", "draw": "draw", "take_card": "take"}
COUNTS = {"get_workers": "workers", "get_legionnaires": "legionnaires", "lay_out": "displayed"}


def _group(prefix: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the numbers of things by column: by prefix and name."""
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        groups.setdefault(f"{prefix}_{name}".replace("-", "_"), []).append(number)
    return groups


def turns(batch: GameBatch, rows: Array, seats: Array) -> Columns:
    """Return the columns of turns: the tray, the action it led to, the open demands."""
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
    """Return the unmet demands at the end of a quarter."""
    missed = batch.events[batch.is_kind("miss_demands")]
    unmet = np.zeros((len(batch.scores), STAGES, batch.players), np.int8)
    of_row = batch.of_row[missed["row"]]
    unmet[of_row, stage_of[missed["row"]], missed["player"]] = missed["count"]
    return {"unmet": unmet}


def seats(batch: GameBatch) -> Columns:
    """Return what each seat did and what it has at the end, (N, P) each."""
    in_setup = np.isin(batch.states["decision"], SETUP)[batch.events["row"]]
    taken, drawn = batch.is_kind("take_tile"), batch.is_kind("draw")
    stacks = [STACK_OF[name] for name in THINGS["take_tile"]]
    columns = {"goods_deck": batch.of_seats(drawn & in_setup)}
    columns |= batch.by_thing(taken & in_setup, _group("start", stacks))
    columns |= batch.by_thing(taken & ~in_setup, _group("tile", stacks))
    columns |= batch.by_thing(batch.is_kind("fulfil"), _group("fulfil", stacks))
    for kind, prefix in BY_THING.items():
        things = [name.removeprefix("bonus-") for name in THINGS[kind]]
        columns |= batch.by_thing(batch.is_kind(kind) & ~in_setup, _group(prefix, things))
    columns |= {n: batch.of_seats(batch.is_kind(k) & ~in_setup) for k, n in TIMES.items()}
    columns |= {n: batch.of_seats(batch.is_kind(k), counted=True) for k, n in COUNTS.items()}
    final = batch.states["player"][batch.ends, : batch.players]
    return columns | {
        f"built_{kind}": ones_in(final["buildings"] >> np.uint32(4 * k) & np.uint32(15))
        for k, kind in enumerate(COMPONENTS.data["buildings"])
    }
