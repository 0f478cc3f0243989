"""Sets of pieces that people lay in any order, such as the cards of a shipment.

In the game, a set is played as a sequence of moves in a fixed order. Code that reads moves from
people passes the names of the pieces to `Sets.take`, and receives the moves in the game's order.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import needed, offered
from trajan_ai.core.rules_following import HasFollowing, HasSets

END = "done"  # the action that lays nothing more


class Sets:
    """The actions that people may name in a position, with the pieces of a set in any order.

    In a followed game, the position contains the knowledge of `observer`.
    """

    def __init__(self, position: Position, observer: int | None = None) -> None:
        self._position = position
        self._observer = observer
        self._rules = offered(position.game.rules, HasSets)

    def legal(self) -> list[str]:
        """Return the legal actions, and those that become legal later in the game's order."""
        legal = self._legal(self._position)
        if self._rules is None:
            return legal
        kinds = [kind for kind in self._rules.set_words if _select(kind, legal)]
        later = [
            thing
            for kind in kinds
            for thing in self._things(kind)
            if thing not in legal and self._further([thing])
        ]
        return legal + later

    def take(self, named: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return (actions, []) for a complete set, or ([], names that may still be added).

        `named` contains pieces of one set, or a single action. A set whose last name is `END` is
        complete, too. Raises TrajanError if the pieces cannot be combined.
        """
        if not self.is_thing(named[0]):
            return list(named), []
        things = list(named[:-1] if named[-1] == END else named)
        actions, further = self._actions(things), self._further(things)
        if actions is None:
            if not further:
                raise TrajanError(f"{', '.join(things)}: these cannot be combined")
            return [], further
        place, forced, continues = self._last(actions)
        follows = self._legal(place) if continues else forced
        if named[-1] == END:
            return self.list_actions(named), []
        if set(further) <= set(follows):
            return actions, []
        may_end = not forced and (not continues or END in follows)
        return [], further + [END] * may_end

    def list_actions(self, named: Sequence[str]) -> list[str]:
        """Return the actions that lay exactly the pieces in `named`, or [] if there are none."""
        things = [one for one in named if one != END]
        actions = self._actions(things)
        if actions is None:
            return []
        return actions + [END] * (END in named and self._last(actions)[2])

    def list_laid(self, before: Position, action: str) -> list[str]:
        """Return [action] if this action laid a piece of a set that continues here, else []."""
        if not self.is_thing(action):
            return []
        assert self._rules is not None
        forced, continues = self._rules.continue_set(before, action, self._position)
        return [action] if forced or continues else []

    def lay_in_view(self, view: Mapping[str, Any], things: Sequence[str]) -> Mapping[str, Any]:
        """Return the view as it will be after `things`, which are not played yet."""
        return self._rules.lay_in_view(view, things) if self._rules and things else view

    def is_thing(self, action: str) -> bool:
        """Return whether an action lays a piece of a set."""
        return self._rules is not None and action.split(maxsplit=1)[0] in self._rules.set_words

    def _legal(self, place: Position) -> list[str]:
        if self._observer is None:
            return place.legal()
        return needed(place.game, HasFollowing).list_possible(place, self._observer)

    def _after(self, place: Position, action: str) -> Position:
        if self._observer is None:
            return place.after(action)
        rules = needed(place.game, HasFollowing)
        return rules.carry_out(place, self._observer, action, {})[0]

    def _put_in_hand(self, things: Sequence[str]) -> Position | None:
        """Return a position in which the player to move has `things`, or None if there is none."""
        assert self._rules is not None
        if self._observer is None:
            return self._position
        try:
            return self._rules.put_in_hand(self._position, self._observer, things)
        except TrajanError:
            return None

    def _things(self, kind: str) -> list[str]:
        """Return the actions that a set may contain here: those legal now or after the first."""
        assert self._rules is not None
        things = _select(kind, self._legal(self._position))
        if things:
            place = self._after(self._position, things[0])
            _, continues = self._rules.continue_set(self._position, things[0], place)
            things += _select(kind, self._legal(place)) if continues else []
        return list(dict.fromkeys(things))

    def _further(self, things: Sequence[str]) -> list[str]:
        """Return the names that may be added to `things`."""
        some = self._things(things[0].split()[0])
        return [one for one in some if self._actions([*things, one]) is not None]

    def _actions(self, things: Sequence[str]) -> list[str] | None:
        """Return the actions that lay `things`, in the game's order, or None if there are none."""
        world = self._put_in_hand(things)
        return None if world is None else self._order(things, world)

    def _order(self, things: Sequence[str], place: Position) -> list[str] | None:
        assert self._rules is not None
        legal = place.legal()
        for thing in dict.fromkeys(things):
            if thing not in legal:
                continue
            others = list(things)
            others.remove(thing)
            if not others:
                return [thing]
            after = place.after(thing)
            forced, continues = self._rules.continue_set(place, thing, after)
            if others == forced:
                return [thing]
            rest = self._order(others, after) if continues else None
            if rest is not None:
                return [thing, *rest]
        return None

    def _last(self, actions: Sequence[str]) -> tuple[Position, list[str], bool]:
        """Return the position after `actions`, the forced actions, and whether the set continues.

        The game carries out the forced actions by itself after the last of `actions`, so the
        returned position includes their effects.
        """
        assert self._rules is not None
        place = self._position
        forced: list[str] = []
        continues = False
        for action in actions:
            before, place = place, self._after(place, action)
            forced, continues = self._rules.continue_set(before, action, place)
        return place, forced, continues


def _select(kind: str, actions: Iterable[str]) -> list[str]:
    return [action for action in actions if action.split()[0] == kind]
