"""Checks of hidden information: determinization, partly visible moves, and declarations."""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import Any

import numpy as np

from trajan_ai.core.game import Game
from trajan_ai.testing.courses import FILLS, NO_PLAYER, NOTHING_SEEN, Course, first_difference
from trajan_ai.testing.registry import Finding, per_course, per_group
from trajan_ai.testing.statistics import compare_samples
from trajan_ai.testing.twins import Line, look_alike, twins

STATIONS = 16  # decisions of a game that a check examines
DRAWS = 6  # determinizations per decision
TRUTH_DRAWS = 60  # determinizations that show which bytes may be fixed
MAX_TRUTH_DRAWS = 20_000  # determinizations after which a true value counts as never drawn
DEALS = (2000, 500)  # deals compared with determinizations, for the first two sets of options
FIRST_DEAL = 1_000_000  # first seed of these deals, far from the seeds of the courses
TWINS = 2  # determinizations of each decision that are tried as twins
MAX_PAIRS = 12  # pairs of moves compared at a decision


@per_course()
def determinize_is_pure(course: Course) -> Iterator[str]:
    """determinize() writes every byte of the target; equal generators draw equal states."""
    for state in course.stations(STATIONS):
        for observer in course.observers:
            first = course.probe.determinize(state, observer, 7, FILLS[0])
            course.probe.determinize(state, observer, 8)
            again = course.probe.determinize(state, observer, 7, FILLS[1])
            if first[0] != again[0]:
                place = first_difference(first[0], again[0])
                yield f"for player {observer}, byte {place} is unwritten, or not drawn from rng"
            if first[1] != again[1]:
                yield f"for player {observer}, generators in the same state differ after the draw"


@per_course()
def determinize_is_canonical(course: Course) -> Iterator[str]:
    """The draw depends only on the observer's knowledge and the generator: states that look alike
    to the observer give the same draw."""
    for state in course.stations(STATIONS):
        for observer in course.observers:
            for seed in range(DRAWS):
                alike, _ = course.probe.determinize(state, observer, 1000 + seed)
                one, _ = course.probe.determinize(state, observer, seed)
                other, _ = course.probe.determinize(alike, observer, seed)
                if one != other:
                    yield (
                        f"for player {observer}, byte {first_difference(one, other)} depends on "
                        "hidden information"
                    )


@per_course()
def determinize_keeps_knowledge(course: Course) -> Iterator[str]:
    """A drawn state has the same players, player to decide and turn. A decision of the observer
    has the same moves in the same order, and a decision of another player has at least two."""
    probe = course.probe
    for state in course.stations(STATIONS):
        for observer in course.observers:
            for seed in range(DRAWS):
                drawn, _ = probe.determinize(state, observer, seed)
                for name in ("players", "player", "turn"):
                    before, now = getattr(probe, name)(state), getattr(probe, name)(drawn)
                    if before != now:
                        yield f"for player {observer}, {name}() changes from {before} to {now}"
                legal = probe.legal(drawn)
                if probe.player(state) == observer and legal != probe.legal(state):
                    yield f"player {observer} decides, but a draw changes the moves or their order"
                if probe.player(state) != NO_PLAYER and not _is_decision(course, legal):
                    yield (
                        f"a determinization for player {observer} has the legal moves {legal}, "
                        "but every decision needs at least two different moves of the game"
                    )


def _is_decision(course: Course, legal: list[int]) -> bool:
    return (
        len(legal) >= 2
        and len(set(legal)) == len(legal)
        and all(0 <= move < len(course.game.actions) for move in legal)
    )


@per_course()
def truth_is_possible(course: Course) -> Iterator[str]:
    """The true state may be drawn, except where the player to decide has made decisions that the
    observer does not notice."""
    for state in course.stations(STATIONS // 2):
        for observer in course.observers:
            if _is_further(course, observer):
                continue
            place = _impossible_byte(course, state, observer)
            if place is not None:
                yield (
                    f"for player {observer}, byte {place} is {state[place]}, but it has another "
                    f"value in each of {MAX_TRUTH_DRAWS} determinizations"
                )


def _is_further(course: Course, observer: int) -> bool:
    """Return whether the player to decide also made the last decision, unnoticed by `observer`."""
    probe, now = course.probe, course.now
    if not now or probe.player(course.states[now - 1]) != probe.player(course.states[now]):
        return False
    visible = probe.observed(course.states[now - 1], course.moves[now - 1], observer)
    return visible == NOTHING_SEEN


def _impossible_byte(course: Course, state: bytes, observer: int) -> int | None:
    """Return the index of a byte whose true value is never drawn.

    Only bytes that have the same value in all of the first draws are examined, because a byte that
    varies may take its true value only rarely.
    """

    def draw(seed: int) -> bytes:
        drawn, _ = course.probe.determinize(state, observer, seed)
        return drawn

    drawn = [np.frombuffer(draw(seed), np.uint8) for seed in range(TRUTH_DRAWS)]
    true = np.frombuffer(state, np.uint8)
    fixed = np.all(np.stack(drawn) == drawn[0], axis=0)
    wrong = [int(place) for place in np.flatnonzero(fixed & (drawn[0] != true))]
    for seed in range(TRUTH_DRAWS, MAX_TRUTH_DRAWS):
        if not wrong:
            return None
        one = draw(seed)
        wrong = [place for place in wrong if one[place] != state[place]]
    return wrong[0] if wrong else None


@per_group()
def determinize_is_uniform(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """At the first decision, hidden parts are drawn with the distribution of the deal: over many
    deals, drawn and true states agree in chi-square tests of bytes and pairs of bytes."""
    tested: list[dict[str, Any]] = []
    for course in courses:
        options = course.deal.options
        if options in tested or len(tested) == len(DEALS):
            continue
        deals = DEALS[len(tested)]
        tested.append(options)
        dealt = [start.to_bytes() for start in course.deal.other_starts(FIRST_DEAL, deals)]
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
    """HIDDEN_INFORMATION is declared if and only if determinize() changes some state for some
    player."""
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
    """For the player who makes a move, observed() returns the move itself. For others, it returns
    the smallest move of its class, which is the same in all states that look alike to them, or
    NOTHING_SEEN for every move of a decision that does not change their knowledge."""
    probe = course.probe
    for state in course.decisions(STATIONS):
        player, legal = probe.player(state), probe.legal(state)
        for observer in course.observers:
            alike, _ = probe.determinize(state, observer, 3)
            both = set(legal) & set(probe.legal(alike))
            views = {move: probe.observed(state, move, observer) for move in legal}
            for move, view in views.items():
                who = f"player {observer} sees {course.game.actions[move]!r} as move {view}"
                if observer == player and view != move:
                    yield f"{who}, although this is their own move"
                if view == NOTHING_SEEN:
                    if set(views.values()) != {NOTHING_SEEN}:
                        yield f"player {observer} notices only some moves of a decision"
                    yield from _find_trace(course, state, move, observer)
                elif not 0 <= view <= move:
                    yield f"{who}, which is not the smallest move that looks the same to them"
                elif view in legal and views[view] != view:
                    yield f"{who}, but sees that move as move {views[view]}"
                if move in both and probe.observed(alike, move, observer) != view:
                    yield (
                        f"{who}, but as another move in a state that looks the same to them; "
                        "observed() must return the smallest of the moves that look the same to "
                        "this player, legal or not"
                    )


def _find_trace(course: Course, state: bytes, move: int, observer: int) -> Iterator[str]:
    """Yield a message if an unnoticed move changes what the observer knows."""
    probe = course.probe
    after = probe.apply(state, move)
    looks = [probe.determinize(one, observer, 5)[0] for one in (state, after)]
    if probe.player(after) == probe.player(state) and looks[0] != looks[1]:
        yield (
            f"player {observer} does not notice {course.game.actions[move]!r}, but sees its effect"
        )


@per_group()
def hidden_moves_declared(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """HIDDEN_MOVES is declared if and only if some moves are only partly visible. A player who
    can distinguish two moves can also distinguish the states after them. If a player cannot
    distinguish two moves, the states after them also look alike to this player in some cases."""
    merged = blurred = 0
    for course in courses:
        for state in course.decisions(STATIONS):
            for observer in course.observers:
                if observer == course.probe.player(state):
                    continue
                for same_class, same_result, moves in _pairs(course, state, observer):
                    merged += same_class
                    blurred += same_class and same_result
                    if same_result and not same_class:
                        names = " and ".join(repr(game.actions[move]) for move in moves)
                        yield Finding(
                            f"player {observer} can distinguish {names}, but not the states after "
                            "them",
                            course,
                            course.now,
                        )
    if courses and game.hidden_moves and not merged:
        yield Finding("HIDDEN_MOVES is declared, but every move is fully visible", courses[0])
    elif merged and not blurred:
        yield Finding(
            "observed() returns the same for some moves, but the observer can always distinguish "
            "the states after them",
            courses[0],
        )


def _pairs(
    course: Course, state: bytes, observer: int
) -> Iterator[tuple[bool, bool, tuple[int, int]]]:
    """Yield whether two moves look alike to `observer`, whether the states after them do, and the
    two moves.

    Pairs that lead to the same state are skipped.
    """
    probe = course.probe
    legal = probe.legal(state)
    reached = {move: probe.apply(state, move) for move in legal[: 2 * MAX_PAIRS]}
    visible = {move: probe.observed(state, move, observer) for move in reached}
    looks = {move: probe.determinize(after, observer, 5)[0] for move, after in reached.items()}
    pairs = (
        (one, other)
        for i, one in enumerate(reached)
        for other in islice(reached, i + 1, None)
        if reached[one] != reached[other]
    )
    for one, other in islice(pairs, MAX_PAIRS):
        yield visible[one] == visible[other], looks[one] == looks[other], (one, other)


@per_course()
def forced_moves_stay_hidden(course: Course) -> Iterator[str]:
    """Forced moves look like decisions: two games that look alike to a player, with different
    hidden cards and decisions, show the player the same moves."""
    for observer in course.observers:
        for one, other in twins(course, observer, TWINS):
            if not look_alike(one, other, observer):
                moves = " or ".join(_format_moves(line, observer) for line in (one, other))
                yield f"player {observer} sees {moves} in games that should look alike"


@per_course(needs="apply_reported")
def events_stay_hidden(course: Course) -> Iterator[str]:
    """Two games that look alike to a player, with different hidden cards and decisions, show the
    player the same events."""
    for observer in course.observers:
        for one, other in twins(course, observer, TWINS):
            pairs = zip_longest(one.events(observer), other.events(observer))
            if look_alike(one, other, observer):
                yield from (
                    f"player {observer} sees {first} or {second} in games that should look alike"
                    for first, second in pairs
                    if first != second
                )


def _format_moves(line: Line, observer: int) -> str:
    actions = line.end.game.actions
    moves = [move for _, move in line.observations(observer) if move is not None]
    return " and ".join(repr(actions[move]) for move in moves) or "nothing"
