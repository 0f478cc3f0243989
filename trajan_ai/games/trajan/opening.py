"""What lies open when a game of Trajan begins on a real table, and the view with that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules import Laid
from trajan_ai.games.trajan.components import COMPONENTS as C


def lies_open(players: int) -> list[Laid]:
    """Return what lies open before the first decision; see `HasOpening`."""
    extra, tiles = Counter(C.extra_supply()), Counter(C.forum_supply())
    spaces = [str(i + 1) for i in range(C.data["players"][players]["forum"])]
    extra_spaces = [str(i + 1) for i in range(C.data["extra_spaces"])]
    return [
        Laid("extra", tr("The extra-action tiles on the marked spaces of the forum"), extra_spaces,
             dict(zip(extra, extra, strict=True)), extra, "extra"),
        Laid("forum", tr("The other tiles in the forum"), spaces,
             dict(zip(tiles, tiles, strict=True)), tiles, "tiles"),
        Laid("provinces", tr("The tiles in the provinces"), C.provinces,
             dict(zip(tiles, tiles, strict=True)), tiles, "tiles"),
        Laid("sites", tr("The buildings on the construction sites"), C.sites,
             {name: name for name in C.buildings}, dict.fromkeys(C.buildings, 1), "buildings"),
    ]  # fmt: skip


def laid_open(view: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the view of an opening with what lies open, by the keys of `lies_open`."""
    return {
        **view,
        "forum": dict(Counter([*names["forum"], *names["extra"]])),
        "extra_supply": dict(Counter(C.extra_supply()) - Counter(names["extra"])),
        "provinces": dict(zip(C.provinces, names["provinces"], strict=True)),
        "sites": dict(zip(C.sites, names["sites"], strict=True)),
    }
