"""Names of a game's words: those of the enumerators that its compiled modules show to Python."""

from collections.abc import Mapping, Sequence
from types import ModuleType


def named(module: ModuleType, prefix: str) -> dict[str, int]:
    """Return numbers by name, ascending.

    With the prefix ``RESOURCE_`` the enumerator ``RESOURCE_COIN`` is called ``coin``.
    """
    numbers = {
        name.removeprefix(prefix).lower(): int(number)
        for name, number in vars(module).items()
        if name.startswith(prefix)
    }
    return dict(sorted(numbers.items(), key=lambda item: item[1]))


def names(module: ModuleType, prefix: str) -> tuple[str, ...]:
    """Return the names that :func:`named` finds, in the order of their numbers."""
    return tuple(named(module, prefix))


def action_table(kinds: Mapping[str, Sequence[str]], first: Mapping[str, int]) -> tuple[str, ...]:
    """Return the action strings by move number.

    `kinds` holds the strings of each kind of move, `first` the number where each kind begins, in
    the same order. Raises ValueError where the two do not agree.
    """
    actions: list[str] = []
    if tuple(kinds) != tuple(first):
        raise ValueError(f"the kinds of moves are {', '.join(first)}")
    for kind, strings in kinds.items():
        if len(actions) != first[kind]:
            raise ValueError(f"{kind} must begin at {len(actions)}, it does at {first[kind]}")
        actions += strings
    return tuple(actions)
