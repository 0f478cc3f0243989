"""The games and their names: the built-in games, and those that installed packages register.

A package registers a game as an entry point of the group ``trajan_ai.games``. The entry point has
the name of the game, and its value names the `Game` as ``module:attribute``. A game is loaded on
first use.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points

from trajan_ai.core.errors import TrajanError, quoted
from trajan_ai.core.game import Game

GROUP = "trajan_ai.games"
BUILT_IN = {
    "trajan": EntryPoint("trajan", "trajan_ai.games.trajan:GAME", GROUP),
    "forum_trajanum": EntryPoint("forum_trajanum", "trajan_ai.games.forum_trajanum:GAME", GROUP),
}


class GameRegistry(Mapping[str, Game]):
    """The games by name, built-in ones first. No package can replace a built-in game.

    Looking up a registered game that cannot be used raises TrajanError.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, Game] = {}

    def __getitem__(self, name: str) -> Game:
        if name not in self._loaded:
            points = [BUILT_IN[name]] if name in BUILT_IN else _list_registered()[name]
            self._loaded[name] = _load(name, points)
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in BUILT_IN or name in self._loaded or name in _list_registered()

    def __iter__(self) -> Iterator[str]:
        yield from BUILT_IN
        yield from sorted(set(_list_registered()) - set(BUILT_IN))

    def __len__(self) -> int:
        return len(list(iter(self)))


GAMES = GameRegistry()


def game(name: str) -> Game:
    """Return the game called `name`; raise TrajanError if there is none."""
    try:
        return GAMES[name]
    except KeyError:
        raise TrajanError(
            f"no game is called {quoted(name)}; games are {', '.join(GAMES)}"
        ) from None


def _list_registered() -> dict[str, list[EntryPoint]]:
    points: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=GROUP):
        points.setdefault(point.name, []).append(point)
    return points


def _load(name: str, points: list[EntryPoint]) -> Game:
    """Return the game of an entry point; raise TrajanError if it cannot be used."""
    if len({point.value for point in points}) > 1:
        raise TrajanError(
            f"game {name!r}: {' and '.join(map(_describe, points))} both register this name; "
            "uninstall one of them"
        )
    point = points[0]
    try:
        handle = point.load()
    except Exception as error:  # the package may raise anything while it is imported
        raise TrajanError(
            f"game {name!r}: {_describe(point)} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(handle, Game):
        raise TrajanError(
            f"game {name!r}: {_describe(point)} must be a trajan_ai.Game, got {handle!r:.60}"
        )
    if handle.name != name:
        raise TrajanError(
            f"game {name!r}: {_describe(point)} is a game called {handle.name!r}; "
            "register it under that name"
        )
    return handle


def _describe(point: EntryPoint) -> str:
    package = f" of {point.dist.name}" if point.dist is not None else ""
    return f"entry point {point.value}{package}"
