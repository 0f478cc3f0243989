"""One game of a tournament: alone here tournaments touch the engine; data in, data out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajan_ai import records
from trajan_ai.analysis.signature import play_signature
from trajan_ai.bots import (
    Bot,
    Mind,
    RandomOpeningBot,
    UserBot,
    build,
    game_loop,
    identity,
    local_mind,
)
from trajan_ai.bots.game_loop import BotFailed, Clock, Failure, Played, Watch, find_game
from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import all_options, changed_options
from trajan_ai.core.seeds import derive_seed


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
    memory: int = 0  # MiB that a user's bot may use; 0: no limit
    keep: bool = False  # whether users' bots stay as they are, for the next game to show it


@dataclass(frozen=True)
class Outcome:
    """How a game went. Lists are by seat; scores and ranks are None if a bot failed."""

    id: str
    scores: list[int] | None
    ranks: list[int] | None
    plies: int
    clock: Clock  # of the bots
    total_seconds: float
    total_cpu: float
    record: str
    failure: Failure | None = None
    retried: tuple[Failure, ...] = ()  # failures after which the game was played again


def check_options(name: str, players: int, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options, also those of the deal, that differ from their defaults.

    Raises TrajanError with every problem: an unknown game, options that its rules do not have.
    """
    game = find_game(name)
    checked = game.rules.check(players, options)
    known = all_options(game.rules)
    return changed_options(known, players, checked)


def bot_problems(name: str, bot: Bot) -> list[Problem]:
    """Return why `bot` cannot play the game; nothing if the game itself is not there."""
    try:
        game = find_game(name)
    except TrajanError:
        return []
    try:
        bot.check(game)
    except TrajanError as error:
        return list(error.problems)
    return []


def identities(name: str, bots: Sequence[Bot]) -> tuple[str, ...]:
    """Return the identity of every bot at the game."""
    game = find_game(name)
    return tuple(identity(bot, game) for bot in bots)


def makeup(name: str, bot: Bot) -> dict[str, Any]:
    """Return what makes the bot play the game as it does: what its identity is a hash of."""
    return bot.makeup(find_game(name))


def engine_signature(name: str) -> str:
    """Return the play signature of the engine for the game: it changes only if play does."""
    return play_signature(find_game(name))


def play_game(
    task: Task,
    watch: Watch | None = None,
    mind: Callable[[UserBot, Game], Mind] = local_mind,
) -> Outcome:
    """Play a game to its end, or to the failure of a bot; `mind` makes those of users' bots."""
    watch = watch or Watch()
    begin, begin_cpu = time.perf_counter(), time.process_time() + watch.elsewhere()
    played = game_loop.play_game(
        find_game(task.game),
        task.seats,
        (task.deal_seed, task.seed),
        task.options,
        watch=watch,
        mind=mind,
    )
    cpu = time.process_time() + watch.elsewhere() - begin_cpu
    return _outcome(task, played, time.perf_counter() - begin, cpu)


def is_ours(bot: Bot) -> bool:
    """Whether a bot runs no user's code, and so needs no process of its own."""
    return not isinstance(bot.bot if isinstance(bot, RandomOpeningBot) else bot, UserBot)


def failed_game(task: Task, moves: Sequence[int], failure: Failure) -> Outcome:
    """Return the outcome of a game whose process did not live to tell, from its moves."""
    game = find_game(task.game)
    start = position = game.start(len(task.seats), task.deal_seed, **task.options)
    actions = []
    for move in moves:
        assert position.player is not None
        actions.append((position.player, game.actions[move]))
        position = position.after_move(move)
    clock = Clock.of(len(task.seats))
    return _outcome(task, Played(start, position, actions, clock, BotFailed(failure)), 0.0, 0.0)


def _outcome(task: Task, played: Played, seconds: float, cpu: float) -> Outcome:
    done = played.failed is None
    record = game_loop.record(
        played,
        task.seats,
        x_id=task.id,
        x_deal=task.deal,
        x_deal_seed=task.deal_seed,
        x_seed=task.seed,
    )
    return Outcome(
        task.id,
        played.final.scores if done else None,
        played.final.ranks if done else None,
        len(played.actions),
        played.clock,
        seconds,
        cpu,
        records.dumps(record),
        None if played.failed is None else played.failed.failure,
    )


def bot_time(bot: Bot) -> float:
    """Return the seconds that the bot itself may take for a call, by its own settings."""
    settings = bot.resolved()
    limits = [settings.get("seconds_per_turn"), settings.get("seconds_per_game")]
    return max((float(limit) for limit in limits if limit), default=0.0)


@dataclass(frozen=True)
class Estimate:
    """What a game costs: turns by one player, and seconds per turn of each bot."""

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
