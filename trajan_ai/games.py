"""The games by name: the one place that knows which there are."""

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.forum_trajanum import GAME as FORUM_TRAJANUM
from trajan_ai.trajan import GAME as TRAJAN

GAMES: dict[str, Game] = {handle.name: handle for handle in (TRAJAN, FORUM_TRAJANUM)}


def game(name: str) -> Game:
    """Return the game called `name`; raises TrajanError if there is none."""
    try:
        return GAMES[name]
    except KeyError:
        raise TrajanError(f"no game is called {name!r}; games are {', '.join(GAMES)}") from None
