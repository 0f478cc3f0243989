"""Checks of the optional entries of a game's knowledge; a game without them passes."""

import math
from collections.abc import Iterator

from trajan_ai.testing.courses import FILLS, NO_PLAYER, Course
from trajan_ai.testing.registry import per_course

STATIONS = 24  # decisions of a game that a check examines
SEEDS = 4
SUM_ERROR = 1e-3  # accepted error of a prior's sum, which has single precision
TERM_ERROR = 0.01  # accepted error, in VP, of sums in single precision
# Values stored after the last weight, which must have no effect.
BEYOND = (0.0, 1e30)


@per_course(needs="prior")
def prior(course: Course) -> Iterator[str]:
    """The prior of the legal moves is positive, sums to 1, and depends only on state, moves and
    weights."""
    probe = course.probe
    for state in course.decisions(STATIONS):
        legal = probe.legal(state)
        fractions = probe.prior(state, legal, BEYOND[0], FILLS[0])
        if probe.prior(state, legal, BEYOND[1], FILLS[1]) != fractions:
            yield "prior() returns different priors for the same moves"
        if not all(math.isfinite(one) and one > 0 for one in fractions):
            yield f"prior() is not positive: {min(fractions)} for one of {len(legal)} moves"
        if abs(sum(fractions) - 1) > SUM_ERROR:
            yield f"prior() sums to {sum(fractions):.6f}, not 1"


@per_course(needs="policy")
def policy(course: Course) -> Iterator[str]:
    """The policy chooses one of the listed moves, and draws only from its generator."""
    probe = course.probe
    for state in course.decisions(STATIONS):
        legal = probe.legal(state)
        for seed in range(SEEDS):
            choice = probe.policy(state, legal, seed, BEYOND[0])
            if probe.policy(state, legal, seed, BEYOND[1]) != choice:
                yield "policy() makes different choices with the same generator"


@per_course(needs="evaluate")
def evaluation(course: Course) -> Iterator[str]:
    """The evaluation is a finite number for every player in every state, including the final one,
    and depends only on state and weights."""
    probe = course.probe
    for state in course.stations(STATIONS):
        values = probe.evaluate(state, BEYOND[0], FILLS[0])
        if not all(map(math.isfinite, values)):
            yield f"evaluate() returns {values}"
        elif probe.evaluate(state, BEYOND[1], FILLS[1]) != values:
            yield "evaluate() returns different values for the same state"


@per_course(needs="terms")
def terms(course: Course) -> Iterator[str]:
    """The evaluation of a running game is the VP so far plus the sum of its weighted terms."""
    probe = course.probe
    for state in course.decisions(STATIONS):
        values = probe.evaluate(state)
        summed = [a + b for a, b in zip(probe.scores(state), probe.terms(state), strict=True)]
        if any(abs(a - b) > TERM_ERROR for a, b in zip(values, summed, strict=True)):
            yield f"evaluate() returns {values}, but the VP so far and the terms sum to {summed}"


@per_course(needs="turns_left")
def turns_left(course: Course) -> Iterator[str]:
    """The turns that a player has left are 0 or more, and 0 when the game is over."""
    probe = course.probe
    for state in course.stations(STATIONS):
        for player in course.observers:
            turns = probe.turns_left(state, player)
            if turns < 0 or (turns and probe.player(state) == NO_PLAYER):
                when = "after the end" if probe.player(state) == NO_PLAYER else "in the game"
                yield f"turns_left() of player {player} is {turns} {when}"
            if probe.turns_left(state, player) != turns:
                yield "turns_left() returns different numbers for the same state"
