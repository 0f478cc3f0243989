"""User bots: Python objects, which are checked, and which receive only what their player knows."""

import inspect
import operator
import os
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from trajan_ai.bots.observation import Observation
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position

MAX_DETAILS = 4000  # characters of a failure's details; longer details lose their beginning
OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

FailureKind = Literal["raised", "illegal", "hung", "late", "died", "lost"]
# Extra time before a turn counts as late, because the bot is not to blame for delays by transfers
# and other processes.
GRACE_SECONDS = 0.25
GRACE_FRACTION = 0.1  # grace as a fraction of the seconds per turn


class MindFailed(Exception):
    """A user bot failed; the game loop adds the seat and the decision."""

    def __init__(self, kind: FailureKind, message: str, details: str = "") -> None:
        super().__init__(message)
        self.kind, self.message, self.details = kind, message, details


class ProcessNotStarted(TrajanError):
    """A process for a bot could not be started, which is not the bot's fault."""


class InvalidMove:
    """The text of a bot's answer that is not a move."""

    def __init__(self, text: str) -> None:
        self.text = text


class Mind(Protocol):
    """A connection to a user bot, in this process or in another one."""

    observes: bool  # whether `observe` must be called

    @property
    def output(self) -> str:
        """The end of what the bot has printed, or an empty text if its output is not captured."""

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game."""

    def choose(self, observation: Observation, seed: int) -> int | InvalidMove:
        """Return a move number, or the answer if it is not a move."""

    def observe(self, observation: Observation, move: int) -> None:
        """Receive a move that was made at `observation`, as this player sees the move."""


class ObservingPlayer:
    """A `Player` that turns positions into observations for a mind."""

    def __init__(self, mind: Mind, *, cheats: bool = False, seconds: float | None = None) -> None:
        self.mind = mind
        self.cheats = cheats
        self.seconds = seconds  # time per turn

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game."""
        self.seat = seat
        self.moves: list[tuple[int, str]] = []
        self.turn, self.used = -1, 0.0
        self.noticed = 0
        self.mind.start(seat, players, seed)

    @property
    def output(self) -> str:
        """The end of what the bot has printed; see `Mind`."""
        return self.mind.output

    def choose(self, position: Position, seed: int) -> int | InvalidMove:
        """Ask the mind for a move, and pass on everything observed since its last decision."""
        if position.turn != self.turn:
            self.turn, self.used = position.turn, 0.0
        left = None if self.seconds is None else self.seconds - self.used
        observation = Observation(
            position,
            self.seat,
            noticed=self.noticed,
            moves=tuple(self.moves),
            seconds=None if left is None else max(left, 0.0),
            overdrawn=0.0 if left is None else max(-left, 0.0),
            cheats=self.cheats,
        )
        self.moves.clear()
        begin = time.monotonic()
        try:
            return self.mind.choose(observation, seed)
        finally:
            self.used += time.monotonic() - begin

    def observe(self, position: Position, move: int) -> None:
        """Store the moves that the player notices; pass them on at once if the mind observes."""
        for at, number in position.heard(move, None if self.cheats else self.seat):
            visible = number if self.cheats else at.observed(number, self.seat)
            assert at.player is not None
            assert visible is not None
            if self.mind.observes:
                before = Observation(at, self.seat, noticed=self.noticed, cheats=self.cheats)
                self.mind.observe(before, visible)
            self.moves.append((at.player, at.game.actions[visible]))
            self.noticed += 1


class LocalMind:
    """A user's object in this process; raises TrajanError if it lacks the methods of a bot."""

    output = ""  # printed where the output of this process goes

    def __init__(self, player: Any) -> None:
        self._choose = _method(player, "choose", ("observation", "seed"))
        if self._choose is None:
            raise TrajanError(f"{_place(type(player))}: {_name(player)} has no method choose")
        self._start = _method(player, "start", ("seat", "players", "seed"))
        self._observe = _method(player, "observe", ("observation", "move"))
        self.observes = self._observe is not None

    def start(self, seat: int, players: int, seed: int) -> None:
        """Begin a game, if the object has a method `start`."""
        if self._start is not None:
            self._start(seat, players, seed)

    def choose(self, observation: Observation, seed: int) -> int | InvalidMove:
        """Ask for a move: a move number of any integer type, or an action string."""
        assert self._choose is not None
        return parse_answer(self._choose(observation, seed), observation)

    def observe(self, observation: Observation, move: int) -> None:
        """Pass on a move, if the object has a method `observe`."""
        if self._observe is not None:
            self._observe(observation, move)


@dataclass(frozen=True)
class CallLimit:
    """The seconds that a call to a bot may take.

    `turn` is the bot's time per turn if the limit is what is left of it, and None otherwise.
    """

    seconds: float
    turn: float | None = None

    @property
    def kind(self) -> FailureKind:
        """The kind of failure of a call that takes longer."""
        return "hung" if self.turn is None else "late"

    @property
    def message(self) -> str:
        """The message about a call that takes longer."""
        if self.turn is None:
            return f"no answer within {round(self.seconds, 2):g} s"
        return (
            f"its turn took longer than its seconds_per_turn of {self.turn:g} s plus a grace of "
            f"{round(_get_grace(self.turn), 2):g} s"
        )


def get_call_limit(observation: Observation, budget: float | None, patience: float) -> CallLimit:
    """Return the limit for a decision of a bot that has `budget` seconds per turn."""
    if observation.seconds is None or budget is None:
        return CallLimit(patience)
    grace = max(_get_grace(budget) - observation.overdrawn, 0.0)
    return CallLimit(observation.seconds + grace, budget)


def _get_grace(budget: float) -> float:
    return GRACE_SECONDS + GRACE_FRACTION * budget


def construct(maker: Any, game: Game, options: Mapping[str, Any]) -> Any:
    """Return ``maker(game, **options)``; a class without a constructor is called without
    arguments.

    Raises TrajanError with file and line if the signature does not fit.
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


def parse_answer(answer: Any, observation: Observation) -> int | InvalidMove:
    """Return the move number of a bot's answer, or the answer as text if it is not a move.

    The text is made here, inside the call to the bot, because the answer's ``__repr__`` may fail.
    """
    actions = observation.game.actions
    number: Any = answer
    if isinstance(answer, str) and str.__str__(answer) in observation.legal():
        number = observation.game.move(str.__str__(answer))
    elif type(answer) is not int and not isinstance(answer, bool) and hasattr(answer, "__index__"):
        number = operator.index(answer)
    if type(number) is int and 0 <= number < len(actions):
        return number
    return InvalidMove(to_text(lambda: repr(answer)))


def format_exception(error: BaseException) -> str:
    """Return an exception as one line that begins with the file and line of the user's code."""
    if isinstance(error, TrajanError):
        return to_text(lambda: " ".join(str(error).split()))
    name = to_text(lambda: type(error).__name__)
    text = " ".join(f"{name}: {to_text(lambda: str(error))}".split())
    place = to_text(lambda: _place_of_error(error))
    return f"{place}{text}"


def format_traceback(error: BaseException) -> str:
    """Return the end of the traceback, or an empty text if it contains no user code."""

    def get_text() -> str:
        whole = "".join(traceback.format_exception(error)) if _place_of_error(error) else ""
        return whole[-MAX_DETAILS:]

    return to_text(get_text)


def to_text(get_text: Callable[[], str]) -> str:
    """Return the text that `get_text` returns, capped, or a placeholder if it raises."""
    try:
        text = get_text()
        return str.__str__(text)[:MAX_DETAILS]
    except BaseException:  # raised by the user's __str__ or __repr__
        return "(an object that cannot be shown as text)"


def _place_of_error(error: BaseException) -> str:
    """Return ``file:line: `` of the innermost frame of user code, or an empty text."""
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
        raise TrajanError(f"{_place(type(player))}: {_name(player)}.{name} is not a method")
    text = f"{_name(player)}.{name} must take ({', '.join(('self', *parameters))})"
    _check_call(method, parameters, {}, text)
    result: Callable[..., Any] = method
    return result


def _check_call(
    function: Any, arguments: tuple[Any, ...], options: Mapping[str, Any], text: str
) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # implemented in C: the call itself raises
        return
    try:
        signature.bind(*arguments, **options)
    except TypeError as error:
        raise TrajanError(f"{_place(function)}: {text}: {error}") from None


def _name(player: Any) -> str:
    return type(player).__name__


def _place(thing: Any) -> str:
    """Return ``file:line`` of a class or function, or its module if the line is unknown."""
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
