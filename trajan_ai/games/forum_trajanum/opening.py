"""The components that lie open when a real game of Forum Trajanum begins, and a view with them."""

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules_following import OpenThings
from trajan_ai.games.forum_trajanum.components import DEFAULT, load

PHASES = ("I", "II", "III")


def list_open(players: int) -> list[OpenThings]:
    """Return the components that lie open before the first decision; see `HasOpening`."""
    components = load(DEFAULT)
    faces = {f"{board}{side}": str(board) for board, side in components.faces}
    cards = {str(number): card.phase for number, card in components.cards.items()}
    boards = {name: players if name == "A" else 1 for name in components.streets}
    mosaic = OpenThings(
        key="mosaic",
        text=tr("The boards of the forum, from the top left, and their sides"),
        places=[str(i + 1) for i in range(len(components.slots[players]))],
        choices=faces,
        stock=dict.fromkeys(faces.values(), 1),
        supply="mosaic",
    )
    colonias = OpenThings(
        key="boards",
        text=tr("The players' boards: all side A, or different boards with side B up"),
        places=[tr("Player {player}", player=player + 1) for player in range(players)],
        choices={name: name for name in boards},
        stock=boards,
        supply="boards",
        usual="A",
    )
    return [mosaic, colonias, *(_list_cards(phase, cards) for phase in range(len(PHASES)))]


def _list_cards(phase: int, phases: Mapping[str, int]) -> OpenThings:
    numbers = [number for number, of in phases.items() if of == phase]
    return OpenThings(
        key=f"card{phase}",
        text=tr("The Trajan card of phase {phase}", phase=PHASES[phase]),
        places=["1"],
        choices={number: number for number in numbers},
        stock=dict.fromkeys(numbers, 1),
        supply=PHASES[phase],
    )


def lay_open(view: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the view of an opening with the components `names`, by the keys of `list_open`."""
    return {
        **view,
        "mosaic": [[int(name[0]), name[1], 0] for name in names["mosaic"]],
        "boards": list(names["boards"]),
        "trajan_cards": [int(names[f"card{phase}"][0]) for phase in range(len(PHASES))],
    }
