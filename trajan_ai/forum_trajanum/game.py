"""The handle of Forum Trajanum: options of its rules, and what the contract does in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Option, Options, Setup
from trajan_ai.forum_trajanum import drawing, ops, setups, views
from trajan_ai.forum_trajanum.components import load
from trajan_ai.forum_trajanum.moves import ACTIONS
from trajan_ai.forum_trajanum.weights import WEIGHTS


class ForumTrajanumRules:
    """Options, setups and views of Forum Trajanum (see `trajan_ai.core.rules.Rules`).

    Besides its options, `check` takes ``components``: the name or file of the component set that
    `deal` uses. It is no option of the rules: a record names its set in ``setup.components``.
    """

    options: Sequence[Option] = setups.OPTIONS

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        given = dict(options)
        chosen = {"components": given.pop("components")} if "components" in given else {}
        checked = setups.check_options(players, given)
        if chosen:
            load(str(chosen["components"]))
        return {**checked, **chosen}

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Draw the `setup` object of a record."""
        return setups.deal(players, seed, options)

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Check a setup completely and return the state at the first decision."""
        return setups.encode(players, options, setup)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, or with None everything; see views.py."""
        return views.view(position.to_bytes(), player)

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`: unknown parts filled in order."""
        position = GAME.from_bytes(views.from_view(view))
        if position.player is not None and len(position.legal_moves()) < 2:
            raise TrajanError("to_decide: there are no two moves to decide between")
        return position

    def draw(self, position: Position, player: int | None = None) -> str:
        """Return the board as text, as `player` sees it, or with None open."""
        return drawing.draw(self.view(position, player))


GAME = Game(
    setups.NAME,
    "trajan_ai.forum_trajanum:GAME",
    ops.CAPSULE,
    ACTIONS,
    ForumTrajanumRules(),
    tuple(WEIGHTS),
    tuple(WEIGHTS.values()),
)
