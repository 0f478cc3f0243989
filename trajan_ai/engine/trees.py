"""Trees that clients keep by name, to search on in as a game goes on."""

from __future__ import annotations

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
class Place:
    """What to search in the tree called `name`; `since`: actions made since it was searched."""

    name: str
    position: Position
    known: InformationSet
    settings: Settings
    since: Sequence[str]


class Trees:
    """The `size` trees used last. Whoever has planted one is alone with it until the search ends.

    A tree is led along by the actions only where that is sound for what its player knows; where
    it is not, or something else is searched, a new one is planted.
    """

    def __init__(self, size: int) -> None:
        self.lock = threading.Lock()
        self.kept: Lru[str, tuple[SearchTree, Place]] = Lru(size)

    def plant(self, place: Place) -> SearchTree:
        """Return the tree to search on in."""
        with self.lock:
            tree, last = self.kept.get(place.name) or (None, place)
        alike = (last.known.game, last.known.observer, last.settings) == (
            place.known.game,
            place.known.observer,
            place.settings,
        )
        if tree is None or not alike:
            tree = SearchTree(place.known.game, place.settings)
        else:
            _lead(tree, last.position, place.since)
        with self.lock:
            self.kept.put(place.name, (tree, place))
        return tree

    def clear(self) -> int:
        """Forget all trees; return how many. One in use is let go of when its search ends."""
        with self.lock:
            number = len(self.kept.entries)
            self.kept.entries.clear()
        return number


def _lead(tree: SearchTree, position: Position, actions: Sequence[str]) -> None:
    """Lead a tree along; if it was led elsewhere than is searched then, nothing of it is kept."""
    for action in actions:
        try:
            after = position.after(action)
        except TrajanError:  # of what is only guessed of a position another action may be legal
            return
        tree.follow(position, after, position.game.move(action))
        position = after
