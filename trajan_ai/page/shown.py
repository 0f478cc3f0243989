"""What the page may know of a study, as plain data.

Where a person plays against bots, everything comes from positions drawn anew by a fixed seed from
those that look alike to that person, and from the decisions that they noticed, numbered without
the others. So two games that look alike to them give the page the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trajan_ai.analysis.decision import Analysis
from trajan_ai.analysis.vp_sources import SO_FAR, booked_so_far
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import (
    HasPicture,
    HasPieces,
    HasPlaces,
    HasSentences,
    Reveals,
    Rules,
    in_words,
    name_of,
    offered,
)
from trajan_ai.page.game_tree import ROOT, Study
from trajan_ai.records import position_files

OPEN = "open"  # the view of everything
UNSEEN = "…"  # a decision of which is noticed that it was made, and no more
REASONED = 3  # moves that are compared
NARROW = 400  # pixels: a drawing of one column


class Shown:
    """The nodes of a study that the page knows, under numbers of their own."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.nodes = [ROOT]  # by the page's number, those of the study
        self.entries: list[list[Any]] = [[-1, -1, "", 0]]
        self.told: dict[str, tuple[str | None, Reveals]] = {}  # by what the log has for them
        self._number = {ROOT: 0}
        for node in range(1, len(study.nodes)):
            self._enter(node)

    def _enter(self, node: int) -> None:
        """Give a node a number; one that the viewer does not notice shares its parent's."""
        made = self.study.nodes[node]
        parent = self._number[made.parent]
        before = self.study.position(made.parent)
        action = made.action and seen(before, made.action, self.study.viewer)
        if (
            action is None
            and made.action
            and known(self.study, node) == known(self.study, made.parent)
        ):
            self._number[node] = parent
            return
        self._number[node] = len(self.nodes)
        self.nodes.append(node)
        named = [action or UNSEEN, *(", ".join(names) for names in made.shown.values())]
        entry = " · ".join(named)
        self.told[entry] = action, made.shown
        self.entries.append([parent, made.player, entry, before.turn])

    def number(self, node: int) -> int:
        """Return the page's number of a node."""
        return self._number[node]

    def node(self, number: int) -> int:
        """Return the node of a number; raises TrajanError if the page has none such."""
        if not 0 <= number < len(self.nodes):
            raise TrajanError(f"node: must be 0 to {len(self.nodes) - 1}, got {number}")
        return self.nodes[number]

    def deepest(self, number: int) -> int:
        """Return where the unnoticed decisions behind a node have led so far."""
        node = self.node(number)
        while True:
            unseen = [
                child for child in self.study.nodes[node].children if self._number[child] == number
            ]
            if not unseen:
                return node
            node = unseen[0]


def seen(before: Position, action: str, player: int | None) -> str | None:
    """Return what `player` (None: who sees everything) sees of an action, None for nothing."""
    if player is None:
        return action
    move = before.observed(before.game.move(action), player)
    return None if move is None else before.game.actions[move]


def known(study: Study, node: int) -> Position:
    """Return the position of a node as far as the page may know it."""
    position = study.position(node)
    if study.viewer is None:
        return position
    return InformationSet(position, study.viewer).canonical


def views(study: Study) -> list[int | str]:
    """Return whose views the page may show."""
    if study.viewer is not None:
        return [study.viewer]
    if study.observer is not None:
        return [study.observer]
    return [*range(study.root.players), OPEN]


def _view_of(study: Study, asked: int | str | None, decider: int | None) -> int | None:
    """Return whose view is shown, None for everything."""
    allowed = views(study)
    if asked is not None and asked not in allowed:
        raise TrajanError(f"view: must be one of {allowed}, got {asked!r}")
    if asked is None:
        here: int | str = OPEN if decider is None else decider
        asked = here if here in allowed else allowed[0]
    return None if asked == OPEN else int(asked)


def decides_here(study: Study, position: Position) -> bool:
    """Whether the person at the page decides in a position."""
    if position.player is None:
        return False
    return study.opened or study.seats[position.player] is None


def state(
    shown: Shown,
    number: int,
    view: int | str | None,
    gathered: tuple[list[str], list[str]] | None = None,
) -> dict[str, Any]:
    """Return all that the page shows of a node.

    `gathered` are things of a set that are not carried out yet, and what may be named besides.
    """
    study, node = shown.study, shown.node(number)
    position = known(study, node)
    decider = position.player
    player = _view_of(study, view, decider)
    rules = position.game.rules
    data = rules.view(position, player)
    legal: Sequence[str | None] = study.legal(node) if decides_here(study, position) else []
    things, legal = gathered or ([], legal)
    named = [action for action in legal if action is not None]
    clickable = player in (None, decider) or study.observer is not None
    places = places_of(position, data, named) if clickable else {}
    return {
        "id": study.id,
        "title": study.title,
        "game": position.game.name,
        "players": position.players,
        "seats": study.seats,
        "opened": study.opened,
        "locked": study.viewer is not None,
        "observer": study.observer,
        "has_record": "record" in study.origin or study.observer is not None,
        "view": OPEN if player is None else player,
        "views": views(study),
        "nodes": shown.entries,
        "node": number,
        "player": decider,
        "decision": _decision(rules, data.get("to_decide")),
        "turn": position.turn,
        "scores": position.scores,
        "ranks": position.ranks,
        "words": words(position, named),
        "log": {entry: _sentence(rules, *told) for entry, told in shown.told.items()},
        "pieces": _pieces(rules, [*named, *shown.told]),
        "sources": _sources(study, node),
        "legal": [[action or UNSEEN, places.get(action or UNSEEN)] for action in legal],
        "gathered": things,
        "bot": None if decider is None or study.opened else study.seats[decider],
        **drawn(position, data, player, last=_last(study, node, player), legal=tuple(places)),
    }


def _decision(rules: Rules, pending: Mapping[str, Any] | None) -> str | None:
    wordy = offered(rules, HasSentences)
    if wordy is None or not pending:
        return (pending or {}).get("decision")
    return wordy.decision(pending)


def _sentence(rules: Rules, action: str | None, shown: Reveals) -> str:
    """Return what was done, and what came to light, for the log."""
    wordy = offered(rules, HasSentences)
    told = action or UNSEEN
    if wordy is not None and action is not None:
        told = wordy.sentence(action)
    return " · ".join([told, *(", ".join(name_of(rules, n) for n in s) for s in shown.values())])


def _pieces(rules: Rules, texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the symbols of what actions speak of, of those with any."""
    drawing = offered(rules, HasPieces)
    found = {text: drawing.pieces(text) for text in texts} if drawing else {}
    return {text: symbols for text, symbols in found.items() if symbols}


def words(position: Position, actions: Iterable[str]) -> dict[str, str]:
    """Return actions in words, where the game has some of its own for them."""
    found = {action: in_words(position.game.rules, [action]) for action in actions}
    return {action: told for action, told in found.items() if told != action}


def _sources(study: Study, node: int) -> dict[str, list[int]]:
    """Return what brought VP on the way to a node, by player; nothing where that is not known."""
    game = study.root.game
    if study.observer is not None or not game.vp_sources:
        return {}
    path = study.path(node)
    moves = [game.move(study.nodes[step].action or "") for step in path]
    before = (study.position(study.nodes[step].parent) for step in path)
    total = booked_so_far(before, moves)
    if (to_come := study.forced(node)) is not None:  # booked with the decision before it
        early = booked_so_far([study.position(node)], [game.move(to_come)])
        total = [
            [a - b for a, b in zip(*rows, strict=True)] for rows in zip(total, early, strict=True)
        ]
    by_source = {
        name: [row[number] for row in total] for number, name in enumerate(game.vp_sources)
    }
    return {name: vp for name, vp in by_source.items() if any(vp)}


def reasons(analysis: Analysis) -> dict[str, Any] | None:
    """Return what the best moves are expected to bring the player to decide, by source of VP.

    ``sources`` has a row per source, ``{"name": .., "first": VP, "others": [more, ..]}``: of the
    first move how many, of the others how many more. None where there is nothing to compare.
    """
    player = analysis.player
    compared = [move for move in analysis.moves if move.sources is not None][:REASONED]
    if len(compared) < 2:
        return None
    vp = [move.sources[player] for move in compared if move.sources is not None]
    rows = [
        {"name": name, "first": value, "others": [other[name] - value for other in vp[1:]]}
        for name, value in vp[0].items()
        if name != SO_FAR
    ]
    return {"actions": [move.action for move in compared], "sources": rows}


def places_of(position: Position, view: Mapping[str, Any], legal: list[str]) -> dict[str, str]:
    """Return the place to click for each legal action, where the game's drawings have places."""
    drawing, decider = offered(position.game.rules, HasPlaces), position.player
    if drawing is None or decider is None:
        return {}
    return {action: drawing.places(view, action, decider)[0] for action in legal}


def drawn(
    position: Position,
    view: Mapping[str, Any],
    player: int | None,
    *,
    last: tuple[int, str] | None = None,
    legal: tuple[str, ...] = (),
) -> dict[str, str]:
    """Return the board as ``svg``, or as ``text`` for a game without drawings.

    The drawing has one column: the page arranges its panels.
    """
    drawing = offered(position.game.rules, HasPicture)
    if drawing is None:
        return {"text": position.game.rules.draw(position, player)}
    return {"svg": drawing.picture(view, last=last, legal=legal, width=NARROW)}


def _last(study: Study, node: int, player: int | None) -> tuple[int, str] | None:
    if node == ROOT:
        return None
    made = study.nodes[node]
    action = made.action and seen(study.position(made.parent), made.action, player)
    return (made.player, action) if action else None


def position_text(shown: Shown, number: int, view: int | str | None) -> str:
    """Return the position file of a node, from the knowledge of the view."""
    position = known(shown.study, shown.node(number))
    player = _view_of(shown.study, view, position.player)
    if player is None:
        raise TrajanError("view: a position file holds what one player knows; choose a player")
    return position_files.dumps(position_files.position_file(position, player))
