"""Names of moves, events and other items of a game, taken from enumerators in compiled modules."""

from collections.abc import Collection, Mapping, Sequence
from types import ModuleType

from trajan_ai.core.events import EventKind


def named(module: ModuleType, prefix: str) -> dict[str, int]:
    """Return the number of each enumerator by name, in ascending order of the numbers.

    With the prefix ``RESOURCE_``, the name of ``RESOURCE_COIN`` is ``coin``.
    """
    numbers = {
        name.removeprefix(prefix).lower(): int(number)
        for name, number in vars(module).items()
        if name.startswith(prefix)
    }
    return dict(sorted(numbers.items(), key=lambda item: item[1]))


def names(module: ModuleType, prefix: str) -> tuple[str, ...]:
    """Return the names of enumerators in the order of their numbers."""
    return tuple(named(module, prefix))


def action_table(kinds: Mapping[str, Sequence[str]], first: Mapping[str, int]) -> tuple[str, ...]:
    """Return all action strings in the order of their move numbers.

    Args:
        kinds: the action strings of each kind of move.
        first: the first move number of each kind, in the same order.

    Raises ValueError if the two arguments disagree.
    """
    actions: list[str] = []
    if tuple(kinds) != tuple(first):
        raise ValueError(f"the kinds of moves must be {', '.join(first)}, got {', '.join(kinds)}")
    for kind, strings in kinds.items():
        if len(actions) != first[kind]:
            raise ValueError(f"{kind} must begin at move {len(actions)}, got {first[kind]}")
        actions += strings
    return tuple(actions)


def event_table(
    module: ModuleType,
    things: Mapping[str, Sequence[str]],
    *,
    minor: Collection[str] = (),
    closing: Collection[str] = (),
    hidden: Collection[str] = (),
    serves: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[EventKind, ...]:
    """Return the kinds of events in the order of the enumerators that begin with ``EVENT_``.

    `things` contains, for each kind whose events concern something, such as tiles or places, the
    names of these. `minor`, `closing` and `hidden` contain the names of kinds with these
    properties, and `serves` contains the attribute `serves` of each kind that has one; see
    `EventKind`. Raises ValueError if one of these names is not the name of a kind.
    """
    serves = serves or {}
    kinds = names(module, "EVENT_")
    unknown = {*things, *minor, *closing, *hidden, *serves} - set(kinds)
    if unknown:
        raise ValueError(f"unknown kinds of events: {', '.join(sorted(unknown))}")
    return tuple(
        EventKind(
            name=kind,
            things=tuple(things.get(kind, ())),
            is_minor=kind in minor,
            is_closing=kind in closing,
            may_hide=kind in hidden,
            serves=serves.get(kind, {}),
        )
        for kind in kinds
    )
