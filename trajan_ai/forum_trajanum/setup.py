"""Setups of Forum Trajanum: drawing one, checking one, and the state it leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core import rules
from trajan_ai.core.enums import named
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Random
from trajan_ai.core.names import Names
from trajan_ai.core.rules import Option, Options, Setup, count_problems, is_flag
from trajan_ai.core.seeds import derive_seed
from trajan_ai.forum_trajanum import types
from trajan_ai.forum_trajanum.components import (
    DEFAULT,
    DEFAULT_PRESTIGE,
    LETTERS,
    Components,
    Prestige,
    load,
)
from trajan_ai.forum_trajanum.notation import (
    CITIZENS,
    CLASSES,
    COLOURS,
    CORNERS,
    TILE_NAMES_IN_ORDER,
)
from trajan_ai.forum_trajanum.rules import first_decision
from trajan_ai.forum_trajanum.types import (
    CELLS,
    DEMANDS,
    MAX_STEPS,
    MOSAIC_STRIDE,
    PATTERN_NONE,
    PHASES,
    PRESTIGE_COLUMNS,
    SET_NAME,
    TILE_KINDS,
    UNLIMITED,
)

NAME = "forum_trajanum"


def _are_players(value: Any, players: int) -> bool:
    return (
        isinstance(value, (list, tuple))
        and all(type(one) is int and 0 <= one < players for one in value)
        and len(set(value)) == len(value)
    )


def _flag(name: str) -> Option:
    return Option(name, "true or false", is_flag, lambda players: False)


def _choice(name: str, *values: str) -> Option:
    """An option that takes one of `values`, the first by default."""
    allowed = f"{', '.join(values[:-1])} or {values[-1]}"
    return Option(name, allowed, lambda value, _: value in values, lambda _: values[0])


OPTIONS = (
    _flag("introductory"),
    Option("novices", "a list of different players", _are_players, lambda players: []),
    _flag("limited_tiles"),
    _choice("prestige", DEFAULT_PRESTIGE, "P1", "P3"),
    _flag("recolour_in_swap"),
    _flag("eagle_once"),
    _choice("task_match", "cells", "tiles"),
    _choice("worker_swap", "free", "payment"),
    _choice("reactivation", "row", "class"),
    _choice("phase_handover", "once", "twice"),
    _choice("step_one", "hidden", "open"),
)


# What `deal` chooses from; a setup says what was dealt.
DEAL_OPTIONS = (
    Option(
        "components",
        "the name or file of a component set",
        lambda value, _: isinstance(value, str),
        lambda _: DEFAULT,
    ),
    _choice("boards", "A", "B"),
    _choice("mosaic", "upright", "turned"),
)


def _meaning(name: str) -> tuple[str, Any]:
    """The option and the value that a bit stands for: ``eagle_once``, or ``task_match_tiles``."""
    option = next(one.name for one in OPTIONS if name.startswith(one.name))
    return option, name.removeprefix(f"{option}_") if name != option else True


_BITS = {_meaning(name): bit for name, bit in named(types, "OPTION_").items()}


def option_bits(options: Options) -> int:
    """Return the bits of a state for `options`; novices and prestige have fields of their own."""
    return sum(bit for (name, value), bit in _BITS.items() if options[name] == value)


def options_of(bits: int) -> Options:
    """Return the options that bits of a state stand for, those that are not the default."""
    return {name: value for (name, value), bit in _BITS.items() if bits & bit}


def check_options(players: int, options: Mapping[str, Any]) -> Options:
    """Return the rules' options completed with defaults; all problems at once."""
    return rules.check_options(NAME, OPTIONS, players, options)


KEYS = (
    "components",
    "boards",
    "mosaic",
    "street_decks",
    "trajan_cards",
    "start_citizens",
    "tiles",
    "start_workers",
)
BOARDS = ("A", "B1", "B2", "B3", "B4")
TILES = 31
DECKS, DECK = PHASES, 8
PLAIN_TILES = 28
START_RESOURCES = sum(
    1 << (8 * resource)
    for resource in (
        types.RESOURCE_BUILDER,
        types.RESOURCE_ASSISTANT,
        types.RESOURCE_COIN,
        types.RESOURCE_TRIBUNE,
    )
)


def shuffled_tiles(components: Components) -> list[str]:
    """The 31 tiles of a colour that are shuffled: all but the female citizens."""
    return [tile for tile in components.tiles if not tile.endswith("-f")]


def deal(players: int, seed: int, options: Options) -> Setup:
    """Draw a setup; each part from a seed of its own.

    `options` are those of the rules and of the deal.
    """
    components = load(options["components"])

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
        "components": options["components"],
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


def _list(
    setup: Mapping[str, Any], key: str, size: int, what: str, problems: list[str]
) -> list[Any]:
    """Return the list under `key`, empty with a problem if it is not one of `size`."""
    found = setup.get(key)
    if isinstance(found, list) and len(found) == size:
        return found
    got = f"{len(found)}" if isinstance(found, list) else repr(found)
    problems.append(f"setup.{key}: must be a list of {size} {what}, got {got}")
    return []


def _check_names(
    place: str, found: Sequence[Any], allowed: Sequence[str], problems: list[str]
) -> None:
    known = Names(allowed)
    for i, name in enumerate(found):
        if name not in allowed:
            hint = known.hint(name) if isinstance(name, str) else ""
            problems.append(f"{place}[{i}]: {name!r}, must be one of {', '.join(allowed)}{hint}")


def _as_named(value: Any, known: Names) -> Any:
    """Return a name, or lists of them, as it stands in `known`; what is none as it is."""
    if isinstance(value, list):
        return [_as_named(one, known) for one in value]
    return (known.find(value) or value) if isinstance(value, str) else value


def with_names(components: Components, setup: Mapping[str, Any]) -> Setup:
    """Return a setup, or a view with parts of one, with the names that people typed as they stand.

    What is no name stays, for the checks to complain of.
    """
    known = {
        "boards": BOARDS,
        "mosaic": ("a", "b"),
        "street_decks": components.symbols,
        "start_citizens": CLASSES,
        "start_workers": COLOURS,
        "tiles": components.tiles,
    }
    named = {key: _as_named(setup[key], Names(known[key])) for key in known if key in setup}
    return {**setup, **named}


def _check_mosaic(components: Components, players: int, setup: Setup, problems: list[str]) -> None:
    found = _list(setup, "mosaic", len(components.slots[players]), "mosaic boards", problems)
    for i, one in enumerate(found):
        if (
            not isinstance(one, list)
            or len(one) != 3
            or one[0] not in range(1, 6)
            or one[1] not in ("a", "b")
            or one[2] not in (0, 2)
        ):
            problems.append(
                f"setup.mosaic[{i}]: {one!r}, must be [board 1 to 5, 'a' or 'b', 0 or 2 turns]"
            )
    boards = [one[0] for one in found if isinstance(one, list) and one]
    if len(set(map(str, boards))) != len(boards):
        problems.append(f"setup.mosaic: a board lies twice: {boards}")


def _check_decks(components: Components, setup: Setup) -> list[str]:
    problems: list[str] = []
    decks = _list(setup, "street_decks", DECKS, "decks", problems)
    for i, deck in enumerate(decks):
        if not isinstance(deck, list) or len(deck) != DECK:
            problems.append(f"setup.street_decks[{i}]: must be a list of {DECK} symbols")
    if not problems:
        cards = [str(card) for deck in decks for card in deck]
        problems += count_problems("setup.street_decks", components.street_cards, cards)
    return problems


def _check_trajan_cards(
    components: Components, options: Options, setup: Setup, problems: list[str]
) -> None:
    phases = (2,) if options["introductory"] else (0, 1, 2)
    for i, number in enumerate(_list(setup, "trajan_cards", len(phases), "card ids", problems)):
        allowed = [n for n, card in components.cards.items() if card.phase == phases[i]]
        if number not in allowed:
            known = ", ".join(map(str, allowed))
            problems.append(f"setup.trajan_cards[{i}]: {number!r}, must be one of {known}")


def _check_boards(players: int, setup: Setup, problems: list[str]) -> None:
    boards = _list(setup, "boards", players, "boards", problems)
    _check_names("setup.boards", boards, BOARDS, problems)
    if "A" in boards and any(board != "A" for board in boards):
        problems.append("setup.boards: either all A, or different ones of B1 to B4")
    if "A" not in boards and len(set(map(str, boards))) != len(boards):
        problems.append(f"setup.boards: a board is used twice: {boards}")


def _check_players(components: Components, players: int, setup: Setup) -> list[str]:
    """Problems of what is dealt to each player."""
    problems: list[str] = []
    citizens = _list(setup, "start_citizens", players, "classes", problems)
    _check_names("setup.start_citizens", citizens, CLASSES, problems)
    workers = _list(setup, "start_workers", players, "colours", problems)
    _check_names("setup.start_workers", workers, COLOURS, problems)
    if len(set(map(str, workers))) != len(workers):
        problems.append(f"setup.start_workers: colours must differ, got {workers}")
    for player, tiles in enumerate(_list(setup, "tiles", players, "lists of tiles", problems)):
        place = f"setup.tiles[{player}]"
        if not isinstance(tiles, list) or len(tiles) != TILES:
            problems.append(f"{place}: must be a list of {TILES} tile names")
        else:
            problems += count_problems(place, shuffled_tiles(components), map(str, tiles))
    return problems


def table_problems(
    components: Components, players: int, options: Options, setup: Setup
) -> list[str]:
    """Problems of what lies open from the start: boards, mosaic, Trajan cards."""
    problems: list[str] = []
    if options["prestige"] not in components.prestige:
        known = ", ".join(components.prestige)
        problems.append(
            f"option prestige: {components.name} has only {known}, got {options['prestige']!r}"
        )
    _check_mosaic(components, players, setup, problems)
    _check_trajan_cards(components, options, setup, problems)
    _check_boards(players, setup, problems)
    return problems


def read_setup(players: int, options: Options, setup: Any) -> tuple[Components, Setup]:
    """Return the component set of a setup, and the setup with its names as they stand here.

    Raises TrajanError with all problems.
    """
    if not isinstance(setup, Mapping):
        raise TrajanError("setup: must be an object")
    problems = [
        f"setup: unknown key {key!r}; keys are {', '.join(KEYS)}"
        for key in setup
        if key not in KEYS
    ]
    problems += [f"setup: {key} is missing" for key in KEYS if key not in setup]
    name = setup.get("components")
    if not isinstance(name, str):
        problems.append("setup.components: must be the name of a component set")
    if problems:
        raise TrajanError(*problems)
    components = load(str(name))
    named = with_names(components, setup)
    problems += table_problems(components, players, options, named)
    problems += _check_decks(components, named)
    problems += _check_players(components, players, named)
    if problems:
        raise TrajanError(*problems)
    return components, named


def mask_of(cells: Sequence[int]) -> int:
    """Mask of Colonia cells given as row * 6 + column."""
    return sum(1 << bit_of(cell) for cell in cells)


def bit_of(cell: int) -> int:
    """Bit of a Colonia cell given as row * 6 + column."""
    return cell // 6 * 8 + cell % 6


def words(mask: int) -> list[int]:
    """Two 64-bit words of a mosaic mask."""
    return [mask & (1 << 64) - 1, mask >> 64]


def tile_kinds(components: Components) -> list[str]:
    """Tile names by their number in a state: none, the citizens, then resource tiles."""
    rest = sorted({*components.tiles} - {*CITIZENS}, key=TILE_NAMES_IN_ORDER.index)
    return ["", *CITIZENS, *rest]


def mosaic_masks(components: Components, players: int, mosaic: Sequence[Any]) -> dict[str, int]:
    """Mask of the cells of each colour, and of eagles, as the boards lie."""
    masks = dict.fromkeys(LETTERS.values(), 0)
    for (row, column), (board, side, turns) in zip(components.slots[players], mosaic, strict=True):
        face = components.faces[board, side]
        if turns == 2:
            face = tuple(line[::-1] for line in reversed(face))
        for i, line in enumerate(face):
            for j, letter in enumerate(line):
                masks[LETTERS[letter]] |= 1 << ((row + i) * MOSAIC_STRIDE + column + j)
    return masks


def _padded(numbers: Sequence[int], size: int) -> list[int]:
    return [*numbers, *[0] * (size - len(numbers))]


def prestige_fields(track: Prestige) -> dict[str, Any]:
    """Fields of a state that a prestige track fixes."""
    nexts = [min((c for c in track.cypress if c > u), default=u) for u in range(track.steps + 1)]
    return {
        "prestige": _padded(track.vp, PRESTIGE_COLUMNS),
        "label": [*track.columns[0], *track.columns[1]],
        "bust": [*_padded(track.bust[0], MAX_STEPS + 1), *_padded(track.bust[1], MAX_STEPS + 1)],
        "cypress": _padded(nexts, MAX_STEPS + 1),
        "steps": track.steps,
    }


def _card_fields(components: Components, setup: Setup) -> dict[str, Any]:
    cards = {components.cards[n].phase: n for n in setup["trajan_cards"]}
    fields: dict[str, Any] = {
        "pattern": [PATTERN_NONE] * PHASES,
        "collect": [0] * (DEMANDS * PHASES),
        "card_id": [0] * PHASES,
    }
    for phase, number in cards.items():
        card = components.cards[number]
        fields["pattern"][phase] = card.build
        fields["collect"][DEMANDS * phase : DEMANDS * (phase + 1)] = card.collect
        fields["card_id"][phase] = number
    return fields


def static_fields(
    components: Components, players: int, options: Options, setup: Setup
) -> dict[str, Any]:
    """Fields of a state that components, options and the public setup fix for the whole game."""
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
        "tile_name": _padded([0, *map(TILE_NAMES_IN_ORDER.index, kinds[1:])], TILE_KINDS),
        "column_vp": list(components.column_vp),
        "crane_vp": list(components.crane_vp),
        "grey_of": list(components.grey_of),
        "colour_of": [components.grey_of.index(grey) for grey in range(4)],
        "singles": [components.singles if limited else UNLIMITED] * 4,
        "doubles": [components.doubles if limited else UNLIMITED] * 4,
        "bonus_vp": components.bonus_vp,
        "set_name": _padded(list(components.name.encode()), SET_NAME),
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
    state: dict[str, Any] = types.blank()
    state.update(static_fields(components, players, options, setup))
    symbols = [symbol for deck in setup["street_decks"] for symbol in deck]
    state["street_cards"] = [components.symbols.index(symbol) for symbol in symbols]
    state["turn"] = 0xFFFF  # the first run of decisions makes it 0
    for player in range(players):
        tiles = [kinds.index(tile) for tile in setup["tiles"][player]]
        grid = [0] * CELLS
        for cell, tile in zip(components.plain, tiles, strict=False):
            grid[bit_of(cell)] = tile
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
    return first_decision(types.state_bytes(state))
