"""Bots in Python that play as opponents in many games at once; the games can be saved at any
time."""

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from trajan_ai.bots import Bot, Player, build, local_mind, read_bot
from trajan_ai.bots.minds import LocalMind, ObservingPlayer
from trajan_ai.bots.observation import Observation
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.seeds import derive_seed


class Chooser(Protocol):
    """An object that plays; docs/bots.md describes the methods of a bot in Python.

    If the object has a method `start` or `observe`, every seat of every game gets a copy of it.
    Otherwise the object has no memory of a game, so the same object plays at all seats of all
    games.
    """

    def choose(self, observation: Observation, seed: int) -> str | int:
        """Return a legal action, or its number."""


Opponent: TypeAlias = str | Path | Bot | Chooser


def read_opponent(opponent: Opponent) -> Bot | Chooser:
    """Return the bot with this name or in this file; bots and other objects are returned
    unchanged.

    Raises TrajanError if an object cannot play.
    """
    if isinstance(opponent, str | Path):
        return read_bot(str(opponent))
    if not isinstance(opponent, Bot):
        LocalMind(opponent)  # raises TrajanError if the object cannot play
    return opponent


def _seat_player(opponent: Bot | Chooser, game: Game) -> Player:
    if isinstance(opponent, Bot):
        # Bots run in this process, because thousands of games would need thousands of processes.
        return build(opponent, game, local_mind)
    remembers = hasattr(opponent, "start") or hasattr(opponent, "observe")
    return ObservingPlayer(LocalMind(copy.deepcopy(opponent) if remembers else opponent))


class _Step(NamedTuple):
    """A move of a running game; `chosen` is True if an opponent, not the caller, chose it."""

    move: int
    chosen: bool


class Opponents:
    """The players at all seats of all games; `seat` contains the caller's seat in each game.

    The memory of a bot cannot be copied. Therefore the moves of every running game are stored, and
    after `restore` new players first see all these moves and make their own choices again. If the
    random choices of a bot depend only on its seed, the new player then continues like the
    original.
    """

    def __init__(self, bots: Sequence[Bot | Chooser], game: Game, seat: NDArray[np.int32]) -> None:
        """Create the players.

        `bots` contains one bot per seat; the bot at the caller's seat never plays.
        """
        self._bots, self._game, self._seat = bots, game, seat
        self._players = [self._seat_players() for _ in seat]
        self._openings: list[Position] = []
        self._steps: list[list[_Step]] = []
        self._is_behind = np.zeros(len(seat), bool)
        self.reset(0, [])

    def reset(self, seed: int, openings: list[Position]) -> None:
        """Begin every game at its opening; `seed` determines all choices from then on."""
        self._seed = seed
        self._choices = [0 for _ in self._seat]  # choices made so far, by game
        self._first = [0 for _ in self._seat]  # choices made before the current game, by game
        self._openings = list(openings)
        self._steps = [[] for _ in openings]
        for i in range(len(openings)):
            self.start(i, openings[i])

    def start(self, i: int, opening: Position) -> None:
        """Begin a new game at index `i`."""
        self._openings[i], self._steps[i], self._first[i] = opening, [], self._choices[i]
        self._is_behind[i] = False
        self._start_players(i)

    def observe(self, i: int, position: Position, move: int, *, chosen: bool = False) -> None:
        """Show a move to every opponent in game `i`."""
        self._catch_up(i)
        self._steps[i].append(_Step(move, chosen))
        self._show(i, position, move)

    def choose(self, i: int, position: Position) -> int:
        """Return the move of the opponent to move in game `i`.

        Raises TrajanError if the bot's answer is not a legal move.
        """
        self._catch_up(i)
        answer = self._ask(i, position)
        is_number = isinstance(answer, int | np.integer) and not isinstance(answer, bool)
        if not is_number or answer not in position.legal_moves():
            text = getattr(answer, "text", repr(answer))
            raise TrajanError(
                f"game {i}: the bot of player {position.player} answered {text:.60}, which is not "
                f"legal; legal: {', '.join(position.legal())}"
            )
        return int(answer)

    def save(self) -> dict[str, Any]:
        """Return everything that `restore` needs; it can be pickled."""
        return {
            "seed": self._seed,
            "choices": list(self._choices),
            "first": list(self._first),
            "openings": list(self._openings),
            "steps": [list(steps) for steps in self._steps],
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Continue the games that `save` returned."""
        self._seed, self._first = saved["seed"], list(saved["first"])
        self._choices = list(saved["choices"])
        self._openings = list(saved["openings"])
        self._steps = [list(steps) for steps in saved["steps"]]
        self._is_behind[:] = True

    def _seat_players(self) -> list[Player]:
        return [_seat_player(bot, self._game) for bot in self._bots]

    def _start_players(self, i: int) -> None:
        players = self._players[i]
        for seat, player in enumerate(players):
            player.start(seat, len(players), derive_seed("bot", self._seed, i, seat))

    def _ask(self, i: int, position: Position) -> Any:
        assert position.player is not None
        self._choices[i] += 1
        seed = derive_seed("choice", self._seed, i, self._choices[i])
        return self._players[i][position.player].choose(position, seed)

    def _show(self, i: int, position: Position, move: int) -> None:
        for seat, player in enumerate(self._players[i]):
            if seat != self._seat[i]:
                player.observe(position, move)

    def _catch_up(self, i: int) -> None:
        """After `restore`, create new players for a game, and repeat the moves of that game for
        them."""
        if not self._is_behind[i]:
            return
        self._is_behind[i] = False
        self._players[i] = self._seat_players()
        self._start_players(i)
        self._choices[i] = self._first[i]
        position = self._openings[i]
        for step in self._steps[i]:
            if step.chosen:
                self._ask(i, position)
            self._show(i, position, step.move)
            after = position.after_move(step.move)
            position = self._game.from_bytes(after.to_bytes())
