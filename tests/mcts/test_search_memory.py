"""Memory of a search: the size of untried moves, one limit for everything, and full trees."""

import sys
from ctypes import Structure, c_uint8
from itertools import islice, pairwise

import pytest
from calls import python
from plain_ismcts import plain_search
from searching import EVEN, data, grow_tree, run_search, visits

from trajan_ai.bots import read_bot
from trajan_ai.core.information import InformationSet
from trajan_ai.games import game
from trajan_ai.games.kit.python_game import PythonRules
from trajan_ai.games.reference import NIM
from trajan_ai.mcts import ThreadedSearch
from trajan_ai.mcts.ismcts import Searcher

MEBIBYTE = 1 << 20
GAMES = ["trajan", "forum_trajanum"]
NIM_POSITION = NIM.restore(2, {"heaps": [7, 7, 7, 6]})


def expert(**changes):
    return read_bot("expert").model_copy(update=EVEN | changes)


@pytest.mark.parametrize("name", GAMES)
def test_an_untried_move_takes_at_most_8_bytes_and_slack(name):
    """An iteration adds at most one node of 32 bytes."""
    position = game(name).start(2, 5)
    searcher = Searcher(position.game, expert())
    searcher.begin(position, position.player, 1)
    empty = searcher.memory_bytes
    searcher.run(4000)
    searcher.finish()
    untried = searcher.nodes - 4000
    assert untried > 1000
    assert searcher.memory_bytes - empty < 1.25 * (4000 * 32 + untried * 8)


@pytest.mark.parametrize("settings", [{"selection": "puct"}, {"in_flight": 5}, {}], ids=str)
def test_a_node_of_a_searched_tree_takes_at_most_48_bytes(settings):
    searcher = grow_tree(NIM_POSITION, 100_000, **settings)
    empty = grow_tree(NIM_POSITION, 1, **settings)
    assert searcher.nodes > 50_000
    assert (searcher.memory_bytes - empty.memory_bytes) / searcher.nodes <= 48


RESIDENT = """
import resource
from trajan_ai.bots import read_bot
from trajan_ai.games import game
from trajan_ai.mcts.ismcts import Searcher

def pages():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])

position = game("forum_trajanum").start(4, 5)
searchers = [Searcher(position.game, read_bot("expert")) for _ in range(3)]
before = pages()
for _ in range(20):
    searchers.append(Searcher(position.game, read_bot("expert")))
    searchers[-1].begin(position, position.player, 1, False, (), True)
    searchers[-1].run(1)
    searchers[-1].finish()
reported = max(searcher.memory_bytes for searcher in searchers)
print((pages() - before) * resource.getpagesize() / 20, reported)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_empty_tree_takes_less_than_a_megabyte():
    resident, _ = map(float, python("-c", RESIDENT).stdout.split())
    assert resident < 1e6


@pytest.mark.parametrize("name", GAMES)
def test_the_memory_of_a_new_tree_is_counted(name):
    position = game(name).start(4, 5)
    plain, broad = grow_tree(position, 1), grow_tree(position, 1, in_flight=64)
    assert plain.memory_bytes < 1e6
    assert broad.memory_bytes > plain.memory_bytes + 63 * len(position.to_bytes())


@pytest.mark.parametrize("selection", ["ucb1", "puct"])
@pytest.mark.parametrize("name", GAMES)
def test_a_search_stays_within_its_memory_and_reports_a_full_tree(name, selection):
    position = game(name).start(3, 5)
    how = {"selection": selection, "tree_megabytes": 1, "playout_rounds": 1}
    small = run_search(position, 40_000, **how)
    assert small.tree_full
    assert 0.95 * MEBIBYTE < small.memory_bytes <= MEBIBYTE
    assert small.iterations == sum(visits(small).values()) == 40_000
    assert not run_search(position, 500, **how).tree_full


def test_a_tiny_limit_leaves_room_for_a_small_tree():
    full = run_search(NIM_POSITION, 20_000, tree_megabytes=0.001, selection="puct")
    empty = grow_tree(NIM_POSITION, 1).memory_bytes
    assert full.tree_full
    assert full.nodes > 500
    assert full.memory_bytes <= empty + 32 * 1024


def full_game(name, **changes):
    """Yield the results of searches by a player whose reused tree of 1 MiB is often full."""
    position = game(name).start(2, 4)
    how = {"tree_megabytes": 1, "playout_rounds": 1, **changes}
    engine = ThreadedSearch(position.game, expert(**how))
    for step in range(60):
        legal = position.legal_moves()
        move = legal[7919 * step % len(legal)]
        if position.player == 0:
            result = engine.search(InformationSet(position), step, iterations=8000, keep=True)
            yield result, engine.searcher
            move = result.best.move
        after = position.after_move(move)
        engine.follow(position, after, move)
        position = after


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        ("trajan", "own"),
        ("forum_trajanum", "mo"),
        pytest.param("trajan", "mo", marks=(pytest.mark.long, pytest.mark.exhaustive)),
        pytest.param("forum_trajanum", "own", marks=(pytest.mark.long, pytest.mark.exhaustive)),
    ],
)
def test_a_reused_tree_stays_within_its_memory(name, algorithm):
    reused, full = 0, []
    for result, searcher in full_game(name, algorithm=algorithm):
        assert result.memory_bytes <= MEBIBYTE
        trees = 2
        children = sum(width * nodes for width, nodes in result.branching.items())
        assert children + trees == result.nodes == searcher.nodes
        reused += sum(visits(result).values()) > 8000
        full.append(result.tree_full)
    assert reused > 10
    assert any(not later for earlier, later in pairwise(full) if earlier)


REUSED = 12  # searches, of which the later ones begin with a tree that was full


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_a_reused_full_tree_does_not_depend_on_the_number_of_threads(name):
    one, other = (
        [
            data(result)
            for result, _ in islice(full_game(name, in_flight=8, threads=threads), REUSED)
        ]
        for threads in (1, 8)
    )
    assert one == other


@pytest.mark.long
def test_moves_that_stay_untried_for_many_visits_are_counted_exactly():
    how = {"selection": "puct", "exploration": 0.001}
    fast = run_search(NIM_POSITION, 6000, seed=5, **how)
    assert 0 in visits(fast).values()
    assert visits(fast) == plain_search(NIM_POSITION, 6000, 5, "puct", exploration=(0.001, 0.0))
    searcher = grow_tree(NIM_POSITION, 6000, **how)
    assert {stat["availability"] for stat in searcher.root_moves()} == {6000}


class WideRules(PythonRules):
    """A game in which the second player's 1,024 moves differ between three possible hands."""

    name = "wide"
    actions = tuple(f"take {number}" for number in range(3 * 1024))

    class State(Structure):
        _fields_ = (("turn", c_uint8), ("hand", c_uint8))

    def begin(self, state, players, options, setup):
        pass

    def player(self, state):
        return state.turn if state.turn < 2 else None

    def turn(self, state):
        return state.turn

    def legal(self, state):
        return range(1024 * state.hand, 1024 * (state.hand + 1)) if state.turn else range(2)

    def step(self, state, move):
        state.turn += 1

    def scores(self, state):
        return [0, 0]

    def determinize(self, state, observer, random):
        if observer == 0:
            state.hand = random.below(3)

    def show(self, state, player):
        return {"turn": state.turn}


def test_a_node_has_at_most_2048_children():
    """In this game, 3,072 moves occur after each of the first player's two moves."""
    start = WideRules().make_game("test:WIDE").start(2)
    assert run_search(start, 40, selection="puct").branching == {2: 1, 2048: 2}
