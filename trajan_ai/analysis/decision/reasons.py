"""Find why one move is better than another: events, sources of VP, or the sum over all sources.

A reason is an advantage of the better move: the player can expect more VP from a source, or an
opponent can expect fewer. If this advantage comes from an event that happens in only one of the
two lines, such as a fulfilled tile, the event is the reason. Otherwise the source is the reason,
but only if the difference is at least `SURE` standard errors. If the reasons explain too little of
what the worse move loses, a sum is added: how many more VP the player can expect in all, and how
many fewer an opponent can expect.
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

SURE = 1.4  # a difference of fewer standard errors is not certain enough for a reason
LIKELY = 1.0  # the same for a difference that comes from an event of the player
MAX_REASONS = 2  # maximum number of reasons that are given, besides the sum
MAX_EVENTS = 2  # maximum number of events of a reason
MIN_GAIN = 1.0  # VP; a smaller gain is not a reason
MIN_PART = 0.2  # part of what a move loses; a smaller gain is not a reason
MIN_SHARE = 0.4  # part of the largest gain; a smaller gain is not a main reason
EXPLAINED = 0.5  # part of what a move loses; if the reasons explain less, the sum is added
MOST = 2 / 3  # the part of a sum that the named sources must cover
# How far a difference may be from the one in rollouts, where both sides find other plans: a
# fraction of the difference, and a number of VP. Measured by tests/experiments/reasons.py.
OFF = 0.5
OFF_VP = 2.5
UNSEEN = 0.05  # VP; a smaller difference is not visible in any figure


@dataclass(frozen=True)
class Happening:
    """An event that is an advantage of the better move, because it happens in only one line.

    Attributes:
        event: the event.
        is_after_better: whether it happens in the line of the better move.
        instead: the VP of the same kind of event with the same thing in the other line, or None
            if that line has no such event.
    """

    event: Event
    is_after_better: bool
    instead: int | None = None

    @property
    def vp(self) -> int:
        """How many more VP the player gets from the event than from the one in the other line."""
        return self.event.vp - (self.instead or 0)


@dataclass(frozen=True)
class Reason:
    """How many more (if negative, fewer) VP a player gets from a source with the better move.

    Attributes:
        player: the player.
        source: the source of the VP.
        vp: the difference in VP.
        happenings: the events that lead to the difference, the most important first, or () if none
            is known.
        is_lost: whether the source only costs VP, so that a positive `vp` means fewer lost VP.
    """

    player: int
    source: str
    vp: Estimate
    happenings: tuple[Happening, ...]
    is_lost: bool

    @property
    def is_sure(self) -> bool:
        """Whether the difference is at least `SURE` standard errors."""
        return abs(self.vp.mean) >= SURE * self.vp.error

    @property
    def is_explained(self) -> bool:
        """Whether the VP of the events equal the difference, within its error."""
        vp = sum(one.vp if one.is_after_better else -one.vp for one in self.happenings)
        return bool(vp) and abs(vp - self.vp.mean) <= max(self.vp.error, UNSEEN)


@dataclass(frozen=True)
class Sum:
    """How many more (if negative, fewer) VP players get with the better move.

    Attributes:
        vp: the difference for the player who decides, and for the opponent who gains most from
            the worse move; with several opponents of whom none gains, only for the player.
        sources: the sources that make up most of the largest difference.
    """

    vp: dict[int, float]
    sources: tuple[str, ...]


def find_reasons(
    information: InformationSet, better: MoveValue, worse: MoveValue
) -> tuple[list[Reason], Sum | None]:
    """Return the main reasons why a verified move is better than another, the largest first.

    The reasons are about the player to decide and, with two players, about the opponent. The sum
    is None if the reasons contain the largest gain and explain at least half of the difference.
    Without VP by source, there are no reasons and no sum.
    """
    if better.sources is None or worse.sources is None or better.margin is None:
        return [], None
    if better.source_errors is None or worse.source_errors is None or worse.margin is None:
        return [], None
    lost = better.margin.mean - worse.margin.mean
    differences = _compare_lines(information, better, worse)
    own, players = better.player, information.players
    is_exact = not better.margin.error and not worse.margin.error
    gains = {}
    for player in range(players) if players == 2 else [own]:
        for source in better.source_errors[player]:
            sides = better.sources[player][source], worse.sources[player][source]
            errors = better.source_errors[player][source], worse.source_errors[player][source]
            vp = sides[0] - sides[1]
            error = 0.0 if is_exact else hypot(*errors, OFF * vp, OFF_VP)
            reason = Reason(
                player=player,
                source=source,
                vp=Estimate(vp, error),
                happenings=explain(information.game, differences, player, own, source),
                is_lost=max(sides) < 0.0,
            )
            gains[reason] = vp if player == own else -vp
    largest = max(gains.values())
    smallest = max(MIN_GAIN, MIN_PART * lost, MIN_SHARE * largest)
    reasons = sorted(
        (one for one, gain in gains.items() if gain >= smallest and _is_certain(one, own)),
        key=lambda one: -gains[one],
    )[:MAX_REASONS]
    has_main = bool(reasons) and gains[reasons[0]] == largest
    is_enough = has_main and sum(gains[one] for one in reasons) >= EXPLAINED * lost
    return reasons, None if is_enough else _sum_up(better, worse)


def _is_certain(reason: Reason, own: int) -> bool:
    """Return whether a reason is certain enough to be given.

    A smaller difference suffices if it comes from an event of the player to decide. An event in an
    opponent's expected reply is weaker support, because several replies may be about equal.
    """
    needed = LIKELY if reason.happenings and reason.player == own else SURE
    return abs(reason.vp.mean) >= needed * reason.vp.error


def list_differences(
    information: InformationSet, better: MoveValue, worse: MoveValue
) -> tuple[Happening, ...]:
    """Return the main events of the player that happen in only one of the two turns.

    These events are named if no event of the player explains a difference in VP. They show what
    the better turn prepares, and which VP it gives up.
    """
    listing = offered(information.game.rules, HasEvents)
    telling = {kind.name for kind in listing.events if kind.serves} if listing else set()
    result = []
    for is_better, events in _compare_lines(information, better, worse, with_reply=False).items():
        own = [event for event in events if event.player == better.player]
        scoring = sorted((event for event in own if event.vp), key=lambda event: -abs(event.vp))
        chosen = scoring[:MAX_EVENTS]
        if is_better:  # only the last event without VP, because earlier ones lead to it
            chosen += [event for event in own if event.name in telling and not event.vp][-1:]
        result += [Happening(event, is_better) for event in own if event in chosen]
    return tuple(result)


def _compare_lines(
    information: InformationSet, better: MoveValue, worse: MoveValue, *, with_reply: bool = True
) -> dict[bool, list[Event]]:
    """Return the events of the turn and of the next one that happen in only one line.

    The keys are True for the line of the better move and False for the other line. An event does
    not count as a difference if the other turn may still bring it after its last certain action.
    """
    lines = [_read_line(information, move) for move in (better, worse)]
    certain = [Counter(line.turn + (line.reply if with_reply else [])) for line in lines]
    expected = [counts + Counter(line.rest) for counts, line in zip(certain, lines, strict=True)]
    return {
        is_better: list((certain[at] - expected[1 - at]).elements())
        for is_better, at in ((True, 0), (False, 1))
    }


@dataclass(frozen=True)
class _Line:
    """The events of an expected line of play.

    Attributes:
        turn: the events of that part of the turn of which the analysis is certain.
        rest: the events of the rest of the turn, which may be different in play.
        reply: the events of the next turn of another player.
    """

    turn: list[Event]
    rest: list[Event]
    reply: list[Event]


def _read_line(information: InformationSet, move: MoveValue) -> _Line:
    foresight = Foresight(information)
    turn = foresight.make_all(move.turn.actions)
    rest: list[Event] = []
    for player, action in move.line[len(move.turn.actions) :]:
        here = foresight.worlds[0]
        if (here.player, here.turn) != (player, information.turn):
            break
        events = foresight.make(action)
        if events is None:
            break
        rest += events
    reply = find_next_turn(information, move.line)
    return _Line(turn, rest, [] if reply is None else reply.events)


def explain(
    game: Game, differences: dict[bool, list[Event]], player: int, own: int, source: str
) -> tuple[Happening, ...]:
    """Return the events that give a player more VP from a source, or an opponent fewer.

    These events are gains of the player to decide after the better move, and gains of an opponent
    after the worse one. Losses of VP are taken from the other line: those of the player after the
    worse move, and those of an opponent after the better one.
    """
    listing = offered(game.rules, HasEvents)
    kinds = {kind.name: kind for kind in listing.events} if listing else {}
    happenings = []
    for is_after_better, events in differences.items():
        others = {_topic(event): event.vp for event in differences[not is_after_better]}
        alike: Counter[tuple[int | None, str]] = Counter()  # maximum VP of a kind of event
        for event in differences[not is_after_better]:
            alike[event.player, event.name] = max(alike[event.player, event.name], event.vp)
        for event in events:
            serves = kinds[event.name].serves
            if source not in (event.source, serves.get(event.thing or "", serves.get(""))):
                continue
            one = Happening(event, is_after_better, others.get(_topic(event)))
            is_gain = (is_after_better == (player == own)) == (one.vp >= 0)
            # It is no advantage to build something for 4 VP instead of something for 5.
            is_same = one.instead is not None and not one.vp
            is_less = one.vp > 0 and alike[event.player, event.name] >= event.vp
            if event.player == player and is_gain and not is_same and not is_less:
                happenings.append(one)
    # If both lines have such an event, it is named once, as the event of the better line.
    better = {_topic(one.event) for one in happenings if one.is_after_better}
    happenings = [
        one for one in happenings if one.is_after_better or _topic(one.event) not in better
    ]
    scoring = [one for one in happenings if one.vp and one.event.source == source]
    main = sorted(scoring or happenings, key=lambda one: -abs(one.vp))
    return tuple(main[:MAX_EVENTS])


def _topic(event: Event) -> tuple[int | None, str, str | None]:
    return event.player, event.name, event.thing


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
    has_rival = len(totals) == 2 or totals[rival] < 0
    vp = {own: totals[own]} | ({rival: totals[rival]} if has_rival else {})
    player = max(vp, key=lambda p: vp[p] if p == own else -vp[p])
    sign = 1 if player == own else -1
    parts = {name: sign * change for name, change in gains[player].items()}
    sources: list[str] = []
    for name in sorted(parts, key=lambda name: -parts[name]):
        if parts[name] <= 0 or sum(parts[one] for one in sources) >= MOST * sign * vp[player]:
            break
        sources.append(name)
    return Sum(vp, tuple(sources))
