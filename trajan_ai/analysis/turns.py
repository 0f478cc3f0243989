"""Whole turns: the best ones from the first decision to the last, what each is worth, in words.

A search ranks the moves of one decision. Here its tree is followed to the end of the turn, short
further searches complete and value what the tree holds too thinly, and turns that begin or go on
otherwise are set beside the best. Every search uses what the player to decide knows; where a
move reveals something, the line goes on with what is most likely, and says so.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Any, Protocol

from trajan_ai.analysis import outlook
from trajan_ai.core.game import Position
from trajan_ai.core.rules import in_words
from trajan_ai.core.seeds import derive_seed
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts.driver import Engine
from trajan_ai.mcts.result import MoveResult

SHARE = 0.25  # of the search's work: what the turns may spend beside it
FIRSTS = 4  # turns that differ in their first decision
LATERS = 3  # turns that differ in a later one
LEAST_SHARE = 0.02  # of a decision's visits: below it an alternative is not shown
LEAST_VISITS = 10
OVERRULED = 2.0  # times its visits: then a further search overrules the last move of a line
DRAWS = 32  # redraws tried to go on after something was revealed
MOST_DECISIONS = 24  # of a turn that are followed
LEAST_ITERATIONS = 40  # of a further search


@dataclass(frozen=True)
class Turn:
    """One player's turn, or what is left of it, and what it is worth to them.

    ``win`` (share of the win), ``score`` and ``margin``, with standard errors, are those of a
    search at the decision numbered ``valued_at``: with the actions before it made and all others
    still open. ``differs_at`` is the first decision that differs from the best turn's, None for
    the best one. After the decisions in ``reveals`` something comes up that the rest may depend
    on. ``complete`` is false where the turn was followed no further.
    """

    actions: tuple[str, ...]
    words: str
    win: float | None
    win_error: float | None
    score: float | None
    margin: float | None
    margin_error: float | None
    visits: int
    payoff: float | None
    payoff_error: float | None
    valued_at: int
    differs_at: int | None
    reveals: tuple[int, ...]
    complete: bool

    def to_dict(self, best: Turn) -> dict[str, Any]:
        """Return plain data, with what the turn gains over the best one."""
        return {
            "actions": list(self.actions),
            "words": self.words,
            "win": self.win,
            "win_error": self.win_error,
            "score": self.score,
            "margin": self.margin,
            "margin_error": self.margin_error,
            "visits": self.visits,
            "valued_at": self.valued_at,
            "differs_at": self.differs_at,
            "reveals": list(self.reveals),
            "complete": self.complete,
            "gain": None if self is best else gain(self, best),
        }


def gain(turn: Turn, best: Turn) -> dict[str, float | None]:
    """Return what a turn gains over another, in win and in VP, with standard errors.

    Of the VP that of the margin: searches know the spread of the margin, not of the score alone.
    """
    if turn.win is None or best.win is None:
        return dict.fromkeys(("win", "win_error", "score", "margin", "margin_error"))
    assert turn.score is not None
    assert best.score is not None
    assert turn.margin is not None
    assert best.margin is not None
    return {
        "win": turn.win - best.win,
        "win_error": hypot(turn.win_error or 0.0, best.win_error or 0.0),
        "score": turn.score - best.score,
        "margin": turn.margin - best.margin,
        "margin_error": hypot(turn.margin_error or 0.0, best.margin_error or 0.0),
    }


@dataclass(frozen=True)
class _Path:
    """Decisions of a turn: the moves, and the position before each (drawn after a reveal)."""

    moves: tuple[int, ...]
    places: tuple[Position, ...]
    reveals: tuple[int, ...]
    complete: bool
    after: Position | None  # where to go on, None where nothing certain is left to search

    @property
    def certain(self) -> int:
        """The last decision before which nothing was revealed."""
        last = len(self.moves) - 1
        return min(self.reveals[0], last) if self.reveals else last


@dataclass(frozen=True)
class Work:
    """What the further searches of turns took, beside that of the ranking."""

    iterations: int = 0
    seconds: float = 0.0


class Searcher(Protocol):
    """Who makes the further searches: an `Engine`, or one that shares its cores."""

    def search(
        self,
        position: Position,
        seed: int,
        *,
        observer: int | None = None,
        iterations: int | None = None,
        seconds: float | None = None,
    ) -> Result:
        """Search a position, for what `observer` knows, within the limits."""
        ...


class TurnSearch:
    """The turns of a searched position, within a budget of iterations or seconds.

    `per_search` is what one further search may spend; `work` counts what all of them did. They
    are made by `searcher`, left out by threads of their own.
    """

    def __init__(
        self, position: Position, settings: Settings, seed: int, searcher: Searcher | None = None
    ) -> None:
        assert position.player is not None
        self.position = position
        self.player: int = position.player
        self.seed = seed
        self.searcher: Searcher = searcher or Engine(position.game, settings)
        self.per_search: dict[str, Any] = {}
        self.work = Work()
        self._done: dict[tuple[int, ...], Result] = {}

    def turns(
        self, result: Result, *, iterations: int | None = None, seconds: float | None = None
    ) -> list[Turn]:
        """Return the turns of the searched position, the best one first.

        `result` is what the search of the position found; the further searches together spend
        about `iterations`, or `seconds`. Without either, or without visits, there are none.
        """
        firsts = [
            move
            for number, move in enumerate(result.moves[:FIRSTS])
            if move.visits and (number == 0 or move.share >= LEAST_SHARE)
        ]
        if not firsts or (iterations is None and seconds is None):
            return []
        self._done = {(): result}
        paths = [self._path((), move) for move in firsts]
        searches = sum(max(len(path.moves), 2) for path in paths[:1]) + 2 * len(paths)
        if iterations is not None:
            self.per_search["iterations"] = max(iterations // searches, LEAST_ITERATIONS)
        else:
            assert seconds is not None
            self.per_search["seconds"] = seconds / searches
        best = self._valued(self._completed(paths[0]), None)
        others = [self._valued(self._completed(path), 0) for path in paths[1:]]
        others.sort(key=_merit, reverse=True)
        return [best, *others, *self._later(best)]

    def _path(self, before: tuple[int, ...], move: MoveResult) -> _Path:
        """Follow a move's expected continuation to the end of the turn."""
        numbers = [move.move, *_numbers(self.position, move.line[1:], self.player)]
        path = _Path((), (self.position,), (), False, self.position)
        for number in (*before, *numbers):
            path = self._step(path, number)
            if path.after is None or path.complete or len(path.moves) >= MOST_DECISIONS:
                break
        return path

    def _step(self, path: _Path, move: int) -> _Path:
        """Make one more move, as long as it is the player's in this turn."""
        here = path.after
        assert here is not None
        number = len(path.moves)
        if path.reveals:  # take a draw in which the line goes on
            drawn = self._drawn(path, move)
            if drawn is None:
                return replace(path, after=None)
            here = drawn
        elif move not in here.legal_moves():
            return replace(path, after=None)
        shows = outlook.reveals(here, move, self.player, self.seed)
        after = here.after_move(move)
        return _Path(
            (*path.moves, move),
            (*path.places[:number], here),
            (*path.reveals, number) if shows else path.reveals,
            self._over(after),
            after,
        )

    def _over(self, position: Position) -> bool:
        return position.player != self.player or position.turn != self.position.turn

    def _drawn(self, path: _Path, move: int) -> Position | None:
        """Return a position after the path, drawn, in which the move is legal."""
        first = path.reveals[0]
        for draw in range(DRAWS):
            seed = derive_seed("turn", self.seed, draw)
            position = path.places[first].determinized(self.player, seed)
            for made in path.moves[first:]:
                if self._over(position) or made not in position.legal_moves():
                    break
                position = position.after_move(made)
            else:
                if not self._over(position) and move in position.legal_moves():
                    return position
        return None

    def _completed(self, path: _Path) -> _Path:
        """Search on where the tree was too thin for the rest of the turn."""
        while not (path.complete or path.reveals or path.after is None):
            if len(path.moves) >= MOST_DECISIONS:
                break
            result = self._search(path.moves, path.after)
            if not result.best.visits:
                break
            for number in (
                result.best.move,
                *_numbers(self.position, result.best.line[1:], self.player),
            ):
                path = self._step(path, number)
                if path.after is None or path.complete:
                    break
        return path

    def _search(self, moves: tuple[int, ...], position: Position) -> Result:
        """Search the position after the turn's first moves; what was searched is remembered."""
        if moves not in self._done:
            seed = derive_seed("turn", self.seed, len(moves))
            result = self.searcher.search(position, seed, observer=self.player, **self.per_search)
            self.work = Work(
                self.work.iterations + result.iterations, self.work.seconds + result.seconds
            )
            self._done[moves] = result
        return self._done[moves]

    def _valued(self, path: _Path, differs_at: int | None) -> Turn:
        """Value a turn at its last certain decision."""
        at = path.certain
        result = self._search(path.moves[:at], path.places[at])
        move = next(move for move in result.moves if move.move == path.moves[at])
        if at and result.best.visits > OVERRULED * move.visits:
            move = result.best
            path = self._completed(self._path(path.moves[:at], move))
        return self._turn(path, move, at, differs_at)

    def _turn(self, path: _Path, move: MoveResult, at: int, differs_at: int | None) -> Turn:
        actions = tuple(self.position.game.actions[number] for number in path.moves)
        return Turn(
            actions=actions,
            words=in_words(self.position.game.rules, actions),
            win=move.win,
            win_error=move.win_error,
            score=move.score,
            margin=move.margin,
            margin_error=move.margin_error,
            visits=move.visits,
            payoff=move.payoff,
            payoff_error=move.payoff_error,
            valued_at=at,
            differs_at=differs_at,
            reveals=path.reveals,
            complete=path.complete,
        )

    def _later(self, best: Turn) -> list[Turn]:
        """Return the turns that leave the best one at a later decision, the best ones first."""
        game = self.position.game
        moves = tuple(game.move(action) for action in best.actions)
        last = min(best.reveals[0], len(moves) - 1) if best.reveals else len(moves) - 1
        place = self.position
        found = []
        for number in range(1, last + 1):
            place = place.after_move(moves[number - 1])
            result = self._search(moves[:number], place)
            others = [move for move in result.moves if move.move != moves[number]]
            if others and others[0].visits >= LEAST_VISITS and others[0].share >= LEAST_SHARE:
                path = self._path(moves[:number], others[0])
                found.append(self._turn(path, others[0], number, number))
        return sorted(found, key=_merit, reverse=True)[:LATERS]


def _merit(turn: Turn) -> float:
    return -1.0 if turn.payoff is None else turn.payoff


def _numbers(position: Position, line: Sequence[tuple[int, str]], player: int) -> list[int]:
    """Return the moves of a line up to the first that another player makes."""
    numbers = []
    for mover, action in line:
        if mover != player:
            break
        numbers.append(position.game.move(action))
    return numbers


def has_later_decisions(position: Position) -> bool:
    """Whether some move leaves the player another decision in this turn."""
    return any(
        (after.player, after.turn) == (position.player, position.turn)
        for after in map(position.after_move, position.legal_moves())
    )


def to_json(turns: Sequence[Turn], work: Work, top: int | None = None) -> dict[str, Any]:
    """Return the turns, and what they took, as plain data: what ``suggest --json`` has of them."""
    return {
        "turns": [turn.to_dict(turns[0]) for turn in turns[:top]],
        "turn_iterations": work.iterations,
        "turn_seconds": work.seconds,
    }


def text(turns: Sequence[Turn], width: int) -> str:
    """Return turns as text: the best one, then what differs, with its gain and how sure it is."""
    if not turns:
        return ""
    best = turns[0]
    lines = [*_wrapped(f"best turn: {_worth(best)}", width, 0), *_lines(best, width)]
    for turn in turns[1:]:
        assert turn.differs_at is not None
        place = "another first choice" if not turn.differs_at else f"from {_name(turn)} on"
        lines += _wrapped(f"{place}: {_gained(turn, best)}", width, 0)
        lines += _lines(turn, width)
    return "\n".join(lines)


def _wrapped(row: str, width: int, indent: int) -> list[str]:
    return textwrap.wrap(
        row,
        max(width, 20),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
    )


def _name(turn: Turn) -> str:
    assert turn.differs_at is not None
    return turn.actions[turn.differs_at]


def _lines(turn: Turn, width: int) -> list[str]:
    """Return a turn in words and as actions, with what its end depends on."""
    notes = [
        f"after {turn.actions[number]} it depends on what comes up"
        for number in turn.reveals
        if number + 1 < len(turn.actions)
    ]
    if not turn.complete:
        notes.append("the turn goes on: not searched further")
    rows = [turn.words, " > ".join(turn.actions), *notes]
    return [line for row in rows for line in _wrapped(row, width, 2)]


def _worth(turn: Turn) -> str:
    if turn.win is None or turn.win_error is None:
        return "not searched"
    win = f"win {turn.win:.1%} ± {turn.win_error:.1%}"
    margin = f"margin {turn.margin:+.1f} ± {turn.margin_error or 0.0:.1f}"
    return f"{win}, VP {turn.score:.1f}, {margin}"


def _gained(turn: Turn, best: Turn) -> str:
    gained = gain(turn, best)
    if gained["win"] is None:
        return "not searched"
    return (
        f"win {gained['win']:+.1%} ± {gained['win_error']:.1%}, VP {gained['score']:+.1f}, "
        f"margin {gained['margin']:+.1f} ± {gained['margin_error']:.1f}"
    )
