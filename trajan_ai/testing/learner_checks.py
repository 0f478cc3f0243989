"""Checks of the optional entries for learners: features, and dealing without Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trajan_ai.core.game import Game
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.testing.courses import FILLS, Course, first_difference
from trajan_ai.testing.registry import Finding, per_course, per_group
from trajan_ai.testing.statistics import compare_samples

STATIONS = 24  # decisions of a game where a check looks
DRAWS = 3  # determinizations a look
DEALS = 1000  # compared with as many of Python
FIRST_DEAL = 2_000_000  # their seeds, away from those of the tables


@per_course(needs="features")
def features_tell_no_secret(course: Course) -> Iterator[str]:
    """Features depend on what the player knows alone: states that look alike to the player have
    the same, and every byte of them is written."""
    probe = course.probe
    for state in course.stations(STATIONS):
        for observer in course.observers:
            told = probe.features(state, observer, FILLS[0])
            if probe.features(state, observer, FILLS[1]) != told:
                yield f"for player {observer}, a feature is not written"
            for seed in range(DRAWS):
                drawn, _ = probe.determinize(state, observer, seed)
                other = probe.features(drawn, observer)
                if other != told:
                    yield f"player {observer} is told a secret by {_which(course, told, other)}"


def _which(course: Course, one: bytes, other: bytes) -> str:
    place = first_difference(one, other)
    return f"feature {place}, {_names(course)[place]}"


def _names(course: Course) -> list[str]:
    features = needed(course.game, HasFeatures).features(course.table.players)
    return [feature.name for feature in features]


@per_course(needs="features")
def features_are_named(course: Course) -> Iterator[str]:
    """Every feature has a name of its own, and stays below the highest value told."""
    probe = course.probe
    listed = needed(course.game, HasFeatures).features(course.table.players)
    names = [feature.name for feature in listed]
    if len(set(names)) < len(names):
        yield f"two features are called {next(n for n in names if names.count(n) > 1)}"
    for state in course.stations(STATIONS):
        told = probe.features(state, 0)
        if len(told) != len(listed):
            yield f"{len(told)} features, but {len(listed)} names"
            return
        for feature, value in zip(listed, told, strict=True):
            if value > feature.highest:
                yield f"{feature.name} is {value}, its highest value {feature.highest}"


@per_group()
def deals_are_alike(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """deal() deals as Python does: over many deals the same mixture, by chi-square over bytes
    and pairs of bytes; and depends on players, options and the generator alone."""
    for course in courses[:1]:
        if "deal" in course.probe.missing:
            return
        own = course.table.deals(FIRST_DEAL, DEALS)
        dealt = [course.probe.deal(state, number) for number, state in enumerate(own)]
        if course.probe.deal(own[0], 7) != course.probe.deal(own[1], 7):
            yield Finding("deal() depends on the deal before", course, 0)
        worst = compare_samples(own, dealt)
        if worst is not None:
            text = f"{worst.what} of {DEALS} deals in C and in Python differ: {worst.figures}"
            yield Finding(text, course, 0)
