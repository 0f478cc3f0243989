"""Speed of searches with each setting. Times are reported, not judged."""

import pytest

from trajan_ai.core.information import InformationSet
from trajan_ai.forum_trajanum import GAME as FORUM
from trajan_ai.mcts import Engine, Settings
from trajan_ai.mcts.driver import known_by
from trajan_ai.reference_games import NIM
from trajan_ai.trajan import GAME as TRAJAN

ITERATIONS = 2000
GAMES = {"trajan": TRAJAN, "forum_trajanum": FORUM}
VARIANTS = {
    "plain": {},
    "cheat": {"cheat": True},
    "cut_3": {"playout_turns": 3},
    "mo": {"algorithm": "mo"},
    "puct": {"selection": "puct"},
    "policy": {"playout": "policy"},
    "two_threads": {"threads": 2},
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", GAMES)
def test_search(benchmark, name, players, variant):
    position = GAMES[name].start(players, 1)
    engine = Engine(GAMES[name], Settings(early_stop=False, **VARIANTS[variant]))
    benchmark.group = f"{name} {players}"
    known = known_by(engine.settings, position, position.player)
    found = benchmark(engine.search, known, 1, iterations=ITERATIONS)
    assert found.iterations == ITERATIONS


def test_tree_walk_alone(benchmark):
    """Nim's rules cost next to nothing: what is left is the search's own work."""
    position = NIM.restore(2, {"heaps": [7, 7, 7, 6]})
    engine = Engine(NIM, Settings(early_stop=False, playout_turns=1))
    benchmark(engine.search, InformationSet(position), 1, iterations=20 * ITERATIONS)


@pytest.mark.parametrize("name", GAMES)
def test_a_search_of_20_ms(benchmark, name):
    """What lies above 20 ms is the overrun."""
    position = GAMES[name].start(4, 1)
    engine = Engine(GAMES[name], Settings(early_stop=False))
    benchmark(engine.search, InformationSet(position), 1, seconds=0.02)
