"""Searches for tests, with few iterations and without an early stop."""

from dataclasses import asdict

from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import NIM
from trajan_ai.mcts import Settings, search
from trajan_ai.mcts.ismcts import Searcher

EVEN = {"early_stop": False}
NIM_POSITION = NIM.restore(2, {"heaps": [3, 4, 5]})


def run_search(position, iterations, *, seed=0, **settings):
    how = Settings(**EVEN | settings)
    return search(InformationSet(position), how, seed=seed, iterations=iterations)


def grow_tree(position, iterations, observer=None, **settings):
    searcher = Searcher(position.game, Settings(**EVEN | settings))
    searcher.begin(position, position.player if observer is None else observer, 1)
    searcher.run(iterations)
    searcher.finish()
    return searcher


def visits(result):
    return {move.move: move.visits for move in result.moves}


def data(result):
    return {**asdict(result), "seconds": None, "threads": None}
