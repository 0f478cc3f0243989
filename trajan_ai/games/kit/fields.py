"""Fields of a view, each declared once for writing, reading and editing.

A state is a dict of numbers and lists, as the compiled `fields` returns it. A view expresses the
same knowledge in names and counts. A `Field` connects a key of the view with values of the state,
and its `Kind` converts between them in both directions. A `FieldTable` contains the fields of one
mapping of a view, in order:

* `FieldTable.show` writes a view.
* `FieldTable.read` reads a view into a state. It checks each value separately.
* `edit_places` returns the keys that the page edits after a click on a place of the drawing.

Some keys cannot be converted independently of others. If a limit or a default depends on other
keys, the kind has no `read`, and the game's module `reading` reads the key. If a value follows
from many parts of the state, or if some players must not know it, the field has no kind. Then
`views` passes the value to `FieldTable.show`, so that a secret is in a view only if `views` puts
it there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from operator import itemgetter
from typing import Any

from trajan_ai.core.errors import Key
from trajan_ai.games.kit.reader import Reader, bits_of

State = dict[str, Any]  # fields of a state or of one of its players
View = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """How a value of a state appears in views.

    `show` returns plain data for the value, or None to omit the key. `read` returns the value at
    a key, or None to leave the state unchanged, and reports problems to the reader.
    """

    show: Callable[[Any], Any]
    read: Callable[[Reader, Key], Any] | None = None


@dataclass(frozen=True)
class Field:
    """A key of a view.

    Attributes:
        key: the key.
        kind: how the value is written and read.
        of: the name of the value in the state, by default the key. If there are several names,
            the kind converts a tuple of values.
        when: returns whether the view of a state has the key; by default, every view has it.
        example: a value that a message suggests if the key is missing. Keys without an example are
            optional.
        drawn: the places of the drawing that show the value, as the picture names them. In the
            name of a place, ``{player}`` stands for the player to whom the key belongs; a place
            without it shows the key of all players. ``{name}`` stands for the single name in the
            value that the place shows, and ``{key}`` for a key of a mapping whose values are
            edited one by one.
    """

    key: str
    kind: Kind | None = None
    of: str | tuple[str, ...] = ""
    _: KW_ONLY
    when: Callable[[State], bool] | None = None
    example: str = ""
    drawn: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the values in the state."""
        return self.of if isinstance(self.of, tuple) else (self.of or self.key,)


class FieldTable:
    """The fields of one mapping of a view, in the order of the view.

    `needed` maps each required key to an example, and `optional` lists the other keys.
    """

    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self.needed = {field.key: field.example for field in fields if field.example}
        self.optional = tuple(field.key for field in fields if not field.example)
        self._shown = tuple(
            (field.key, field.kind and field.kind.show, itemgetter(*field.names), field.when)
            for field in fields
        )

    def show(self, state: Mapping[str, Any], /, **entries: Any) -> View:
        """Return the view of a state, with `entries` as the values of keys without a kind."""
        view: View = {}
        for key, show, values_of, when in self._shown:
            if key in entries:
                view[key] = entries[key]
            elif show and (when is None or when(state)):  # type: ignore[arg-type]
                value = show(values_of(state))
                if value is not None:
                    view[key] = value
        return view

    def read(self, part: Reader, state: State) -> None:
        """Read the values of the fields, and store them in `state`."""
        for field in self.fields:
            if field.kind is None or field.kind.read is None:
                continue
            value = field.kind.read(part, field.key)
            if value is not None:
                values = value if isinstance(field.of, tuple) else (value,)
                state.update(zip(field.names, values, strict=True))


def edit_places(tables: Mapping[str, FieldTable]) -> dict[str, tuple[str, ...]]:
    """Return patterns of keys for each kind of place, in the format of `HasEdits.edit_places`.

    `tables` maps the path of a mapping, such as ``players[{player}].``, to its table.
    """
    places: dict[str, tuple[str, ...]] = {}
    for path, table in tables.items():
        for field in table.fields:
            for place in field.drawn:
                kind, *words = place.split()
                player = f"{{{words.index('{player}')}}}" if "{player}" in words else "*"
                pattern = path.replace("{player}", player) + field.key
                for i, word in enumerate(words):
                    pattern += {"{name}": f"/{{{i}}}", "{key}": f".{{{i}}}"}.get(word, "")
                places[kind] = (*places.get(kind, ()), pattern)
    return places


# --- values as plain data ------------------------------------------------------------------------


def count_by_name(names: Sequence[str], numbers: Iterable[int]) -> dict[str, int]:
    """Return a dict from names to positive counts."""
    return {name: number for name, number in zip(names, numbers, strict=True) if number}


def list_members(names: Sequence[str], bits: int) -> list[str]:
    """Return the names of the set bits."""
    return [name for i, name in enumerate(names) if bits >> i & 1]


def place_by_name(
    names: Sequence[str], things: Sequence[str], numbers: Iterable[int]
) -> dict[str, str]:
    """Return the thing at each place; a number is 1 + the index of a thing, or 0 for none."""
    return {
        name: things[number - 1] for name, number in zip(names, numbers, strict=True) if number
    }


def _unchanged(value: Any) -> Any:
    return value


# --- kinds ---------------------------------------------------------------------------------------

AS_IT_IS = Kind(_unchanged)  # a number, or plain data


def number(least: int, most: int, *, zero: int = 0) -> Kind:
    """Return the kind of a number that is higher in the view than in the state, by `zero`.

    A number that the view omits is `zero`.
    """
    return Kind(
        show=(lambda value: value + zero) if zero else _unchanged,
        read=lambda part, key: part.number(key, least, most, zero) - zero,
    )


FLAG = Kind(show=bool, read=Reader.flag)


def name(names: Sequence[str], default: str | None = None) -> Kind:
    """Return the kind of an index in `names`; without a `default`, the name is required."""
    return Kind(show=names.__getitem__, read=lambda part, key: part.name(key, names, default))


def name_or_none(names: Sequence[str]) -> Kind:
    """Return the kind of a number that is 1 + the index of a name; views omit the number 0."""
    return Kind(
        show=lambda number: names[number - 1] if number else None,
        read=lambda part, key: 1 + part.name(key, names) if key in part else 0,
    )


def counts(names: Sequence[str], most: int = 99) -> Kind:
    """Return the kind of field that stores a count for each name."""
    return Kind(
        show=partial(count_by_name, names), read=lambda part, key: part.counts(key, names, most)
    )


def members(names: Sequence[str], *, default: int = 0) -> Kind:
    """Return the kind of field that stores names as bits, by default the first `default` names."""
    return Kind(
        show=partial(list_members, names),
        read=lambda part, key: bits_of(part.members(key, names, default=default)),
    )


def placed(names: Sequence[str], things: Sequence[str]) -> Kind:
    """Return the kind of field that stores 1 + the index of the thing at each of `names`."""
    return Kind(
        show=partial(place_by_name, names, things),
        read=lambda part, key: part.placed(key, names, things),
    )


def each(names: Sequence[str], kind: Kind) -> Kind:
    """Return the kind of a list with one value per name, which a view shows as a mapping."""
    assert kind.read is not None
    read_one = kind.read

    def read(part: Reader, key: Key) -> list[Any]:
        entries = part.entries(key, names)
        return [read_one(entries, name) for name in names]

    return Kind(
        show=lambda values: {
            name: kind.show(value) for name, value in zip(names, values, strict=True)
        },
        read=read,
    )


def unless_empty(kind: Kind) -> Kind:
    """Return a kind that views omit if its plain data is empty, 0 or false."""
    return Kind(show=lambda value: kind.show(value) or None, read=kind.read)


def if_present(kind: Kind) -> Kind:
    """Return a kind that is read, and offered to editors, only if a view has the key."""
    assert kind.read is not None
    read = kind.read
    return Kind(show=kind.show, read=lambda part, key: read(part, key) if key in part else None)
