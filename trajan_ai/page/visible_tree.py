"""The part of a game tree that its viewer notices.

If one person plays against bots, each position is replaced by the canonical one of all positions
that look the same to that person, and decisions that the person does not notice get no number.
Therefore, the page receives the same bytes for two games that look the same to the person.
"""

from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import list_languages, use_language
from trajan_ai.core.rules_following import Reveals
from trajan_ai.core.rules_words import detail_action
from trajan_ai.core.shown_actions import UNSEEN, show_action
from trajan_ai.page.game_tree import ROOT, GameTree


class VisibleTree:
    """The nodes of a tree as its viewer numbers them.

    A decision that the viewer does not notice has the number of its parent. As the tree grows,
    `update` adds numbers; it computes all of them again only if the viewer changes.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.update()

    def update(self) -> None:
        """Number the nodes that were added; call this method after every change to the tree."""
        if getattr(self, "viewer", self) != self.tree.viewer:
            self.viewer = self.tree.viewer
            self.nodes: list[int] = []  # the nodes by number
            # By number: parent, player, log entry in notation, turn, scores, key of `log`.
            self.entries: list[list[Any]] = []
            self.log: dict[str, tuple[str | None, Reveals]] = {}  # detailed action and reveals
            self.revealing: list[int] = []  # the numbers after decisions that revealed something
            self._events: dict[int | None, list[list[Event]]] = {}  # by observer, then by number
            self._numbers: list[int] = []  # by node
            self._positions: dict[int, Position] = {}
        for node in range(len(self._numbers), len(self.tree.nodes)):
            self._number(node)

    def _number(self, node: int) -> None:
        if node == ROOT:
            self._append(node, [-1, -1, "", 0, self.position(node).scores, ""])
            return
        edge = self.tree.nodes[node]
        before = self.tree.position(edge.parent)
        action = edge.action and observe_action(before, edge.action, self.viewer)
        hidden = action is None and edge.action
        if hidden and self.position(node) == self.position(edge.parent):
            self._numbers.append(self._numbers[edge.parent])
            return
        detailed = action and self._detail(edge.parent, action)
        reveals = [", ".join(names) for names in edge.reveals.values()]
        entry, key = (" · ".join([one or UNSEEN, *reveals]) for one in (action, detailed))
        self.log[key] = detailed, edge.reveals
        scores = self.position(node).scores
        parent = self._numbers[edge.parent]
        if self.tree.reveals(node):
            self.revealing.append(len(self.nodes))
        self._append(node, [parent, edge.player, entry, before.turn, scores, key])

    def _detail(self, parent: int, action: str) -> str:
        """Return an action with details that it does not name, such as the tray of a marker."""
        before = self.position(parent)
        rules = before.game.rules
        player = self.tree.observer if self.viewer is None else self.viewer
        return detail_action(rules, action, lambda: rules.view(before, player))

    def _append(self, node: int, entry: list[Any]) -> None:
        self._numbers.append(len(self.nodes))
        self.nodes.append(node)
        self.entries.append(entry)

    def events(self, observer: int | None) -> list[list[Event]]:
        """Return for each number of a node the events before this node, as `observer` sees them.

        If the tree has a viewer, `observer` must be that viewer: no other view may be shown.
        """
        assert self.viewer in (None, observer)
        events = self._events.setdefault(observer, [[]])
        for node in self.nodes[len(events) :]:
            events.append(self.tree.events(node, observer))
        return events

    def position(self, node: int) -> Position:
        """Return the position of a node as far as the viewer knows it."""
        position = self.tree.position(node)
        if self.viewer is None:
            return position
        if node not in self._positions:
            self._positions[node] = InformationSet(position, self.viewer).canonical
        return self._positions[node]

    def describe_status(self) -> dict[str, Any]:
        """Return what the list of games shows: the end of the line that the user is viewing.

        The names are in every language, so that the page can show the list without an engine.
        """
        node = self.tree.here
        while children := self.tree.nodes[node].children:
            node = children[-1]  # the line that was played last
        position = self.position(node)
        names = {}
        for language in list_languages():
            with use_language(language):
                names[language] = self.tree.names
        return {
            "game": position.game.name,
            "observer": self.tree.observer,
            "names": names,
            "player": position.player,
            "scores": position.scores,
        }

    def path(self, number: int) -> list[int]:
        """Return the numbers of the nodes that lead to node `number`, without the root."""
        path = []
        while number:
            path.append(number)
            number = self.entries[number][0]
        return path[::-1]

    def number(self, node: int) -> int:
        """Return the number of a node."""
        return self._numbers[node]

    def node(self, number: int) -> int:
        """Return the node with a number; raises TrajanError if there is none."""
        if not 0 <= number < len(self.nodes):
            raise TrajanError(f"node: this game has no node {number}")
        return self.nodes[number]

    def deepest(self, number: int) -> int:
        """Return the last node with a number: the one after all decisions that went unnoticed."""
        node = self.node(number)
        while True:
            children = self.tree.nodes[node].children
            hidden = [child for child in children if self._numbers[child] == number]
            if not hidden:
                return node
            node = hidden[0]


def observe_action(before: Position, action: str, player: int | None) -> str | None:
    """Return an action as `player` sees it, or None if it is hidden.

    If `player` is None, nothing is hidden.
    """
    if player is None:
        return action
    return show_action(before, before.game.move(action), player)
