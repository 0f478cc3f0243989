"""Frozen, validated descriptions of bots, read from YAML, and the players built from them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from trajan_ai.bots.code_identity import Code, find_code, hash_data, load_class
from trajan_ai.bots.levels import LevelPlayer, get_levels
from trajan_ai.bots.minds import LocalMind, Mind, ObservingPlayer, construct
from trajan_ai.bots.players import GreedyPlayer, Player, RandomPlayer, SearchPlayer
from trajan_ai.bots.programs import Program, ProgramMind, find_program
from trajan_ai.core.description import Description
from trajan_ai.core.errors import KeyPath, Problem, TrajanError, quoted, short
from trajan_ai.core.game import Game
from trajan_ai.core.names import Names
from trajan_ai.core.yamlfile import Document, read_yaml, validate
from trajan_ai.games import GAMES
from trajan_ai.mcts.settings import LIMITS, MEBIBYTE, Settings

BUILTIN_FOLDER = Path(__file__).parent / "builtin"
MAX_MEMORY = 1 << 40  # MiB: more than any machine has, but a valid limit in bytes
BUILTIN_NAMES = tuple(sorted(path.stem for path in BUILTIN_FOLDER.glob("*.yaml")))


def _check_printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError(f"must contain printable characters only, got {quoted(name)}")
    return name


def _check_class(path: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", path):
        raise ValueError(f"must be module:Class, such as my_bot:MyBot, got {quoted(path)}")
    return path


class Bot(Description):
    """Base class of all bots, with a name for display. Each kind of bot adds settings."""

    name: Annotated[
        str,
        Field(min_length=1, max_length=60, pattern=r"^\S(.*\S)?$"),
        AfterValidator(_check_printable),
    ]

    def resolved(self) -> dict[str, Any]:
        """Return all settings as plain data; parsing this data gives an identical bot."""
        return self.model_dump(mode="json", by_alias=True)

    def portable(self) -> dict[str, Any]:
        """Return the settings as records store them, with the same meaning on every machine."""
        return self.resolved()

    def with_settings(self, **settings: Any) -> Self:
        """Return a validated copy with other settings; raises TrajanError with every problem."""
        fields = type(self).model_fields.items()
        values = {field.alias or name: getattr(self, name) for name, field in fields}
        return validate(type(self), Document("", values | settings, {}))

    def check(self, game: Game) -> None:
        """Raise TrajanError with every reason why the bot cannot play `game`."""

    def makeup(self, game: Game) -> dict[str, Any]:
        """Return everything that determines how the bot plays `game`, as plain data.

        The name and all settings with default values are omitted, so that adding a setting to this
        project changes no makeup.
        """
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"name"})


class RandomBot(Bot):
    """Chooses uniformly among the legal moves."""

    kind: Literal["random"]


class GreedyBot(Bot):
    """Takes the sequence of actions that gains the most VP within its turn."""

    kind: Literal["greedy"]


class IsmctsBot(Bot, Settings):
    """Searches with ISMCTS."""

    kind: Literal["ismcts"]

    @model_validator(mode="after")
    def _some_limit(self) -> IsmctsBot:
        if not self.limited:
            raise ValueError(
                "a limit is missing; set iterations, seconds_per_decision, seconds_per_turn "
                "or seconds_per_game"
            )
        return self

    @field_validator("weights", "exploration_growth", "network_rounds")
    @classmethod
    def _games(cls, entries: dict[str, Any], field: ValidationInfo) -> dict[str, Any]:
        """Reject misspelt names of games. Games that are not installed are accepted."""
        for name, value in entries.items():
            of_game = isinstance(value, dict) or field.field_name != "weights"
            if of_game and name not in GAMES and (hint := Names(GAMES).hint(name)):
                raise ValueError(f"no game is called {quoted(name)}{hint}")
        return entries

    def check(self, game: Game) -> None:
        """Check that the game has the knowledge and weights that the settings name."""
        self.weights_for(game)
        self.network_for(game)

    def portable(self) -> dict[str, Any]:
        """Return the settings with a hash of the network's file instead of its path."""
        if self.network is None:
            return self.resolved()
        return self.resolved() | {"network": hash_data(Path(self.network).read_bytes())}

    def makeup(self, game: Game) -> dict[str, Any]:
        """Include the weights and network that the search reads, even if the game provides them.

        The names of evaluation weights begin with ``evaluation_``, and only evaluations read them.
        """
        makeup = super().makeup(game)
        makeup.pop("weights", None)
        if self.knowledge:
            values = zip(game.weight_names, self.weights_for(game), strict=True)
            evaluates = "evaluate" in self.knowledge
            used = (pair for pair in values if evaluates or not pair[0].startswith("evaluation_"))
            makeup["weights"] = _digest(sorted(used))
        rounds, until = makeup.pop("network_rounds", {}), makeup.pop("network_until", 0)
        makeup.pop("network", None)
        if (network := self.network_for(game)) is not None:
            makeup["network"] = [network.digest, rounds[game.name], until]
        return makeup


class LevelBot(Bot):
    """Makes mistakes like a person, so that it scores `vp` on average."""

    kind: Literal["level"]
    vp: int

    def check(self, game: Game) -> None:
        """Check that this level exists for the number of players with the most levels."""
        tables = get_levels(game).tables
        get_levels(game).level(game, max(tables, key=lambda n: len(tables[n]), default=0), self.vp)

    def makeup(self, game: Game) -> dict[str, Any]:
        """Include the level's errors, its move weights, and the bot that it searches with."""
        tables = get_levels(game).tables.items()
        rows = {players: rows[self.vp] for players, rows in tables if self.vp in rows}
        return super().makeup(game) | {
            "levels": {n: [row.errors, row.thinks] for n, row in rows.items()},
            "overlooked": list(get_levels(game).overlooked),
            "eye": _digest(list(zip(game.weight_names, game.default_weights or (), strict=False))),
            "thinker": self.thinker(game).makeup(game),
        }

    def thinker(self, game: Game) -> IsmctsBot:
        """Return the bot that chooses the moves in turns in which the level searches."""
        return thinking(get_levels(game).bot, get_levels(game).iterations)


def thinking(name: str, iterations: int) -> IsmctsBot:
    """Return a built-in bot that searches without a network, limited only by iterations."""
    settings: dict[str, Any] = dict.fromkeys(LIMITS)
    settings |= {"iterations": iterations, "reuse_tree": False, "network_rounds": {}}
    bot = read_bot(name).with_settings(**settings)
    assert isinstance(bot, IsmctsBot)
    return bot


class UserBot(Bot):
    """A bot written by a user.

    `folder` contains the bot's code; `files` names further files in `folder` that the code reads.
    Tournaments run the bot in a separate process, which may use `memory` MiB.
    """

    options: dict[str, Any] = Field(default_factory=dict)
    files: tuple[str, ...] = Field(default=(), strict=False)
    folder: str
    seconds_per_turn: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    memory: Annotated[int, Field(ge=16, le=MAX_MEMORY)] | None = None
    _source: Any = PrivateAttr()  # code or command, as it was when the description was created

    @property
    def digests(self) -> Mapping[str, str]:
        """The hashes of the bot's files as they were when this description was created."""
        digests: Mapping[str, str] = self._source.digests
        return digests

    def portable(self) -> dict[str, Any]:
        """Return the settings, in which hashes of the code replace its folder."""
        settings = {key: value for key, value in self.resolved().items() if key != "folder"}
        return settings | {"code": dict(self.digests)}

    def makeup(self, game: Game) -> dict[str, Any]:
        """Include the code, but not its folder."""
        makeup = super().makeup(game)
        for key in ("folder", "files", "memory"):
            makeup.pop(key, None)
        return makeup | {"code": dict(sorted(self.digests.items()))}


class PythonBot(UserBot):
    """A player written in Python: ``class(game, **options)`` returns an object with ``choose``.

    The class is searched for in `folder`, then on the Python path. At each decision, `choose` is
    called with an `Observation`; if `cheat` is true, it also contains the true position.
    """

    kind: Literal["python"]
    class_: Annotated[str, Field(alias="class"), AfterValidator(_check_class)]
    cheat: bool = False

    def model_post_init(self, context: Any) -> None:
        """Read the code."""
        try:
            self._source = find_code(self.class_, self.folder, self.files)
        except TrajanError as error:
            text = f"{self.class_} cannot be loaded: {error}"
            raise TrajanError(Problem(text, ("class",))) from None

    @property
    def code(self) -> Code:
        """The source files as they were when this description was created."""
        code: Code = self._source
        return code


class ProgramBot(UserBot):
    """A program in any language, started by `command` in `folder` (docs/programs.md)."""

    kind: Literal["program"]
    command: Annotated[tuple[str, ...], Field(min_length=1, strict=False)]

    def model_post_init(self, context: Any) -> None:
        """Find the program and hash its files."""
        try:
            self._source = find_program(self.command, self.folder, self.files)
        except TrajanError as error:
            raise TrajanError(Problem(str(error), ("command",))) from None

    def launch(self, game: Game, memory: int) -> Program:
        """Start the program, which runs the user's code. `memory` is in MiB, 0 for no limit."""
        hello = {"game": game.name, "name": self.name, "options": self.options}
        return Program(self._source, hello, memory * MEBIBYTE)


KINDS: dict[str, type[Bot]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "ismcts": IsmctsBot,
    "level": LevelBot,
    "python": PythonBot,
    "program": ProgramBot,
}


def identity(bot: Bot, game: Game) -> str:
    """Return a hash of the bot's makeup: twelve hex digits that do not depend on its name."""
    return _digest(bot.makeup(game))


def _digest(data: Any) -> str:
    return hash_data(json.dumps(data, sort_keys=True, ensure_ascii=False).encode())


def read_bot(source: str | os.PathLike[str]) -> Bot:
    """Return the bot described by a YAML file or, for a name in BUILTIN_NAMES, the built-in bot.

    Raises TrajanError, which lists all problems in the file.
    """
    return _read(os.fspath(source), Path(), ())


def parse_bot(document: Document, at: KeyPath = ()) -> Bot:
    """Return the bot described at a place in a larger file, such as a tournament plan.

    The value is a mapping of settings, the name of a built-in bot or the path of a YAML file;
    paths are relative to the folder of `document`. Raises TrajanError, which lists all problems.
    """
    folder = Path(document.name).parent
    value = document.value(at)
    if isinstance(value, str):
        try:
            return _read(value, folder, ())
        except TrajanError as error:
            raise error.within(document.place(at)) from None
    return _parse(document, at, folder, ())


def local_mind(bot: UserBot, game: Game) -> Mind:
    """Run a user bot: import a Python bot into this process, or start a program.

    A Python bot can then end or block this process, and its time limit has no effect.
    """
    if isinstance(bot, ProgramBot):
        return ProgramMind(bot.launch(game, bot.memory or 0), bot.seconds_per_turn)
    assert isinstance(bot, PythonBot)
    return LocalMind(construct(load_class(bot.code, bot.class_), game, bot.options))


def guarded_mind(bot: UserBot, game: Game) -> Mind:
    """Run a user bot in a separate process, which ends when nothing refers to the mind."""
    # Imported here because the page also runs in browsers, which have no processes.
    from trajan_ai.bots.bot_process import BotProcesses  # noqa: PLC0415

    return BotProcesses().mind(bot, game)


def build(bot: Bot, game: Game, mind: Callable[[UserBot, Game], Mind] = guarded_mind) -> Player:
    """Return a player of `game` that follows the description; `mind` connects to user bots.

    Raises TrajanError if the bot needs something that the game does not offer.
    """
    match bot:
        case RandomBot():
            return RandomPlayer()
        case GreedyBot():
            return GreedyPlayer()
        case IsmctsBot():
            return SearchPlayer(bot, game)
        case LevelBot():
            return LevelPlayer(
                game, get_levels(game), bot.vp, SearchPlayer(bot.thinker(game), game)
            )
        case UserBot():
            cheats = isinstance(bot, PythonBot) and bot.cheat
            return ObservingPlayer(mind(bot, game), cheats=cheats, seconds=bot.seconds_per_turn)
    raise TypeError(f"no player is known for {type(bot).__name__}")


def _read(source: str, folder: Path, extending: tuple[str, ...]) -> Bot:
    """Read a built-in bot or a file; `extending` contains the files that extend it."""
    if not source:
        raise TrajanError(
            "the name of a bot is empty; give a bot file or one of the built-in bots: "
            f"{', '.join(BUILTIN_NAMES)}"
        )
    path = BUILTIN_FOLDER / f"{source}.yaml" if source in BUILTIN_NAMES else folder / source
    if str(path) in extending:
        raise TrajanError(
            f"{extending[0]}: extends itself: {' -> '.join((*extending, str(path)))}"
        )
    if not os.path.exists(path):  # also for names that the file system rejects
        raise TrajanError(
            f"{short(path)}: there is no such file and no built-in bot of this name; "
            f"built-in bots: {', '.join(BUILTIN_NAMES)}{Names(BUILTIN_NAMES).hint(source)}"
        )
    if path.suffix == ".py":
        raise TrajanError(
            f"{short(path)}: is a Python file, not a bot file; a bot is described by a YAML file "
            f"with the keys `kind: python` and `class: {short(path.stem)}:NameOfTheClass` "
            "(docs/bots.md)"
        )
    return _parse(read_yaml(path, named=True), (), path.parent, (*extending, str(path)))


def _parse(document: Document, at: KeyPath, folder: Path, extending: tuple[str, ...]) -> Bot:
    data = document.value(at)
    if not isinstance(data, dict):
        text = f"a bot must be a mapping of settings, got {quoted(data)}"
        raise TrajanError(document.problem(at, text))
    own = data
    if "extends" in data:
        base = data["extends"]
        if not isinstance(base, str):
            text = f"must be a file or a built-in bot, got {quoted(base)}"
            raise TrajanError(document.problem((*at, "extends"), text))
        own = {key: value for key, value in data.items() if key not in ("extends", "name")}
        try:
            settings = _read(base, folder, extending).resolved()
        except TrajanError as error:
            raise error.within(document.place((*at, "extends"))) from None
        del settings["name"]
        if own.get("kind", settings["kind"]) != settings["kind"]:
            text = f"must be {settings['kind']!r} as in {base}, got {quoted(own['kind'])}"
            raise TrajanError(document.problem((*at, "kind"), text))
        name = {"name": data["name"]} if "name" in data else {}
        if isinstance(own.get("weights"), Mapping):
            settings["weights"] = _less(settings.get("weights", {}), own["weights"])
        data = name | overlay(settings, own)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        text = f"must be one of {', '.join(KINDS)}, got {quoted(kind)}"
        raise TrajanError(document.problem((*at, "kind"), text))
    if issubclass(KINDS[kind], UserBot):
        data = data | {"folder": _folder(data, own, folder)}
    if isinstance(own.get("network"), str):
        data = data | {"network": os.path.realpath(folder / own["network"])}
    return validate(KINDS[kind], document.replaced(at, data), at)


def _folder(data: Mapping[str, Any], own: Mapping[str, Any], folder: Path) -> Any:
    """Return the absolute path of the code's folder.

    The folder is relative to the file that sets `folder`, `class` or `command`. A loop of symbolic
    links is not rejected here, but reading the code then fails, because no file is found.
    """
    if "folder" in own:
        return os.path.realpath(folder / str(own["folder"]))
    has_code = "class" in own or "command" in own
    return os.path.realpath(folder) if has_code else data.get("folder", os.path.realpath(folder))


def overlay(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` updated with `own`; mappings are merged entry by entry."""
    result = dict(base)
    for key, value in own.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = overlay(below, value) if both else value  # type: ignore[arg-type]
    return result


def _less(weights: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `weights` without game-specific entries that `own` sets for every game."""
    return {
        name: {k: v for k, v in value.items() if k not in own}
        if isinstance(value, Mapping)
        else value
        for name, value in weights.items()
    }
