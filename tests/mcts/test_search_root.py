"""Searches with restricted root moves, and with recorded sources of VP."""

from dataclasses import replace

import pytest
from random_games import positions

import trajan_ai
from trajan_ai.bots import read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games.reference import KUHN, NIM
from trajan_ai.mcts import Settings, ThreadedSearch

EXPERT = read_bot("expert")
WAYS = {
    "so": Settings(),
    "mo": Settings(algorithm="mo"),
    "own": Settings(algorithm="own"),
    "puct": Settings(selection="puct"),
    "cut": Settings(playout_rounds=1, playout="policy", cutoff="evaluate"),
    "expert": EXPERT,
}
CASES = [(name, way, 1) for name in trajan_ai.GAMES for way in WAYS]
CASES += [(name, way, 2) for name in trajan_ai.GAMES for way in ("mo", "expert")]


def at(name, turn, players=2, seed=3):
    """Return a decision of a random game with more than two moves."""
    start = trajan_ai.game(name).start(players, seed)
    return next(
        one for one in positions(start, seed) if one.turn >= turn and len(one.legal_moves()) > 2
    )


def late(name, seed=3):
    """Return the last decision of a random game with more than two moves."""
    start = trajan_ai.game(name).start(2, seed)
    *_, last = (one for one in positions(start, seed) if len(one.legal_moves()) > 2)
    return last


def searched(position, way, threads=1, iterations=300, **how):
    settings = WAYS[way].model_copy(update={"threads": threads, "early_stop": False})
    information = InformationSet(position)
    return ThreadedSearch(position.game, settings).search(
        information, 7, iterations=iterations, **how
    )


def without_sources(result):
    """Return a result without times, recorded sources and the memory that sources need."""
    moves = tuple(replace(move, sources=None) for move in result.moves)
    return replace(result, moves=moves, seconds=0.0, memory_bytes=0, phases={})


@pytest.mark.parametrize(("name", "way", "threads"), CASES)
def test_recording_sources_does_not_change_results(name, way, threads):
    position = at(name, 6)
    plain, noted = (
        searched(position, way, threads, with_sources=chosen) for chosen in (False, True)
    )
    assert without_sources(noted) == without_sources(plain)
    assert all(move.sources is None for move in plain.moves)
    assert any(move.sources is not None for move in noted.moves)


@pytest.mark.parametrize(("name", "way", "threads"), CASES)
def test_allowed_moves_alone_are_visited_by_all_iterations(name, way, threads):
    position = at(name, 6)
    legal = position.legal_moves()
    for allowed in ((legal[1],), (legal[-1], legal[0])):
        result = searched(position, way, threads, allowed=allowed)
        assert {move.move for move in result.moves} == set(allowed)
        assert sum(move.visits for move in result.moves) == 300 == result.iterations
    everything = searched(position, way, threads, allowed=tuple(legal))
    assert without_sources(everything) == without_sources(searched(position, way, threads))


@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_a_tree_of_some_moves_is_not_reused(name):
    position = at(name, 6)
    settings = EXPERT.model_copy(update={"early_stop": False})
    engine, information = ThreadedSearch(position.game, settings), InformationSet(position)
    engine.search(information, 7, iterations=100, allowed=(position.legal_moves()[0],))
    again = engine.search(information, 7, iterations=100, keep=True)
    assert without_sources(again) == without_sources(searched(position, "expert", iterations=100))


def test_illegal_allowed_moves_are_rejected():
    position = at("trajan", 6)
    foreign = next(m for m in range(len(position.game.actions)) if m not in position.legal_moves())
    for move in (foreign, -1, len(position.game.actions)):
        with pytest.raises(TrajanError, match="not legal, so it cannot be allowed"):
            searched(position, "so", allowed=(move,))
    many = (position.legal_moves()[0],) * 100_000
    with pytest.raises(TrajanError):
        searched(position, "so", allowed=many)
    other = InformationSet(position, 1 - position.player)
    with pytest.raises(TrajanError, match="only for the player whose knowledge is used"):
        ThreadedSearch(position.game, EXPERT).search(other, 1, iterations=9, allowed=(many[0],))


@pytest.mark.parametrize("way", ["so", "mo", "own", "puct"])
@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_recorded_sources_sum_to_the_future_vp(name, way):
    """The sources and the scores of a move are means over the same iterations."""
    position = late(name)
    for move in position.legal_moves():
        result = searched(position, way, iterations=1, allowed=(move,), with_sources=True).best
        came = [vp - now for vp, now in zip(result.scores, position.scores, strict=True)]
        assert [sum(row) for row in result.sources] == came


@pytest.mark.parametrize("game", [NIM, KUHN], ids=lambda game: game.name)
def test_recording_sources_has_no_effect_in_a_game_without_sources(game):
    position = game.start(2, 1)
    plain, noted = (searched(position, "so", with_sources=chosen) for chosen in (False, True))
    assert replace(noted, seconds=0.0) == replace(plain, seconds=0.0)


@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_sources_after_a_cut_are_those_of_the_policy(name):
    """Players score more than 110 VP with the policy, and less than 40 VP with random moves."""
    start = trajan_ai.game(name).start(2, 3)
    settings = Settings(playout="policy", playout_rounds=1, early_stop=False)
    result = ThreadedSearch(start.game, settings).search(
        InformationSet(start), 1, iterations=160, with_sources=True
    )
    rows = [row for move in result.moves for row in move.sources or ()]
    assert sum(map(sum, rows)) / len(rows) > 100
