"""One game of a tournament as data. Only this module connects tournaments with the games."""

import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from trajan_ai import records
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.bots import Bot, Mind, UserBot, build, game_loop, guarded_mind, identity
from trajan_ai.bots.bot_process import BotProcesses
from trajan_ai.bots.code_identity import hash_data
from trajan_ai.bots.game_loop import BotFailed, BotTimes, CallHooks, Failure, PlayedGame, find_game
from trajan_ai.bots.minds import InvalidMove, MindFailed
from trajan_ai.bots.programs import PATIENCE
from trajan_ai.core.errors import Problem, TrajanError, short
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import all_options, changed_options
from trajan_ai.core.seeds import derive_seed

SAMPLES = 3  # decisions of a built-in bot that are timed to estimate a tournament's time
MEASURED_SECONDS = 2.0  # of play by a user bot, for the same estimate


@dataclass(frozen=True, kw_only=True)
class Task:
    """Everything that a worker needs to play one game; the bot `seats[s]` plays at seat s."""

    id: str
    game: str
    options: dict[str, Any]
    seats: tuple[Bot, ...]
    deal: int
    deal_seed: int
    seed: int
    patience: float
    retries: int
    memory: int = 0  # MiB that a user bot may use; 0 for no limit
    keep: bool = False  # whether processes of user bots are kept for the next game
    start: records.Record | None = None  # the game continues after this beginning
    engine: str = ""  # play signature that a worker of a cluster must have; "" for any


@dataclass(frozen=True)
class StartPosition:
    """A position from which games start.

    record  the moves up to the position; None in a plan restored from a store
    digest  a hash of the game, its options and setup, and these moves
    """

    digest: str
    record: records.Record | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a game.

    Lists are indexed by seat; scores and ranks are None if a bot failed.
    """

    id: str
    scores: list[int] | None
    ranks: list[int] | None
    plies: int
    times: BotTimes
    total_seconds: float
    total_cpu: float
    record: str
    failure: Failure | None = None
    retried: tuple[Failure, ...] = ()  # failures after which the game was repeated


def read_starts(
    path: str, ply: int, number: int | None, name: str, options: Mapping[str, Any]
) -> list[tuple[int, StartPosition]]:
    """Return, for each record in a file, the number of players and the position at `ply`.

    The position is that after `ply` actions. `number`, from 1, selects one record; None selects
    all. `name` and `options` are the game and the options of the plan. Raises TrajanError with
    every unsuitable record.
    """
    starts: list[tuple[int, StartPosition]] = []
    problems: list[Problem] = []
    count = 0
    for count, (place, entry) in enumerate(records.scan_all(path), start=1):
        if number not in (None, count):
            continue
        try:
            if isinstance(entry, TrajanError):
                raise entry
            starts.append((entry["players"], _make_start(entry, ply, name, options)))
        except TrajanError as error:
            problems += error.within(place).problems
    if not starts and not problems:
        raise TrajanError(
            f"{short(path)}: has {count} records, so there is no record {number or 1}"
        )
    if problems:
        raise TrajanError(*problems)
    return starts


def _make_start(
    entry: records.Record, ply: int, name: str, options: Mapping[str, Any]
) -> StartPosition:
    game, begin = find_game(name), records.start(entry)
    position = records.replay(entry, ply)
    assert begin.origin is not None
    if position.game is not game:
        raise TrajanError(f"is a game of {position.game.name}, but the plan is for {name}")
    if position.player is None:
        raise TrajanError(f"the game is over after {ply} actions")
    players, every, setup = begin.origin
    mine = changed_options(game.rules.options, players, every)
    if mine != dict(options):
        raise TrajanError(
            f"has the options {mine}, but the plan has {dict(options)}; they must be the same, "
            "and the plan must not have options of the deal"
        )
    record = records.record(begin, [(player, action) for player, action in entry["actions"][:ply]])
    text = json.dumps([game.name, players, mine, setup, record["actions"]], sort_keys=True)
    return StartPosition(hash_data(text.encode()), record)


def check_options(name: str, players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options, including those of the deal, that differ from their defaults.

    Raises TrajanError, which lists every problem: an unknown game, or options or values that the
    game does not allow.
    """
    game = find_game(name)
    checked = game.rules.check(players, options)
    return changed_options(all_options(game.rules), players, checked)


def find_bot_problems(name: str, bot: Bot) -> list[Problem]:
    """Return the reasons why `bot` cannot play the game, or nothing if there is no such game."""
    try:
        game = find_game(name)
    except TrajanError:
        return []
    try:
        bot.check(game)
    except TrajanError as error:
        return list(error.problems)
    return []


def get_identities(name: str, bots: Sequence[Bot]) -> tuple[str, ...]:
    """Return the identity of every bot in the game."""
    game = find_game(name)
    return tuple(identity(bot, game) for bot in bots)


def get_makeup(name: str, bot: Bot) -> dict[str, Any]:
    """Return everything that determines how the bot plays; its hash is the bot's identity."""
    return bot.makeup(find_game(name))


def get_engine_signature(name: str) -> str:
    """Return the play signature of the engine for the game. It changes only if play changes."""
    return play_signature(find_game(name))


def play_game(
    task: Task,
    hooks: CallHooks | None = None,
    mind: Callable[[UserBot, Game], Mind] = guarded_mind,
) -> Outcome:
    """Play a game until it ends or a bot fails; `mind` connects to user bots."""
    hooks = hooks or CallHooks()
    begin, begin_cpu = time.perf_counter(), time.process_time() + hooks.other_cpu()
    played = game_loop.play_game(
        find_game(task.game),
        task.seats,
        (task.deal_seed, task.seed),
        task.options,
        hooks=hooks,
        mind=mind,
        opening=None if task.start is None else _open(task.start),
    )
    cpu = time.process_time() + hooks.other_cpu() - begin_cpu
    return _make_outcome(task, played, time.perf_counter() - begin, cpu)


def _open(beginning: records.Record) -> PlayedGame:
    """Return the game whose beginning a record contains."""
    return PlayedGame(
        start=records.start(beginning),
        final=records.replay(beginning),
        actions=[(player, action) for player, action in beginning["actions"]],
        times=BotTimes.start(beginning["players"]),
    )


def is_builtin(bot: Bot) -> bool:
    """Return whether a bot runs no user code, and so needs no separate process."""
    return not isinstance(bot, UserBot)


def make_failed_outcome(task: Task, moves: Sequence[int], failure: Failure) -> Outcome:
    """Return the outcome of a game whose process ended too early, given the moves until then."""
    game = find_game(task.game)
    if task.start is None:
        start = game.start(len(task.seats), task.deal_seed, **task.options)
    else:
        start = records.start(task.start)
    position, actions = start, []
    for move in moves:
        assert position.player is not None
        actions.append((position.player, game.actions[move]))
        position = position.after_move(move)
    played = PlayedGame(
        start=start,
        final=position,
        actions=actions,
        times=BotTimes.start(len(task.seats)),
        failed=BotFailed(failure),
    )
    return _make_outcome(task, played, 0.0, 0.0)


def _make_outcome(task: Task, played: PlayedGame, seconds: float, cpu: float) -> Outcome:
    complete = played.failed is None
    extra = {} if task.start is None else {"x_start_ply": len(task.start["actions"])}
    record = game_loop.build_record(
        played,
        task.seats,
        x_id=task.id,
        x_deal=task.deal,
        x_deal_seed=task.deal_seed,
        x_seed=task.seed,
        **extra,
    )
    return Outcome(
        id=task.id,
        scores=played.final.scores if complete else None,
        ranks=played.final.ranks if complete else None,
        plies=len(played.actions),
        times=played.times,
        total_seconds=seconds,
        total_cpu=cpu,
        record=records.dumps(record),
        failure=None if played.failed is None else played.failed.failure,
    )


def get_time_limit(bot: Bot) -> float:
    """Return the largest of the bot's time limits, in seconds; 0 if it has none."""
    settings = bot.resolved()
    limits = [settings.get(f"seconds_per_{unit}") for unit in ("decision", "turn", "game")]
    return max((float(limit) for limit in limits if limit), default=0.0)


@dataclass(frozen=True)
class GameCost:
    """The cost of a game: the seconds that each bot takes at one seat, and what was measured.

    `decisions` is each bot's number of measured decisions, 0 if the bot uses up its time limit.
    `failures` contains a message for each bot that failed, whose time and decisions count as 0.
    """

    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    failures: tuple[str, ...] = ()


def estimate_cost(
    name: str,
    players: int,
    options: Mapping[str, Any],
    bots: Sequence[Bot],
    *,
    start: records.Record | None = None,
    patience: float = PATIENCE,
) -> GameCost:
    """Estimate the time that each bot takes in a game, which begins with `start` if it is given.

    A user bot without a time limit may take `patience` seconds for a call before it counts as
    failed.

    Built-in bots with `seconds_per_turn` are assumed to use up this time. Other built-in bots are
    measured at SAMPLES evenly spread decisions of a random game. User bots play the beginning of a
    game, because they may need to see every move.
    """
    game = find_game(name)
    begin = game.start(players, 0, **options) if start is None else records.replay(start)
    path = _play_at_random(begin)
    turns = len({(position.player, position.turn) for position in path})
    chosen = [path[(2 * k + 1) * len(path) // (2 * SAMPLES)] for k in range(SAMPLES)]
    costs = []
    failures = []
    for bot in bots:
        try:
            if not is_builtin(bot):
                costs.append(_measure_user_bot(bot, game, path, patience))
            elif limit := bot.resolved().get("seconds_per_turn"):
                costs.append((limit * turns / players, 0))
            else:
                seconds = _measure_decision(bot, game, chosen, players)
                costs.append((seconds * len(path) / players, SAMPLES))
        except MindFailed as error:
            costs.append((0.0, 0))
            failures.append(f"bot {bot.name} failed when its time was measured: {error.message}")
    return GameCost(
        seconds=tuple(seconds for seconds, _ in costs),
        decisions=tuple(decisions for _, decisions in costs),
        failures=tuple(failures),
    )


def _play_at_random(position: Position) -> list[Position]:
    """Play a random game and return all positions in which a player had to decide."""
    path = []
    while position.player is not None:
        path.append(position)
        position = position.after_move(_choose_at_random(position))
    return path


def _choose_at_random(position: Position) -> int:
    moves = position.legal_moves()
    return moves[derive_seed("estimate", position.ply) % len(moves)]


def _measure_decision(bot: Bot, game: Game, positions: Sequence[Position], players: int) -> float:
    times = []
    for position in positions:
        player = build(bot, game)
        assert position.player is not None
        player.start(position.player, players, 0)
        begin = time.perf_counter()
        player.choose(position, 0)
        times.append(time.perf_counter() - begin)
    return statistics.fmean(times)


def _measure_user_bot(
    bot: Bot, game: Game, path: Sequence[Position], patience: float
) -> tuple[float, int]:
    """Return the seconds that a user bot takes at one seat, and how many decisions it made.

    The bot plays against random moves for MEASURED_SECONDS, and makes at least one decision.
    """
    position = path[0]
    with closing(BotProcesses()) as processes:
        # A tournament imports a bot's packages only once, so the second start is measured.
        for _ in range(2):
            processes.end()
            processes.begin(patience)
            begin = time.perf_counter()
            player = build(bot, game, processes.mind)
            player.start(0, position.players, 0)
        start = time.perf_counter() - begin
        begin = time.perf_counter()
        decisions = plies = 0
        while position.player is not None:
            move = _choose_at_random(position)
            if position.player == 0:
                move = player.choose(position, 0)
                if move not in position.legal_moves():
                    chosen = move.text if isinstance(move, InvalidMove) else move
                    message = f"chose {chosen}, which is not a legal move"
                    raise MindFailed("illegal", message)
                decisions += 1
            player.observe(position, move)
            position = position.after_move(move)
            plies += 1
            if decisions and time.perf_counter() - begin > MEASURED_SECONDS:
                break
        playing = time.perf_counter() - begin
    left = 0 if position.player is None else max(0, len(path) - plies)
    return start + playing * (1 + left / plies), decisions
