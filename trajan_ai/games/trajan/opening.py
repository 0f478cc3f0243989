"""The components that lie open when a real game of Trajan begins, and a view with them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules_following import OpenThings
from trajan_ai.games.trajan.components import COMPONENTS as C


def list_open(players: int) -> list[OpenThings]:
    """Return the components that lie open before the first decision; see `HasOpening`."""
    extra, tiles = Counter(C.extra_supply()), Counter(C.forum_supply())
    return [
        OpenThings(
            key="extra",
            text=tr("The extra-action tiles on the marked spaces of the forum"),
            places=[str(i + 1) for i in range(C.data["extra_spaces"])],
            choices={name: name for name in extra},
            stock=extra,
            supply="extra",
        ),
        OpenThings(
            key="forum",
            text=tr("The other tiles in the forum"),
            places=[str(i + 1) for i in range(C.data["players"][players]["forum"])],
            choices={name: name for name in tiles},
            stock=tiles,
            supply="tiles",
        ),
        OpenThings(
            key="provinces",
            text=tr("The tiles in the provinces"),
            places=C.provinces,
            choices={name: name for name in tiles},
            stock=tiles,
            supply="tiles",
        ),
        OpenThings(
            key="sites",
            text=tr("The buildings on the construction sites"),
            places=C.sites,
            choices={name: name for name in C.buildings},
            stock=dict.fromkeys(C.buildings, 1),
            supply="buildings",
        ),
    ]


def lay_open(view: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return `view` with the open components `names`, which has the keys of `list_open`."""
    return {
        **view,
        "forum": dict(Counter([*names["forum"], *names["extra"]])),
        "extra_supply": dict(Counter(C.extra_supply()) - Counter(names["extra"])),
        "provinces": dict(zip(C.provinces, names["provinces"], strict=True)),
        "sites": dict(zip(C.sites, names["sites"], strict=True)),
    }
