"""Checks of the optional entries for learners: features, and dealing without Python."""

from collections.abc import Iterator, Sequence

from trajan_ai.core.game import Game
from trajan_ai.core.rules import HasFeatures, needed
from trajan_ai.testing.courses import FILLS, Course, first_difference
from trajan_ai.testing.registry import Finding, per_course, per_group
from trajan_ai.testing.statistics import compare_samples

STATIONS = 24  # decisions of a game that a check examines
DRAWS = 3  # determinizations per decision
DEALS = 1000  # deals in C, compared with the same number of deals in Python
FIRST_DEAL = 2_000_000  # first seed of these deals, far from the seeds of the courses


@per_course(needs="features")
def features_hide_secrets(course: Course) -> Iterator[str]:
    """Features depend only on the player's knowledge: states that look alike to the player have
    the same features, and every byte is written."""
    probe = course.probe
    for state in course.stations(STATIONS):
        for observer in course.observers:
            values = probe.features(state, observer, FILLS[0])
            if probe.features(state, observer, FILLS[1]) != values:
                yield f"for player {observer}, features() leaves at least one feature unwritten"
            for seed in range(DRAWS):
                drawn, _ = probe.determinize(state, observer, seed)
                other = probe.features(drawn, observer)
                if other != values:
                    yield f"player {observer} learns a secret from {_which(course, values, other)}"


def _which(course: Course, one: bytes, other: bytes) -> str:
    place = first_difference(one, other)
    return f"feature {place}, {_names(course)[place]}"


def _names(course: Course) -> list[str]:
    features = needed(course.game, HasFeatures).features(course.deal.players)
    return [feature.name for feature in features]


@per_course(needs="features")
def features_are_named(course: Course) -> Iterator[str]:
    """Every feature has a unique name, and no value exceeds the declared highest value."""
    probe = course.probe
    listed = needed(course.game, HasFeatures).features(course.deal.players)
    names = [feature.name for feature in listed]
    if len(set(names)) < len(names):
        yield f"two features are called {next(n for n in names if names.count(n) > 1)}"
    for state in course.stations(STATIONS):
        values = probe.features(state, 0)
        if len(values) != len(listed):
            yield f"{len(values)} features, but {len(listed)} names"
            return
        for feature, value in zip(listed, values, strict=True):
            if value > feature.highest:
                yield f"{feature.name} is {value}, but its highest value is {feature.highest}"


@per_group()
def deals_are_alike(game: Game, courses: Sequence[Course]) -> Iterator[Finding]:
    """deal() has the same distribution as deals in Python, in chi-square tests of bytes and pairs
    of bytes, and depends only on players, options and the generator."""
    for course in courses[:1]:
        if "deal" in course.probe.missing:
            return
        own = list(course.deal.other_starts(FIRST_DEAL, DEALS))
        dealt = [course.probe.deal(start, number) for number, start in enumerate(own)]
        if course.probe.deal(own[0], 7) != course.probe.deal(own[1], 7):
            yield Finding("deal() depends on the previous state", course, 0)
        worst = compare_samples([start.to_bytes() for start in own], dealt)
        if worst is not None:
            text = f"{worst.what} of {DEALS} deals in C and in Python differ: {worst.figures}"
            yield Finding(text, course, 0)
