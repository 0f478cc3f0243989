"""Edit a position file: list its problems, list the choices at a place in its drawing, change it.

The game maps places of the drawing to keys of the file (`HasEdits`). The choices at a key are
those that the game's reader of position files expects there. Therefore, the positions of games
without drawings can be edited by key, and no list of choices exists twice.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, SequenceNode

from trajan_ai.core.errors import Key, KeyPath, Problem, TrajanError, format_path
from trajan_ai.core.languages import tr
from trajan_ai.core.names import Names
from trajan_ai.core.rules import Entry, offered
from trajan_ai.core.rules_drawing import HasDependentEdits, HasEdits
from trajan_ai.core.rules_words import name_of
from trajan_ai.core.yamlfile import Document, parse_yaml
from trajan_ai.games import GAMES
from trajan_ai.games.kit.reader import Expected, collect_expected
from trajan_ai.page.opponents import name_players
from trajan_ai.page.views import draw
from trajan_ai.records import position_files

TABLE = "table"  # the place for keys that belong to no player; `player 0` is for a player's keys
MAX_IN_LIST = 99
WIDTH = 90  # characters in a line
NAME = "text"  # name of the file in messages


def check(text: str) -> dict[str, Any]:
    """Return the problems in a position file's text, or its board and the player to move.

    ``problems`` is a list of ``{"line": 12, "text": ..}``; the line is None for a
    problem that concerns the whole file.
    """
    try:
        document = parse_yaml(text, NAME)
        position = position_files.of_document(document)
    except TrajanError as error:
        return {"problems": [{"line": one.line, "text": one.message} for one in error.problems]}
    observer = document.data.get("observer")
    names = name_players([None] * position.players, None)
    names[observer] += f" ({tr('you')})"
    view = {**position.game.rules.view(position, observer), "names": names}
    return {
        "problems": [],
        "game": position.game.name,
        "observer": observer,
        "player": position.player,
        "names": names,
        "legal": len(position.legal()),
        **draw(position, view, observer),
    }


def list_choices(text: str, place: str) -> dict[str, Any]:
    """Return the keys of a position file that belong to a place of its drawing, and their choices.

    ``sections`` has one section per key, or per item of a key if the place shows only that item:
    ``{"at", "label", "line", "kind", "choices", "names", "nothing", "items"}``. ``names`` are the
    choices in words, and ``nothing`` is whether a choice may be removed. An item is ``{"item":
    name or None, "name", "value", "least", "most"}``; a choice has neither ``least`` nor ``most``.
    In a section of the kind ``choice``, the value of an item is a name, or None for nothing; in
    ``number``, it is a count; and in ``member``, 0 or 1. Raises TrajanError if the text is
    unreadable.
    """
    document, expected = _read(text)
    keys = _find_keys(document, expected, place)
    return {"sections": [_section(document, expected[at], at, item) for at, item in keys]}


def edit(text: str, at: str, item: str | None, value: int | str | None) -> str:
    """Return a position file's text with a new value for the key `at`, or for an `item` of it.

    Keys that depend on this key are changed, too (`HasDependentEdits`); the rest of the text stays
    as it is. Raises TrajanError if the game expects no such key.
    """
    document, expected = _read(text)
    place = next((path for path in expected if format_path(path) == at), None)
    path = _typed(document.data, place or ())
    above = (_value(document.data, path[:depth]) for depth in range(len(path)))
    if place is None or not all(
        value is None or isinstance(value, dict | list) for value in above
    ):
        raise TrajanError(Problem(f"the file can have no value at {at!r}", ("at",)))
    old = _value(document.data, path)
    new = _changed(expected[place], old, item, value)
    if new == old or (old is None and new in ([], {})):
        return text
    text = _put(text, path, new)
    game = _offered(document.data, HasDependentEdits)
    data = parse_yaml(text, NAME).data
    for other, follows in {} if game is None else game.list_dependent_edits(data, place).items():
        text = _put(text, other, follows)
    return text


def _offered(data: Any, entry: Callable[..., Entry]) -> Entry | None:
    """Return the rules of a file's game if they offer the entry, otherwise None."""
    name = str(data.get("game")) if isinstance(data, dict) else ""
    return offered(GAMES[name].rules, entry) if name in GAMES else None


@lru_cache(4)  # the page sends the same text several times
def _read(text: str) -> tuple[Document, dict[KeyPath, Expected]]:
    """Return a file, and what the game's reader expects at each key.

    Keys within lists and counts are omitted, because lists and counts are edited as a whole.
    """
    document = parse_yaml(text, NAME)
    with collect_expected() as expected, suppress(TrajanError):
        position_files.of_document(document)
    whole = {path for path, one in expected.items() if one.kind not in ("number", "name")}
    return document, {path: one for path, one in expected.items() if path[:-1] not in whole}


def _find_keys(
    document: Document, expected: Mapping[KeyPath, Expected], place: str
) -> Iterator[tuple[KeyPath, str | None]]:
    """Yield the keys that a place shows, each with one of its items, or None for all items."""
    kind, *words = place.split(" ")
    if kind in (TABLE, "player"):
        start: KeyPath = ("players", *map(int, filter(str.isdecimal, words)))
        mine = (path for path in expected if (path[: len(start)] == start) == (kind == "player"))
        yield from ((path, None) for path in mine)
        return
    game = _offered(document.data, HasEdits)
    if game is None:
        return
    places = {format_path(path): path for path in expected}
    players = document.data.get("players", [])
    count = len(players) if isinstance(players, list) else 0
    for pattern in game.edit_places.get(kind, ()):
        for player in range(count) if "*" in pattern else (0,):
            with suppress(IndexError):
                at, _, item = pattern.replace("*", str(player)).format(*words).partition("/")
                path = places.get(at)
                if path is not None and (not item or item in expected[path].names):
                    yield path, item or None


def _section(
    document: Document, expected: Expected, at: KeyPath, only: str | None
) -> dict[str, Any]:
    rules = GAMES[document.data["game"]].rules
    path = _typed(document.data, at)
    value = _value(document.data, path)
    items: list[dict[str, Any]] = []
    if expected.kind == "number":
        items.append(
            {"item": None, "value": value, "least": expected.least, "most": expected.most}
        )
    elif expected.kind == "name":
        items.append({"item": None, "value": None if value is None else str(value)})
    else:
        there = _by_name(expected, value)
        most = {"counts": expected.most, "set": 1}.get(expected.kind, MAX_IN_LIST)
        for name in (only,) if only else expected.names:
            items.append({"item": name, "value": there.get(name, 0), "least": 0, "most": most})
            if expected.kind == "placed":
                items[-1] = {"item": name, "value": there.get(name)}
    kind = {"name": "choice", "placed": "choice", "set": "member"}.get(expected.kind, "number")
    choices = expected.names if expected.kind == "name" else expected.things
    place = document.lines.get(path) or document.lines.get(path[:-1])
    for item in items:
        item["name"] = item["item"] and name_of(rules, item["item"])
    return {"at": format_path(at), "label": _label(at), "line": place, "kind": kind} | {
        "choices": list(choices),
        "names": {name: name_of(rules, name) for name in choices},
        "nothing": expected.kind == "placed",
        "items": items,
    }


def _label(path: KeyPath) -> str:
    """Return a key in words, such as ``Player 1: known cards``."""
    of_player = path[0] == "players" and len(path) > 2
    keys = (str(key).replace("_", " ") for key in (path[2:] if of_player else path))
    words = " ".join(map(tr, keys))
    if of_player:
        return f"{tr('Player {player}', player=int(path[1]) + 1)}: {words}"
    return words[:1].upper() + words[1:]


def _typed(data: Any, path: KeyPath) -> KeyPath:
    """Return a path with its keys as they are typed in the file."""
    result: KeyPath = ()
    for key in path:
        typed: Key = key
        if isinstance(data, dict):
            alike = {str(name).lower(): name for name in data}
            typed = alike.get(str(key).lower(), key)
        result = (*result, typed)
        data = _value(data, (typed,))
    return result


def _value(data: Any, path: KeyPath) -> Any:
    """Return the value at a path, or None if there is none."""
    for key in path:
        if isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        elif isinstance(data, dict):
            data = data.get(key)
        else:
            return None
    return data


def _by_name(expected: Expected, value: Any) -> dict[str, Any]:
    """Return counts or things by name; unknown names are omitted."""
    names = Names(expected.names)
    result: dict[str, Any] = {}
    if isinstance(value, dict):
        named = ((names.find(str(key)), thing) for key, thing in value.items())
        return {name: thing for name, thing in named if name is not None}
    for one in value if isinstance(value, list) else ():
        name = names.find(str(one))
        if name is not None:
            result[name] = result.get(name, 0) + 1
    return result


def _changed(expected: Expected, old: Any, item: str | None, value: int | str | None) -> Any:
    """Return the new value of a key, one of whose items is set to `value`."""
    if expected.kind in ("number", "name"):
        return _plain(value)
    if item not in expected.names:
        right = f"must be one of {', '.join(expected.names)}, got {item!r}"
        raise TrajanError(Problem(right, ("item",)))
    if expected.kind in ("counts", "placed"):
        names = Names(expected.names)
        entries = dict(old) if isinstance(old, dict) else {}
        typed = next((key for key in entries if names.find(str(key)) == item), _plain(item))
        entries[typed] = _plain(value)
        return {key: thing for key, thing in entries.items() if thing not in (None, 0)}
    if not isinstance(value, int):
        raise TrajanError(Problem(f"must be a number, got {value!r}", ("value",)))
    return _listed(expected, old if isinstance(old, list) else [], item, value)


def _listed(expected: Expected, old: list[Any], item: str, count: int) -> list[Any]:
    """Return a list that contains a name `count` times; other names keep their order."""
    names = Names(expected.names)
    at = [i for i, one in enumerate(old) if names.find(str(one)) == item]
    gone = set(at[max(count, 0) :])
    added = min(count, MAX_IN_LIST) - len(at)
    return [one for i, one in enumerate(old) if i not in gone] + [_plain(item)] * added


def _plain(value: int | str | None) -> int | str | None:
    """Return a name as files spell it: rows and numbers of votes are numbers there."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _put(text: str, path: KeyPath, value: Any) -> str:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    for depth, key in enumerate(path):
        child = None if node is None else _child(node, key)
        if node is not None and child is None:
            return _added(text, node, path[depth:], value)
        node = child
    return text if node is None else _replaced(text, node, value)


def _child(node: Node, key: Key) -> Node | None:
    if isinstance(node, SequenceNode):
        return node.value[key] if isinstance(key, int) and key < len(node.value) else None
    for name, value in node.value if isinstance(node, MappingNode) else ():
        if name.value == str(key):
            child: Node = value
            return child
    return None


def _end(text: str, node: Node) -> int:
    """Return the index at which a node ends, excluding trailing white space."""
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip())


def _replaced(text: str, node: Node, value: Any) -> str:
    start, end = node.start_mark.index, _end(text, node)
    gap = "" if text[:start][-1:].isspace() and not _is_block(node) else " "
    return text[:start] + gap + _flow(value, _indent(_line_before(text, start))) + text[end:]


def _line_before(text: str, index: int) -> str:
    return text[text.rfind("\n", 0, index) + 1 : index]


def _indent(line: str) -> int:
    """Return the indentation of the lines that continue a line."""
    return len(line) - len(line.lstrip(" -")) + 2


def _is_block(node: Node) -> bool:
    return isinstance(node, CollectionNode) and not node.flow_style


def _added(text: str, parent: Node, keys: KeyPath, value: Any) -> str:
    for key in reversed(keys[1:]):
        value = {key: value}
    if _is_block(parent):
        name, first = parent.value[0]
        column = name.start_mark.column
        end = text.find("\n", _end(text, first))
        end = len(text) if end < 0 else end
        line = f"\n{' ' * column}{keys[0]}: {_flow(value, column + 2)}"
        return text[:end] + line + text[end:]
    if isinstance(parent, MappingNode) and parent.value:  # {key: value, ..}
        end = _end(text, parent.value[-1][1])
        line = _line_before(text, end)
        entry = f"{keys[0]}: {_flow(value, _indent(line))}"
        gap = " " if len(line) + len(entry) < WIDTH else "\n" + " " * _indent(line)
        return f"{text[:end]},{gap}{entry}{text[end:]}"
    return _replaced(text, parent, {keys[0]: value})


def _flow(value: Any, indent: int) -> str:
    """Return a value in flow style, in lines of about `WIDTH` characters."""
    if isinstance(value, dict | list):
        dumped = yaml.safe_dump(
            value,
            default_flow_style=True,
            sort_keys=False,
            allow_unicode=True,
            width=WIDTH - indent,
        )
    else:
        dumped = yaml.safe_dump(value, allow_unicode=True).removesuffix("...\n")
    return dumped.strip().replace("\n", "\n" + " " * indent)
