"""Checks of what is hidden: determinization, moves seen in part, and what is declared of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from trajan_ai.core.game import Game
from trajan_ai.testing.courses import FILLS, NO_PLAYER, NOTHING_SEEN, Course, first_difference
from trajan_ai.testing.registry import Finding, per_course, per_group
from trajan_ai.testing.statistics import compare_samples
from trajan_ai.testing.twins import Line, told_alike, twins

STATIONS = 16  # decisions of a game where a check looks
DRAWS = 6  # determinizations a look
TRUTH_DRAWS = 60  # those that show which bytes seem fixed ..
MOST_TRUTH_DRAWS = 20_000  # .. and how many must agree before that is believed
DEALS = (2000, 500)  # whose hidden parts are compared with drawn ones, for the first two tables
FIRST_DEAL = 1_000_000  # their seeds, away from those of the tables
TWINS = 2  # look-alikes of each decision of a game from which twins are looked for
MOST_PAIRS = 12  # pairs of moves compared at a decision


@per_course()
def determinize_is_pure(course: Course) -> Iterator[str]:
    """determinize() writes every byte of the target, and the same generator draws the same."""
    for state in course.stations(STATIONS):
        for observer in course.observers:
            first = course.probe.determinize(state, observer, 7, FILLS[0])
            course.probe.determinize(state, observer, 8)
            again = course.probe.determinize(state, observer, 7, FILLS[1])
            if first[0] != again[0]:
                place = first_difference(first[0], again[0])
                yield f"for player {observer}, byte {place} is not written or drawn from elsewhere"
            if first[1] != again[1]:
                yield f"for player {observer}, another number of draws from the same generator"


@per_course()
def determinize_is_canonical(course: Course) -> Iterator[str]:
    """The draw depends on what the observer knows and on the generator alone: states that look
    alike to the observer give the same."""
    for state in course.stations(STATIONS):
        for observer in course.observers:
            for seed in range(DRAWS):
                alike, _ = course.probe.determinize(state, observer, 1000 + seed)
                one, _ = course.probe.determinize(state, observer, seed)
                other, _ = course.probe.determinize(alike, observer, seed)
                if one != other:
                    yield (
                        f"for player {observer}, byte {first_difference(one, other)} depends on "
                        "what is hidden"
                    )


@per_course()
def determinize_keeps_knowledge(course: Course) -> Iterator[str]:
    """A drawn state has the same players, decider and turn; the observer's own decision has the
    same moves in the same order, another's at least two."""
    probe = course.probe
    for state in course.stations(STATIONS):
        for observer in course.observers:
            for seed in range(DRAWS):
                drawn, _ = probe.determinize(state, observer, seed)
                for name in ("players", "player", "turn"):
                    before, now = getattr(probe, name)(state), getattr(probe, name)(drawn)
                    if before != now:
                        yield f"for player {observer}, {name}() goes from {before} to {now}"
                legal = probe.legal(drawn)
                if probe.player(state) == observer and legal != probe.legal(state):
                    yield f"player {observer} decides, but has other moves or another order"
                if probe.player(state) != NO_PLAYER and not _is_decision(course, legal):
                    yield f"for player {observer}, the decider's moves are {legal}"


def _is_decision(course: Course, legal: list[int]) -> bool:
    return (
        len(legal) >= 2
        and len(set(legal)) == len(legal)
        and all(0 <= move < course.probe.action_count for move in legal)
    )


@per_course()
def truth_is_possible(course: Course) -> Iterator[str]:
    """The true state is among those that may be drawn; but who decides may have come further in
    decisions that the observer does not notice."""
    for state in course.stations(STATIONS // 2):
        for observer in course.observers:
            if _is_further(course, observer):
                continue
            place = _impossible_byte(course, state, observer)
            if place is not None:
                yield (
                    f"for player {observer}, byte {place} is {state[place]}, which "
                    f"{MOST_TRUTH_DRAWS} determinizations never show"
                )


def _is_further(course: Course, observer: int) -> bool:
    """Whether the player to decide made the last decision, too, unnoticed by the observer."""
    probe, now = course.probe, course.now
    if not now or probe.player(course.states[now - 1]) != probe.player(course.states[now]):
        return False
    seen = probe.observed(course.states[now - 1], course.moves[now - 1], observer)
    return seen == NOTHING_SEEN


def _impossible_byte(course: Course, state: bytes, observer: int) -> int | None:
    """Return the place of a byte whose true value is never drawn.

    Looks only at bytes that are the same in the first draws: others may be rare and possible.
    """

    def draw(seed: int) -> bytes:
        drawn, _ = course.probe.determinize(state, observer, seed)
        return drawn

    drawn = [np.frombuffer(draw(seed), np.uint8) for seed in range(TRUTH_DRAWS)]
    true = np.frombuffer(state, np.uint8)
    fixed = np.all(np.stack(drawn) == drawn[0], axis=0)
    wrong = [int(place) for place in np.flatnonzero(fixed & (drawn[0] != true))]
    for seed in range(TRUTH_DRAWS, MOST_TRUTH_DRAWS):
        if not wrong:
            return None
        one = draw(seed)
        wrong = [place for place in wrong if one[place] != state[place]]
    return wrong[0] if wrong else None


@per_group()
def determinize_is_uniform(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """At the first decision the hidden parts are drawn as the cards are dealt: over many deals,
    drawn and true states are the same mixture, by chi-square over bytes and pairs of bytes."""
    seen: list[dict[str, Any]] = []
    for course in courses:
        options = course.table.options
        if options in seen or len(seen) == len(DEALS):
            continue
        deals = DEALS[len(seen)]
        seen.append(options)
        dealt = course.table.deals(FIRST_DEAL, deals)
        for observer in course.observers:
            drawn = [
                course.probe.determinize(state, observer, number)[0]
                for number, state in enumerate(dealt)
            ]
            worst = compare_samples(dealt, drawn)
            if worst is not None:
                what = f"for player {observer}, {worst.what} of {deals} deals and of their"
                yield Finding(f"{what} determinizations differ: {worst.figures}", course, 0)


@per_group()
def hidden_information_declared(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """HIDDEN_INFORMATION is declared exactly where determinize() is not the identity: it changes
    the state for somebody at some time, or never for anybody."""
    varied = False
    for course in courses:
        for state in course.stations(STATIONS):
            for observer in course.observers:
                drawn = [course.probe.determinize(state, observer, s)[0] for s in range(DRAWS)]
                changed = any(one != state for one in drawn)
                varied = varied or changed
                if changed and not game.hidden_information:
                    message = f"determinize() changes the state for player {observer}"
                    yield Finding(
                        f"{message}, but HIDDEN_INFORMATION is not declared", course, course.now
                    )
    if courses and game.hidden_information and not varied:
        yield Finding("HIDDEN_INFORMATION is declared, but determinize() only copies", courses[0])


@per_course()
def observed_moves(course: Course) -> Iterator[str]:
    """observed() is the move itself to its maker; to others a move of its class, the smallest,
    the same in all states that look alike to them; or NOTHING_SEEN, of every move of a decision
    that changes nothing of what they know."""
    probe = course.probe
    for state in course.decisions(STATIONS):
        player, legal = probe.player(state), probe.legal(state)
        for observer in course.observers:
            alike, _ = probe.determinize(state, observer, 3)
            both = set(legal) & set(probe.legal(alike))
            seen_of = {move: probe.observed(state, move, observer) for move in legal}
            for move, seen in seen_of.items():
                who = f"player {observer} sees {course.game.actions[move]!r} as move {seen}"
                if observer == player and seen != move:
                    yield f"{who}, but makes it"
                if seen == NOTHING_SEEN:
                    if set(seen_of.values()) != {NOTHING_SEEN}:
                        yield f"player {observer} notices some moves of a decision, others not"
                    yield from _noticed_after_all(course, state, move, observer)
                elif not 0 <= seen <= move:
                    yield f"{who}: not the smallest move of a class"
                elif seen in legal and seen_of[seen] != seen:
                    yield f"{who}, and that as another"
                if move in both and probe.observed(alike, move, observer) != seen:
                    yield f"{who}, but as another in a state that looks alike"


def _noticed_after_all(course: Course, state: bytes, move: int, observer: int) -> Iterator[str]:
    """Yield a message if a move that nobody notices shows while its maker still decides."""
    probe = course.probe
    after = probe.apply(state, move)
    looks = [probe.determinize(one, observer, 5)[0] for one in (state, after)]
    if probe.player(after) == probe.player(state) and looks[0] != looks[1]:
        yield f"player {observer} does not notice {course.game.actions[move]!r}, but what it does"


@per_group()
def hidden_moves_declared(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """HIDDEN_MOVES is declared exactly where moves are seen in part: moves that look alike lead
    to states that look alike, and moves that are told apart to states that are told apart."""
    merged = blurred = 0
    for course in courses:
        for state in course.decisions(STATIONS):
            for observer in course.observers:
                if observer == course.probe.player(state):
                    continue
                for same_class, look_alike, moves in _pairs(course, state, observer):
                    merged += same_class
                    blurred += same_class and look_alike
                    if look_alike and not same_class:
                        names = " and ".join(repr(game.actions[move]) for move in moves)
                        yield Finding(
                            f"player {observer} is told {names} apart, but not the states after "
                            "them",
                            course,
                            course.now,
                        )
    if courses and game.hidden_moves and not merged:
        yield Finding("HIDDEN_MOVES is declared, but every move is seen as it is", courses[0])
    elif merged and not blurred:
        yield Finding(
            "no two moves that observed() calls alike lead to states that look alike", courses[0]
        )


def _pairs(
    course: Course, state: bytes, observer: int
) -> Iterator[tuple[bool, bool, tuple[int, int]]]:
    """Yield for pairs of moves: seen alike, lead to look-alikes, the moves.

    Pairs that lead to one and the same state are left out.
    """
    probe = course.probe
    legal = probe.legal(state)
    reached = {move: probe.apply(state, move) for move in legal[: 2 * MOST_PAIRS]}
    seen = {move: probe.observed(state, move, observer) for move in reached}
    looks = {move: probe.determinize(after, observer, 5)[0] for move, after in reached.items()}
    pairs = (
        (one, other)
        for i, one in enumerate(reached)
        for other in islice(reached, i + 1, None)
        if reached[one] != reached[other]
    )
    for one, other in islice(pairs, MOST_PAIRS):
        yield seen[one] == seen[other], looks[one] == looks[other], (one, other)


@per_course()
def forced_moves_are_heard(course: Course) -> Iterator[str]:
    """Nobody hears which moves were forced: of two games that go alike for all that a player sees,
    with other cards hidden and other decisions made, the player hears the same."""
    for observer in course.observers:
        for one, other in twins(course, observer, TWINS):
            if not told_alike(one, other, observer):
                told = " but ".join(_in_words(line, observer) for line in (one, other))
                yield f"player {observer} hears {told}, and cannot tell by what happened"


def _in_words(line: Line, observer: int) -> str:
    actions = line.end.game.actions
    moves = [seen for _, seen in line.heard(observer) if seen is not None]
    return " and ".join(repr(actions[move]) for move in moves) or "nothing"
