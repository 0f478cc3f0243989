"""The columns of the data set for Trajan."""

import numpy as np

from trajan_ai.core.enums import names
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.games.trajan.game import GAME
from trajan_ai.lab.dataset.batches import Array, Columns, GameBatch
from trajan_ai.lab.dataset.state_layout import ones_in

ACTIONS = names(rules, "ACTION_")
SETUP = [rules.DECIDE_MARKER, rules.DECIDE_GOODS, rules.DECIDE_START]
STAGES = rules.QUARTERS
DEMANDS = GAME.vp_sources.index("demands")
# First words of the moves that are counted.
COUNTED = ("goods", "start", "tile", "forum", "march", "bonus", "ship", "senate", "hire",
           "recruit", "deploy", "draw", "take", "play")  # fmt: skip
WITH_NEXT = ("goods", "start", "tile", "forum", "march", "bonus", "ship")


def _group(action: str) -> str:
    """Return the column that counts an action, empty for none."""
    words = action.split()
    if words[0] not in COUNTED:
        return ""
    return "_".join(words[: 1 + (words[0] in WITH_NEXT)]).replace("-", "_")


GROUPS = list(dict.fromkeys(filter(None, map(_group, GAME.actions))))
GROUP_OF = np.array([GROUPS.index(g) if (g := _group(a)) else -1 for a in GAME.actions])


def turns(batch: GameBatch, rows: Array, seats: Array) -> Columns:
    """Return the columns of turns: the tray, the action it led to, the open demands."""
    states, own = batch.states[rows], batch.own(rows, seats)
    move = batch.moves[batch.first[rows]].astype(np.int64) - rules.MOVE_SOW
    sown = (move >= 0) & (move < rules.TRAYS)
    tray = np.where(sown, move, 0)
    size = np.where(sown, ones_in(own["trays"][np.arange(len(rows)), tray]), 0)
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


def stages(vp: Array) -> Columns:
    """Return the unmet demands at the end of a quarter, from the VP they cost."""
    unmet = np.searchsorted(COMPONENTS.data["demand_loss"], -vp[:, DEMANDS])
    return {"unmet": unmet.astype(np.int8)}


def seats(batch: GameBatch) -> Columns:
    """Return the moves and the possessions of each seat, (N, P) each."""
    counts = batch.counts(GROUP_OF, len(GROUPS))
    final = batch.states["player"][batch.ends, : batch.players]
    built = {
        f"built_{kind}": ones_in(final["buildings"] >> np.uint32(4 * k) & np.uint32(15))
        for k, kind in enumerate(COMPONENTS.data["buildings"])
    }
    return {name: counts[..., k] for k, name in enumerate(GROUPS)} | built
