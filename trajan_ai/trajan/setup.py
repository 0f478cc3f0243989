"""Setups of Trajan: options, dealing, and the checked way from a record's setup to a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.core.rules import Option, Options, Setup, count_problems, is_flag
from trajan_ai.core.seeds import derive_seed
from trajan_ai.trajan.components import COMPONENTS
from trajan_ai.trajan.engine import initial_state

NAME = "trajan"
MOST_LAP = 4_000  # spaces: 16 laps of single steps are turns that 16 bits can count
OPTION_BITS = {"tile_effects": 1, "wild_demand_scores": 2, "score_slot_tiles": 4}


def _one_of(*values: str) -> Callable[[Any, int], bool]:
    return lambda value, players: isinstance(value, str) and value in values


OPTIONS: tuple[Option, ...] = (
    Option(
        "lap_length",
        f"an integer from 1 to {MOST_LAP}",
        lambda value, players: type(value) is int and 1 <= value <= MOST_LAP,
        lambda players: COMPONENTS.data["players"][players]["lap_length"],
    ),
    Option("markers", "chosen or random", _one_of("chosen", "random"), lambda players: "chosen"),
    Option(
        "tile_effects",
        "automatic or optional",
        _one_of("automatic", "optional"),
        lambda players: "automatic",
    ),
    Option("wild_demand_scores", "true or false", is_flag, lambda players: True),
    Option("score_slot_tiles", "true or false", is_flag, lambda players: True),
)


def option_bits(options: Options) -> int:
    """Return the options of scoring and effects as the engine's bits."""
    return sum(bit for name, bit in OPTION_BITS.items() if options[name] in (True, "optional"))


# Names of each hidden stack of a setup, every component as often as there is one.
CONTENTS: dict[str, list[str]] = {
    "goods_deck": COMPONENTS.goods_deck(),
    "forum_supply": COMPONENTS.forum_supply(),
    "extra_supply": COMPONENTS.extra_supply(),
    "buildings": list(COMPONENTS.buildings),
    "demands": COMPONENTS.demand_tiles(),
    "bonus_tiles": list(COMPONENTS.bonus_tiles),
}
MARKERS = [colour for colour in COMPONENTS.colours for _ in range(2)]

# Numbers of the engine; equal Trajan tiles share the lowest.
NUMBERS: dict[str, dict[str, int]] = {
    key: {name: i for i, name in reversed(list(enumerate(names)))}
    for key, names in {
        "goods_deck": COMPONENTS.goods,
        "forum_supply": COMPONENTS.forum_tiles,
        "extra_supply": COMPONENTS.forum_tiles,
        "buildings": COMPONENTS.buildings,
        "demands": COMPONENTS.symbols,
        "bonus_tiles": COMPONENTS.bonus_tiles,
        "trajan_stacks": COMPONENTS.tile_names(),
        "markers": COMPONENTS.colours,
    }.items()
}


def deal(players: int, seed: int, options: Options) -> Setup:
    """Draw a setup; each stack has its own seed derived from `seed`."""

    def shuffled(part: str, items: Sequence[str]) -> list[str]:
        return Random(derive_seed(NAME, seed, part)).shuffled(items)

    setup: Setup = {key: shuffled(key, names) for key, names in CONTENTS.items()}
    setup["trajan_stacks"] = {
        stack: shuffled(stack, COMPONENTS.stack_names(stack)) for stack in COMPONENTS.stacks
    }
    if options["markers"] == "random":
        setup["markers"] = [
            _in_trays(shuffled(f"markers {player}", MARKERS)) for player in range(players)
        ]
    return setup


def _in_trays(markers: list[str]) -> list[str]:
    """Return 12 markers with the colours of each tray in order."""
    order = COMPONENTS.colours.index
    return [
        colour
        for tray in range(0, len(markers), 2)
        for colour in sorted(markers[tray : tray + 2], key=order)
    ]


def _list_problems(place: str, expected: Sequence[str], found: Any) -> list[str]:
    if not isinstance(found, list):
        return [f"{place}: must be a list of {len(expected)} names, got {found!r}"]
    wrong = [
        f"{place}[{i}]: must be a name, got {name!r}"
        for i, name in enumerate(found)
        if not isinstance(name, str)
    ]
    return wrong or count_problems(place, expected, found)


def _key_problems(place: str, expected: Sequence[str], found: Any) -> list[str]:
    if not isinstance(found, dict):
        return [f"{place}: must be an object with {', '.join(expected)}, got {found!r}"]
    missing = [f"{place}: {key} is missing" for key in expected if key not in found]
    return missing + [
        f"{place}: unknown key {key!r}; keys are {', '.join(expected)}"
        for key in found
        if key not in expected
    ]


def setup_problems(players: int, options: Options, setup: Any) -> list[str]:
    """Return every contradiction of a setup with records.md and the component counts."""
    random = options["markers"] == "random"
    keys = [*CONTENTS, "trajan_stacks", *(["markers"] if random else [])]
    found = _key_problems("setup", keys, setup)
    if not isinstance(setup, dict):
        return found
    for key, names in CONTENTS.items():
        if key in setup:
            found += _list_problems(f"setup.{key}", names, setup[key])
    if "trajan_stacks" in setup:
        stacks = setup["trajan_stacks"]
        found += _key_problems("setup.trajan_stacks", COMPONENTS.stacks, stacks)
        if isinstance(stacks, dict):
            for stack in COMPONENTS.stacks:
                if stack in stacks:
                    place = f"setup.trajan_stacks.{stack}"
                    found += _list_problems(place, COMPONENTS.stack_names(stack), stacks[stack])
    if random and "markers" in setup:
        found += _marker_problems(players, setup["markers"])
    return found


def _marker_problems(players: int, markers: Any) -> list[str]:
    if not isinstance(markers, list) or len(markers) != players:
        return [f"setup.markers: must be a list of {players} lists of 12 colours"]
    return [
        problem
        for player, colours in enumerate(markers)
        for problem in _list_problems(f"setup.markers[{player}]", MARKERS, colours)
    ]


def encode(players: int, options: Options, setup: Setup) -> bytes:
    """Return the state at the first decision; raise TrajanError with every problem."""
    found = setup_problems(players, options, setup)
    if found:
        raise TrajanError(*(f"{NAME}: {problem}" for problem in found))

    def numbers(key: str, names: list[str]) -> list[int]:
        return [NUMBERS[key][name] for name in names]

    stacks: dict[str, Any] = {key: numbers(key, setup[key]) for key in CONTENTS}
    stacks["trajan_stacks"] = [
        numbers("trajan_stacks", setup["trajan_stacks"][stack]) for stack in COMPONENTS.stacks
    ]
    markers = (
        [numbers("markers", colours) for colours in setup["markers"]]
        if options["markers"] == "random"
        else None
    )
    return initial_state(players, options["lap_length"], option_bits(options), stacks, markers)
