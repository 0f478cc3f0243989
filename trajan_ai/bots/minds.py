"""Users' bots: Python objects checked and asked, and told only what their player knows."""

from __future__ import annotations

import inspect
import operator
import os
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from trajan_ai.bots.observation import Observation
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position

MOST_DETAILS = 4000  # characters of what a bot's error says, and of the end of its traceback
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

FailureKind = Literal["raised", "illegal", "hung", "late", "died", "lost"]
HUNG: FailureKind = "hung"
LATE: FailureKind = "late"
# What a bot may take beyond what is left of its turn before it has overstepped: other processes
# of the machine, and sending there and back, are not its fault.
GRACE_SECONDS = 0.25
GRACE_SHARE = 0.1


class MindFailed(Exception):
    """A bot failed in its own process: how, before it is known in which decision."""

    def __init__(self, kind: FailureKind, message: str, details: str = "") -> None:
        super().__init__(message)
        self.kind, self.message, self.details = kind, message, details


class NoMove:
    """What a bot chose that is no move, in words."""

    def __init__(self, text: str) -> None:
        self.text = text


class Mind(Protocol):
    """A user's bot, here or in a process of its own."""

    observes: bool  # whether it wants to hear of every move

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game."""
        ...

    def choose(self, observation: Observation, seed: int) -> int | NoMove:
        """Return a move number, or what was chosen in place of one."""
        ...

    def observe(self, observation: Observation, move: int) -> None:
        """Hear that a move, as this player sees it, was made at `observation`."""
        ...


class ObservingPlayer:
    """Lets a mind play: a `Player` that gets positions and passes on what its player knows."""

    def __init__(self, mind: Mind, *, cheats: bool = False, seconds: float | None = None) -> None:
        self.mind = mind
        self.cheats = cheats
        self.seconds = seconds  # of a turn

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game."""
        self.seat = seat
        self.moves: list[tuple[int, str]] = []
        self.turn, self.used = -1, 0.0
        self.noticed = 0
        self.mind.start(seat, players, seed)

    def choose(self, position: Position, seed: int) -> int | NoMove:
        """Ask the mind, with what it saw since it was last asked."""
        if position.turn != self.turn:
            self.turn, self.used = position.turn, 0.0
        left = None if self.seconds is None else max(self.seconds - self.used, 0.0)
        observation = Observation(
            position,
            self.seat,
            noticed=self.noticed,
            moves=tuple(self.moves),
            seconds=left,
            cheats=self.cheats,
        )
        self.moves.clear()
        begin = time.monotonic()
        try:
            return self.mind.choose(observation, seed)
        finally:
            self.used += time.monotonic() - begin

    def observe(self, position: Position, move: int) -> None:
        """Remember what the player saw happen; a mind that observes hears of it at once."""
        for at, made in position.heard(move, None if self.cheats else self.seat):
            seen = made if self.cheats else at.observed(made, self.seat)
            assert at.player is not None
            assert seen is not None
            if self.mind.observes:
                before = Observation(at, self.seat, noticed=self.noticed, cheats=self.cheats)
                self.mind.observe(before, seen)
            self.moves.append((at.player, at.game.actions[seen]))
            self.noticed += 1


class LocalMind:
    """A user's object in this process; raises TrajanError if it is not made as a bot is."""

    def __init__(self, player: Any) -> None:
        self._choose = _method(player, "choose", ("observation", "seed"))
        if self._choose is None:
            raise TrajanError(f"{_place(type(player))}: {_name(player)} has no method choose")
        self._start = _method(player, "start", ("seat", "players", "seed"))
        self._observe = _method(player, "observe", ("observation", "move"))
        self.observes = self._observe is not None

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game, if the object cares."""
        if self._start is not None:
            self._start(seat, players, seed)

    def choose(self, observation: Observation, seed: int) -> int | NoMove:
        """Ask for a move: a move number, of any integer type, or an action string."""
        assert self._choose is not None
        return move_of(self._choose(observation, seed), observation)

    def observe(self, observation: Observation, move: int) -> None:
        """Tell of a move."""
        if self._observe is not None:
            self._observe(observation, move)


def call_limit(
    observation: Observation, budget: float | None, patience: float
) -> tuple[float, FailureKind]:
    """Return the seconds that a bot may take for a choice, and what it is if it takes more."""
    if observation.seconds is None or budget is None:
        return patience, HUNG
    return observation.seconds + GRACE_SECONDS + GRACE_SHARE * budget, LATE


def construct(maker: Any, game: Game, options: Mapping[str, Any]) -> Any:
    """Return ``maker(game, **options)``; a class without a constructor is called with nothing.

    Raises TrajanError with file and line if it cannot be called so.
    """
    if isinstance(maker, type) and maker.__init__ is object.__init__:  # type: ignore[misc]
        if options:
            raise TrajanError(
                f"{_place(maker)}: {maker.__name__} has no __init__(self, game, **options), but "
                f"the bot's options are {', '.join(options)}"
            )
        return maker()
    _check_call(maker, (game,), options, f"must be called as (game, **{dict(options)})")
    return maker(game, **options)


def move_of(answer: Any, observation: Observation) -> int | NoMove:
    """Return the move that a bot's answer stands for.

    Whatever else came back is put in words here, where what it does is still the bot's doing.
    """
    actions = observation.game.actions
    number: Any = answer
    if isinstance(answer, str) and str.__str__(answer) in observation.legal():
        number = observation.game.move(str.__str__(answer))
    elif type(answer) is not int and not isinstance(answer, bool) and hasattr(answer, "__index__"):
        number = operator.index(answer)
    if type(number) is int and 0 <= number < len(actions):
        return number
    return NoMove(told(lambda: repr(answer)))


def one_line(error: BaseException) -> str:
    """Return an exception in one line, with the place in the user's file where it came from."""
    if isinstance(error, TrajanError):
        return told(lambda: " ".join(str(error).split()))
    name = told(lambda: type(error).__name__)
    words = " ".join(f"{name}: {told(lambda: str(error))}".split())
    place = told(lambda: _raised_at(error))
    return f"{place}{words}"


def traceback_of(error: BaseException) -> str:
    """Return the traceback for who wrote the bot, its end if it is long; nothing where only code
    of ours is in it."""

    def words() -> str:
        whole = "".join(traceback.format_exception(error)) if _raised_at(error) else ""
        return whole[-MOST_DETAILS:]

    return told(words)


def told(words: Callable[[], str]) -> str:
    """Return what `words` says, cut; users' objects may refuse to say it."""
    try:
        text = words()
        return str.__str__(text)[:MOST_DETAILS]
    except BaseException:  # whatever a user's __str__ or __repr__ does, it ends here
        return "(an object that cannot be put in words)"


def _raised_at(error: BaseException) -> str:
    """Return ``file:line: `` of the last frame that is not ours; nothing if all are."""
    places = [
        f"{os.path.basename(frame.filename)}:{frame.lineno}: "
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((OURS, "<"))
    ]
    return places[-1] if places else ""


def _method(player: Any, name: str, parameters: tuple[str, ...]) -> Callable[..., Any] | None:
    method = getattr(player, name, None)
    if method is None:
        return None
    if not callable(method):
        raise TrajanError(f"{_place(type(player))}: {_name(player)}.{name} is no method")
    text = f"{_name(player)}.{name} must take ({', '.join(('self', *parameters))})"
    _check_call(method, parameters, {}, text)
    result: Callable[..., Any] = method
    return result


def _check_call(
    function: Any, arguments: tuple[Any, ...], options: Mapping[str, Any], text: str
) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # made in C: it tells when it is called
        return
    try:
        signature.bind(*arguments, **options)
    except TypeError as error:
        raise TrajanError(f"{_place(function)}: {text}: {error}") from None


def _name(player: Any) -> str:
    return type(player).__name__


def _place(thing: Any) -> str:
    """Return ``file:line`` of a class or function, as well as can be told."""
    try:
        thing = inspect.unwrap(thing)
        if isinstance(thing, type) and thing.__init__ is not object.__init__:  # type: ignore[misc]
            thing = thing.__init__  # type: ignore[misc]
        code = getattr(getattr(thing, "__func__", thing), "__code__", None)
        if code is not None:
            return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        file = inspect.getsourcefile(thing) or "?"
        return f"{os.path.basename(file)}:{inspect.getsourcelines(thing)[1]}"
    except (OSError, TypeError, ValueError, AttributeError):
        return str(getattr(thing, "__module__", "?"))
