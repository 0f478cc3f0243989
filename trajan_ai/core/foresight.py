"""What will happen in an expected line of play, as far as a player can foresee it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from operator import and_
from typing import Any, NamedTuple, TypeVar

from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasEvents, offered
from trajan_ai.core.rules_words import HasInstructions, in_words

WORLDS = 8  # number of positions in which a line is followed
T = TypeVar("T")


class Foresight:
    """A line of play, followed at once in several positions that look alike to a player.

    If an event happens in all of these positions, it probably does not depend on what is hidden.

    Attributes:
        observer: the player.
        worlds: the positions in which the line so far was possible, at least one.
        is_sure: whether all actions so far were possible in all positions.
    """

    def __init__(self, information: InformationSet) -> None:
        """Begin with positions sampled from an information set."""
        self.observer = information.observer
        self.worlds = [information.determinized(seed) for seed in range(WORLDS)]
        self.is_sure = True
        listing = offered(information.game.rules, HasEvents)
        kinds = listing.events if listing else ()
        self._unforeseen = {kind.name for kind in kinds if kind.may_hide}

    def make(self, action: str) -> list[Event] | None:
        """Carry out an action, and return the events that are the same in all positions.

        If the thing of an event cannot be foreseen, such as a card that will be drawn, the event
        is included without the thing (see `EventKind.may_hide`). Returns None and changes nothing
        if the action is not possible.
        """
        able = [world for world in self.worlds if action in world.legal()]
        if not able:
            return None
        self.is_sure = self.is_sure and len(able) == WORLDS
        events = [world.events(action, self.observer) for world in able]
        self.worlds = [world.after(action) for world in able]
        return self._agree(events)

    def make_all(self, actions: Iterable[str]) -> list[Event]:
        """Carry out actions until one is not possible in all positions; return the events."""
        result: list[Event] = []
        for action in actions:
            events = self.make(action)
            if events is None or not self.is_sure:
                break
            result += events
        return result

    def _agree(self, lists: Sequence[Sequence[Event]]) -> list[Event]:
        common = _intersect(lists)
        rest = [
            [self._hide(event) for event in (Counter(events) - common).elements()]
            for events in lists
        ]
        hidden = _intersect(rest)
        result = []
        for event in lists[0]:
            for one, source in ((event, common), (self._hide(event), hidden)):
                if source[one]:
                    source[one] -= 1
                    result.append(one)
                    break
        return result

    def _hide(self, event: Event) -> Event:
        return replace(event, thing=None) if event.name in self._unforeseen else event


def _intersect(lists: Iterable[Iterable[T]]) -> Counter[T]:
    return reduce(and_, map(Counter, lists))


class NextTurn(NamedTuple):
    """An expected turn of another player.

    Attributes:
        player: the player whose turn it is.
        actions: the actions of the turn.
        events: what happens, as far as it can be foreseen.
        before: the actions of all players before the turn.
    """

    player: int
    actions: list[str]
    events: list[Event]
    before: list[str]


def find_next_turn(
    information: InformationSet, line: Sequence[tuple[int, str]]
) -> NextTurn | None:
    """Return another player's first turn in an expected line, which is a list of (player, action).

    The actions end where the turn ends or where the line becomes impossible. Returns None if there
    are no actions.
    """
    foresight = Foresight(information)
    before: list[str] = []
    actions: list[str] = []
    happened: list[Event] = []
    turn: tuple[int, int] | None = None
    for player, action in line:
        here = foresight.worlds[0]
        has_come = here.turn > information.turn and here.player != information.observer
        if turn is None and has_come and here.player is not None:
            turn = here.turn, here.player
        if turn is not None and here.turn != turn[0]:
            break
        events = foresight.make(action) if here.player == player else None
        if events is None:
            break
        if turn is not None and player == turn[1]:
            actions.append(action)
            happened += events
        elif turn is None:
            before.append(action)
    return None if turn is None or not actions else NextTurn(turn[1], actions, happened, before)


def word_turn(
    information: InformationSet, actions: Sequence[str], before: Sequence[str] = ()
) -> str:
    """Return the actions of a turn in words, with details that the actions themselves do not name.

    `before` contains the actions that precede the turn. Details that depend on something that the
    observer does not know yet, such as a tile that they will draw, are omitted.
    """
    rules = information.game.rules
    detailing = offered(rules, HasInstructions)
    if detailing is None:
        return in_words(rules, actions)
    deals = [information.canonical, information.determinized(1)]
    detailed = []
    for number, action in enumerate([*before, *actions]):
        deals = [deal for deal in deals if action in deal.legal()]
        if number >= len(before):
            detailed.append(_detail(detailing, action, deals, information.observer))
        deals = [deal.after(action) for deal in deals]
    return in_words(rules, detailed)


def _detail(
    detailing: HasInstructions, action: str, deals: Sequence[Position], observer: int
) -> str:
    """Return an action with its details if the details are the same in all deals.

    The details are those that the observer sees or, if these differ between deals, those that the
    next player sees. If the latter differ, too, the action is returned unchanged.
    """
    for distance in range(2 if deals else 0):
        viewer = (observer + distance) % deals[0].players
        alike = {InformationSet(deal, viewer): deal for deal in deals}
        texts = {detailing.detail(action, partial(_view, deal, viewer)) for deal in alike.values()}
        if len(texts) == 1:
            return texts.pop()
    return action


@lru_cache(maxsize=8)  # the moves of a decision are worded one after another
def _view(position: Position, viewer: int) -> Mapping[str, Any]:
    return position.game.rules.view(position, viewer)
