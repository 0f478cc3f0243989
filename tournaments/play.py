"""Playing one game between bots: alone here tournaments touch the engine; data in, data out."""

from __future__ import annotations

import importlib
import statistics
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from trajan_ai import records
from trajan_ai.bots import Bot, Player, build
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import changed_options
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

FailureKind = Literal["raised", "illegal", "hung", "died", "lost"]


@dataclass(frozen=True)
class Task:
    """What it takes to play one game anywhere: `seats[s]` plays seat s."""

    id: str
    game: str
    options: dict[str, Any]
    seats: tuple[Bot, ...]
    deal: int
    deal_seed: int
    seed: int
    patience: float
    retries: int


@dataclass(frozen=True)
class Failure:
    """A bot's failure: what happened, to whom (None: unknown), in which decision."""

    kind: FailureKind
    seat: int | None
    ply: int
    message: str
    details: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a game went. Lists are by seat; scores and ranks are None if a bot failed."""

    id: str
    scores: list[int] | None
    ranks: list[int] | None
    plies: int
    turns: list[int]
    seconds: list[float]
    cpu: list[float]
    longest: list[float]  # seconds of the longest turn
    total_seconds: float
    total_cpu: float
    record: str
    failure: Failure | None = None
    retried: tuple[Failure, ...] = ()  # failures after which the game was played again


@dataclass
class _Clock:
    """Time used by each seat, turn by turn."""

    turns: list[int]
    seconds: list[float]
    cpu: list[float]
    longest: list[float]
    running: list[float]
    turn: tuple[int, int] | None = None

    @classmethod
    def of(cls, players: int) -> _Clock:
        zero = [0.0] * players
        return cls([0] * players, zero[:], zero[:], zero[:], zero[:])

    def begin(self, seat: int, turn: int) -> None:
        """Note a decision: the first of a turn begins one."""
        if self.turn != (seat, turn):
            self.turn = (seat, turn)
            self.turns[seat] += 1
            self.running[seat] = 0.0

    def add(self, seat: int, seconds: float, cpu: float) -> None:
        """Charge a call into the bot at `seat`, whatever it did there."""
        self.seconds[seat] += seconds
        self.cpu[seat] += cpu
        self.running[seat] += seconds
        self.longest[seat] = max(self.longest[seat], self.running[seat])


@dataclass
class Watch:
    """Hears of every call into a bot, so that somebody else can tell who is stuck."""

    enter: Callable[[int], None] = field(default=lambda seat: None)
    leave: Callable[[], None] = field(default=lambda: None)
    made: Callable[[int, int], None] = field(default=lambda ply, move: None)


class _BotFailed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def find_game(name: str) -> Game:
    """Return the game called `name`, or the handle at ``module:attribute``."""
    if ":" not in name:
        return game_named(name)
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise TrajanError(f"game {name} cannot be loaded: {error}") from None
    if not isinstance(found, Game):
        raise TrajanError(f"game {name} is no game but {type(found).__name__}")
    return found


def check_game(
    name: str, players: int, options: Mapping[str, Any], bots: Sequence[Bot]
) -> dict[str, Any]:
    """Return the given options that differ from their defaults; check the bots as well.

    Raises TrajanError with every problem: an unknown game, options that its rules do not have, a
    bot that cannot play it.
    """
    problems = [problem for bot in bots for problem in bot_problems(name, bot)]
    try:
        changed = check_options(name, players, options)
    except TrajanError as error:
        raise TrajanError(*error.problems, *problems) from None
    if problems:
        raise TrajanError(*problems)
    return changed


def check_options(name: str, players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options that differ from their defaults.

    Raises TrajanError with every problem: an unknown game, options that its rules do not have.
    """
    game = find_game(name)
    checked = game.rules.check(players, options)
    return changed_options(game.rules.options, players, checked)


def bot_problems(name: str, bot: Bot) -> list[str]:
    """Return why `bot` cannot play the game; nothing if the game itself is not there."""
    try:
        game = find_game(name)
    except TrajanError:
        return []
    try:
        build(bot, game)
    except TrajanError as error:
        return list(error.problems)
    except Exception:  # a user's bot that raises is counted when it plays
        return []
    return []


def play_game(task: Task, watch: Watch | None = None) -> Outcome:
    """Play a game to its end, or to the failure of a bot."""
    watch = watch or Watch()
    begin, begin_cpu = time.perf_counter(), time.process_time()
    players = len(task.seats)
    game = find_game(task.game)
    start = position = game.start(players, task.deal_seed, **task.options)
    clock = _Clock.of(players)
    table = _Table(watch, clock)
    actions: list[tuple[int, str]] = []
    failure = None
    try:
        seated = [_seat(task, game, seat, table) for seat in range(players)]
        while (seat := position.player) is not None:
            seed = derive_seed("choose", task.seed, position.ply)
            clock.begin(seat, position.turn)
            move = table.call(seat, position.ply, seated[seat].choose, position, seed)
            after = _made(position, move, seat)
            actions.append((seat, game.actions[move]))
            watch.made(position.ply, move)
            for other, player in enumerate(seated):
                table.call(other, position.ply, player.observe, position, move)
            position = after
    except _BotFailed as failed:
        failure = failed.failure
    return Outcome(
        task.id,
        position.scores if failure is None else None,
        position.ranks if failure is None else None,
        len(actions),
        clock.turns,
        clock.seconds,
        clock.cpu,
        clock.longest,
        time.perf_counter() - begin,
        time.process_time() - begin_cpu,
        _record(task, start, actions, position, failure),
        failure,
    )


def failed_game(task: Task, moves: Sequence[int], failure: Failure) -> Outcome:
    """Return the outcome of a game whose process did not live to tell, from its moves."""
    players = len(task.seats)
    game = find_game(task.game)
    start = position = game.start(players, task.deal_seed, **task.options)
    actions = []
    for move in moves:
        assert position.player is not None
        actions.append((position.player, game.actions[move]))
        position = position.after_move(move)
    clock = _Clock.of(players)
    record = _record(task, start, actions, position, failure)
    return Outcome(
        task.id,
        None,
        None,
        len(actions),
        clock.turns,
        clock.seconds,
        clock.cpu,
        clock.longest,
        0.0,
        0.0,
        record,
        failure,
    )


def bot_time(bot: Bot) -> float:
    """Return the seconds that the bot itself may take for a call, by its own settings."""
    settings = bot.resolved()
    limits = [settings.get("seconds_per_turn"), settings.get("seconds_per_game")]
    return max((float(limit) for limit in limits if limit), default=0.0)


@dataclass(frozen=True)
class Estimate:
    """What a game costs: turns by one player, and seconds a turn of each bot."""

    turns: float
    seconds_per_turn: tuple[float, ...]


def estimate(
    name: str, players: int, options: Mapping[str, Any], bots: Sequence[Bot], samples: int = 3
) -> Estimate:
    """Play one random game and time each bot at `samples` of its decisions, evenly spread."""
    game = find_game(name)
    position = game.start(players, 0, **options)
    path: list[Position] = []
    while position.player is not None:
        path.append(position)
        moves = position.legal_moves()
        index = derive_seed("estimate", position.ply) % len(moves)
        position = position.after_move(moves[index])
    turns = len({(position.player, position.turn) for position in path})
    chosen = [path[(2 * k + 1) * len(path) // (2 * samples)] for k in range(samples)]
    seconds = []
    for bot in bots:
        limit = bot.resolved().get("seconds_per_turn")
        seconds.append(limit or _seconds(bot, game, chosen, players) * len(path) / turns)
    return Estimate(turns / players, tuple(seconds))


def _seconds(bot: Bot, game: Game, positions: Sequence[Position], players: int) -> float:
    """Return the mean seconds of a decision."""
    times = []
    for position in positions:
        player = build(bot, game)
        assert position.player is not None
        player.start(position.player, players, 0)
        begin = time.perf_counter()
        player.choose(position, 0)
        times.append(time.perf_counter() - begin)
    return statistics.fmean(times)


@dataclass
class _Table:
    """The one way into bots: guarded, watched and timed."""

    watch: Watch
    clock: _Clock

    def call(self, seat: int, ply: int, function: Callable[..., Any], *given: Any) -> Any:
        """Call into a bot; whatever it raises becomes its failure."""
        self.watch.enter(seat)
        begin, begin_cpu = time.perf_counter(), time.process_time()
        try:
            return function(*given)
        except KeyboardInterrupt:
            raise  # of the person at the terminal, not of the bot
        except BaseException as error:
            line = " ".join(f"{type(error).__name__}: {error}".split())
            raise _BotFailed(
                Failure("raised", seat, ply, line[:300], traceback.format_exc()[-4000:])
            ) from error
        finally:
            cpu = time.process_time() - begin_cpu
            self.clock.add(seat, time.perf_counter() - begin, cpu)
            self.watch.leave()


def _seat(task: Task, game: Game, seat: int, table: _Table) -> Player:
    player: Player = table.call(seat, 0, build, task.seats[seat], game)
    seed = derive_seed("start", task.seed, seat)
    table.call(seat, 0, player.start, seat, len(task.seats), seed)
    return player


def _made(position: Position, move: Any, seat: int) -> Position:
    try:
        return position.after_move(move)
    except (TrajanError, TypeError, OverflowError) as error:
        line = " ".join(f"chose {move!r}: {error}".split())
        raise _BotFailed(Failure("illegal", seat, position.ply, line[:300])) from None


def _record(
    task: Task,
    start: Position,
    actions: Sequence[tuple[int, str]],
    final: Position,
    failure: Failure | None,
) -> str:
    extra: dict[str, Any] = {
        "x_id": task.id,
        "x_bots": [bot.resolved() for bot in task.seats],
        "x_deal": task.deal,
        "x_deal_seed": task.deal_seed,
        "x_seed": task.seed,
    }
    if failure is not None:
        extra["x_failure"] = {
            "kind": failure.kind,
            "player": failure.seat,
            "ply": failure.ply,
            "message": failure.message,
        }
    return records.dumps(records.record(start, actions, final, **extra))
