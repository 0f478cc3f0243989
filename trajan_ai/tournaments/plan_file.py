"""Tournament plans: YAML files checked as a whole, and the resolved plan that a run plays."""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from trajan_ai.bots import LIMITS, Bot, parse_bot
from trajan_ai.bots.descriptions import MAX_MEMORY
from trajan_ai.bots.game_loop import find_game
from trajan_ai.bots.processes import SECRETS
from trajan_ai.bots.programs import PATIENCE
from trajan_ai.core.description import Description
from trajan_ai.core.errors import Problem, TrajanError, quoted, short
from trajan_ai.core.names import Names
from trajan_ai.core.rules_files import hash_option_files
from trajan_ai.core.yamlfile import Document, read_yaml, validate
from trajan_ai.tournaments import game_task
from trajan_ai.tournaments.defaults import BUILTIN_FOLDER, BUILTIN_PLANS, TABLES
from trajan_ai.tournaments.game_task import StartPosition
from trajan_ai.tournaments.ratings import Elo, RatingOptions

MIN_SECRET = 16  # characters
MIN_ERROR_RATE = 1e-9
# Scheme, host and port of a dask scheduler; the scheme may be missing.
_ADDRESS = re.compile(r"(\w+://)?([^\s:/\[\]]+|\[[\da-fA-F:.]+\]):(?P<port>\d{1,5})/?")
MAX_PORT = 65_535
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Measure = Literal["wins", "margin"]  # measure of strength: who won, or the squashed lead in VP
ErrorRate = Annotated[float, Field(ge=MIN_ERROR_RATE, lt=0.5)]
Players = Annotated[int, Field(ge=min(TABLES), le=max(TABLES))]


def _check_address(address: str) -> str:
    """Return the address if it can be that of a dask scheduler; raise TrajanError otherwise."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match["port"]) <= MAX_PORT:
        raise TrajanError(
            "must be the address of a dask scheduler with its port, such as "
            f"tcp://head-node:8786, got {quoted(address)}"
        )
    return address


SchedulerAddress = Annotated[str, AfterValidator(_check_address)]


class Budget(Description):
    """A budget with exactly one key, which replaces the limits of every bot that can have any."""

    iterations: Annotated[int, Field(ge=1)] | None = None  # per decision
    seconds_per_turn: PositiveFloat | None = None
    cpu_seconds_per_turn: PositiveFloat | None = None  # CPU time, divided among a bot's threads


class SequentialTest(Description):
    """A sequential test: is `bot` stronger than `against` by elo1, or by no more than elo0?

    In a test on margins, an Elo difference stands for leads in VP that give the same win rate.
    """

    bot: str
    against: str
    on: Measure = "wins"
    elo0: Elo = 0.0
    elo1: Elo = 10.0
    alpha: ErrorRate = 0.05
    beta: ErrorRate = 0.05


class StopRule(Description):
    """Stop when every bot's 95 % interval extends at most `half_width` Elo to either side."""

    half_width: PositiveFloat


class FailureLimits(Description):
    """The limits beyond which a bot counts as failed."""

    # Seconds that a call may take beyond the bot's time limit for a turn.
    patience: PositiveFloat = PATIENCE
    # How many times a game is repeated after its process died, before the bot counts as failed.
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    # MiB that a user bot may use; None for no limit.
    memory: Annotated[int, Field(ge=64, le=MAX_MEMORY)] | None = None


class Secret(Description):
    """Where to find a secret that bots must not know and from which all seeds are derived; exactly
    one of the keys must be set."""

    file: Annotated[str, Field(min_length=1)] | None = None  # relative to the plan
    environment: Annotated[str, Field(pattern=rf"^{SECRETS}\w{{0,40}}$")] | None = None

    def read(self, folder: Path) -> str:
        """Return the secret; raise TrajanError if it is missing or too short."""
        if (self.file is None) == (self.environment is None):
            raise TrajanError(f"must have exactly one of {', '.join(Secret.model_fields)}")
        if self.file is None:
            where, text = f"${self.environment}", os.environ.get(self.environment or "", "")
        else:
            path = folder / self.file
            try:
                where, text = short(path), path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
                raise TrajanError(f"{short(path)}: cannot be read: {reason}") from None
        text = text.strip()
        if len(text) < MIN_SECRET:
            raise TrajanError(
                f"{where}: has {len(text)} characters, but must have at least {MIN_SECRET}; "
                "`openssl rand -hex 32` prints a good one"
            )
        return text


class Positions(Description):
    """Positions from which games start: those after `ply` actions of the records in a file."""

    file: Annotated[str, Field(min_length=1)]  # relative to the plan
    ply: Annotated[int, Field(ge=0)]
    record: Annotated[int, Field(ge=1)] | None = None  # from 1; None for all


class PlanFile(Description):
    """The keys of a plan file. Paths of bots are relative to the file."""

    name: Annotated[str, Field(pattern=r"^[\w.-]{1,60}$")]
    game: str
    options: dict[str, Any] = Field(default_factory=dict)
    players: Players | Annotated[list[Players], Field(min_length=1)] = 2
    bots: Annotated[list[Any], Field(min_length=1)]
    schedule: Literal["round_robin", "gauntlet", "ladder"] = "round_robin"
    focus: str | Annotated[list[str], Field(min_length=1)] | None = None
    deals: Annotated[int, Field(ge=1, le=10_000_000)] = 20  # deals of each table
    # Deals start from these positions in turn, once from each unless `deals` is given.
    positions: Annotated[list[Positions], Field(min_length=1)] | None = None
    rotations: Literal["cyclic", "all"] = "cyclic"
    pairing: Literal["all", "informative"] = "all"
    batch: Annotated[int, Field(ge=1, le=100_000)] = 16  # deal blocks per round
    budget: Budget | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    secret: Secret | None = None
    rating: RatingOptions = RatingOptions()
    test: SequentialTest | None = None
    stop: StopRule | None = None
    limits: FailureLimits = FailureLimits()
    backend: Literal["loky", "dask"] = "loky"
    scheduler: SchedulerAddress | None = None  # None for a local cluster
    jobs: Annotated[int, Field(ge=1, le=10_000)] | None = None

    @property
    def focused(self) -> list[str]:
        """The names of the bots that the plan is about."""
        return [self.focus] if isinstance(self.focus, str) else self.focus or []


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A resolved plan: defaults filled in, bots read, names checked.

    settings  the keys of the file; its `bots` are not resolved
    options   options of the game's rules that differ from their defaults
    names     the bots' names, in the order of the file
    digests   the bots' identities
    bots      the bots; empty in a plan restored from a store, which cannot be played
    root      origin of all seeds: the plan's seed or, with a secret, a hash of seed and secret
    starts    positions from which the deals start in turn; without any, cards are dealt
    """

    settings: PlanFile
    options: dict[str, Any]
    names: tuple[str, ...]
    digests: tuple[str, ...]
    bots: tuple[Bot, ...]
    root: int | str
    starts: tuple[StartPosition, ...] = ()

    @property
    def name(self) -> str:
        """The plan's name: the key `name`, or the file's name."""
        return self.settings.name

    @property
    def names_by_digest(self) -> dict[str, str]:
        """The bots' names by identity, in the order of the file."""
        return dict(zip(self.digests, self.names, strict=True))

    @property
    def players(self) -> list[int]:
        """The numbers of players, in ascending order."""
        players = self.settings.players
        return sorted(set(players)) if isinstance(players, list) else [players]

    @property
    def focus(self) -> list[int]:
        """The numbers of the bots that the plan is about."""
        return [self.number(name) for name in self.settings.focused]

    @cached_property
    def options_text(self) -> str:
        """The options as canonical JSON, which is part of every game's identity.

        The JSON includes a hash of those files of the user that the options name, such as
        component sets.
        """
        files = hash_option_files(find_game(self.settings.game).rules, self.options)
        options = self.options | ({"files": files} if files else {})
        return json.dumps(options, sort_keys=True, separators=(",", ":"))

    def get_start(self, deal: int) -> StartPosition | None:
        """Return the position from which a deal starts, or None if its cards are dealt."""
        return self.starts[deal % len(self.starts)] if self.starts else None

    @property
    def adaptive(self) -> bool:
        """Whether results decide which games are played."""
        settings = self.settings
        return bool(settings.test or settings.stop or settings.pairing == "informative")

    def number(self, name: str) -> int:
        """Return the number of the bot called `name`."""
        return self.names.index(name)

    def resolved(self) -> dict[str, Any]:
        """Return the whole plan as plain data; a plan file with this data gives the same games."""
        data = self.settings.model_dump(mode="json", exclude_none=True)
        data["options"] = self.options
        data["players"] = self.players
        data["bots"] = [bot.resolved() for bot in self.bots]
        return data

    def portable(self) -> dict[str, Any]:
        """Return the keys that determine the games, in a form that is the same on all machines."""
        data = self.resolved() | {"bots": [bot.portable() for bot in self.bots]}
        if self.starts:
            data["positions"] = [start.digest for start in self.starts]
        return {key: value for key, value in data.items() if key not in LOCATION_KEYS}

    def stored(self) -> dict[str, Any]:
        """Return the data from which `restore_plan` restores the plan."""
        root = {"root": self.root} if isinstance(self.root, str) else {}
        return {"plan": self.portable(), "names": self.names, "digests": self.digests} | root


# Keys of a plan that locate its workers and its secret.
LOCATION_KEYS = ("jobs", "backend", "scheduler", "secret")


def restore_plan(stored: Mapping[str, Any]) -> Plan:
    """Return the plan from the data that `Plan.stored` returned.

    Raises KeyError, TypeError or ValueError if the data is damaged.
    """
    data = dict(stored["plan"])
    starts = tuple(map(StartPosition, data.pop("positions", ())))
    settings = PlanFile.model_validate(data)
    names, digests = tuple(stored["names"]), tuple(stored["digests"])
    test = settings.test
    required = {*settings.focused, *((test.bot, test.against) if test else ())}
    if len(names) != len(digests) or not required <= set(names):
        raise ValueError("a bot is missing")
    root = stored.get("root", settings.seed)
    return Plan(
        settings=settings,
        options=settings.options,
        names=names,
        digests=digests,
        bots=(),
        root=root,
        starts=starts,
    )


def read_plan(source: str | os.PathLike[str]) -> Plan:
    """Return the plan in a file or, for a name in BUILTIN_PLANS, the built-in plan.

    Raises TrajanError, which lists all problems in the plan.
    """
    builtin = source in BUILTIN_PLANS
    path = BUILTIN_FOLDER / f"{source}.yaml" if builtin else Path(source)
    if not os.path.exists(path):
        raise TrajanError(
            f"{short(path)}: there is no such file and no built-in plan of this name; "
            f"built-in plans: {', '.join(BUILTIN_PLANS)}"
            f"{Names(BUILTIN_PLANS).hint(os.fspath(source))}"
        )
    return parse_plan(read_yaml(path, named=True))


def parse_plan(document: Document) -> Plan:
    """Return a checked plan; raise TrajanError with every problem: file, line, key and remedy."""
    problems: list[Problem] = []
    settings: PlanFile | None = None
    data = document.data if isinstance(document.data, dict) else {}
    if {"kind", "extends"} & set(data) and not {"game", "bots"} & set(data):
        command = shlex.join(["trajan-ai", "check-bot", document.name])
        text = f"is a bot, not a plan; to check it: {command}"
        raise TrajanError(Problem(text, source=document.name))
    try:
        settings = validate(PlanFile, document)
    except TrajanError as error:
        problems += error.problems
    entries = _read_bots(document, data.get("bots"), settings, problems)
    bots = [bot for _, bot in entries]
    if isinstance(data.get("game"), str):
        problems += [
            problem.within(document.place(("bots", number)))
            for number, bot in entries
            for problem in game_task.find_bot_problems(data["game"], bot)
        ]
    if settings is None:
        raise TrajanError(*problems)
    names = tuple(bot.name for bot in bots)
    plan = Plan(
        settings=settings,
        options={},
        names=names,
        digests=(),
        bots=tuple(bots),
        root=settings.seed,
    )
    for number in plan.players:
        try:
            options = game_task.check_options(settings.game, number, settings.options)
            plan.options.update(options)
        except TrajanError as error:
            problems += error.within(document.place(("game",))).problems
    if settings.positions and not problems:
        plan = _read_positions(document, plan, settings.positions, problems)
    digests = () if problems else game_task.get_identities(settings.game, bots)
    if not problems:  # a bot with a problem is missing from `names` and `digests`
        problems += _bot_list_problems(document, names, digests, settings.budget)
    problems += _cross_problems(document, plan)
    root: int | str = settings.seed
    if settings.secret:
        try:
            secret = settings.secret.read(Path(document.name).parent)
            root = hashlib.blake2b(f"{secret}\n{root}".encode(), digest_size=32).hexdigest()
        except TrajanError as error:
            problems += error.within(document.place(("secret",))).problems
    if problems:
        raise TrajanError(*problems)
    return replace(plan, digests=digests, root=root)


def _read_bots(
    document: Document, entries: Any, settings: PlanFile | None, problems: list[Problem]
) -> list[tuple[int, Bot]]:
    """Return the bots, each with the number of its entry in the file."""
    budget = settings.budget if settings else None
    bots: list[tuple[int, Bot]] = []
    for number, entry in enumerate(entries if isinstance(entries, list) else []):
        try:
            for rung in _rungs(document, number, entry):
                place = ("bots", number)
                bot = parse_bot(document.replaced(place, rung), place)
                bots.append((number, _apply_budget(bot, budget, document)))
        except TrajanError as error:
            problems += error.problems
    return bots


def _read_positions(
    document: Document, plan: Plan, entries: Sequence[Positions], problems: list[Problem]
) -> Plan:
    """Return the plan with the positions from which its games start."""
    folder = Path(document.name).parent
    starts: list[StartPosition] = []
    for number, entry in enumerate(entries):
        path = str((folder / entry.file).absolute())
        try:
            for players, start in game_task.read_starts(
                path, entry.ply, entry.record, plan.settings.game, plan.options
            ):
                if [players] != plan.players:
                    raise TrajanError(f"{short(path)}: has {players} players, unlike the plan")
                starts.append(start)
        except TrajanError as error:
            problems += error.within(document.place(("positions", number))).problems
    absolute = [entry.model_copy(update={"file": str((folder / entry.file).absolute())})
                for entry in entries]  # fmt: skip
    changed: dict[str, Any] = {"positions": absolute}
    if "deals" not in plan.settings.model_fields_set:
        changed["deals"] = len(starts)
    return replace(plan, settings=plan.settings.model_copy(update=changed), starts=tuple(starts))


def _rungs(document: Document, number: int, entry: Any) -> list[Any]:
    """Return the entry or, if it has ``ladder: {setting: [values]}``, one entry per value."""
    if not isinstance(entry, Mapping) or "ladder" not in entry:
        return [entry]
    ladder = entry["ladder"]
    values = [*ladder.values()] if isinstance(ladder, Mapping) else []
    if len(values) != 1 or not isinstance(values[0], list) or len(values[0]) < 2:
        right = "must be one setting and its values, such as {iterations: [100, 200, 400]}"
        place = ("bots", number, "ladder")
        raise TrajanError(document.problem(place, f"{right}, got {quoted(ladder)}"))
    base = {key: value for key, value in entry.items() if key != "ladder"}
    name = entry.get("name", entry.get("extends", entry.get("kind", "bot")))
    (setting,) = map(str, ladder)
    return [base | {"name": f"{Path(str(name)).stem}-{v}", setting: v} for v in values[0]]


def _apply_budget(bot: Bot, budget: Budget | None, document: Document) -> Bot:
    """Return the bot with the budget as its only limit, or unchanged if it cannot have one."""
    fields = type(bot).model_fields
    if budget is None or "seconds_per_turn" not in fields:
        return bot
    chosen = budget.model_dump(exclude_none=True)
    if len(chosen) != 1:
        return bot  # `_cross_problems` reports a wrong number of limits once
    ((key, value),) = chosen.items()
    clock = {}
    if key == "cpu_seconds_per_turn":
        key, value = "seconds_per_turn", value / getattr(bot, "threads", 1)
        clock = {"clock": "cpu"} if "clock" in fields else {}
    if key not in fields:
        return bot  # a user bot, which has no iteration limit
    limits = {name: fields[name].default for name in LIMIT_SETTINGS if name in fields}
    try:
        return bot.with_settings(**limits | clock | {key: value})
    except TrajanError as error:
        raise error.within(document.place(("budget",))) from None


# Settings of a bot that a plan's budget replaces.
LIMIT_SETTINGS = (*LIMITS, "seconds_increment", "clock")


def _bot_list_problems(
    document: Document, names: Sequence[str], digests: Sequence[str], budget: Budget | None
) -> list[Problem]:
    problems: list[str] = []
    condition = " (with the plan's budget instead of their own limits)" if budget else ""
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(f"two bots are called {name!r}; give each a different name")
    first: dict[str, str] = {}
    for name, digest in zip(names, digests, strict=False):
        if first.setdefault(digest, name) != name:
            pair = f"{name!r} and {first[digest]!r}"
            problems.append(f"{pair} have the same settings{condition}; remove one")
    if len(names) < 2:
        problems.append("a tournament needs at least two bots")
    return [document.problem(("bots",), problem) for problem in problems]


def _cross_problems(document: Document, plan: Plan) -> list[Problem]:
    settings, names, focus = plan.settings, plan.names, plan.settings.focused
    problems: list[Problem] = []

    def report(text: str, *path: str) -> None:
        problems.append(document.problem(path, text))

    def check_name(name: str | None, *path: str) -> None:
        if name is not None and name not in names:
            report(f"must be one of the bots {', '.join(names)}, got {quoted(name)}", *path)

    if settings.budget and len(settings.budget.model_dump(exclude_none=True)) != 1:
        report(f"must have exactly one of {', '.join(Budget.model_fields)}", "budget")
    for name in focus:
        check_name(name, "focus")
    check_name(settings.rating.anchor, "rating", "anchor")
    if settings.schedule == "gauntlet" and not focus:
        report("a gauntlet requires the bot or bots that play against all others", "focus")
    if settings.schedule == "gauntlet" and set(focus) >= set(names):
        report("a gauntlet requires at least one bot that is not in its focus", "focus")
    if settings.test:
        check_name(settings.test.bot, "test", "bot")
        check_name(settings.test.against, "test", "against")
        if settings.test.bot == settings.test.against:
            report("must differ from test.bot", "test", "against")
        if settings.test.elo0 >= settings.test.elo1:
            report("must be above elo0", "test", "elo1")
        if len(plan.players) != 1:
            report("must be a single number, because the plan has a sequential test", "players")
        if settings.schedule != "round_robin" or settings.pairing != "all":
            text = "a sequential test has its own schedule; remove schedule and pairing"
            report(text, "test")
    if settings.scheduler and settings.backend != "dask":
        report("requires `backend: dask`", "scheduler")
    return problems
