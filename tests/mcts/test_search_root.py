"""A search whose root moves are restricted, and one that books what brings VP."""

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
    "cut": Settings(playout_turns=2, playout="policy", cutoff="evaluate"),
    "flat": Settings(selection="uniform", tree_depth=1),
    "expert": EXPERT,
}
CASES = [(name, way, 1) for name in trajan_ai.GAMES for way in WAYS]
CASES += [(name, way, 2) for name in trajan_ai.GAMES for way in ("mo", "expert")]


def at(name, turn, players=2, seed=3):
    """A decision among several moves of a random game."""
    start = trajan_ai.game(name).start(players, seed)
    return next(
        one for one in positions(start, seed) if one.turn >= turn and len(one.legal_moves()) > 2
    )


def late(name, seed=3):
    """The last decision of a random game at which a player has a choice of three moves."""
    start = trajan_ai.game(name).start(2, seed)
    *_, last = (one for one in positions(start, seed) if len(one.legal_moves()) > 2)
    return last


def searched(position, way, threads=1, iterations=300, **how):
    settings = WAYS[way].model_copy(update={"threads": threads, "early_stop": False})
    known = InformationSet(position)
    return ThreadedSearch(position.game, settings).search(known, 7, iterations=iterations, **how)


def unbooked(result):
    """A result without what differs between runs, and without what was booked."""
    moves = tuple(replace(move, sources=None) for move in result.moves)
    return replace(result, moves=moves, seconds=0.0, phases={})


@pytest.mark.parametrize(("name", "way", "threads"), CASES)
def test_booking_changes_nothing_that_a_search_finds(name, way, threads):
    position = at(name, 6)
    plain, booked = (searched(position, way, threads, books=books) for books in (False, True))
    assert unbooked(booked) == unbooked(plain)
    assert all(move.sources is None for move in plain.moves)
    assert any(move.sources is not None for move in booked.moves)


@pytest.mark.parametrize(("name", "way", "threads"), CASES)
def test_allowed_moves_alone_are_visited_by_all_iterations(name, way, threads):
    position = at(name, 6)
    legal = position.legal_moves()
    for allowed in ((legal[1],), (legal[-1], legal[0])):
        found = searched(position, way, threads, allowed=allowed)
        assert {move.move for move in found.moves} == set(allowed)
        assert sum(move.visits for move in found.moves) == 300 == found.iterations
    everything = searched(position, way, threads, allowed=tuple(legal))
    assert unbooked(everything) == unbooked(searched(position, way, threads))


@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_a_tree_of_some_moves_is_not_searched_on(name):
    position = at(name, 6)
    settings = EXPERT.model_copy(update={"early_stop": False})
    engine, known = ThreadedSearch(position.game, settings), InformationSet(position)
    engine.search(known, 7, iterations=100, allowed=(position.legal_moves()[0],))
    again = engine.search(known, 7, iterations=100, keep=True)
    assert unbooked(again) == unbooked(searched(position, "expert", iterations=100))


def test_moves_that_cannot_be_allowed_are_refused():
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
def test_what_is_booked_from_the_root_is_the_final_vp_minus_those_so_far(name, way):
    """Move by move: over the same booked iterations, here all that the move had."""
    position = late(name)
    for move in position.legal_moves():
        found = searched(position, way, iterations=1, allowed=(move,), books=True).best
        came = [vp - now for vp, now in zip(found.scores, position.scores, strict=True)]
        assert [sum(row) for row in found.sources] == came


@pytest.mark.parametrize("game", [NIM, KUHN], ids=lambda game: game.name)
def test_a_game_without_sources_is_searched_with_books_as_without(game):
    position = game.start(2, 1)
    plain, booked = (searched(position, "so", books=books) for books in (False, True))
    assert replace(booked, seconds=0.0) == replace(plain, seconds=0.0)
