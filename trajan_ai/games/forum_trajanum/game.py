"""The handle of Forum Trajanum, and its implementation of `Rules`."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Option, Options, all_options, check_options
from trajan_ai.games.forum_trajanum import (
    features,
    fields,
    opening,
    picture,
    previews,
    reading,
    rules,
    text_board,
    views,
    witnessing,
    words,
)
from trajan_ai.games.forum_trajanum import setup as setups
from trajan_ai.games.forum_trajanum.components import DEFAULT, OURS, choose
from trajan_ai.games.forum_trajanum.notation import ACTIONS, EVENTS
from trajan_ai.games.forum_trajanum.tables import TABLES
from trajan_ai.games.forum_trajanum.weights import WEIGHTS
from trajan_ai.games.kit.reader import NO_CHOICE

# Shown wherever a player chooses the game.
RECONSTRUCTED = (
    "The faces of tiles and boards are reconstructions; to play with your own: docs/components.md"
)
HASH_DIGITS = 12


class ForumTrajanumRules:
    """Options, setups, views and drawing of Forum Trajanum; see `trajan_ai.core.rules.Rules`.

    `deal_options` choose the components, the boards and the orientation of mosaic boards. They are
    not options of the rules, because the ``setup`` of a record contains the result.
    """

    options: Sequence[Option] = setups.OPTIONS
    events = EVENTS
    calibration = Path(__file__).with_name("calibration.yaml")
    levels = Path(__file__).with_name("levels.yaml")
    puzzles = Path(__file__).with_name("puzzles.json.gz")
    tips = Path(__file__).with_name("tips.yaml")
    overview = Path(__file__).with_name("overview.yaml")
    declining = words.DECLINING
    part = "phase"
    part_end = "end_phase"
    deal_options: Sequence[Option] = setups.DEAL_OPTIONS

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        checked = check_options(setups.NAME, all_options(self), players, options)
        choose(checked["components"])
        return checked

    def hash_files(self, options: Mapping[str, Any]) -> dict[str, str]:
        """Return a hash of the component set, or {} if the set belongs to the package."""
        components = choose(options.get("components", DEFAULT))
        if components.name in OURS:
            return {}
        return {"components": sha256(repr(components).encode()).hexdigest()[:HASH_DIGITS]}

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`; raise TrajanError with every problem."""
        position = GAME.from_bytes(reading.parse(view))
        if position.player is not None and len(position.legal_moves()) < 2:
            raise TrajanError(NO_CHOICE)
        return position

    def note(self, setup: Mapping[str, Any]) -> str | None:
        """Return a note if the faces of the components are reconstructed."""
        return RECONSTRUCTED if setup.get("components") in OURS else None

    deal = staticmethod(setups.deal)
    encode = staticmethod(setups.encode)
    view = staticmethod(views.view)
    find_part = staticmethod(views.find_part)
    draw = staticmethod(text_board.draw)
    # Optional entries: see `trajan_ai.core.rules` and the modules beside it.
    places = staticmethod(picture.places)
    traces = staticmethod(picture.traces)
    preview = staticmethod(previews.preview)
    edit_places = fields.EDIT_PLACES
    sprite = staticmethod(picture.sprite)
    pieces = staticmethod(picture.pieces)
    picture = staticmethod(picture.draw)
    list_possible = staticmethod(witnessing.list_possible)
    carry_out = staticmethod(witnessing.carry_out)
    list_questions = staticmethod(witnessing.list_questions)
    list_open = staticmethod(opening.list_open)
    lay_open = staticmethod(opening.lay_open)
    list_reveals = staticmethod(witnessing.list_reveals)
    sentence = staticmethod(words.sentence)
    thing = staticmethod(words.thing)
    happening = staticmethod(words.happening)
    foresee = staticmethod(words.foresee)
    is_paid = staticmethod(words.is_paid)
    detail = staticmethod(words.detail)
    instruct = staticmethod(words.instruct)
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
