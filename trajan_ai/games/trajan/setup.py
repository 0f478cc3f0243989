"""Setups of Trajan: options, dealing, and the checked conversion of a record's setup."""

from collections.abc import Iterable, Sequence
from typing import Any

from trajan_ai.core.enums import named
from trajan_ai.core.game import Random
from trajan_ai.core.rules import Option, Options, Setup
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.kit.reader import Reader
from trajan_ai.games.kit.rule_options import Bits, choice, flag
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS
from trajan_ai.games.trajan.rules import blank, first_decision, state_bytes

NAME = "trajan"
# Maximum number of spaces in one lap of the time track. With this limit, 16 bits suffice to count
# the turns of a game, which has 16 laps, even if the time marker advances only a single space in
# every turn.
MAX_LAP = 4_000


OPTIONS: tuple[Option, ...] = (
    Option(
        "lap_length",
        f"an integer from 1 to {MAX_LAP}",
        lambda value, players: type(value) is int and 1 <= value <= MAX_LAP,
        lambda players: COMPONENTS.data["players"][players]["lap_length"],
        "the number of spaces of the time track; the start space counts once",
    ),
    choice(
        "markers",
        "chosen",
        "random",
        meaning="whether players place their 12 action markers themselves, or get them at random",
    ),
    choice(
        "tile_effects",
        "automatic",
        "optional",
        meaning="whether a player may decline the effect of a fulfilled Trajan tile",
    ),
    flag(
        "wild_demand_scores",
        "a wild demand tile counts for the bonus tiles that score symbols",
        default=True,
    ),
    flag(
        "score_slot_tiles",
        "each Trajan tile still on a slot scores 1 VP at the end",
        default=True,
    ),
    choice(
        "demand_payment",
        "automatic",
        "chosen",
        meaning="whether players choose the tiles that pay the demands of a quarter",
    ),
    choice(
        "final_tie",
        "stack",
        "track",
        meaning="what breaks a final tie: the senate ranking of quarter 4, or the track before it",
    ),
    choice(
        "province_votes",
        "stay",
        "leave",
        meaning="what happens to vote tiles on provinces at the end of a quarter",
    ),
)
_BITS = Bits(OPTIONS, named(rules, "OPTION_"))
option_bits = _BITS.of
options_of = _BITS.options


# Names of the components in each stack of a setup, one entry for every copy.
CONTENTS: dict[str, list[str]] = {
    "goods_deck": COMPONENTS.goods_deck(),
    "forum_supply": COMPONENTS.forum_supply(),
    "extra_supply": COMPONENTS.extra_supply(),
    "buildings": list(COMPONENTS.buildings),
    "demands": COMPONENTS.demand_tiles(),
    "bonus_tiles": list(COMPONENTS.bonus_tiles),
}
# The stacks that stay hidden, each with the state's fields for its contents and its size.
HIDDEN_STACKS = {
    "goods_deck": ("deck", "deck_size"),
    "forum_supply": ("supply", "supply_size"),
    "extra_supply": ("extra_supply", "extra_size"),
    "demands": ("demand_stack", "demand_size"),
    "bonus_tiles": ("bonus_bag", "bonus_size"),
}
MARKERS = [colour for colour in COMPONENTS.colours for _ in range(2)]

# Names, indexed by the engine's numbers; equal Trajan tiles share the lowest number.
NAMES: dict[str, tuple[str, ...]] = {
    "goods_deck": COMPONENTS.goods,
    "forum_supply": COMPONENTS.forum_tiles,
    "extra_supply": COMPONENTS.forum_tiles,
    "demands": COMPONENTS.symbols,
    "bonus_tiles": COMPONENTS.bonus_tiles,
    "trajan_stacks": COMPONENTS.tile_names(),
}


def deal(players: int, seed: int, options: Options) -> Setup:
    """Return a setup; each stack is shuffled with a separate seed, derived from `seed`."""

    def shuffled(part: str, items: Sequence[str]) -> list[str]:
        return Random(derive_seed(NAME, seed, part)).shuffled(items)

    setup: Setup = {key: shuffled(key, names) for key, names in CONTENTS.items()}
    setup["trajan_stacks"] = {
        stack: shuffled(f"stack {stack}", COMPONENTS.stack_names(stack))
        for stack in COMPONENTS.stacks
    }
    if options["markers"] == "random":
        setup["markers"] = [
            _in_trays(shuffled(f"markers {player}", MARKERS)) for player in range(players)
        ]
    return setup


def _in_trays(markers: list[str]) -> list[str]:
    """Return 12 markers in the order of the trays, sorted by colour within each tray."""
    order = COMPONENTS.colours.index
    return [
        colour
        for tray in range(0, len(markers), 2)
        for colour in sorted(markers[tray : tray + 2], key=order)
    ]


def read_setup(players: int, options: Options, setup: Any) -> Setup:
    """Return a record's setup with canonical names.

    Raises TrajanError with everything that contradicts docs/records.md or the component counts.
    """
    random = options["markers"] == "random"
    keys = [*CONTENTS, "trajan_stacks", *(["markers"] if random else [])]
    reader = Reader(setup, ("setup",))
    reader.keys((), dict.fromkeys(keys, "[..]") | {"trajan_stacks": "{points: [..], ..}"})
    result: Setup = {
        key: reader.shuffled(key, names) for key, names in CONTENTS.items() if key in reader.data
    }
    if "trajan_stacks" in reader.data:
        stacks = reader.part("trajan_stacks", (), dict.fromkeys(COMPONENTS.stacks, "[..]"))
        result["trajan_stacks"] = {
            stack: stacks.shuffled(stack, COMPONENTS.stack_names(stack))
            for stack in COMPONENTS.stacks
            if stack in stacks.data
        }
    if random and "markers" in reader.data:
        result["markers"] = _read_markers(reader, players)
    reader.stop_at_problems()
    return result


def _read_markers(reader: Reader, players: int) -> list[list[str]]:
    markers = reader.rows("markers", f"{players} lists of 12 colours", players, players)
    return [markers.shuffled(player, MARKERS) for player in markers.data]


def encode(players: int, options: Options, setup: Setup) -> bytes:
    """Return the state at the first decision; raise TrajanError, which lists all problems."""
    setup = read_setup(players, options, setup)
    s = blank()
    s["players"] = players
    s["lap_length"] = options["lap_length"]
    s["options"] = option_bits(options)
    for key, (field, size) in HIDDEN_STACKS.items():
        s[size] = put_stack(s[field], 0, key, setup[key])
    for i, stack in enumerate(COMPONENTS.stacks):
        tiles = setup["trajan_stacks"][stack]
        s["stack_size"][i] = put_stack(s["stacks"], i * rules.STACK_TILES, "trajan_stacks", tiles)
    s["sites"] = [COMPONENTS.buildings.index(name) + 1 for name in setup["buildings"]]
    for player, colours in enumerate(setup.get("markers", [])):
        pairs = zip(colours[::2], colours[1::2], strict=True)
        s["player"][player]["trays"] = [tray_of(pair) for pair in pairs]
    return first_decision(state_bytes(s))


def put_stack(field: list[int], first: int, key: str, names: Sequence[str]) -> int:
    """Store `names`, which begin with the top, in reverse order from index `first` on.

    Return the number of names.
    """
    numbers = [NAMES[key].index(name) + 1 for name in reversed(names)]
    field[first : first + len(numbers)] = numbers
    return len(numbers)


def tray_of(colours: Iterable[str]) -> int:
    """Return the bits of a tray with these markers, at most two of a colour."""
    tray = 0
    for colour in colours:
        bit = COMPONENTS.colours.index(colour)
        tray |= 1 << (bit + rules.SECOND_MARKER if tray >> bit & 1 else bit)
    return tray
