"""Search trees that clients name, to reuse them as a game continues."""

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

from trajan_ai.core.game import Game, Position
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
        knowledge: what the player for whom the search runs knows in `position`.
        settings: the settings of the search.
        since: the actions since the position of the previous search in the tree.
    """

    name: str
    position: Position
    knowledge: InformationSet
    settings: Settings
    since: Sequence[str]


class Trees:
    """At most `size` trees: those of running searches, and the named trees used last.

    Only one search at a time uses a named tree. A search reuses the subtree after the actions in
    its request if this is sound for what the player knows; otherwise, it begins a new tree.
    """

    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.trees: Lru[str, tuple[SearchTree, TreeUse]] = Lru(size)
        self.alive: weakref.WeakSet[SearchTree] = weakref.WeakSet()

    def plant(self, game: Game, settings: Settings) -> SearchTree:
        """Return a new tree; drop named trees first if there are too many trees."""
        with self.lock:
            while self.trees.entries and len(self.alive) >= self.trees.size:
                self.trees.entries.popitem(last=False)
            tree = SearchTree(game, settings)
            self.alive.add(tree)
        return tree

    def plant_named(self, use: TreeUse) -> SearchTree:
        """Return the named tree if it fits the search, otherwise a new tree with that name."""
        with self.lock:
            tree, last = self.trees.get(use.name) or (None, use)
        alike = (last.knowledge.game, last.knowledge.observer, last.settings) == (
            use.knowledge.game,
            use.knowledge.observer,
            use.settings,
        )
        if tree is not None and alike:
            tree.follow_actions(last.position, use.since)
        else:
            tree = None  # frees the memory of the old tree
            with self.lock:
                self.trees.drop(use.name)
            tree = self.plant(use.knowledge.game, use.settings)
        with self.lock:
            self.trees.put(use.name, (tree, use))
        return tree

    def clear(self) -> int:
        """Drop all trees and return their number. A tree in use is freed when its search ends."""
        with self.lock:
            number = len(self.trees.entries)
            self.trees.entries.clear()
        return number
