"""Threads that share positions get the same results as a single thread, with or without a GIL."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from random_games import positions

import trajan_ai
from trajan_ai import TrajanError

THREADS = 8
EVERY = 11  # decisions between examined positions of a game
ROUNDS = 2


def answers(position):
    """Return everything that threads may request from a position, after the error that an
    impossible move raises."""
    try:
        position.after_move(-1)
    except TrajanError as error:
        error_text = str(error)
    moves = position.legal_moves()
    return (
        error_text,
        moves,
        position.legal(),
        [position.after_move(move).to_bytes() for move in moves[:3]],
        position.player,
        position.scores,
        position.ranks,
        position.features(0),
        position.view(0),
        position.determinized(1, 7).to_bytes(),
        hash(position),
        pickle.loads(pickle.dumps(position)) == position,
    )


def in_threads(work):
    """Run `work` in THREADS threads that begin together; return the results."""
    begin = threading.Barrier(THREADS)

    def run(i):
        begin.wait()
        return work(i)

    with ThreadPoolExecutor(THREADS) as threads:
        return [*threads.map(run, range(THREADS))]


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_threads_get_the_same_answers_from_shared_positions_as_one(name):
    game = trajan_ai.game(name)
    states = [position.to_bytes() for position in positions(game.start(2, 3), 3, EVERY)]
    expected = [answers(game.from_bytes(state)) for state in states]
    for first in range(ROUNDS):
        shared = [game.from_bytes(state) for state in states]  # new positions, without caches

        def ask(i, shared=shared, first=first):
            order = range(len(shared)) if (i + first) % 2 else reversed(range(len(shared)))
            return {place: answers(shared[place]) for place in order}

        for results in in_threads(ask):
            assert [results[place] for place in range(len(states))] == expected


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_concurrent_searches_of_one_position_have_equal_results(name):
    position = trajan_ai.game(name).start(2, seed=5)
    alone = trajan_ai.search(position, iterations=150, seed=1)

    def search(i):
        if i % 2:
            return answers(position)
        return trajan_ai.search(position, iterations=150, seed=1)

    requests = answers(position)
    for i, results in enumerate(in_threads(search)):
        if i % 2:
            assert results == requests
        else:
            assert [(m.action, m.visits) for m in results.moves] == [
                (m.action, m.visits) for m in alone.moves
            ]
