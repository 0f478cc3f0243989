"""Search trees that clients name, to reuse them as a game goes on."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.lru import Lru
from trajan_ai.mcts import Settings
from trajan_ai.mcts.driver import SearchTree


@dataclass(frozen=True)
class TreeUse:
    """A search in a named tree.

    Attributes:
        name: the name of the tree.
        position: the position of the request.
        knowledge: what the player of the tree knows there.
        settings: the settings of the search.
        since: the actions since the last position of the tree.
    """

    name: str
    position: Position
    knowledge: InformationSet
    settings: Settings
    since: Sequence[str]


class Trees:
    """The `size` trees used last. Each is used by one search at a time.

    The subtree after the actions of a request is reused if that is sound for what its player
    knows. Otherwise the search gets a new tree.
    """

    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.trees: Lru[str, tuple[SearchTree, TreeUse]] = Lru(size)

    def plant(self, use: TreeUse) -> SearchTree:
        """Return the tree for a search."""
        with self.lock:
            tree, last = self.trees.get(use.name) or (None, use)
        alike = (last.knowledge.game, last.knowledge.observer, last.settings) == (
            use.knowledge.game,
            use.knowledge.observer,
            use.settings,
        )
        if tree is None or not alike:
            tree = SearchTree(use.knowledge.game, use.settings)
        else:
            _advance(tree, last.position, use.since)
        with self.lock:
            self.trees.put(use.name, (tree, use))
        return tree

    def clear(self) -> int:
        """Drop all trees and return their number. One in use is freed when its search ends."""
        with self.lock:
            number = len(self.trees.entries)
            self.trees.entries.clear()
        return number


def _advance(tree: SearchTree, position: Position, actions: Sequence[str]) -> None:
    """Advance a tree along actions. If it ends elsewhere than the search, nothing is reused."""
    for action in actions:
        try:
            after = position.after(action)
        except TrajanError:  # not legal with the hidden cards of the last position
            return
        tree.follow(position, after, position.game.move(action))
        position = after
