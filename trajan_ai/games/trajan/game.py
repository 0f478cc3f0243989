"""The handle of Trajan, and its implementation of `Rules`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trajan_ai.core.enums import names
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import Option, Options, check_options
from trajan_ai.games.trajan import (
    edits,
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
from trajan_ai.games.trajan import setup as setups
from trajan_ai.games.trajan.notation import ACTIONS, EVENTS
from trajan_ai.games.trajan.tables import TABLES
from trajan_ai.games.trajan.weights import WEIGHTS


class TrajanRules:
    """Options, setups, views and drawing of Trajan; see `trajan_ai.core.rules.Rules`."""

    options: Sequence[Option] = setups.OPTIONS
    events = EVENTS
    calibration = Path(__file__).with_name("calibration.yaml")
    levels = Path(__file__).with_name("levels.yaml")
    puzzles = Path(__file__).with_name("puzzles.json.gz")
    network = Path(__file__).with_name("network.bin")
    tips = Path(__file__).with_name("tips.yaml")
    overview = Path(__file__).with_name("overview.yaml")
    declining = words.DECLINING
    groups = words.GROUPS
    questions = words.QUESTIONS
    part = "quarter"
    part_end = "end_quarter"

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults; raise TrajanError with all problems."""
        return check_options(setups.NAME, self.options, players, options)

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`; raise TrajanError with every problem."""
        return GAME.from_bytes(reading.parse(view))

    def from_file(self, view: Mapping[str, Any]) -> Position:
        """Return what `from_view` returns; raise TrajanError if no game leads to the position."""
        return GAME.from_bytes(reading.parse(view, played=True))

    def network_applies(self, position: Position) -> bool:
        """Return whether all options that a position contains have their default values."""
        return not views.changed_options_of(rules.fields(position.to_bytes()))

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
    list_dependent_edits = staticmethod(edits.list_dependent_edits)
    sprite = staticmethod(picture.sprite)
    pieces = staticmethod(picture.pieces)
    picture = staticmethod(picture.draw)
    list_possible = staticmethod(witnessing.list_possible)
    carry_out = staticmethod(witnessing.carry_out)
    list_questions = staticmethod(witnessing.list_questions)
    list_open = staticmethod(opening.list_open)
    lay_open = staticmethod(opening.lay_open)
    list_reveals = staticmethod(witnessing.list_reveals)
    set_words = witnessing.SET_WORDS
    continue_set = staticmethod(witnessing.continue_set)
    put_in_hand = staticmethod(witnessing.put_in_hand)
    lay_in_view = staticmethod(witnessing.lay_in_view)
    sentence = staticmethod(words.sentence)
    thing = staticmethod(words.thing)
    happening = staticmethod(words.happening)
    detail = staticmethod(words.detail)
    explain_end = staticmethod(words.explain_end)
    instruct = staticmethod(words.instruct)
    words = staticmethod(words.turn)
    features = staticmethod(features.list_features)


rules.fill_tables(TABLES)
GAME = Game(
    setups.NAME,
    "trajan_ai.games.trajan:GAME",
    rules.CAPSULE,
    ACTIONS,
    TrajanRules(),
    tuple(WEIGHTS),
    tuple(WEIGHTS.values()),
    names(rules, "VP_"),
)
