"""What lies open when a game of Forum Trajanum begins on a real table, and the view with that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules import Laid
from trajan_ai.games.forum_trajanum.components import DEFAULT, load

PHASES = ("I", "II", "III")


def lies_open(players: int) -> list[Laid]:
    """Return what lies open before the first decision; see `HasOpening`."""
    components = load(DEFAULT)
    faces = {f"{board}{side}": str(board) for board, side in components.faces}
    cards = {str(number): card.phase for number, card in components.cards.items()}
    boards = {name: players if name == "A" else 1 for name in components.streets}
    seats = [tr("Player {player}", player=player) for player in range(players)]
    mosaic = [str(i + 1) for i in range(len(components.slots[players]))]
    asked = [
        Laid("mosaic", tr("The boards of the forum, from the top left, and their sides"), mosaic,
             faces, dict.fromkeys(faces.values(), 1), "mosaic"),
        Laid("boards", tr("The players' boards: all A, or different ones of side B"), seats,
             {name: name for name in boards}, boards, "boards", "A"),
    ]  # fmt: skip
    for phase, name in enumerate(PHASES):
        here = [number for number, of in cards.items() if of == phase]
        text = tr("The Trajan card of phase {phase}", phase=name)
        own = {number: number for number in here}
        asked.append(Laid(f"card{phase}", text, ["1"], own, dict.fromkeys(here, 1), name))
    return asked


def laid_open(view: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the view of an opening with what lies open, by the keys of `lies_open`."""
    return {
        **view,
        "mosaic": [[int(name[0]), name[1], 0] for name in names["mosaic"]],
        "boards": list(names["boards"]),
        "trajan_cards": [int(names[f"card{phase}"][0]) for phase in range(len(PHASES))],
    }
