"""The components of Trajan, read from components.yaml."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("components.yaml")


@dataclass(frozen=True)
class TrajanTile:
    """A Trajan tile: its name, stack, effect, VP and two colours."""

    name: str
    stack: str
    effect: str
    vp: int
    colours: tuple[str, str]


class Components:
    """All names and numbers of the game's components, in the order of the engine's numbers."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.colours = tuple(data["colours"])
        self.trays = tuple(data["trays"])
        self.actions = tuple(data["actions"])
        self.goods = tuple(data["goods"])
        self.symbols = tuple(data["symbols"])
        self.forum_tiles = tuple(data["forum_supply"])
        self.extra_tiles = tuple(f"extra-{action}" for action in data["actions"])
        self.stacks = tuple(data["trajan_stacks"])
        self.tiles = _trajan_tiles(data)
        self.tile = {tile.name: tile for tile in self.tiles}
        values = product(data["buildings"], data["building_vp"])
        self.buildings = tuple(f"{kind}{vp}" for kind, vp in values)
        rows = range(1, data["site_rows"] + 1)
        self.sites = tuple(f"{column}{row}" for row in rows for column in data["site_columns"])
        self.provinces = tuple(data["provinces"])
        self.bonus_tiles = tuple(data["bonus_tiles"])

    def tile_names(self) -> tuple[str, ...]:
        """Return the names of all Trajan tiles, 9 per stack."""
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


COMPONENTS = Components(yaml.safe_load(FILE.read_text(encoding="utf-8")))
