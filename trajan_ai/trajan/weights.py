"""The weights of the knowledge of Trajan: read from weights.yaml, in the engine's order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from trajan_ai.core.errors import TrajanError

FILE = Path(__file__).with_name("weights.yaml")

# In the order of the engine: W_... of knowledge.pxi, F_... of evaluation.pxi.
MOVES = """
    noise temperature card pair_card bonus_card wild_card draw take play senate vote recruit
    recruit_later march march_value deploy hire hire_later build build_vp build_set free_action
    trajan trajan_later tile_fit demand_needed demand_stock demand_spare demand_wild
    symbol_bonus wild_building extra extra_wild extra_plus2 extra_keep effect_cards
    effect_points effect_workers effect_legions effect_plus2 effect_demand complete spread
    drop_fit drop_target seaport_action forum_action military_action construction_action gold
""".split()  # noqa: SIM905
FEATURES = """
    one three_players four_players to_move cards pairs bonus_cards wild_goods shipment display
    workers workers_on legionnaires legions_on supply leader_out deploy sets kinds twos
    wild_buildings demand_tiles symbols kept_demands wild_demands loss spare votes space first
    second next_senate extras wild_actions double_extras plus2 ready one_short two_short
    ready_vp one_short_vp two_short_vp centre filled gold silver symbol_bonus figure_bonus
""".split()  # noqa: SIM905


def problems(groups: Any) -> list[str]:
    """Return what is missing, unknown or no number in the data of a weights file."""
    found = []
    for group, names in (("moves", MOVES), ("evaluation", FEATURES)):
        weights = groups.get(group) if isinstance(groups, dict) else None
        if not isinstance(weights, dict):
            found.append(f"{group}: must be a mapping of weights, got {weights!r}")
            continue
        found += [f"{group}: {name} is missing" for name in names if name not in weights]
        found += [f"{group}: unknown weight {name!r}" for name in weights if name not in names]
        size = 1 if group == "moves" else 2
        found += [
            f"{group}.{name}: must be {'a number' if size == 1 else 'two numbers'}, got {value!r}"
            for name, value in weights.items()
            if not _are_numbers([value] if size == 1 else value, size)
        ]
    return found


def _are_numbers(values: Any, size: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == size
        and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    )


def read_weights(path: Path = FILE) -> dict[str, float]:
    """Return the weights of a file by name, in the engine's order.

    A weight of ``moves`` is called such as ``moves.card``; a pair of ``evaluation`` gives two,
    such as ``evaluation.cards.now`` and ``evaluation.cards.left``. Raises TrajanError with every
    weight that is missing, unknown or no number.
    """
    groups = yaml.safe_load(path.read_text(encoding="utf-8"))
    found = problems(groups)
    if found:
        raise TrajanError(*(f"{path}: {problem}" for problem in found))
    moves = {f"moves.{name}": float(groups["moves"][name]) for name in MOVES}
    pairs = {
        f"evaluation.{name}.{part}": float(weight)
        for name in FEATURES
        for part, weight in zip(("now", "left"), groups["evaluation"][name], strict=True)
    }
    return moves | pairs


WEIGHTS = read_weights()
