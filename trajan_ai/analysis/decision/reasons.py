"""Why one move is better than another: what happens, the sources of VP, or the sum.

A reason is an advantage of the better move: a player can expect more VP from a source, or an
opponent fewer. If something that happens in only one of the two lines leads to it, that is the
reason, such as a tile that is fulfilled. Otherwise it is the source, but only if the difference is
`SURE` standard errors. If the reasons explain less than half of what a move loses, the sum says
who gets how much more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import hypot

from trajan_ai.analysis.decision.move_values import Estimate, MoveValue
from trajan_ai.analysis.decision.vp_sources import SO_FAR, TOTAL
from trajan_ai.core.events import Event
from trajan_ai.core.foresight import Foresight, find_next_turn
from trajan_ai.core.game import Game
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import HasEvents, offered

SURE = 3.0  # standard errors of a difference
BELOW = 3.0  # standard errors by which a claim stays below the measured difference
MAX_REASONS = 2  # without the sum
MAX_EVENTS = 2  # of a reason
MIN_GAIN = 1.0  # VP
MIN_PART = 0.2  # of what a move loses; a smaller gain is no reason
# How far a difference may be from that of a much longer search, which finds other plans: a part of
# it, and VP. Measured by tests/experiments/reasons.py.
OFF = 0.2
OFF_VP = 0.5


@dataclass(frozen=True)
class Happening:
    """An event that is an advantage of the better move, because it happens in only one line.

    `is_after_better` says in which of the two.
    """

    event: Event
    is_after_better: bool


@dataclass(frozen=True)
class Reason:
    """How many more VP a player gets from a source with the better move; fewer if negative.

    Attributes:
        player: the player.
        source: the source of the VP.
        vp: how many.
        happenings: the events that lead to it, the most important first; empty if none is known.
        is_lost: whether the source only costs VP, so that more means fewer lost.
        is_sure: whether the difference is `SURE` standard errors.
    """

    player: int
    source: str
    vp: Estimate
    happenings: tuple[Happening, ...]
    is_lost: bool

    @property
    def least(self) -> int:
        """The VP that the difference is at least."""
        return int(abs(self.vp.mean) - BELOW * self.vp.error)

    @property
    def is_sure(self) -> bool:
        """Whether the difference is certain, and at least 1 VP."""
        return abs(self.vp.mean) >= SURE * self.vp.error and self.least >= 1


@dataclass(frozen=True)
class Sum:
    """How many more VP players get with the better move; fewer if negative.

    Attributes:
        vp: the difference by player: the one who decides and, if an opponent gets more with the
            worse move, the one who gets most.
        sources: the sources of most of it, for the player with the largest part.
    """

    vp: dict[int, float]
    sources: tuple[str, ...]


def find_reasons(
    information: InformationSet, better: MoveValue, worse: MoveValue
) -> tuple[list[Reason], Sum | None]:
    """Return the main reasons why a verified move is better than another, the largest first.

    They are about the player to decide and, with two players, about the opponent. The sum is None
    if the reasons explain at least half of the difference. There is nothing without VP by source.
    """
    if better.sources is None or worse.sources is None or better.margin is None:
        return [], None
    if better.source_errors is None or worse.source_errors is None or worse.margin is None:
        return [], None
    lost = better.margin.mean - worse.margin.mean
    smallest = max(MIN_GAIN, MIN_PART * lost)
    differences = _compare_lines(information, better, worse)
    own, players = better.player, information.players
    found = []
    for player in range(players) if players == 2 else [own]:
        for source in better.source_errors[player]:
            sides = better.sources[player][source], worse.sources[player][source]
            errors = better.source_errors[player][source], worse.source_errors[player][source]
            vp = sides[0] - sides[1]
            gain = vp if player == own else -vp
            reason = Reason(
                player=player,
                source=source,
                vp=Estimate(vp, hypot(*errors, OFF * vp, OFF_VP)),
                happenings=_explain(information.game, differences, player, own, source),
                is_lost=max(sides) < 0.0,
            )
            if gain >= smallest and (reason.happenings or reason.is_sure):
                found.append((gain, reason))
    found.sort(key=lambda item: -item[0])
    reasons = [reason for _, reason in found[:MAX_REASONS]]
    explained = sum(gain for gain, _ in found[:MAX_REASONS])
    is_enough = bool(reasons) and explained >= lost / 2
    return reasons, None if is_enough else _sum_up(better, worse)


def _compare_lines(
    information: InformationSet, better: MoveValue, worse: MoveValue
) -> dict[bool, list[Event]]:
    """Return the events of the turn and of the next one that happen in only one line.

    The key is whether that is the line of the better move.
    """
    lines = [_list_events(information, move) for move in (better, worse)]
    counts = [Counter(line) for line in lines]
    return {
        is_better: list((counts[at] - counts[1 - at]).elements())
        for is_better, at in ((True, 0), (False, 1))
    }


def _list_events(information: InformationSet, move: MoveValue) -> list[Event]:
    events = Foresight(information).make_all(move.turn.actions)
    reply = find_next_turn(information, move.line)
    return events if reply is None else events + reply[2]


def _explain(
    game: Game, differences: dict[bool, list[Event]], player: int, own: int, source: str
) -> tuple[Happening, ...]:
    """Return the events by which a player gets more from a source, or an opponent fewer.

    They are the gains of the player to decide after the better move, and those of an opponent
    after the worse one; with losses it is the other way round.
    """
    listing = offered(game.rules, HasEvents)
    kinds = {kind.name: kind for kind in listing.events} if listing else {}
    happenings = []
    for is_after_better, events in differences.items():
        for event in events:
            is_gain = (is_after_better == (player == own)) == (event.vp >= 0)
            serves = kinds[event.name].serves
            leads = (event.source, serves.get(event.thing or "", serves.get("")))
            if event.player == player and is_gain and source in leads:
                happenings.append(Happening(event, is_after_better))
    happenings.sort(key=lambda one: -abs(one.event.vp))
    return tuple(happenings[:MAX_EVENTS])


def _sum_up(better: MoveValue, worse: MoveValue) -> Sum:
    assert better.sources is not None
    assert worse.sources is not None
    gains = [
        {name: more[name] - fewer[name] for name in more if name != SO_FAR}
        for more, fewer in zip(better.sources, worse.sources, strict=True)
    ]
    totals = [gain.pop(TOTAL) for gain in gains]
    own = better.player
    rival = min((p for p in range(len(totals)) if p != own), key=lambda p: totals[p])
    vp = {own: totals[own]} | ({rival: totals[rival]} if totals[rival] < 0 else {})
    player = max(vp, key=lambda p: vp[p] if p == own else -vp[p])
    sign = 1 if player == own else -1
    parts = {name: sign * change for name, change in gains[player].items()}
    sources: list[str] = []
    for name in sorted(parts, key=lambda name: -parts[name]):
        if parts[name] <= 0 or sum(parts[one] for one in sources) >= sign * vp[player] / 2:
            break
        sources.append(name)
    return Sum(vp, tuple(sources))
