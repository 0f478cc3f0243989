"""Playing one game between bots: the one loop that tournaments and commands use, too."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trajan_ai import records
from trajan_ai.bots import Bot, Mind, Player, UserBot, build, local_mind, read_bot
from trajan_ai.bots.minds import (
    MOST_DETAILS,
    FailureKind,
    LocalMind,
    MindFailed,
    NoMove,
    ObservingPlayer,
    one_line,
    traceback_of,
)
from trajan_ai.core.errors import Problem, TrajanError, printable, short
from trajan_ai.core.game import Game, Position
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named

MOST_MESSAGE = 300  # characters of a failure's message


@dataclass(frozen=True)
class Failure:
    """A bot's failure: what happened, to whom (None: unknown), in which decision."""

    kind: FailureKind
    seat: int | None
    ply: int
    message: str
    details: str = ""

    def __post_init__(self) -> None:
        """Make both fit to be stored and printed: here whatever bots write comes in."""
        message = printable(" ".join(self.message.split()))[:MOST_MESSAGE]
        object.__setattr__(self, "message", message)
        lines = self.details[-MOST_DETAILS:].expandtabs(4).splitlines()
        object.__setattr__(self, "details", "\n".join(map(printable, lines)))


class BotFailed(Exception):
    """A bot failed while it was playing; `failure` says how."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"player {failure.seat}, ply {failure.ply}: {failure.message}")
        self.failure = failure


@dataclass
class Clock:
    """Time used by each seat, turn by turn. Lists are by seat, times in seconds."""

    turns: list[int]
    seconds: list[float]
    cpu: list[float]
    longest: list[float]  # of the longest turn
    running: list[float]
    turn: tuple[int, int] | None = None

    @classmethod
    def of(cls, players: int) -> Clock:
        """Return a clock on which nobody has used any time."""
        zero = [0.0] * players
        return cls([0] * players, zero[:], zero[:], zero[:], zero[:])

    def begin(self, seat: int, turn: int) -> None:
        """Note a decision: the first of a turn begins one."""
        if self.turn != (seat, turn):
            self.turn = (seat, turn)
            self.turns[seat] += 1
            self.running[seat] = 0.0

    def add(self, seat: int, seconds: float, cpu: float) -> None:
        """Charge a call into the bot at `seat`, whatever it did there.

        What making it took is no time of its turns.
        """
        self.cpu[seat] += cpu
        if self.turn is None:
            return
        self.seconds[seat] += seconds
        self.running[seat] += seconds
        self.longest[seat] = max(self.longest[seat], self.running[seat])


@dataclass
class Watch:
    """Hears of every call into a bot, so that somebody else can tell who is stuck."""

    enter: Callable[[int], None] = field(default=lambda seat: None)
    leave: Callable[[], None] = field(default=lambda: None)
    made: Callable[[int, int], None] = field(default=lambda ply, move: None)
    elsewhere: Callable[[], float] = field(default=lambda: 0.0)  # CPU seconds of other processes


@dataclass
class Played:
    """A game as it went: its last position, every decision as (player, action), the times."""

    start: Position
    final: Position
    actions: list[tuple[int, str]]
    clock: Clock
    failed: BotFailed | None = None


def play(
    game: str | Game,
    bots: Sequence[Any],
    *,
    seed: int = 0,
    **options: Any,
) -> records.Record:
    """Play one game and return its record; the bot at place p of `bots` is player p.

    A bot is a built-in name, the path of a YAML file, a `Bot`, or an object with a method
    ``choose(observation, seed)`` (see docs/bots.md). The deal and everything drawn by the bots
    derive from `seed`; `options` are those of the game's rules. The game is game 0 of
    ``trajan-ai play`` with the same seed. Raises TrajanError on bad input and `BotFailed` when a
    bot fails.
    """
    handle = find_game(game) if isinstance(game, str) else game
    described = [read_bot(bot) if isinstance(bot, str | os.PathLike) else bot for bot in bots]
    check_bots(handle, described)
    seeds = seeds_of(seed, 0)
    played = play_game(handle, described, seeds, options)
    if played.failed is not None:
        raise played.failed
    return record(played, described, x_deal_seed=seeds[0], x_seed=seeds[1])


def seeds_of(seed: int, number: int) -> tuple[int, int]:
    """Return the seeds of the deal and of the bots for game `number` of ``trajan-ai play``."""
    return derive_seed("play", "deal", seed, number), derive_seed("play", "bots", seed, number)


def find_game(name: str) -> Game:
    """Return the game called `name`, or the handle at ``module:attribute``."""
    if ":" not in name:
        return game_named(name)
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise TrajanError(f"game {short(name)} cannot be loaded: {error}") from None
    if not isinstance(found, Game):
        raise TrajanError(f"game {short(name)} is no game but {type(found).__name__}")
    return found


def check_bots(game: Game, bots: Sequence[Any]) -> None:
    """Raise TrajanError with every reason why a bot cannot play the game."""
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
    watch: Watch | None = None,
    mind: Callable[[UserBot, Game], Mind] = local_mind,
) -> Played:
    """Play a game to its end, or to the failure of a bot.

    The first of `seeds` draws the deal, the second everything that the bots draw. `mind` makes
    the minds of users' bots: here, or in other processes.
    """
    deal_seed, seed = seeds
    start = position = game.start(len(bots), deal_seed, **options)
    clock = Clock.of(len(bots))
    table = _Table(watch or Watch(), clock)
    played = Played(start, start, [], clock)
    decisions = [0] * len(bots)
    try:
        seated = []
        for seat, bot in enumerate(bots):
            player = table.call(seat, 0, _player, bot, game, mind)
            table.call(seat, 0, player.start, seat, len(bots), derive_seed("start", seed, seat))
            seated.append(player)
        while position.player is not None:
            seat = position.player
            clock.begin(seat, position.turn)
            # Not from the ply: how many decisions others made may be hidden.
            own_seed = derive_seed("choose", seed, seat, decisions[seat])
            decisions[seat] += 1
            move = table.call(seat, position.ply, seated[seat].choose, position, own_seed)
            after = _made(position, move, seat)
            played.actions.append((seat, game.actions[move]))
            table.watch.made(position.ply, move)
            for other, player in enumerate(seated):
                table.call(other, position.ply, player.observe, position, move)
            played.final = position = after
    except BotFailed as failed:
        played.failed = failed
    return played


def _player(bot: Any, game: Game, mind: Callable[[UserBot, Game], Mind]) -> Player:
    """Return a player; a user's object learns what its player knows, as a bot's does."""
    return build(bot, game, mind) if isinstance(bot, Bot) else ObservingPlayer(LocalMind(bot))


def record(played: Played, bots: Sequence[Any], **extra: Any) -> records.Record:
    """Return the record of a game: what its bots were and, if one failed, how."""
    described = [
        bot.portable() if isinstance(bot, Bot) else {"name": type(bot).__name__} for bot in bots
    ]
    told: dict[str, Any] = {"x_bots": described} | extra
    if played.failed is not None:
        failure = played.failed.failure
        told["x_failure"] = {
            "kind": failure.kind,
            "player": failure.seat,
            "ply": failure.ply,
            "message": failure.message,
        }
    return records.record(played.start, played.actions, played.final, **told)


@dataclass
class _Table:
    """The one way into bots: guarded, watched and timed."""

    watch: Watch
    clock: Clock

    def call(self, seat: int, ply: int, function: Callable[..., Any], *given: Any) -> Any:
        """Call into a bot; whatever it raises becomes its failure."""
        self.watch.enter(seat)
        begin, begin_cpu = time.perf_counter(), time.process_time() + self.watch.elsewhere()
        try:
            return function(*given)
        except MindFailed as error:
            failure = Failure(error.kind, seat, ply, error.message, error.details)
            raise BotFailed(failure) from None
        except KeyboardInterrupt:
            raise  # of the person at the terminal, not of the bot
        except BaseException as error:
            raise BotFailed(
                Failure("raised", seat, ply, one_line(error), traceback_of(error))
            ) from error
        finally:
            cpu = time.process_time() + self.watch.elsewhere() - begin_cpu
            self.clock.add(seat, time.perf_counter() - begin, cpu)
            self.watch.leave()


def _made(position: Position, move: Any, seat: int) -> Position:
    if isinstance(move, NoMove):
        legal = ", ".join(position.legal())
        what = f"chose {move.text}, which is no legal move; a move is a number or one of {legal}"
        raise BotFailed(Failure("illegal", seat, position.ply, what))
    try:
        return position.after_move(move)
    except TrajanError as error:
        raise BotFailed(Failure("illegal", seat, position.ply, str(error))) from None
