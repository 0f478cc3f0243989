"""Describe what the page shows of a game, as plain data with only what the viewer knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.analysis.decision.vp_sources import SO_FAR
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.events import Event
from trajan_ai.core.foresight import word_turn
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import Rules, offered
from trajan_ai.core.rules_drawing import HasPicture, HasPieces, HasPlaces
from trajan_ai.core.rules_following import Reveals
from trajan_ai.core.rules_words import (
    HasEndReasons,
    HasInstructions,
    HasSentences,
    detail_action,
    find_closing,
    find_declining,
    find_groups,
    find_question,
    in_words,
    list_notable,
    name_of,
    put_free_first,
    word_end,
    word_event,
)
from trajan_ai.core.shown_actions import UNSEEN
from trajan_ai.games.drawing.svg import NARROW
from trajan_ai.page.game_tree import ROOT, GameTree
from trajan_ai.page.previews import preview_moves
from trajan_ai.page.visible_tree import VisibleTree, observe_action
from trajan_ai.records import position_files

OPEN = "open"  # the view with all cards open
MAX_MOVES = 12  # of a ranking
MAX_COMPARED = 3  # moves whose expected sources of VP are compared


def list_views(tree: GameTree) -> list[int | str]:
    """Return the views that the page may show: players, and `OPEN`."""
    if tree.viewer is not None:
        return [tree.viewer]
    if tree.observer is not None:
        return [tree.observer]
    return [*range(tree.root.players), OPEN]


def _choose_view(tree: GameTree, view: int | str | None, decider: int | None) -> int | None:
    """Return the player whose view is shown, or None for `OPEN`."""
    allowed = list_views(tree)
    if view is not None and view not in allowed:
        raise TrajanError(f"view: must be one of {allowed}, got {view!r:.60}")
    if view is None:
        default: int | str = OPEN if decider is None else decider
        view = default if default in allowed else allowed[0]
    return None if view == OPEN else int(view)


def is_own_decision(tree: GameTree, position: Position) -> bool:
    """Return whether the user at the page makes the decision of a position."""
    if position.player is None:
        return False
    return tree.opened or tree.seats[position.player] is None


def describe_node(
    visible: VisibleTree,
    number: int,
    view: int | str | None,
    gathered: tuple[list[str], list[str]] | None = None,
) -> dict[str, Any]:
    """Return everything that the page shows at a node.

    `gathered` consists of the elements of a set that were named but not played yet, and of the
    actions that may be named next; see `Sets.take`. The board shows the named elements as if they
    had been played.
    """
    tree, node = visible.tree, visible.node(number)
    position = visible.position(node)
    decider = position.player
    player = _choose_view(tree, view, decider)
    rules = position.game.rules
    elements, further = gathered or ([], [])
    data = tree.sets(node).lay_in_view(rules.view(position, player), elements)
    names = tree.names
    legal: Sequence[str | None] = tree.legal(node) if is_own_decision(tree, position) else []
    so_far = [*tree.list_laid(node), *elements] if legal else []
    legal = further or legal
    named = put_free_first(rules, (action for action in legal if action is not None))
    legal = [*named, *(None for action in legal if action is None)]
    events = visible.events(player)
    last = _last_action(visible, node, player)
    clickable = player in (None, decider) or tree.observer is not None
    places = find_places(position, data, named) if clickable else {}
    return {
        "id": tree.id,
        "title": tree.title,
        "game": position.game.name,
        "seats": tree.seats,
        "names": names,
        "opened": tree.opened,
        "locked": tree.viewer is not None,
        "observer": tree.observer,
        "options": tree.origin.get("options", {}),
        "has_record": "record" in tree.origin or tree.observer is not None,
        "origin": _find_origin(tree, node, data, player),
        "moves": _find_moves(visible, number, data, player),
        "view": OPEN if player is None else player,
        "views": list_views(tree),
        "nodes": visible.entries,
        "revealing": visible.revealing,
        "node": number,
        "player": decider,
        "instruction": _instruct(rules, data),
        "turn": position.turn,
        "scores": position.scores,
        "ranks": position.ranks,
        "words": _word_actions(position, player, named),
        "log": _describe_log(rules, visible.log),
        "pieces": find_pieces(rules, [*named, *visible.log]),
        "declining": find_declining(rules, named),
        "groups": find_groups(rules, named),
        "question": find_question(rules, named),
        "events": {
            node: [*described, *_explain_end(visible, node, one, player)]
            for node, one in enumerate(events)
            if (described := describe_events(rules, one))
        },
        "ending": word_end(rules, data),
        "sources": _sum_sources(visible, number, events),
        "legal": [[action or UNSEEN, places.get(action or UNSEEN)] for action in legal],
        "gathered": elements,
        "so_far": ", ".join(_name_things(rules, action) for action in so_far),
        "bot": None if decider is None or tree.opened else tree.seats[decider],
        **draw(
            position,
            {**data, "names": names},
            player,
            last=last,
            legal=tuple(places),
        ),
    }


def _name_things(rules: Rules, action: str) -> str:
    """Return the names in an element of a set, such as the colour of a marker."""
    return " ".join(name_of(rules, word) for word in action.split()[1:])


def _instruct(rules: Rules, view: Mapping[str, Any]) -> str | None:
    """Return an instruction for the player to move, or None when the game is over."""
    pending = view.get("to_decide")
    if not pending:
        return None
    instructing = offered(rules, HasInstructions)
    return str(pending["decision"]) if instructing is None else instructing.instruct(view)


def _describe_log(rules: Rules, log: Mapping[str, tuple[str | None, Reveals]]) -> dict[str, str]:
    """Return the entries of a log as sentences: the actions, and what they revealed."""
    describer = offered(rules, HasSentences)

    def describe(action: str | None, reveals: Reveals) -> str:
        if action is None or UNSEEN in action:
            sentence = tr("makes a secret choice")
        else:
            sentence = action if describer is None else describer.sentence(action)
        names = (", ".join(name_of(rules, name) for name in names) for names in reveals.values())
        return " · ".join([sentence, *names])

    return {entry: describe(*what) for entry, what in log.items()}


def preview_node(
    visible: VisibleTree, number: int, gathered: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the previews of those moves of the user at a node that have a preview.

    `gathered` are elements of a set that were named but not played yet.
    """
    tree, position = visible.tree, visible.position(visible.node(number))
    if not is_own_decision(tree, position):
        return {}
    return preview_moves(InformationSet(position), tree.names, gathered)


def find_pieces(rules: Rules, texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the symbols of the pieces in each action or name that contains pieces."""
    drawing = offered(rules, HasPieces)
    pieces = {text: drawing.pieces(text) for text in texts} if drawing else {}
    return {text: symbols for text, symbols in pieces.items() if symbols}


def _word_actions(
    position: Position, player: int | None, actions: Iterable[str]
) -> dict[str, str]:
    """Return those actions in words whose words differ from the notation."""
    rules = position.game.rules
    view = cache(lambda: rules.view(position, player))
    detailed = {action: detail_action(rules, action, view) for action in actions}
    wording = {action: in_words(rules, [one]) for action, one in detailed.items()}
    return {action: words for action, words in wording.items() if words != action}


def describe_events(rules: Rules, events: Sequence[Event]) -> list[list[Any]]:
    """Return the events that the log shows (see `list_notable`).

    Each event is a list: its player, its VP, its sentence, and whether it belongs to the end of a
    part of the game.
    """
    closing = find_closing(rules)
    return [
        [event.player, event.vp, word_event(rules, event), event.name in closing]
        for event in list_notable(rules, events)
    ]


def _explain_end(
    visible: VisibleTree, number: int, events: Sequence[Event], player: int | None
) -> list[list[Any]]:
    """Return the reasons why players came first when a part of the game ended.

    The reasons have the same form as the events that `describe_events` returns.
    """
    rules = visible.tree.root.game.rules
    explaining = offered(rules, HasEndReasons)
    if explaining is None:
        return []

    def look() -> Mapping[str, Any]:
        return rules.view(visible.position(visible.node(visible.entries[number][0])), player)

    reasons = explaining.explain_end(events, look)
    return [[winner, 0, reason, True] for winner, reason in reasons.items()]


def _sum_sources(
    visible: VisibleTree, number: int, events: Sequence[Sequence[Event]]
) -> dict[str, list[int]]:
    """Return each player's VP by source at a node; the result is empty in a followed game."""
    root = visible.tree.root
    if visible.tree.observer is not None:
        return {}
    total = {name: [0] * root.players for name in root.game.vp_sources}
    for step in visible.path(number):
        for event in events[step]:
            if event.source is not None and event.player is not None:
                total[event.source][event.player] += event.vp
    return {name: vp for name, vp in total.items() if any(vp)}


def describe_ranking(
    analysis: Analysis, position: Position, observer: int, *, is_last: bool
) -> dict[str, Any]:
    """Return one line of a search's answer: the ranking of the moves at a position.

    Places and sources are included if the `observer` decides at the position.
    """
    rules, is_own = position.game.rules, observer == analysis.player
    information = InformationSet(position, observer)
    moves = [
        {key: value for key, value in move.to_dict().items() if key != "sources"}
        | {"turn": move.turn.to_dict()}
        for move in analysis.moves[:MAX_MOVES]
    ]
    steps = {action for move in moves for action in move["turn"]["actions"]}
    view = rules.view(position, observer)
    places = find_places(position, view, sorted(steps)) if is_own else {}
    for move in moves:
        # The words are formed again, because the search may run in another language.
        move["words"] = word_turn(information, [move["action"]])
        move["turn"]["words"] = word_turn(information, move["turn"]["actions"])
        move["places"] = [places.get(action) for action in move["turn"]["actions"]]
    return {
        "player": analysis.player,
        "moves": moves,
        "of": len(analysis.moves),
        "last": is_last,
        "grade": analysis.grade,
        "calibrated": analysis.calibrated,
        "redeals": analysis.redeals,
        "iterations": analysis.iterations,
        "seconds": analysis.seconds,
        "why": _compare_sources(analysis) if is_own else None,
    }


def _compare_sources(analysis: Analysis) -> dict[str, Any] | None:
    """Return the VP by source that the player to move can expect after each of the best moves.

    ``sources`` has a row per source, ``{"name": .., "first": VP, "others": [difference, ..]}``:
    the VP after the first move, and how many more VP each other move brings. The result is None if
    fewer than two moves have sources.
    """
    player = analysis.player
    compared = [move for move in analysis.moves if move.sources is not None][:MAX_COMPARED]
    if len(compared) < 2:
        return None
    vp = [move.sources[player] for move in compared if move.sources is not None]
    rows = [
        {"name": name, "first": value, "others": [other[name] - value for other in vp[1:]]}
        for name, value in vp[0].items()
        if name != SO_FAR or value
    ]
    return {"actions": [move.action for move in compared], "sources": rows}


def find_places(position: Position, view: Mapping[str, Any], legal: list[str]) -> dict[str, str]:
    """Return the place of each legal action in the drawing, or {} if there are no places."""
    drawing, decider = offered(position.game.rules, HasPlaces), position.player
    if drawing is None or decider is None:
        return {}
    return {action: drawing.places(view, action, decider)[0] for action in legal}


def draw(
    position: Position,
    view: Mapping[str, Any],
    player: int | None,
    *,
    last: tuple[int, str] | None = None,
    legal: tuple[str, ...] = (),
) -> dict[str, str]:
    """Return the board as ``svg``, or as ``text`` for a game without drawings.

    The drawing has one column; the page arranges its panels.
    """
    drawing = offered(position.game.rules, HasPicture)
    if drawing is None:
        return {"text": position.game.rules.draw(position, player)}
    return {"svg": drawing.picture(view, last=last, legal=legal, width=NARROW)}


def _last_action(visible: VisibleTree, node: int, player: int | None) -> tuple[int, str] | None:
    """Return the player who took the action before a node, and the action with its details.

    The result is None unless `player` sees the whole action, because a drawing marks the places
    of an action only in this case.
    """
    tree = visible.tree
    action = _observe_edge(tree, node, player)
    if action is None:
        return None
    edge = tree.nodes[node]
    before = tree.position(edge.parent)
    rules = before.game.rules
    return edge.player, detail_action(rules, action, lambda: rules.view(before, player))


def _observe_edge(tree: GameTree, node: int, player: int | None) -> str | None:
    """Return the action before a node, or None unless `player` sees all of it."""
    if node == ROOT:
        return None
    edge = tree.nodes[node]
    before = tree.position(edge.parent)
    action = edge.action and observe_action(before, edge.action, player)
    return action if action in before.game.actions else None


def _find_origin(
    tree: GameTree, node: int, view: Mapping[str, Any], player: int | None
) -> str | None:
    """Return the place on the board where the last move was made, if `player` saw the move."""
    drawing = offered(tree.root.game.rules, HasPlaces)
    action = _observe_edge(tree, node, player)
    if drawing is None or action is None:
        return None
    return drawing.places(view, action, tree.nodes[node].player)[0]


def _find_moves(
    visible: VisibleTree, number: int, view: Mapping[str, Any], player: int | None
) -> dict[int, list[str]]:
    """Return, by node, the places that show what the turn of a bot has done up to that node.

    The nodes are those since the last decision of a person.
    """
    tree = visible.tree
    drawing = offered(tree.root.game.rules, HasPlaces)
    line: list[int] = []
    while number != ROOT and tree.seats[tree.nodes[visible.node(number)].player] is not None:
        line.insert(0, number)
        number = visible.entries[number][0]
    places: dict[int, list[str]] = {}
    if drawing is None:
        return places
    actions: list[str] = []
    turn: tuple[int, int] | None = None
    for one in line:
        _, mover, _, number_of_turn, *_ = visible.entries[one]
        if turn != (mover, number_of_turn):
            turn, actions = (mover, number_of_turn), []
        last = _last_action(visible, visible.node(one), player)
        actions += [] if last is None else [last[1]]
        places[one] = drawing.traces(view, actions, mover)
    return places


def draw_picture(visible: VisibleTree, number: int, view: int | str | None) -> str:
    """Return the drawing of a node, with the knowledge of a view, as the content of a file.

    Raises TrajanError if the game has no drawings.
    """
    tree, node = visible.tree, visible.node(number)
    position = visible.position(node)
    drawing = offered(position.game.rules, HasPicture)
    if drawing is None:
        raise TrajanError(f"{position.game.name} has no drawings")
    player = _choose_view(tree, view, position.player)
    data = position.game.rules.view(position, player)
    return drawing.picture({**data, "names": tree.names}, last=_last_action(visible, node, player))


def dump_position(visible: VisibleTree, number: int, view: int | str | None) -> str:
    """Return the position file of a node, with what the view's player knows."""
    position = visible.position(visible.node(number))
    player = _choose_view(visible.tree, view, position.player)
    if player is None:
        raise TrajanError("view: a position file contains what one player knows: choose a player")
    return position_files.dumps(position_files.position_file(position, player))
