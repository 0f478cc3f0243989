"""Games at tables with drawn options, and random play: generators of property tests."""

from hypothesis import strategies as st

from trajan_ai.core.game import Random
from trajan_ai.core.rules import example_values


def values(game):
    """Values of every option of the rules, the default first."""
    return {
        option.name: [option.default(2), *example_values(option, 2)]
        for option in game.rules.options
    }


def options(game):
    """A draw of the options of the rules."""
    return st.fixed_dictionaries(
        {name: st.sampled_from(allowed) for name, allowed in values(game).items()}
    )


def games(game):
    """A draw of positions just dealt."""
    return st.builds(
        lambda players, seed, chosen: game.start(players, seed, **chosen),
        st.integers(2, 4),
        st.integers(0, 2**32),
        options(game),
    )


def course(position, seed):
    """The positions of a random game with the moves made there; at its end None."""
    random = Random(seed)
    while position.player is not None:
        legal = position.legal_moves()
        move = legal[random.below(len(legal))]
        yield position, move
        position = position.after_move(move)
    yield position, None


def positions(position, seed, every=1):
    """Every `every`-th position of a random game, the first one and the end included."""
    for ply, (at, move) in enumerate(course(position, seed)):
        if ply % every == 0 or move is None:
            yield at
