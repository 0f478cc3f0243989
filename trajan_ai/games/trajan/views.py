"""Views: the knowledge of a player as plain data, with the schema of position files.

`fields` declares the keys. Unseen tiles and cards follow by exclusion: they are all components
minus the visible ones and minus those listed as gone. `reading.parse` converts a view to a
position.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trajan_ai.core.game import Position
from trajan_ai.core.rules import changed_options
from trajan_ai.games.kit.fields import count_by_name, place_by_name
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.fields import DECISION, DECISIONS, GOODS, PILES, PLAYER, TABLE
from trajan_ai.games.trajan.rules import fields
from trajan_ai.games.trajan.setup import HIDDEN_STACKS, NAMES, OPTIONS, options_of

View = dict[str, Any]


def drawing_order(stack: Sequence[int], size: int, names: Sequence[str]) -> list[str]:
    """Return the names in a stack, beginning with the top."""
    return [names[number - 1] for number in reversed(stack[:size])]


def view(position: Position, player: int | None) -> View:
    """Return what `player` knows, or everything if `player` is None, without unknown parts."""
    s = fields(position.to_bytes())
    entries: View = {
        "observer": player,
        "options": changed_options_of(s),
        "to_decide": None if DECISIONS[s["decision"]] == "over" else DECISION.show(s),
        "players": [
            _player(s["player"][i], is_hand_visible=player in (None, i))
            for i in range(s["players"])
        ],
        "trajan_tops": _tops(s),
        "trajan_gone": _trajan_gone(s),
        "forum_gone": _forum_gone(s),
        "demands_gone": _demands_gone(s),
    }
    if player is None:
        entries["discard_piles"] = PILES.show((s["piles"], s["pile_size"], [0, 0]))
        entries["hidden"] = _hidden(s)
    return TABLE.show(s, **entries)


def _player(p: View, *, is_hand_visible: bool) -> View:
    return PLAYER.show(p, hand=GOODS.show(p["hand"])) if is_hand_visible else PLAYER.show(p)


def changed_options_of(s: View) -> View:
    """Return the options that differ from their defaults, given the fields of a state."""
    options = {"lap_length": s["lap_length"]} | options_of(s["options"])
    return changed_options((o for o in OPTIONS if o.name in options), s["players"], options)


def _stack(s: View, stack: int) -> list[int]:
    first = stack * rules.STACK_TILES
    tiles: list[int] = s["stacks"][first : first + s["stack_size"][stack]]
    return tiles


def _tops(s: View) -> View:
    """Return the face-up tiles; none before the markers are placed."""
    if DECISIONS[s["decision"]] == "marker":
        return {}
    tops = [_stack(s, i)[-1] if s["stack_size"][i] else 0 for i in range(len(C.stacks))]
    return place_by_name(C.stacks, C.tile_names(), tops)


def _left_over(everything: Iterable[str], *there: Iterable[str]) -> list[str]:
    """Return `everything` without the names in the lists `there`, in the same order."""
    left = Counter(everything)
    for group in there:
        left.subtract(Counter(group))
    return [name for name in left for _ in range(left[name])]


def _trajan_gone(s: View) -> list[str]:
    names = C.tile_names()
    in_stacks = [
        names[i * rules.STACK_TILES + bit]
        for i, hidden in enumerate(s["stack_hidden"])
        for bit in range(rules.STACK_TILES)
        if hidden >> bit & 1
    ]
    in_stacks += _tops(s).values()
    on_slots = [names[t - 1] for p in s["player"] for t in p["slots"] if t]
    pending = [names[s["effect"] - 1]] if s["effect"] else []
    return _left_over(names, in_stacks, on_slots, pending)


def _forum_gone(s: View) -> dict[str, int]:
    """Return the forum and extra-action tiles that are not in the state."""
    gone = Counter(C.forum_supply() + C.extra_supply())
    for numbers in (s["forum"], s["supply_counts"], *(p["tiles"] for p in s["player"])):
        gone.subtract(count_by_name(C.forum_tiles, numbers))
    gone.subtract(count_by_name(C.extra_tiles, s["extra_counts"]))
    gone.subtract(C.forum_tiles[tile - 1] for tile in s["provinces"] if tile)
    return {name: gone[name] for name in C.forum_tiles if gone[name]}


def _demands_gone(s: View) -> dict[str, int]:
    gone = Counter(C.demand_tiles())
    gone.subtract(count_by_name(C.symbols, s["row"]))
    gone.subtract(count_by_name(C.symbols, s["demand_counts"]))
    return {name: gone[name] for name in C.symbols if gone[name]}


def _hidden(s: View) -> View:
    """Return every stack as a list of names that begins with the top."""
    stacks: View = {
        key: drawing_order(s[field], s[size], NAMES[key])
        for key, (field, size) in HIDDEN_STACKS.items()
    }
    stacks["trajan_stacks"] = {
        stack: drawing_order(_stack(s, i), s["stack_size"][i], NAMES["trajan_stacks"])
        for i, stack in enumerate(C.stacks)
    }
    return stacks


def find_part(view: Mapping[str, Any]) -> int:
    """Return the number of a view's quarter, from 1."""
    return int(view["quarter"])
