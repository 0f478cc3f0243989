"""The components of Trajan, read from components.yaml."""

from __future__ import annotations

from dataclasses import dataclass
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


def _read_components() -> Components:
    data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return Components(
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


COMPONENTS = _read_components()
