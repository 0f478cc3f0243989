"""The handle of Forum Trajanum: options of its rules, and what the contract does in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Option, Options, Setup, check_options
from trajan_ai.forum_trajanum import ops, setups
from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.moves import ACTIONS

NAME = "forum_trajanum"


def _is_flag(value: Any, players: int) -> bool:
    return isinstance(value, bool)


def _are_players(value: Any, players: int) -> bool:
    return (
        isinstance(value, (list, tuple))
        and all(isinstance(one, int) and 0 <= one < players for one in value)
        and len(set(value)) == len(value)
    )


def _flag(name: str) -> Option:
    return Option(name, "true or false", _is_flag, lambda players: False)


OPTIONS = (
    _flag("introductory"),
    Option("novices", "a list of different players", _are_players, lambda players: []),
    _flag("limited_tiles"),
    Option(
        "prestige", "P1, P2 or P3", lambda value, _: value in ("P1", "P2", "P3"), lambda _: "P2"
    ),
    _flag("recolour_in_swap"),
    _flag("eagle_once"),
)


class ForumTrajanumRules:
    """Options, setups and views of Forum Trajanum (see `trajan_ai.core.rules.Rules`).

    Besides its options, `check` takes ``components``: the name or file of the component set that
    `deal` uses. It is no option of the rules: a record names its set in ``setup.components``.
    """

    options: Sequence[Option] = OPTIONS

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        given = dict(options)
        chosen = {"components": given.pop("components")} if "components" in given else {}
        checked = check_options(NAME, OPTIONS, players, given)
        if chosen and not isinstance(chosen["components"], str):
            raise TrajanError(
                f"{NAME}: components must name a component set, got {chosen['components']!r}"
            )
        if chosen:
            load(chosen["components"])
        return {**checked, **chosen}

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Draw the `setup` object of a record."""
        return setups.deal(players, seed, options)

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Check a setup completely and return the state at the first decision."""
        return setups.encode(players, options, setup)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows."""
        raise NotImplementedError

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`."""
        raise NotImplementedError

    def draw(self, position: Position, player: int | None = None) -> str:
        """Return the board as text."""
        raise NotImplementedError


GAME = Game(NAME, "trajan_ai.forum_trajanum:GAME", ops.CAPSULE, ACTIONS, ForumTrajanumRules())
