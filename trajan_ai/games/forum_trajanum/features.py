"""Names of the features that features.pxi writes, in the same order."""

from trajan_ai.core.enums import names
from trajan_ai.core.rules import Feature
from trajan_ai.games.forum_trajanum import notation, rules
from trajan_ai.games.kit.features import each


def _tile(name: str, highest: int = 1) -> list[Feature]:
    return [
        Feature(f"{name}.there", highest),
        *each(name, notation.CITIZENS, highest),
        *each(name, notation.ICONS, 4 * highest),
    ]


def _player(name: str) -> list[Feature]:
    cells = notation.BOARD_CELLS
    streets = (
        *(f"row{row}" for row in range(1, rules.ROWS + 1)),
        *(f"column{c}" for c in "ABCDEF"),
    )
    return [
        Feature(f"{name}.score", 255),
        *each(name, notation.RESOURCES, 40),
        *each(f"{name}.citizens", notation.CITIZEN_ROWS, 6),
        *each(f"{name}.active", notation.CITIZEN_ROWS, 1),
        *each(f"{name}.step", notation.TRACKS, 4),
        Feature(f"{name}.slider", 12),
        Feature(f"{name}.flipped", 1),
        Feature(f"{name}.ship", 24),
        *(f for at in notation.CORNERS for f in each(f"{name}.crane.{at}", notation.COLOURS, 1)),
        *each(f"{name}.crane_open", notation.CORNERS, 1),
        *each(f"{name}.crane_used", notation.CORNERS, 1),
        *each(f"{name}.tile", cells, 1),
        *(f for at in notation.CORNERS for f in _tile(f"{name}.face_up.{at}")),
        *(f for kind in notation.BUILDINGS for f in each(f"{name}.{kind}", cells, 1)),
        *_tile(f"{name}.reserve", 12),
        *(
            f
            for what in ("kept", "passed", "open_1", "open_2", "picked")
            for f in _tile(f"{name}.{what}")
        ),
        *(f for card in notation.CARDS for f in each(f"{name}.street.{card}", streets, 1)),
        *each(f"{name}.envoy", notation.MOSAIC_CELLS, 1),
    ]


def _decision(seats: list[str]) -> list[Feature]:
    return [
        *each("stage", names(rules, "STAGE_"), 1),
        *each("to_decide", seats, 1),
        *each("first", seats, 1),
        *each("decision", names(rules, "DECIDE_"), 1),
        Feature("argument", 255),
        *each("open_card", notation.CARDS, 1),
        *(f for card in notation.CARDS for f in _tile(f"taken.{card}")),
        *each("hand", notation.SOURCES, 1),
        Feature("swapped", 40),
        Feature("trained", 40),
        Feature("promoted", 40),
        Feature("tasks_waiting", 42),
    ]


def _board() -> list[Feature]:
    n = notation
    patterns = names(rules, "PATTERN_")[: rules.PATTERN_NONE]
    demands = names(rules, "DEMAND_")
    phases = range(1, rules.PHASES + 1)
    return [
        *each("round", range(1, rules.ROUNDS + 1), 1),
        *(f for phase in phases for f in each(f"build.{phase}", patterns, 1)),
        *(f for phase in phases for f in each(f"collect.{phase}", demands, 12)),
        *each("singles", n.COLOURS, 255),
        *each("doubles", n.COLOURS, 255),
        *(f for what in (*n.COLOURS, "eagle", "touched") for f in each(what, n.MOSAIC_CELLS, 1)),
    ]


def list_features(players: int) -> tuple[Feature, ...]:
    """Return the features for a given number of players, in order; see `HasFeatures`."""
    seats = ["own", "next", "third", "fourth"][:players]
    return (*(f for seat in seats for f in _player(seat)), *_decision(seats), *_board())
