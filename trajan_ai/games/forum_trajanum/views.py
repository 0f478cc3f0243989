"""Views: the knowledge of a player as plain data, with the schema of position files.

`fields` declares the keys, and docs/positions.md describes them. Parts that the player does
not know are omitted, and ``unknown`` is a tile whose face they have not seen. `reading.parse`
converts a view to a position.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.game import Position
from trajan_ai.core.rules import Options, changed_options, check_options
from trajan_ai.games.forum_trajanum import rules, setup
from trajan_ai.games.forum_trajanum.components import DEFAULT_PRESTIGE, Components, load
from trajan_ai.games.forum_trajanum.fields import TABLE, decision_table, player_table
from trajan_ai.games.forum_trajanum.notation import CITIZENS, CLASSES, STREETS
from trajan_ai.games.forum_trajanum.rules import look
from trajan_ai.games.forum_trajanum.setup import BOARDS
from trajan_ai.games.kit.fields import count_by_name, list_members


def _options(fields: Mapping[str, Any], components: Components) -> Options:
    tracks = sorted(components.prestige.items(), key=lambda item: item[0] != DEFAULT_PRESTIGE)
    prestige = next(
        name for name, track in tracks if setup.prestige_fields(track).items() <= fields.items()
    )
    novices = [one for one in range(fields["players"]) if fields["novices"] >> one & 1]
    changed = {**setup.options_of(fields["options"]), "novices": novices, "prestige": prestige}
    options = check_options(setup.NAME, setup.OPTIONS, fields["players"], changed)
    return changed_options(setup.OPTIONS, fields["players"], options)


def cards_of_round(view: Mapping[str, Any]) -> list[str]:
    """Return the two street cards of the current round, or none during the setup."""
    return list(view["street_cards"][: 2 * view["round"]][-2:])


def name_street(view: Mapping[str, Any], symbol: str) -> str:
    """Return a street's row or column if it is the same on all boards, else its symbol."""
    if any(board != BOARDS[0] for board in view["boards"]):
        return symbol
    components = load(view["components"])
    return STREETS[components.streets[BOARDS[0]][components.symbols.index(symbol)]]


def components_of(fields: Mapping[str, Any]) -> Components:
    """Return the component set of a state."""
    return load(bytes(fields["set_name"]).rstrip(b"\0").decode())


def _sometimes(
    fields: Mapping[str, Any],
    one: int,
    kinds: Sequence[str],
    unseen: Sequence[Sequence[int]] | None,
) -> dict[str, Any]:
    """Return the entries of a player's view that only some views have."""
    player = fields["player"][one]
    entries: dict[str, Any] = {}
    if fields["stage"] == rules.STAGE_SETUP and player["start_class"] != rules.UNKNOWN:
        entries["start_citizen"] = CLASSES[player["start_class"]]
    if unseen is not None:
        entries["unseen"] = count_by_name(kinds, unseen[one][: len(kinds)])
    if any(any(other["unclear"]) for other in fields["player"][: fields["players"]]):
        entries["unclear_citizens"] = count_by_name(CLASSES, player["unclear"])
        entries["may_lie"] = list_members(CITIZENS, player["may_lie"])
    return entries


def view(position: Position, player: int | None) -> dict[str, Any]:
    """Return what `player` knows, or everything if `player` is None, without unknown parts."""
    data = position.to_bytes()
    fields, unseen = (rules.fields(data), None) if player is None else look(data, player)
    components = components_of(fields)
    kinds = setup.tile_kinds(components)
    table = player_table(kinds, components.plain_cells)
    count, stage = fields["players"], fields["stage"]
    mosaic = fields["mosaic_board"][: len(components.slots[count])]
    entries: dict[str, Any] = {
        "observer": player,
        "components": components.name,
        "options": _options(fields, components),
        "mosaic": [[one >> 2, "ab"[one >> 1 & 1], 2 * (one & 1)] for one in mosaic],
        "street_cards": [
            components.symbols[i]
            for i in fields["street_cards"][0 if player is None else fields["forgotten_cards"] :]
            if i != rules.UNKNOWN
        ],
        "players": [
            table.show(fields["player"][one], **_sometimes(fields, one, kinds, unseen))
            for one in range(count)
        ],
    }
    if stage != rules.STAGE_OVER:
        entries["to_decide"] = decision_table(kinds).show(fields)
    return TABLE.show(fields, **entries)


def find_part(view: Mapping[str, Any]) -> int:
    """Return the number of a view's phase, from 1."""
    return (int(view["round"]) - 1) // rules.PHASE_ROUNDS + 1
