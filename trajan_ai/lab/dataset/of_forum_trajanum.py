"""Compute the columns that the data set has for Forum Trajanum."""

import numpy as np

from trajan_ai.core.enums import names
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.notation import BOARD_CELLS, CITIZEN_ROWS, RESOURCES
from trajan_ai.lab.dataset.batches import Array, Columns, GameBatch, Topic
from trajan_ai.lab.dataset.state_layout import ones_in

BUILDINGS, TRACKS = names(rules, "BUILDING_"), names(rules, "BUILDING_")[1:4]
CITIZENS, STEPS = names(rules, "ROW_"), names(rules, "STAGE_")
STAGES = rules.PHASES
CELLS = len(BOARD_CELLS)
# Columns that count the events of a seat, by kind of event and thing.
TIMES: dict[Topic, str] = {
    ("skip_card", None): "skip",
    ("pay_wage", None): "wage",
    ("miss_wage", None): "no_wage",
    ("upgrade", None): "upgrade",
    ("take_tile", None): "take",
} | {("seat", row): f"seat_{number + 1}" for number, row in enumerate(CITIZEN_ROWS)}
# Columns that add up the counts of a seat's events, by kind of event and thing.
NUMBERS: dict[Topic, str] = {
    (kind, resource): f"{verb}_{resource}"
    for kind, verb in (("gain", "gained"), ("spend", "spent"))
    for resource in RESOURCES
}


def turns(batch: GameBatch, rows: Array, seats: Array) -> Columns:
    """Return the columns of turns: when a turn was played, and what changed for its player."""
    states, own, then = batch.states[rows], batch.own(rows, seats), batch.own(rows + 1, seats)
    building = batch.is_kind("build")
    first = batch.in_rows(building, rows, seats)
    built = np.where(first >= 0, batch.events["thing"][first] // CELLS, -1)
    cranes = ones_in(then["crane_used"]) - ones_in(own["crane_used"])

    def count(kind: str) -> Array:
        return batch.count_in_rows(batch.is_kind(kind), rows, seats)

    return {
        "phase": (stage_of(batch)[rows] + 1).astype(np.int8),
        "round": (states["round"] + 1).clip(max=rules.ROUNDS).astype(np.int8),
        "step": np.array(STEPS, object)[states["stage"]],
        "building": np.array([*BUILDINGS, None], object)[built],
        "buildings": count("build"),
        "envoys": count("send_envoy"),
        "cranes": cranes.reshape(len(rows), -1).sum(axis=1, dtype=np.int8),
        "citizens": count("seat"),
    }


def stage_of(batch: GameBatch) -> Array:
    """Return the phase of every row, from 0."""
    return (batch.states["round"].astype(np.int64) // rules.PHASE_ROUNDS).clip(max=STAGES - 1)


def stages(batch: GameBatch, stage_of: Array) -> Columns:
    """Return no columns, because phases have only the columns that every game has."""
    return {}


def seats(batch: GameBatch) -> Columns:
    """Return what each seat did in the game and what it has at the end, (N, P) each."""
    final = batch.states["player"][batch.ends, : batch.players]
    everything = np.ones(len(batch.events), bool)
    columns = batch.of_seats(TIMES, everything, counted=False)
    columns |= batch.of_seats(NUMBERS, everything, counted=True)
    columns |= {
        f"built_{name}": ones_in(final["built"][..., k]) for k, name in enumerate(BUILDINGS)
    }
    # the first citizen of a seat is placed in the setup
    events = np.flatnonzero(batch.is_kind("seat"))
    cell = batch.of_row[batch.events["row"][events]] * batch.players
    cells, first = np.unique(cell + batch.events["player"][events], return_index=True)
    start = np.zeros(batch.scores.size, np.int16)
    start[cells] = batch.events["thing"][events[first]] + 1
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
