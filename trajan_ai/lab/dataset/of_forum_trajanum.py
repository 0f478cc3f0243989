"""The columns of the data set for Forum Trajanum."""

import numpy as np

from trajan_ai.core.enums import names
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.game import GAME
from trajan_ai.lab.dataset.batches import Array, Columns, GameBatch
from trajan_ai.lab.dataset.state_layout import ones_in

BUILDINGS, TRACKS = names(rules, "BUILDING_"), names(rules, "BUILDING_")[1:4]
CITIZENS, STEPS = names(rules, "ROW_"), names(rules, "STAGE_")
STAGES = rules.PHASES
# First words of the moves that are counted.
COUNTED = ("skip", "wage", "train", "promote", "step", "cypress", "seat")


def _group(action: str) -> str:
    """Return the column that counts an action, empty for none."""
    words = action.split()
    if words[0] == "seat":
        return f"seat_{words[1]}"
    if words[0] == "take":
        return "take_tribune" if words[-1] == "tribune" else "take"
    return words[0] if words[0] in COUNTED else ""


GROUPS = list(dict.fromkeys(filter(None, map(_group, GAME.actions))))
GROUP_OF = np.array([GROUPS.index(g) if (g := _group(a)) else -1 for a in GAME.actions])
START_ROWS = [GAME.actions.index(f"seat {number + 1}") for number in range(len(CITIZENS))]


def turns(batch: GameBatch, rows: Array, seats: Array) -> Columns:
    """Return the columns of turns: when they were, and what changed for the player."""
    states, own, then = batch.states[rows], batch.own(rows, seats), batch.own(rows + 1, seats)
    more = ones_in(then["built"]) - ones_in(own["built"])
    built = np.where(more.any(axis=1), more.argmax(axis=1), -1)

    def gained(field: str) -> Array:
        change = ones_in(then[field]) - ones_in(own[field])
        total: Array = change.reshape(len(rows), -1).sum(axis=1, dtype=np.int8)
        return total

    return {
        "phase": (stage_of(batch)[rows] + 1).astype(np.int8),
        "round": (states["round"] + 1).clip(max=rules.ROUNDS).astype(np.int8),
        "step": np.array(STEPS, object)[states["stage"]],
        "building": np.array([*BUILDINGS, None], object)[built],
        "buildings": more.sum(axis=1).astype(np.int8),
        "envoys": gained("envoys"),
        "cranes": gained("crane_used"),
        "citizens": (then["citizens"].astype(np.int8) - own["citizens"]).sum(
            axis=1, dtype=np.int8
        ),
    }


def stage_of(batch: GameBatch) -> Array:
    """Return the phase of every row, from 0."""
    return (batch.states["round"].astype(np.int64) // rules.PHASE_ROUNDS).clip(max=STAGES - 1)


def stages(vp: Array) -> Columns:
    """Return the columns of phases: none."""
    return {}


def seats(batch: GameBatch) -> Columns:
    """Return the moves and the possessions of each seat, (N, P) each."""
    counts = batch.counts(GROUP_OF, len(GROUPS))
    final = batch.states["player"][batch.ends, : batch.players]
    columns = {name: counts[..., k] for k, name in enumerate(GROUPS)}
    columns |= {
        f"built_{name}": ones_in(final["built"][..., k]) for k, name in enumerate(BUILDINGS)
    }
    # the first citizen of a seat is placed in the setup
    seated = np.flatnonzero(np.isin(batch.moves, START_ROWS))
    cell = batch.of_move[seated] * batch.players + batch.movers[seated]
    cells, first = np.unique(cell, return_index=True)
    start = np.zeros(batch.scores.size, np.int16)
    start[cells] = batch.moves[seated[first]] - START_ROWS[0] + 1
    columns |= {"start_row": start.reshape(batch.scores.shape)}
    columns |= {name: final["citizens"][..., k] for k, name in enumerate(CITIZENS)}
    columns |= {f"track_{name}": final["marker"][..., k] for k, name in enumerate(TRACKS)}
    return columns | {
        "doubles": ones_in(final["across"]) + ones_in(final["down"]),
        "envoys": ones_in(final["envoys"]).sum(axis=-1, dtype=np.int16),
        "ship_envoys": final["ship"],
        "cranes": ones_in(final["crane_used"]),
        "slider": final["slider"],
    }
