"""Checks that searches of a game run, are reproducible, and see nothing hidden."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasNetwork
from trajan_ai.mcts import Settings, ThreadedSearch, search
from trajan_ai.mcts.greedy import greedy_move
from trajan_ai.mcts.result import Result
from trajan_ai.testing.courses import Course
from trajan_ai.testing.registry import per_course
from trajan_ai.testing.twins import Line, twins

STATIONS = 3  # decisions of a game that are searched
ITERATIONS = 60
SEED = 1
DRAWS = 8  # determinizations drawn to find one that differs


def searches(game: Game) -> dict[str, Settings]:
    """Return settings of searches that together use every entry of the game's knowledge."""
    common: dict[str, Any] = {"playout_rounds": 1, "early_stop": False}
    settings = {name: Settings(algorithm=name, **common) for name in ("so", "mo", "own")}
    entries = game.has_knowledge
    if entries and set(entries) != {"turns_left"}:
        if "policy" in entries:
            common["playout"] = "policy"
        if "prior" in entries:
            common |= {"selection": "puct", "prior": "game"}
        if "evaluate" in entries:
            common["cutoff"] = "evaluate"
        settings["expert"] = Settings(**common)
        if offered(game.rules, HasNetwork) is not None:
            settings["network"] = Settings(**common, network_rounds={game.name: 0})
    return settings


@per_course()
def search_sees_no_secrets(course: Course) -> Iterator[str]:
    """Positions that look alike to the player to decide have the same search results: with one
    tree or several, with the game's knowledge, and for the greedy plan."""
    for state in course.decisions(STATIONS):
        position = course.position(state)
        assert position.player is not None
        twin = _twin(position, position.player)
        for name, settings in searches(course.game).items():
            one, two = (
                search(_true_set(start), settings, seed=SEED, iterations=ITERATIONS)
                for start in (position, twin)
            )
            if _plain(one) != _plain(two):
                yield f"the search ({name}) distinguishes positions that look alike to its player"
            if {move.move for move in one.moves} != set(position.legal_moves()):
                yield f"the moves of the search ({name}) are not those of legal()"
        plans = [greedy_move(start, position.player, SEED) for start in (position, twin)]
        if plans[0] != plans[1]:
            yield "the greedy plan distinguishes positions that look alike to its player"


@per_course()
def search_repeats_itself(course: Course) -> Iterator[str]:
    """Two searches with the same seed have the same result, on one thread as well as on two."""
    for state in course.decisions(STATIONS - 1):
        position = course.position(state)
        for settings in searches(course.game).values():
            for threads in (1, 2):
                how = settings.model_copy(update={"threads": threads})
                one, two = (
                    search(InformationSet(position), how, seed=SEED, iterations=ITERATIONS)
                    for _ in range(2)
                )
                if _plain(one) != _plain(two):
                    yield f"two searches with the same seed on {threads} thread(s) differ"


@per_course()
def reused_tree_sees_no_secrets(course: Course) -> Iterator[str]:
    """The part of a tree that a search reuses depends only on what the searcher observed."""
    one_tree = Settings(playout_rounds=1, early_stop=False)
    own_moves = one_tree.model_copy(update={"algorithm": "own"})
    for observer in course.observers:
        for one, other in _lines_alike(course, observer):
            for settings in (one_tree, own_moves):
                results = [_search_on(settings, line, observer) for line in (one, other)]
                if results[0] != results[1]:
                    yield (
                        f"player {observer}'s reused tree distinguishes games that look alike to "
                        "this player"
                    )


def _lines_alike(course: Course, observer: int) -> Iterator[tuple[Line, Line]]:
    """Yield pairs of lines that look alike to `observer` but differ in their ends or decisions."""
    for state in course.decisions(STATIONS):
        assert course.now is not None
        line = Line((), course.position(state)).extend(course.moves[course.now])
        if line.end.player is not None:
            yield line, Line(line.decisions, _twin(line.end, observer))
    uneven = (
        pair
        for pair in twins(course, observer, 1)
        if len(pair[0].decisions) != len(pair[1].decisions) and pair[0].end.player is not None
    )
    yield from islice(uneven, STATIONS)


def _true_set(position: Position) -> InformationSet:
    """Return the information set of the player to decide, represented by the true position.

    If the canonical position represented the set, positions that look alike to this player would
    be identical before the search begins, and the check could not fail.
    """
    assert position.player is not None
    return InformationSet.of_everything(position, position.player)


def _twin(position: Position, observer: int) -> Position:
    """Return a position that looks the same to `observer`: a different one, if a few draws find
    one."""
    drawn = [position.determinized(observer, seed) for seed in range(DRAWS)]
    return next((one for one in drawn if one != position), drawn[0])


def _search_on(settings: Settings, line: Line, observer: int) -> dict[str, Any]:
    engine = ThreadedSearch(line.end.game, settings)
    start, _ = line.decisions[0]
    engine.search(InformationSet(start, observer), SEED, iterations=ITERATIONS)
    ends = [*(position for position, _ in line.decisions[1:]), line.end]
    for (before, move), after in zip(line.decisions, ends, strict=True):
        engine.follow(before, after, move)
    information = InformationSet(line.end, observer)
    return _plain(engine.search(information, SEED, iterations=ITERATIONS, keep=True))


def _plain(result: Result) -> dict[str, Any]:
    return {**asdict(result), "seconds": None}
