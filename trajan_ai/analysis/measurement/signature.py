"""The play signature: a short text that changes if the play of a game or its search changes."""

import functools
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from trajan_ai.analysis.measurement import measure
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import example_values
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts import Settings, search
from trajan_ai.mcts.greedy import greedy_move

GAMES = 2  # random games for each number of players and each option
ITERATIONS = 40  # iterations of each search, which takes about 2 ms
LAST = 8  # positions at the end of a game
DIGITS = 12
PLAIN = {"iterations": ITERATIONS, "early_stop": False}

# Searches made in every game. Together, they use every kind of selection and of tree, cut
# playouts, and several iterations in flight.
SEARCHES: tuple[dict[str, Any], ...] = (
    {"selection": "puct"},
    {"algorithm": "mo"},
    {"algorithm": "own"},
    {"playout_rounds": 1, "payoff": {"margin": 1.0}},
    {"in_flight": 4},
)

# Searches that use an entry of the game's knowledge, by the name of this entry.
INFORMED: dict[str, dict[str, Any]] = {
    "prior": {"selection": "puct", "prior": "game"},
    "policy": {"playout": "policy"},
    "evaluate": {"cutoff": "evaluate", "playout_rounds": 1},
}

# A search at the end of a game, where a move with a better mean may replace the most visited one.
ENDING = {"selection": "puct", "prior": "game", "payoff": {"margin": 1.0}}


@functools.cache
def play_signature(game: Game) -> str:
    """Return 12 hex digits that identify the play of `game` and of its search.

    The signature is the same on every machine. It changes with the rules, with what players may
    know, with the game's knowledge at default weights, and with the search, provided that the
    change affects the random games and small searches that are hashed. It does not depend on
    speed, names or the layout of states.
    """
    digest = hashlib.blake2b(digest_size=DIGITS // 2)
    for part in _play(game):
        digest.update(repr(part).encode() + b"\n")
    return digest.hexdigest()


def _play(game: Game) -> Iterator[object]:
    for players in game.player_counts:
        for options in _options(game, players):
            start = game.start(players, derive_seed("signature", players), **options)
            yield players, options, [measure.game_digest(start, seed) for seed in range(GAMES)]
        opening = game.start(players, derive_seed("signature", players))
        course = by_rule(opening, derive_seed)
        middle = course[(len(course) - 1) // 2]
        yield _visits(opening, {}), _visits(middle, {})
        assert middle.player is not None
        yield greedy_move(middle, middle.player, players)
        for entry, settings in INFORMED.items():
            if entry in game.has_knowledge:
                yield entry, _visits(opening, settings), _visits(middle, settings)
        if "prior" in game.has_knowledge:
            yield [_visits(place, ENDING) for place in course[-LAST:-1]]
    for settings in SEARCHES:
        yield _visits(opening, settings), _visits(middle, settings)


def _options(game: Game, players: int) -> Iterator[dict[str, Any]]:
    """Yield the default options, and each variant in which one option has a non-default value."""
    yield {}
    for option in game.rules.options:
        for value in example_values(option, players):
            try:
                game.rules.check(players, {option.name: value})
            except TrajanError:  # requires other options or another number of players
                continue
            yield {option.name: value}


def by_rule(start: Position, rule: Callable[[int], int]) -> list[Position]:
    """Return the positions of a game in which a rule chooses the moves by ply."""
    line = [start]
    while line[-1].player is not None:
        moves = line[-1].legal_moves()
        line.append(line[-1].after_move(moves[rule(line[-1].ply) % len(moves)]))
    return line


def _visits(position: Position, settings: dict[str, Any]) -> list[tuple[int, int]]:
    result = search(
        InformationSet(position), Settings.model_validate(PLAIN | settings), seed=position.ply
    )
    return [(move.move, move.visits) for move in result.moves]
