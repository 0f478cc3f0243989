"""Options of a game's rules, and the bits that store them in a state."""

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.game import PLAYER_COUNTS
from trajan_ai.core.rules import Option, Options, is_flag


def flag(name: str, meaning: str, *, default: bool = False) -> Option:
    """Return an option that is true or false; `meaning` states in one line what it decides."""
    return Option(name, "true or false", is_flag, lambda players: default, meaning)


def choice(name: str, *values: str, meaning: str = "") -> Option:
    """Return an option that takes one of `values`, the first by default."""

    def accepts(value: Any, players: int) -> bool:
        return isinstance(value, str) and value in values

    *some, last = values
    allowed = f"{', '.join(some)} or {last}"
    return Option(name, allowed, accepts, lambda players: values[0], meaning)


class Bits:
    """The bits of a state for flags and for choices between two values.

    A bit is named after its option, and for a choice also after the value that sets it, such as
    ``task_match_tiles``.
    """

    def __init__(self, options: Sequence[Option], bits: Mapping[str, int]) -> None:
        self._meanings: list[
            tuple[str, Any, Any, int]
        ] = []  # (option, value without the bit, value with it)
        for name, bit in bits.items():
            option = next(one for one in options if name.startswith(one.name))
            if name == option.name:
                self._meanings.append((name, False, True, bit))
            else:
                value = name.removeprefix(f"{option.name}_")
                self._meanings.append((option.name, option.default(PLAYER_COUNTS[0]), value, bit))

    def of(self, options: Options) -> int:
        """Return the bits for `options`; options without a bit are ignored."""
        return sum(bit for name, _, value, bit in self._meanings if options[name] == value)

    def options(self, bits: int) -> Options:
        """Return the options that `bits` encode."""
        return {name: (off, on)[bool(bits & bit)] for name, off, on, bit in self._meanings}
