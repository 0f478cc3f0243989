"""Random games and options for property tests."""

from hypothesis import strategies as st

from trajan_ai.core.game import Random
from trajan_ai.core.rules import example_values


def values(game):
    return {
        option.name: [option.default(2), *example_values(option, 2)]
        for option in game.rules.options
    }


def options(game):
    return st.fixed_dictionaries(
        {name: st.sampled_from(allowed) for name, allowed in values(game).items()}
    )


def games(game):
    return st.builds(
        lambda players, seed, chosen: game.start(players, seed, **chosen),
        st.integers(2, 4),
        st.integers(0, 2**32),
        options(game),
    )


def course(position, seed):
    """Yield the positions and moves of a random game; the move of the final position is None."""
    random = Random(seed)
    while position.player is not None:
        legal = position.legal_moves()
        move = legal[random.below(len(legal))]
        yield position, move
        position = position.after_move(move)
    yield position, None


def positions(position, seed, every=1):
    """Yield every `every`-th position of a random game, including the first and the last."""
    for ply, (at, move) in enumerate(course(position, seed)):
        if ply % every == 0 or move is None:
            yield at
