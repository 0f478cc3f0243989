"""The components of Trajan: read from components.yaml and checked against themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from trajan_ai.core.errors import TrajanError

FILE = Path(__file__).with_name("components.yaml")
TILES_IN_STACK = 9


@dataclass(frozen=True)
class TrajanTile:
    """A Trajan tile: its name, stack, effect, VP and two colours."""

    name: str
    stack: str
    effect: str
    vp: int
    colours: tuple[str, str]


@dataclass(frozen=True)
class Components:
    """Every name and number of the game, in the order of the engine's numbers."""

    data: dict[str, Any]
    colours: tuple[str, ...]
    trays: tuple[str, ...]
    actions: tuple[str, ...]
    goods: tuple[str, ...]
    symbols: tuple[str, ...]
    forum_tiles: tuple[str, ...]
    extra_tiles: tuple[str, ...]
    stacks: tuple[str, ...]
    tiles: tuple[TrajanTile, ...]
    buildings: tuple[str, ...]
    sites: tuple[str, ...]
    provinces: tuple[str, ...]
    bonus_tiles: tuple[str, ...]

    def tile_names(self) -> tuple[str, ...]:
        """Return the name of every Trajan tile, 9 a stack."""
        return tuple(tile.name for tile in self.tiles)

    def stack_names(self, stack: str) -> list[str]:
        """Return the names of the 9 tiles of a stack."""
        return [tile.name for tile in self.tiles if tile.stack == stack]

    def forum_supply(self) -> list[str]:
        """Return the 70 tiles of the forum supply."""
        counts: dict[str, int] = self.data["forum_supply"]
        return [name for name, count in counts.items() for _ in range(count)]

    def extra_supply(self) -> list[str]:
        """Return the 12 tiles of the extra-action supply."""
        return [name for name in self.extra_tiles for _ in range(self.data["copies_of_extra"])]

    def goods_deck(self) -> list[str]:
        """Return the 60 goods cards."""
        return [good for good in self.goods for _ in range(self.data["copies_of_good"])]

    def demand_tiles(self) -> list[str]:
        """Return the 15 demand tiles."""
        return [name for name in self.symbols for _ in range(self.data["copies_of_demand"])]


def _trajan_tiles(data: dict[str, Any]) -> tuple[TrajanTile, ...]:
    colour_of = {colour[0].upper(): colour for colour in data["colours"]}
    order = data["colours"].index
    tiles = []
    for stack, groups in data["trajan_stacks"].items():
        for group in groups:
            for pair in group["pairs"]:
                first, second = sorted((colour_of[letter] for letter in pair), key=order)
                name = f"{group['effect']}-{first}-{second}"
                tiles.append(
                    TrajanTile(name, stack, group["effect"], group["vp"], (first, second))
                )
    return tuple(tiles)


def problems(components: Components) -> list[str]:
    """Return what contradicts section 8 of the rules: counts, borders, colours."""
    data = components.data
    found = []
    sizes = {
        "forum_supply": (len(components.forum_supply()), 70),
        "extra_supply": (len(components.extra_supply()), 12),
        "goods": (len(components.goods_deck()), 60),
        "demands": (len(components.demand_tiles()), 15),
        "buildings": (len(components.buildings), 20),
        "sites": (len(components.sites), 20),
        "provinces": (len(components.provinces), 10),
        "bonus_tiles": (len(components.bonus_tiles), 12),
        "trajan_stacks": (len(components.stacks), 6),
    }
    found += [
        f"{key}: {have}, there must be {want}"
        for key, (have, want) in sizes.items()
        if have != want
    ]
    found += [
        f"trajan_stacks.{stack}: {len(components.stack_names(stack))} tiles, there must be "
        f"{TILES_IN_STACK}"
        for stack in components.stacks
        if len(components.stack_names(stack)) != TILES_IN_STACK
    ]
    copies = Counter(colour for tile in components.tiles for colour in tile.colours)
    want = data["copies_of_colour_on_tiles"]
    found += [
        f"trajan_stacks: {copies[colour]} x {colour}, there must be {want}"
        for colour in components.colours
        if copies[colour] != want
    ]
    found += [
        f"neighbours.{province}: {other} does not have {province} as neighbour"
        for province in components.provinces
        for other in data["neighbours"][province]
        if province not in data["neighbours"][other]
    ]
    found += [
        f"forum_supply.{name}: extra-action tiles must be one for each action"
        for name in components.extra_tiles
        if data["forum_supply"].get(name) != 1
    ]
    return found


def read_components(path: Path = FILE) -> Components:
    """Read and check a components file; raise TrajanError with every contradiction."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    components = Components(
        data=data,
        colours=tuple(data["colours"]),
        trays=tuple(data["trays"]),
        actions=tuple(data["actions"]),
        goods=tuple(data["goods"]),
        symbols=tuple(data["symbols"]),
        forum_tiles=tuple(data["forum_supply"]),
        extra_tiles=tuple(f"extra-{action}" for action in data["actions"]),
        stacks=tuple(data["trajan_stacks"]),
        tiles=_trajan_tiles(data),
        buildings=tuple(f"{kind}{vp}" for kind in data["buildings"] for vp in data["building_vp"]),
        sites=tuple(
            f"{column}{row}"
            for row in range(1, data["site_rows"] + 1)
            for column in data["site_columns"]
        ),
        provinces=tuple(data["provinces"]),
        bonus_tiles=tuple(data["bonus_tiles"]),
    )
    found = problems(components)
    if found:
        raise TrajanError(*(f"{path}: {problem}" for problem in found))
    return components


COMPONENTS = read_components()
