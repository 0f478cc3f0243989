"""Bots: frozen, validated descriptions read from YAML, and the players built from them."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, model_validator

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.yamlfile import Document, KeyPath, read_yaml, validate
from trajan_ai.search.clock import Clock
from trajan_ai.search.driver import Engine
from trajan_ai.search.greedy import greedy_move
from trajan_ai.search.result import Result
from trajan_ai.search.settings import Description, Settings

BUILTIN_FOLDER = Path(__file__).parent / "builtin_bots"
BUILTIN_NAMES = tuple(sorted(path.stem for path in BUILTIN_FOLDER.glob("*.yaml")))


class Player(Protocol):
    """Whoever decides for one seat. One game at a time; calls come in the order below."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game at `seat` of 0 to `players` - 1. Called once before each game."""
        ...

    def choose(self, position: Position, seed: int) -> int:
        """Return a legal move number of `position`, in which this seat is to decide.

        All chance in the choice comes from `seed`. `position` is complete: a player that looks
        at more than ``position.view(seat)`` cheats.
        """
        ...

    def observe(self, position: Position, move: int) -> None:
        """Hear that `move` was made in `position`; called after every decision of every seat."""
        ...


class Bot(Description):
    """What every bot has: a name for people. The settings of its kind stand beside it."""

    name: Annotated[str, Field(min_length=1, max_length=60, pattern=r"^\S(.*\S)?$")]

    def resolved(self) -> dict[str, Any]:
        """Return all settings as plain data: a bot read from it is equal to this one."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def digest(self) -> str:
        """Twelve hex digits that tell settings apart, whatever the bots are called."""
        settings = {key: value for key, value in self.resolved().items() if key != "name"}
        text = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


class RandomBot(Bot):
    """Chooses uniformly among the legal moves."""

    kind: Literal["random"]


class GreedyBot(Bot):
    """Takes the action sequence of its own turn that gains most VP at once."""

    kind: Literal["greedy"]


class IsmctsBot(Bot, Settings):
    """Searches as its settings say."""

    kind: Literal["ismcts"]

    @model_validator(mode="after")
    def _some_limit(self) -> IsmctsBot:
        if not self.limited:
            raise ValueError(
                "a limit is missing: iterations, seconds_per_decision, seconds_per_turn "
                "or seconds_per_game"
            )
        return self


class FlatBot(IsmctsBot):
    """Flat Monte Carlo: tries all moves equally often, plays the one with the highest mean."""

    kind: Literal["flat"]  # type: ignore[assignment]
    selection: Literal["uniform"] = "uniform"
    tree_depth: Literal[1] = 1
    final_move: Literal["value"] = "value"


class PythonBot(Bot):
    """A player written by the user: ``class(game, **options)`` must make a `Player`."""

    kind: Literal["python"]
    class_: Annotated[str, Field(alias="class", pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
    options: dict[str, Any] = Field(default_factory=dict)


KINDS: dict[str, type[Bot]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "flat": FlatBot,
    "ismcts": IsmctsBot,
    "python": PythonBot,
}


def read_bot(source: str | os.PathLike[str]) -> Bot:
    """Return the bot of a YAML file or, for a name among BUILTIN_NAMES, the built-in one.

    Raises TrajanError with every problem of the file.
    """
    return _read(os.fspath(source), Path(), ())


def parse_bot(document: Document, at: KeyPath = ()) -> Bot:
    """Return the bot described at a place of a larger file, such as a tournament plan.

    The value is a mapping of settings, the name of a built-in bot or the path of a YAML file;
    paths are relative to the folder of `document`. Raises TrajanError with every problem.
    """
    folder = Path(document.name).parent
    value = document.value(at)
    if isinstance(value, str):
        try:
            return _read(value, folder, ())
        except TrajanError as error:
            raise TrajanError(
                *(f"{document.place(at)}: {problem}" for problem in error.problems)
            ) from None
    return _parse(document, at, folder, ())


def build(bot: Bot, game: Game) -> Player:
    """Return a player of `game` that follows the description.

    Raises TrajanError if the bot needs what the game does not have.
    """
    match bot:
        case RandomBot():
            return RandomPlayer()
        case GreedyBot():
            return GreedyPlayer()
        case IsmctsBot():
            return SearchPlayer(bot, game)
        case PythonBot():
            return _build_python(bot, game)
    raise TypeError(f"no player is known for {type(bot).__name__}")


def _read(source: str, folder: Path, extending: tuple[str, ...]) -> Bot:
    """Read a built-in bot or a file; `extending` names the files on the way here."""
    path = BUILTIN_FOLDER / f"{source}.yaml" if source in BUILTIN_NAMES else folder / source
    if str(path) in extending:
        raise TrajanError(
            f"{extending[0]}: extends itself: {' -> '.join((*extending, str(path)))}"
        )
    if not path.exists():
        raise TrajanError(
            f"{path}: there is no such file, nor a built-in bot of this name; "
            f"built-in bots: {', '.join(BUILTIN_NAMES)}"
        )
    document = read_yaml(path)
    if isinstance(document.data, dict):
        named = {"name": path.stem} | document.data
        document = Document(document.name, named, document.lines)
    return _parse(document, (), path.parent, (*extending, str(path)))


def _parse(document: Document, at: KeyPath, folder: Path, extending: tuple[str, ...]) -> Bot:
    data = document.value(at)
    if not isinstance(data, dict):
        raise TrajanError(f"{document.place(at)}: a bot is a mapping of settings, got {data!r}")
    if "extends" in data:
        base = data["extends"]
        if not isinstance(base, str):
            raise TrajanError(
                f"{document.place((*at, 'extends'))}: must be a file or a built-in bot, "
                f"got {base!r}"
            )
        own = {key: value for key, value in data.items() if key not in ("extends", "name")}
        settings = _read(base, folder, extending).resolved()
        del settings["name"]
        if own.get("kind", settings["kind"]) != settings["kind"]:
            raise TrajanError(
                f"{document.place((*at, 'kind'))}: must be {settings['kind']!r} as in {base}, "
                f"got {own['kind']!r}"
            )
        name = {"name": data["name"]} if "name" in data else {}
        data = name | _overlaid(settings, own)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise TrajanError(
            f"{document.place((*at, 'kind'))}: must be one of {', '.join(KINDS)}, got {kind!r}"
        )
    return validate(KINDS[kind], _replaced(document, at, data), at)


def _overlaid(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the entries of `own` on top, mappings merged entry by entry."""
    result = dict(base)
    for key, value in own.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = _overlaid(below, value) if both else value  # type: ignore[arg-type]
    return result


def _replaced(document: Document, at: KeyPath, data: Any) -> Document:
    """Return `document` with the value at `at` replaced: the same lines, other data."""
    for depth in reversed(range(len(at))):
        outer = document.value(at[:depth])
        copy: Any = list(outer) if isinstance(outer, list) else dict(outer)
        copy[at[depth]] = data
        data = copy
    return Document(document.name, data, document.lines)


class RandomPlayer:
    """Plays uniformly at random."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Nothing to remember."""

    def choose(self, position: Position, seed: int) -> int:
        """Return any legal move, all equally likely."""
        moves = position.legal_moves()
        return moves[Random(seed).below(len(moves))]

    def observe(self, position: Position, move: int) -> None:
        """Nothing to learn."""


class GreedyPlayer:
    """Plans each own turn for the most VP at its end."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Remember the seat."""
        self.seat = seat

    def choose(self, position: Position, seed: int) -> int:
        """Return the first move of the best plan."""
        return greedy_move(position, self.seat, seed)

    def observe(self, position: Position, move: int) -> None:
        """Nothing to learn."""


class SearchPlayer:
    """Plays the best move of a search; ``result`` is the last one."""

    def __init__(self, settings: Settings, game: Game) -> None:
        self.settings = settings
        self.engine = Engine(game, settings)
        self.clock = Clock(settings)
        self.result: Result | None = None

    def start(self, seat: int, players: int, seed: int) -> None:
        """Set the clock."""
        self.seat = seat
        self.result = None
        self.clock.start()

    def choose(self, position: Position, seed: int) -> int:
        """Search within the limits of the settings and return the move found."""
        started = time.monotonic()
        seconds = self.clock.seconds(position, seed)
        if seconds is not None:
            seconds -= time.monotonic() - started
        self.result = self.engine.search(
            position,
            seed,
            seconds=seconds,
            iterations=self.settings.iterations,
            observer=self.seat,
            keep=self.settings.reuse_tree,
        )
        self.clock.spend(time.monotonic() - started)
        return self.result.best.move

    def observe(self, position: Position, move: int) -> None:
        """Keep the part of the tree below the move."""
        if self.settings.reuse_tree and self.result is not None:
            self.engine.follow(position, position.after_move(move), move)


class RandomOpening:
    """Plays the first turns at random, then as another bot: shows what its opening is worth.

    Used as ``kind: python``, ``class: trajan_ai.bots:RandomOpening``, with the options `bot` (a
    built-in name or a file) and `turns`, the number of the first turn that the bot plays.
    """

    def __init__(self, game: Game, bot: str, turns: int) -> None:
        self.turns = turns
        self.random = RandomPlayer()
        self.player = build(read_bot(bot), game)

    def start(self, seat: int, players: int, seed: int) -> None:
        """Start the bot behind."""
        self.player.start(seat, players, seed)

    def choose(self, position: Position, seed: int) -> int:
        """Choose at random in the opening, then let the bot choose."""
        chooser = self.random if position.turn < self.turns else self.player
        return chooser.choose(position, seed)

    def observe(self, position: Position, move: int) -> None:
        """Tell the bot."""
        self.player.observe(position, move)


def _build_python(bot: PythonBot, game: Game) -> Player:
    module, _, attribute = bot.class_.partition(":")
    try:
        maker = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise TrajanError(
            f"bot {bot.name}: class {bot.class_} cannot be loaded: {error}"
        ) from None
    player: Player = maker(game, **bot.options)
    return player
