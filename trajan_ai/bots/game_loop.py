"""The loop that plays one game between bots, used from Python, in commands and tournaments."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trajan_ai import records
from trajan_ai.bots import Bot, Mind, Player, UserBot, build, guarded_mind, read_bot
from trajan_ai.bots.minds import (
    MAX_DETAILS,
    FailureKind,
    InvalidMove,
    LocalMind,
    MindFailed,
    ObservingPlayer,
    ProcessNotStarted,
    format_exception,
    format_traceback,
)
from trajan_ai.core.errors import GameFailed, Problem, TrajanError, printable, short
from trajan_ai.core.game import Game, Position
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

MAX_MESSAGE = 300  # characters of a failure's message


@dataclass(frozen=True)
class Failure:
    """How a bot failed, after `ply` decisions; `seat` is None if the bot is unknown."""

    kind: FailureKind
    seat: int | None
    ply: int
    message: str
    details: str = ""

    def __post_init__(self) -> None:
        """Cap and escape what bots wrote, so that it can be stored and printed."""
        message = printable(" ".join(self.message.split()))[:MAX_MESSAGE]
        object.__setattr__(self, "message", message)
        lines = self.details[-MAX_DETAILS:].expandtabs(4).splitlines()
        object.__setattr__(self, "details", "\n".join(map(printable, lines)))


class BotFailed(Exception):
    """A bot failed during a game; see `failure`."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"player {failure.seat}, ply {failure.ply}: {failure.message}")
        self.failure = failure


@dataclass(kw_only=True)
class BotTimes:
    """Time that the bot at each seat has used. Lists are indexed by seat; times are in seconds."""

    turns: list[int]
    seconds: list[float]
    cpu: list[float]
    longest: list[float]  # seconds of the longest turn, by seat
    running: list[float]  # seconds of the current turn, by seat
    turn: tuple[int, int] | None = None  # seat and number of the current turn

    @classmethod
    def start(cls, players: int) -> BotTimes:
        """Return times of zero for every seat."""
        zero = [0.0] * players
        return cls(
            turns=[0] * players, seconds=zero[:], cpu=zero[:], longest=zero[:], running=zero[:]
        )

    def begin(self, seat: int, turn: int) -> None:
        """Note a decision; the first decision of a turn starts that turn."""
        if self.turn != (seat, turn):
            self.turn = (seat, turn)
            self.turns[seat] += 1
            self.running[seat] = 0.0

    def add(self, seat: int, seconds: float, cpu: float) -> None:
        """Add the time of a call to the time of the bot at `seat`.

        Before the first turn, while bots are created, only CPU time is counted.
        """
        self.cpu[seat] += cpu
        if self.turn is None:
            return
        self.seconds[seat] += seconds
        self.running[seat] += seconds
        self.longest[seat] = max(self.longest[seat], self.running[seat])


@dataclass(kw_only=True)
class CallHooks:
    """Functions that the loop calls, so that another process can see which bot is being called."""

    enter: Callable[[int], None] = field(default=lambda seat: None)
    leave: Callable[[], None] = field(default=lambda: None)
    move: Callable[[int, int], None] = field(default=lambda ply, move: None)
    # returns the CPU seconds that bots have used in separate processes
    other_cpu: Callable[[], float] = field(default=lambda: 0.0)


@dataclass(kw_only=True)
class PlayedGame:
    """A game so far: its first and latest position, decisions as (player, action), and times."""

    start: Position
    final: Position
    actions: list[tuple[int, str]]
    times: BotTimes
    failed: BotFailed | None = None

    @classmethod
    def begin(cls, start: Position) -> PlayedGame:
        """Return a game without decisions."""
        return cls(start=start, final=start, actions=[], times=BotTimes.start(start.players))


def play(
    game: str | Game,
    bots: Sequence[Any],
    *,
    seed: int = 0,
    **options: Any,
) -> records.Record:
    """Play one game and return its record.

    ``bots[p]`` plays as player p. A bot is a built-in name, the path of a YAML file, a `Bot`, or
    an object with a method ``choose(observation, seed)`` (see docs/bots.md). Of all bots written
    by users, only such objects run in the calling process, where they can be debugged. `seed`
    determines the deal and every random choice of the bots. `options` are options of the game's
    rules. The result equals game 0 of ``trajan-ai play`` with the same seed.

    Raises TrajanError on bad input and `BotFailed` when a bot fails.
    """
    handle = find_game(game) if isinstance(game, str) else game
    described = [read_bot(bot) if isinstance(bot, str | os.PathLike) else bot for bot in bots]
    check_bots(handle, described)
    seeds = derive_game_seeds(seed, 0)
    played = play_game(handle, described, seeds, options)
    if played.failed is not None:
        raise played.failed
    return build_record(played, described, x_deal_seed=seeds[0], x_seed=seeds[1])


def derive_game_seeds(seed: int, number: int) -> tuple[int, int]:
    """Return two seeds for game `number` of ``trajan-ai play``: for the deal and for the bots."""
    return derive_seed("play", "deal", seed, number), derive_seed("play", "bots", seed, number)


def find_game(name: str) -> Game:
    """Return the game called `name`, or the handle at ``module:attribute``.

    Raises TrajanError if there is no such game.
    """
    if ":" not in name:
        return game_named(name)
    module, _, attribute = name.partition(":")
    try:
        game = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise TrajanError(f"game {short(name)} cannot be loaded: {error}") from None
    if not isinstance(game, Game):
        raise TrajanError(f"{short(name)} is not a game but an object of {type(game).__name__}")
    return game


def check_bots(game: Game, bots: Sequence[Any]) -> None:
    """Raise TrajanError with every reason why one of the bots cannot play the game."""
    problems: list[Problem] = []
    for bot in bots:
        try:
            if isinstance(bot, Bot):
                bot.check(game)
        except TrajanError as error:
            problems += error.problems
    if problems:
        raise TrajanError(*problems)


def play_game(
    game: Game,
    bots: Sequence[Any],
    seeds: tuple[int, int],
    options: Mapping[str, Any],
    *,
    hooks: CallHooks | None = None,
    mind: Callable[[UserBot, Game], Mind] = guarded_mind,
    opening: PlayedGame | None = None,
) -> PlayedGame:
    """Play a game until it ends or a bot fails.

    `seeds` are the seed of the deal and the seed of the bots. `mind` connects to user
    bots. `opening` is the beginning of a game to continue; without it, a new game is dealt.
    """
    deal_seed, seed = seeds
    hooks = hooks or CallHooks()
    played = opening or PlayedGame.begin(game.start(len(bots), deal_seed, **options))
    for ply, (_, action) in enumerate(played.actions):
        hooks.move(ply, game.move(action))
    caller = _BotCaller(hooks, played.times)
    decisions = [0] * len(bots)

    def derive_own_seed(position: Position) -> int:
        # The seed does not depend on the ply, because the number of other players' decisions may
        # be hidden.
        seat = position.player
        assert seat is not None
        decisions[seat] += 1
        return derive_seed("choose", seed, seat, decisions[seat] - 1)

    try:
        seated: list[Player] = []
        for seat, bot in enumerate(bots):
            player = caller.call(seat, 0, _build_player, bot, game, mind)
            caller.call(seat, 0, player.start, seat, len(bots), derive_seed("start", seed, seat))
            seated.append(player)
        play_on(played, seated, derive_own_seed, hooks)
    except BotFailed as failed:
        played.failed = failed
    return played


def play_on(
    played: PlayedGame,
    seated: Sequence[Player],
    derive_own_seed: Callable[[Position], int],
    hooks: CallHooks,
) -> None:
    """Continue a game until it ends, with players that have already been started.

    `derive_own_seed` returns the seed of the decision in a position. Raises `BotFailed`.
    """
    caller = _BotCaller(hooks, played.times)
    while (seat := played.final.player) is not None:
        position = played.final
        played.times.begin(seat, position.turn)
        own_seed = derive_own_seed(position)
        move = caller.call(seat, position.ply, seated[seat].choose, position, own_seed)
        after = _apply_move(position, move, seat, seated[seat])
        played.actions.append((seat, position.game.actions[move]))
        hooks.move(position.ply, move)
        for other, player in enumerate(seated):
            caller.call(other, position.ply, player.observe, position, move)
        played.final = after


def _build_player(bot: Any, game: Game, mind: Callable[[UserBot, Game], Mind]) -> Player:
    """Return a player for a `Bot` or for a user's object, which receives observations."""
    return build(bot, game, mind) if isinstance(bot, Bot) else ObservingPlayer(LocalMind(bot))


def build_record(played: PlayedGame, bots: Sequence[Any], **extra: Any) -> records.Record:
    """Return the record of a game, with its bots and the failure, if any, as extra keys."""
    described = [
        bot.portable() if isinstance(bot, Bot) else {"name": type(bot).__name__} for bot in bots
    ]
    extra_keys: dict[str, Any] = {"x_bots": described} | extra
    if played.failed is not None:
        failure = played.failed.failure
        extra_keys["x_failure"] = {
            "kind": failure.kind,
            "player": failure.seat,
            "ply": failure.ply,
            "message": failure.message,
        }
    return records.record(played.start, played.actions, played.final, **extra_keys)


@dataclass
class _BotCaller:
    """Calls bots; catches their exceptions, reports the calls, and measures their time."""

    hooks: CallHooks
    times: BotTimes

    def call(self, seat: int, ply: int, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the bot at `seat`; turn every exception into BotFailed."""
        self.hooks.enter(seat)
        begin, begin_cpu = time.perf_counter(), time.process_time() + self.hooks.other_cpu()
        try:
            return function(*arguments)
        except MindFailed as error:
            failure = Failure(error.kind, seat, ply, error.message, error.details)
            raise BotFailed(failure) from None
        except (KeyboardInterrupt, ProcessNotStarted):
            raise  # not the bot's fault
        except BaseException as error:
            raise BotFailed(
                Failure("raised", seat, ply, format_exception(error), format_traceback(error))
            ) from error
        finally:
            cpu = time.process_time() + self.hooks.other_cpu() - begin_cpu
            self.times.add(seat, time.perf_counter() - begin, cpu)
            self.hooks.leave()


def _apply_move(position: Position, move: Any, seat: int, player: Player) -> Position:
    """Return the position after a move; raise BotFailed, with the player's output, if it is
    illegal."""
    if isinstance(move, InvalidMove):
        legal = ", ".join(position.legal())
        what = (
            f"chose {move.text}, which is not a legal move; a move is a number or one of {legal}"
        )
        raise BotFailed(Failure("illegal", seat, position.ply, what, _output_of(player)))
    try:
        return position.after_move(move)
    except GameFailed:
        raise
    except TrajanError as error:
        failure = Failure("illegal", seat, position.ply, str(error), _output_of(player))
        raise BotFailed(failure) from None


def _output_of(player: Player) -> str:
    """Return the end of what a user bot has printed; other bots print nothing."""
    return player.output if isinstance(player, ObservingPlayer) else ""
