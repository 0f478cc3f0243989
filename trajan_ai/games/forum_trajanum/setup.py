"""Setups of Forum Trajanum: dealing, checking, and encoding them as states."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from trajan_ai.core.enums import named
from trajan_ai.core.errors import Problem, quoted
from trajan_ai.core.game import Random
from trajan_ai.core.names import Names
from trajan_ai.core.rules import Option, Options, Setup
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.components import (
    DEFAULT,
    DEFAULT_PRESTIGE,
    LETTERS,
    Components,
    Prestige,
    choose,
    is_file,
    load,
)
from trajan_ai.games.forum_trajanum.notation import (
    CITIZENS,
    CLASSES,
    COLOURS,
    CORNERS,
    TILE_NAMES_IN_ORDER,
    bit_of_place,
)
from trajan_ai.games.forum_trajanum.rules import first_decision
from trajan_ai.games.kit.reader import Reader
from trajan_ai.games.kit.rule_options import Bits, choice, flag

NAME = "forum_trajanum"


def _are_players(value: Any, players: int) -> bool:
    return (
        isinstance(value, (list, tuple))
        and all(type(one) is int and 0 <= one < players for one in value)
        and len(set(value)) == len(value)
    )


OPTIONS = (
    flag("introductory", "one Trajan card, for phase III, instead of three"),
    Option(
        "novices",
        "a list of different players",
        _are_players,
        lambda players: [],
        "players who start with one more coin and a second citizen",
    ),
    flag("limited_tiles", "each colour has only 14 single and 12 double building tiles"),
    choice(
        "prestige",
        DEFAULT_PRESTIGE,
        "P1",
        "P3",
        meaning="the reconstruction of the prestige track, which scores groups of envoys",
    ),
    flag(
        "recolour_in_swap",
        "an assistant may recolour one of the two workers that are paid in place of a builder",
    ),
    flag(
        "eagle_once",
        "an envoy scores at most once for orthogonal and once for diagonal eagles",
    ),
    choice(
        "task_match",
        "cells",
        "tiles",
        meaning="what two copies of a building task may not share",
    ),
    choice(
        "worker_swap",
        "free",
        "payment",
        meaning="whether two workers can become a builder at any time in the building action, or "
        "only as payment",
    ),
    choice(
        "reactivation",
        "row",
        "class",
        meaning="what a coin activates: a row of citizens, or both rows of a class",
    ),
    choice(
        "phase_handover",
        "once",
        "twice",
        meaning="how many times the first player's figure is passed on at the end of a phase",
    ),
    choice(
        "step_one",
        "hidden",
        "open",
        meaning="whether others see the tiles that a player takes before all have passed",
    ),
)


# Options of `deal`; a setup contains their result.
DEAL_OPTIONS = (
    Option(
        "components",
        "the name of a component set",
        lambda value, _: isinstance(value, str),
        lambda _: DEFAULT,
        "the tiles, cards and boards, which replace what the rulebook does not print",
        is_file,
    ),
    choice("boards", "A", "B", meaning="side A for everybody, or different boards of side B"),
    choice(
        "mosaic",
        "upright",
        "turned",
        meaning="whether each mosaic board is turned upside down at random",
    ),
)


_BITS = Bits(OPTIONS, named(rules, "OPTION_"))
option_bits = _BITS.of
options_of = _BITS.options

NEEDED = {  # keys of a setup, each with an example
    "components": "recon-1",
    "boards": "[A, A]",
    "mosaic": "[[1, a, 0], ..]",
    "street_decks": "[[..], ..]",
    "trajan_cards": "[25, 29, 33]",
    "start_citizens": "[merchant, ..]",
    "tiles": "[[..], ..]",
    "start_workers": "[red, ..]",
}
BOARDS = ("A", "B1", "B2", "B3", "B4")
TILES = 31
DECKS, DECK = rules.PHASES, 8
PLAIN_TILES = 28
START_RESOURCES = sum(
    1 << (8 * resource)
    for resource in (
        rules.RESOURCE_BUILDER,
        rules.RESOURCE_ASSISTANT,
        rules.RESOURCE_COIN,
        rules.RESOURCE_TRIBUNE,
    )
)


def shuffled_tiles(components: Components) -> list[str]:
    """Return the 31 tiles of a colour that are shuffled: all but the female citizens."""
    return [tile for tile in components.tiles if not tile.endswith("-f")]


def deal(players: int, seed: int, options: Options) -> Setup:
    """Return a setup, each part of it dealt with a separate seed.

    `options` are those of the rules and of the deal.
    """
    components = choose(options["components"])

    def random(part: str) -> Random:
        return Random(derive_seed("forum_trajanum", seed, part))

    sides = random("sides")
    boards = random("mosaic").shuffled(range(1, 6))[: len(components.slots[players])]
    cards = random("street cards").shuffled(components.street_cards)
    trajan = random("trajan cards")
    phases = (2,) if options["introductory"] else (0, 1, 2)
    by_phase = [[n for n, card in components.cards.items() if card.phase == p] for p in phases]
    citizens = random("start citizens")
    tiles = random("tiles")
    colonias = (
        random("boards").shuffled(BOARDS[1:]) if options["boards"] == "B" else ["A"] * players
    )
    turns = random("turns") if options["mosaic"] == "turned" else None
    return {
        "components": components.name,
        "boards": colonias[:players],
        "mosaic": [
            [board, "ab"[sides.below(2)], 2 * turns.below(2) if turns else 0] for board in boards
        ],
        "street_decks": [cards[DECK * deck : DECK * (deck + 1)] for deck in range(DECKS)],
        "trajan_cards": [trajan.shuffled(numbers)[0] for numbers in by_phase],
        "start_citizens": [CLASSES[citizens.below(3)] for _ in range(players)],
        "tiles": [tiles.shuffled(shuffled_tiles(components)) for _ in range(players)],
        "start_workers": random("start workers").shuffled(COLOURS)[:players],
    }


def _find_names(value: Any, names: Names) -> Any:
    """Return a value, or a list of values, with canonical names; other values stay as they are."""
    if isinstance(value, list):
        return [_find_names(one, names) for one in value]
    return (names.find(value) or value) if isinstance(value, str) else value


def with_names(components: Components, setup: Mapping[str, Any]) -> Setup:
    """Return a setup, or a view that contains parts of a setup, with canonical names.

    Unknown names stay, and the checks report them.
    """
    allowed = {
        "boards": BOARDS,
        "mosaic": ("a", "b"),
        "street_decks": components.symbols,
        "start_citizens": CLASSES,
        "start_workers": COLOURS,
        "tiles": components.tiles,
    }
    canonical = {
        key: _find_names(setup[key], Names(names))
        for key, names in allowed.items()
        if key in setup
    }
    return {**setup, **canonical}


def _check_mosaic(setup: Reader, boards: int) -> None:
    listed = setup.listed("mosaic", f"{boards} mosaic boards", boards, boards)
    for i, one in enumerate(listed):
        if (
            not isinstance(one, list)
            or len(one) != 3
            or one[0] not in range(1, 6)
            or one[1] not in ("a", "b")
            or one[2] not in (0, 2)
        ):
            right = "must be [board 1 to 5, 'a' or 'b', 0 or 2 turns]"
            setup.complain(("mosaic", i), f"{right}, got {quoted(one)}")
    boards_used = [str(one[0]) for one in listed if isinstance(one, list) and one]
    if len(set(boards_used)) != len(boards_used):
        setup.complain("mosaic", f"a board is used twice: {', '.join(boards_used)}")


def _check_decks(setup: Reader, components: Components) -> None:
    before = len(setup.problems)
    decks = setup.rows("street_decks", f"{DECKS} decks", DECKS, DECKS)
    cards = [card for i in decks.data for card in decks.listed(i, f"{DECK} symbols", DECK, DECK)]
    if len(setup.problems) == before:
        setup.check_counts("street_decks", components.street_cards, map(str, cards))


def _check_trajan_cards(setup: Reader, components: Components, options: Options) -> None:
    phases = (2,) if options["introductory"] else (0, 1, 2)
    right = f"{len(phases)} card ids"
    for i, number in enumerate(setup.listed("trajan_cards", right, len(phases), len(phases))):
        allowed = [n for n, card in components.cards.items() if card.phase == phases[i]]
        if number not in allowed:
            words = ", ".join(map(str, allowed))
            text = f"must be one of {words}, got {quoted(number)}"
            setup.complain(("trajan_cards", i), text)


def _names(setup: Reader, key: str, players: int, names: Sequence[str], what: str) -> list[str]:
    numbers = setup.names(key, names, f"{players} {what}", players, players)
    return [names[number] for number in numbers]


def _check_boards(setup: Reader, players: int) -> None:
    boards = _names(setup, "boards", players, BOARDS, "boards")
    if "A" in boards and any(board != "A" for board in boards):
        setup.complain(
            "boards", "must be A for every player, or a different board from B1 to B4 for each"
        )
    if "A" not in boards and len(set(boards)) != len(boards):
        setup.complain("boards", f"a board is used twice: {', '.join(boards)}")


def _check_players(setup: Reader, components: Components, players: int) -> None:
    _names(setup, "start_citizens", players, CLASSES, "classes")
    workers = _names(setup, "start_workers", players, COLOURS, "colours")
    if len(set(workers)) != len(workers):
        setup.complain("start_workers", f"colours must differ, got {', '.join(workers)}")
    dealt = setup.rows("tiles", f"{players} lists of tiles", players, players)
    for player in dealt.data:
        tiles = dealt.listed(player, f"{TILES} tile names", TILES, TILES)
        if tiles:
            dealt.check_counts(player, shuffled_tiles(components), map(str, tiles))


def check_public(setup: Reader, components: Components, players: int, options: Options) -> None:
    """Check the components that are open from the start: boards, mosaic, Trajan cards.

    `setup` reads the setup of a record or a view, with canonical names (`with_names`).
    """
    if options["prestige"] not in components.prestige:
        tracks = ", ".join(components.prestige)
        text = f"{components.name} has only {tracks}, got {quoted(options['prestige'])}"
        setup.problems.append(Problem(text, ("options", "prestige")))
    _check_mosaic(setup, len(components.slots[players]))
    _check_trajan_cards(setup, components, options)
    _check_boards(setup, players)


def read_setup(players: int, options: Options, setup: Any) -> tuple[Components, Setup]:
    """Return the component set of a setup, and the setup with canonical names.

    Raises TrajanError, which lists all problems.
    """
    reader = Reader(setup, ("setup",))
    reader.keys((), NEEDED)
    name = reader.get("components")
    if name is not None and not isinstance(name, str):
        reader.complain("components", "must be the name of a component set")
    reader.stop_at_problems()
    components = load(str(name))
    reader.data = with_names(components, reader.data)
    check_public(reader, components, players, options)
    _check_decks(reader, components)
    _check_players(reader, components, players)
    reader.stop_at_problems()
    return components, dict(reader.data)


def mask_of(cells: Sequence[int]) -> int:
    """Return the mask of Colonia cells, each of which is given as row * 6 + column."""
    return sum(1 << bit_of_place(cell) for cell in cells)


def words(mask: int) -> list[int]:
    """Return the two 64-bit words of a mosaic mask."""
    return [mask & (1 << 64) - 1, mask >> 64]


def tile_kinds(components: Components) -> tuple[str, ...]:
    """Return the tile names in the order of their numbers: none, citizens, then other tiles."""
    return _tile_kinds(components.tiles)


@lru_cache(maxsize=8)  # one entry per component set
def _tile_kinds(tiles: tuple[str, ...]) -> tuple[str, ...]:
    rest = sorted({*tiles} - {*CITIZENS}, key=TILE_NAMES_IN_ORDER.index)
    return ("", *CITIZENS, *rest)


def mosaic_masks(components: Components, players: int, mosaic: Sequence[Any]) -> dict[str, int]:
    """Return a mask of each colour's cells and one of the eagles, given how the boards lie."""
    masks = dict.fromkeys(LETTERS.values(), 0)
    for (row, column), (board, side, turns) in zip(components.slots[players], mosaic, strict=True):
        for i, line in enumerate(components.face(board, side, turns)):
            for j, letter in enumerate(line):
                masks[LETTERS[letter]] |= 1 << ((row + i) * rules.MOSAIC_STRIDE + column + j)
    return masks


def _padded(numbers: Sequence[int], size: int) -> list[int]:
    return [*numbers, *[0] * (size - len(numbers))]


def prestige_fields(track: Prestige) -> dict[str, Any]:
    """Return the fields of a state that a prestige track determines."""
    nexts = [min((c for c in track.cypress if c > u), default=u) for u in range(track.steps + 1)]
    return {
        "prestige": _padded(track.vp, rules.PRESTIGE_COLUMNS),
        "label": [*track.columns[0], *track.columns[1]],
        "bust": [value for bust in track.bust for value in _padded(bust, rules.MAX_STEPS + 1)],
        "cypress": _padded(nexts, rules.MAX_STEPS + 1),
        "steps": track.steps,
    }


def _card_fields(components: Components, setup: Setup) -> dict[str, Any]:
    cards = {components.cards[n].phase: n for n in setup["trajan_cards"]}
    fields: dict[str, Any] = {
        "pattern": [rules.PATTERN_NONE] * rules.PHASES,
        "collect": [0] * (rules.DEMANDS * rules.PHASES),
        "card_id": [0] * rules.PHASES,
    }
    for phase, number in cards.items():
        card = components.cards[number]
        fields["pattern"][phase] = card.build
        fields["collect"][rules.DEMANDS * phase : rules.DEMANDS * (phase + 1)] = card.collect
        fields["card_id"][phase] = number
    return fields


def static_fields(
    components: Components, players: int, options: Options, setup: Setup
) -> dict[str, Any]:
    """Return the fields that the components, the options and the public setup determine."""
    kinds = tile_kinds(components)
    mosaic = setup["mosaic"]
    masks = mosaic_masks(components, players, mosaic)
    limited = options["limited_tiles"]
    return {
        **prestige_fields(components.prestige[options["prestige"]]),
        **_card_fields(components, setup),
        "plain": mask_of(components.plain),
        "temples": mask_of(components.temples),
        "colour": [word for colour in COLOURS for word in words(masks[colour])],
        "eagles": words(masks["eagle"]),
        "tile_name": _padded([0, *map(TILE_NAMES_IN_ORDER.index, kinds[1:])], rules.TILE_KINDS),
        "column_vp": list(components.column_vp),
        "crane_vp": list(components.crane_vp),
        "grey_of": list(components.grey_of),
        "colour_of": [components.grey_of.index(grey) for grey in range(4)],
        "singles": [components.singles if limited else rules.UNLIMITED] * 4,
        "doubles": [components.doubles if limited else rules.UNLIMITED] * 4,
        "bonus_vp": components.bonus_vp,
        "set_name": _padded(list(components.name.encode()), rules.SET_NAME),
        "mosaic_board": _padded(
            [4 * board + 2 * (side == "b") + (turns == 2) for board, side, turns in mosaic], 5
        ),
        "board": _padded([BOARDS.index(board) for board in setup["boards"]], 4),
        "players": players,
        "options": option_bits(options),
        "novices": sum(1 << player for player in options["novices"]),
    }


def encode(players: int, options: Options, setup: Any) -> bytes:
    """Return the state at the first decision of the game dealt as `setup`."""
    components, setup = read_setup(players, options, setup)
    kinds = tile_kinds(components)
    state: dict[str, Any] = rules.blank()
    state.update(static_fields(components, players, options, setup))
    symbols = [symbol for deck in setup["street_decks"] for symbol in deck]
    state["street_cards"] = [components.symbols.index(symbol) for symbol in symbols]
    state["turn"] = 0xFFFF  # the first run of decisions sets it to 0
    for player in range(players):
        tiles = [kinds.index(tile) for tile in setup["tiles"][player]]
        grid = [0] * rules.CELLS
        for cell, tile in zip(components.plain, tiles, strict=False):
            grid[bit_of_place(cell)] = tile
        state["player"][player].update(
            resources=START_RESOURCES,
            tiles=state["plain"],
            tile=grid,
            spare=tiles[PLAIN_TILES : PLAIN_TILES + len(CORNERS) // 2],
            ship=1,
            ship_tile=tiles[-1],
            street=list(components.streets[setup["boards"][player]]),
            start_class=CLASSES.index(setup["start_citizens"][player]),
            start_worker=COLOURS.index(setup["start_workers"][player]),
        )
    return first_decision(rules.state_bytes(state))
