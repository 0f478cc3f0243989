"""The handle of Trajan, and its Python half: what `Rules` asks of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Option, Options, check_options
from trajan_ai.games.trajan import (
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
from trajan_ai.games.trajan import setup as setups
from trajan_ai.games.trajan.notation import ACTIONS
from trajan_ai.games.trajan.tables import TABLES
from trajan_ai.games.trajan.weights import WEIGHTS


class TrajanRules:
    """Options, setups, views and drawing of Trajan; see `trajan_ai.core.rules.Rules`."""

    options: Sequence[Option] = setups.OPTIONS
    calibration = Path(__file__).with_name("calibration.yaml")
    levels = Path(__file__).with_name("levels.yaml")
    puzzles = Path(__file__).with_name("puzzles.json.gz")
    tips = Path(__file__).with_name("tips.yaml")

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        return check_options(setups.NAME, self.options, players, options)

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`; raise TrajanError with every problem."""
        return GAME.from_bytes(reading.parse(view))

    def from_file(self, view: Mapping[str, Any]) -> Position:
        """Return what `from_view` does, if play can lead to it; see `HasFiles`."""
        return GAME.from_bytes(reading.parse(view, played=True))

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
    set_words = witnessing.SET_WORDS
    laid = staticmethod(witnessing.laid)
    holding = staticmethod(witnessing.holding)
    sentence = staticmethod(words.sentence)
    thing = staticmethod(words.thing)
    words = staticmethod(words.turn)
    features = staticmethod(features.list_features)


rules.fill_tables(TABLES)
GAME = Game(
    "trajan",
    "trajan_ai.games.trajan:GAME",
    rules.CAPSULE,
    ACTIONS,
    TrajanRules(),
    tuple(WEIGHTS),
    tuple(WEIGHTS.values()),
    names(rules, "VP_"),
)
