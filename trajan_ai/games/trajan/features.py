"""Names of the features that features.pxi writes, in the same order."""

from trajan_ai.core.enums import names
from trajan_ai.core.rules import Feature
from trajan_ai.games.kit.features import each
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS


def _tile(name: str) -> list[Feature]:
    return [
        Feature(f"{name}.there", 1),
        *(Feature(f"{name}.needs.{colour}", 2) for colour in COMPONENTS.colours),
        Feature(f"{name}.vp", 9),
        *(
            Feature(f"{name}.{effect}", 2)
            for effect in ("cards", "points", "workers", "legions", "plus2")
        ),
        *(Feature(f"{name}.{symbol}", 1) for symbol in COMPONENTS.symbols),
    ]


def _player(name: str) -> list[Feature]:
    c = COMPONENTS
    return [
        Feature(f"{name}.score", 255),
        *(f for tray in c.trays for f in each(f"{name}.tray.{tray}", c.colours, 2)),
        *each(f"{name}.tray_size", c.trays, 12),
        *(f for tray in c.trays for f in _tile(f"{name}.slot.{tray}")),
        *each(f"{name}.arch", (*c.trays, "centre"), 1),
        *each(f"{name}.plus2", c.actions, 1),
        *each(f"{name}.hand", c.goods, 5),
        Feature(f"{name}.hand_size", 60),
        *each(f"{name}.display", c.goods, 5),
        *each(f"{name}.forum_tiles", c.forum_tiles, 14),
        *each(f"{name}.demand_tiles", c.symbols, 5),
        Feature(f"{name}.supply", 15),
        Feature(f"{name}.military_camp", 15),
        Feature(f"{name}.worker_camp", 15),
        *each(f"{name}.leader", ("camp", *c.provinces), 1),
        *each(f"{name}.legionnaires", c.provinces, 1),
        *each(f"{name}.workers", c.sites, 1),
        *each(f"{name}.buildings", c.buildings, 1),
        *each(f"{name}.gold_bonus", c.bonus_tiles, 1),
        *each(f"{name}.silver_bonus", c.bonus_tiles, 1),
        *each(f"{name}.senate", (0, *range(2, rules.LAST_SPACE + 2)), 1),
    ]


def _decision(seats: list[str]) -> list[Feature]:
    c = COMPONENTS
    return [
        *each("decision", names(rules, "DECIDE_")[: rules.DECIDE_OVER], 1),
        *each("to_decide", seats, 1),
        *each("turn_of", seats, 1),
        *each("markers_in_hand", c.colours, 2),
        *each("next_tray", c.trays, 1),
        *each("action", c.actions, 1),
        *_tile("effect"),
        *each("free_action", c.actions, 1),
        Feature("in_free_action", 1),
        *each("repeating", ("action", "free_action"), 1),
        Feature("repeats_left", 3),
        Feature("extra_spent", 1),
        Feature("step", 60),
        *each("after", c.goods, 1),
        *each("after", c.colours, 1),
        *each("used", c.stacks, 1),
    ]


def _board(seats: list[str]) -> list[Feature]:
    c = COMPONENTS
    return [
        *each("quarter", range(1, rules.QUARTERS + 1), 1),
        *each("round", range(1, rules.ROUNDS + 1), 1),
        Feature("time_left", 255),
        Feature("rounds_due", 4),
        *each("coloured_ships", names(rules, "SHIP_"), 1),
        *each("forum", c.forum_tiles, 14),
        *(f for place in c.provinces for f in each(f"province.{place}", c.forum_tiles, 1)),
        *(
            f
            for site in c.sites
            for f in (
                *each(f"site.{site}", c.data["buildings"], 1),
                Feature(f"site.{site}.vp", 5),
            )
        ),
        *each("demands", c.symbols, 5),
        *each("bonus_offer", c.bonus_tiles, 1),
        *(f for stack in c.stacks for f in _tile(f"top.{stack}")),
        *each("stack_size", c.stacks, 9),
        *(
            f
            for side in ("left", "right")
            for f in (*each(f"pile.{side}", c.goods, 1), Feature(f"pile.{side}.size", 60))
        ),
        Feature("deck_size", 60),
        *each("unseen", c.goods, 5),
        *(f for place in range(1, len(seats) + 1) for f in each(f"disc.{place}", seats, 1)),
        *each("forum_supply", c.forum_tiles, 14),
        *each("extra_supply", c.extra_tiles, 2),
        *each("demand_supply", c.symbols, 5),
        *each("bonus_supply", c.bonus_tiles, 1),
    ]


def list_features(players: int) -> tuple[Feature, ...]:
    """Return the features for a given number of players, in order; see `HasFeatures`."""
    seats = ["own", "next", "third", "fourth"][:players]
    return (*(f for seat in seats for f in _player(seat)), *_decision(seats), *_board(seats))
