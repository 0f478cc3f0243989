"""The handle of Forum Trajanum: options of its rules, and what the contract does in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Option, Options, all_options, check_options
from trajan_ai.games.forum_trajanum import (
    edits,
    features,
    opening,
    picture,
    reading,
    rules,
    text_board,
    views,
    witnessing,
    words,
)
from trajan_ai.games.forum_trajanum import setup as setups
from trajan_ai.games.forum_trajanum.components import OURS, load
from trajan_ai.games.forum_trajanum.notation import ACTIONS
from trajan_ai.games.forum_trajanum.tables import TABLES
from trajan_ai.games.forum_trajanum.weights import WEIGHTS
from trajan_ai.games.kit.reader import NO_CHOICE

# Printed and shown where a player meets the game.
RECONSTRUCTED = (
    "The faces of tiles and boards are reconstructions; to play with your own: docs/components.md"
)


class ForumTrajanumRules:
    """Options, setups and views of Forum Trajanum (see `trajan_ai.core.rules.Rules`).

    `deal_options` choose components, boards and how mosaic boards lie. They are no options of the
    rules: a record keeps what was dealt in its ``setup``.
    """

    options: Sequence[Option] = setups.OPTIONS
    calibration = Path(__file__).with_name("calibration.yaml")
    levels = Path(__file__).with_name("levels.yaml")
    puzzles = Path(__file__).with_name("puzzles.json.gz")
    tips = Path(__file__).with_name("tips.yaml")
    deal_options: Sequence[Option] = setups.DEAL_OPTIONS

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        known = all_options(self)
        checked = check_options(setups.NAME, known, players, options)
        load(checked["components"])
        return checked

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`: unknown parts filled in order."""
        position = GAME.from_bytes(reading.parse(view))
        if position.player is not None and len(position.legal_moves()) < 2:
            raise TrajanError(NO_CHOICE)
        return position

    def note(self, setup: Mapping[str, Any]) -> str | None:
        """Say that tile faces are made up, where they are."""
        return RECONSTRUCTED if setup.get("components") in OURS else None

    deal = staticmethod(setups.deal)
    encode = staticmethod(setups.encode)
    view = staticmethod(views.view)
    draw = staticmethod(text_board.draw)
    # Optional entries: see `trajan_ai.core.rules`.
    places = staticmethod(picture.places)
    edit_places = edits.PLACES
    edits_followed = staticmethod(edits.followed)
    decision = staticmethod(picture.decision)
    sprite = staticmethod(picture.sprite)
    pieces = staticmethod(picture.pieces)
    picture = staticmethod(picture.draw)
    possible = staticmethod(witnessing.possible)
    carried_out = staticmethod(witnessing.carried_out)
    asks = staticmethod(witnessing.asks)
    lies_open = staticmethod(opening.lies_open)
    laid_open = staticmethod(opening.laid_open)
    witnessed = staticmethod(witnessing.witnessed)
    sentence = staticmethod(words.sentence)
    thing = staticmethod(words.thing)
    words = staticmethod(words.turn)
    features = staticmethod(features.list_features)


rules.fill_tables(TABLES)
GAME = Game(
    setups.NAME,
    "trajan_ai.games.forum_trajanum:GAME",
    rules.CAPSULE,
    ACTIONS,
    ForumTrajanumRules(),
    tuple(WEIGHTS),
    tuple(WEIGHTS.values()),
    names(rules, "VP_"),
)
