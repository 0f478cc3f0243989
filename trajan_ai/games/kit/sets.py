"""Things that people lay in any order: cards of a shipment, markers of a tray.

A game asks for the things of a set one after the other, in an order of its own, so that a set is
one sequence of moves: after a thing it asks for none that comes before it. Whoever names moves for
people gathers the things here and gets them back in the game's order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import HasFollowing, HasSets, needed, offered

END = "done"  # the action that lays nothing more


class Sets:
    """What may be named in a position, the things of a set in any order.

    In a game that is followed `observer` is whose knowledge the position holds.
    """

    def __init__(self, position: Position, observer: int | None = None) -> None:
        self._position = position
        self._observer = observer
        self._rules = offered(position.game.rules, HasSets)

    def legal(self) -> list[str]:
        """Return the legal actions, and the things that the game asks for after others only."""
        legal = self._legal(self._position)
        if self._rules is None:
            return legal
        kinds = [kind for kind in self._rules.set_words if _of(kind, legal)]
        later = [
            thing
            for kind in kinds
            for thing in self._things(kind)
            if thing not in legal and self._further([thing])
        ]
        return legal + later

    def take(self, named: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the actions that are meant, or if more can be named first what that is.

        `named` are things of one set, or a single action. Things may still be named where the
        game would no longer ask for them after those that were; `END` says that there are none.
        Raises TrajanError if they cannot come together.
        """
        if self._rules is None or named[0].split()[0] not in self._rules.set_words:
            return list(named), []
        things = list(named[:-1] if named[-1] == END else named)
        actions, further = self._actions(things), self._further(things)
        if actions is None:
            if not further:
                raise TrajanError(f"{', '.join(things)}: these cannot come together")
            return [], further
        place, laid, goes_on = self._last(actions)
        follows = self._legal(place) if goes_on else laid
        if named[-1] == END:
            return actions + [END] * goes_on, []
        if set(further) <= set(follows):
            return actions, []
        may_end = not laid and (not goes_on or END in follows)
        return [], further + [END] * may_end

    def _legal(self, place: Position) -> list[str]:
        if self._observer is None:
            return place.legal()
        return needed(place.game, HasFollowing).list_possible(place, self._observer)

    def _after(self, place: Position, action: str) -> Position:
        if self._observer is None:
            return place.after(action)
        rules = needed(place.game, HasFollowing)
        return rules.carry_out(place, self._observer, action, {})[0]

    def _holding(self, things: Sequence[str]) -> Position | None:
        """Return a world in which the player to decide has `things`, None if there is none."""
        assert self._rules is not None
        if self._observer is None:
            return self._position
        try:
            return self._rules.put_in_hand(self._position, self._observer, things)
        except TrajanError:
            return None

    def _things(self, kind: str) -> list[str]:
        """Return the things that a set of the position may hold: the first leaves most open."""
        assert self._rules is not None
        found = _of(kind, self._legal(self._position))
        if found:
            place = self._after(self._position, found[0])
            _, goes_on = self._rules.continue_set(self._position, found[0], place)
            found += _of(kind, self._legal(place)) if goes_on else []
        return list(dict.fromkeys(found))

    def _further(self, things: Sequence[str]) -> list[str]:
        """Return what may come together with `things`."""
        some = self._things(things[0].split()[0])
        return [one for one in some if self._actions([*things, one]) is not None]

    def _actions(self, things: Sequence[str]) -> list[str] | None:
        """Return the actions that lay things, in the game's order; None if they cannot be laid."""
        world = self._holding(things)
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
            laid, goes_on = self._rules.continue_set(place, thing, after)
            if others == laid:
                return [thing]
            rest = self._order(others, after) if goes_on else None
            if rest is not None:
                return [thing, *rest]
        return None

    def _last(self, actions: Sequence[str]) -> tuple[Position, list[str], bool]:
        """Return the position after actions, what was laid by force, and if the set goes on."""
        assert self._rules is not None
        place = self._position
        laid: list[str] = []
        goes_on = False
        for action in actions:
            before, place = place, self._after(place, action)
            laid, goes_on = self._rules.continue_set(before, action, place)
        return place, laid, goes_on


def _of(kind: str, actions: Iterable[str]) -> list[str]:
    return [action for action in actions if action.split()[0] == kind]
