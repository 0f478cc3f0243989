"""`trajan-ai suggest`: rank the moves of the player to decide."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from trajan_ai import records
from trajan_ai.analysis import explain, suggest, turns
from trajan_ai.analysis.defaults import EXPLAINED
from trajan_ai.analysis.turns import Work
from trajan_ai.bots import Bot
from trajan_ai.cli.common import read_source
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.drawing.text import columns
from trajan_ai.mcts import Result

REFRESH_SECONDS = 0.5


def run(arguments: argparse.Namespace) -> int:
    """Search and print; after Ctrl-C what was found so far."""
    if arguments.top is not None and arguments.top < 1:
        raise TrajanError(f"--top must be at least 1, got {arguments.top}")
    display = _Display(arguments.top)
    position, so_far = _position(arguments)
    bot, note = suggest.chosen_bot(position.game, arguments.bot)
    if arguments.explain:
        explain.sources_of(position.game)
    answer = _Answer(bot.name, note, position.player)
    try:
        _search(position, bot, arguments, display, answer)
        if arguments.explain:
            assert answer.result is not None
            moves = answer.result.moves[: arguments.top or EXPLAINED]
            answer.why = explain.explain(position, moves, so_far=so_far, seed=arguments.seed)
    except KeyboardInterrupt:
        answer.result = answer.result or display.latest
        if answer.result is not None:
            _print(display, answer, arguments)
        raise
    _print(display, answer, arguments)
    return 0


@dataclass
class _Answer:
    """What there is to print: the search, and as far as it got the turns and the reasons."""

    bot: str
    note: str | None
    player: int | None
    result: Result | None = None
    turns: Sequence[turns.Turn] = ()
    work: Work = field(default_factory=Work)
    why: Sequence[explain.MoveOutlook] = ()


def _search(
    position: Position, bot: Bot, arguments: argparse.Namespace, display: _Display, answer: _Answer
) -> None:
    """Rank the moves, then search the turns, within the limits asked for or the bot's own."""
    settings, iterations, seconds = suggest.limited(
        bot, arguments.iterations, arguments.time, arguments.threads
    )
    longer = position.player is not None and turns.has_later_decisions(position)
    kept = turns.SHARE * seconds if seconds is not None and longer else 0.0
    answer.result = suggest.search(
        position,
        bot,
        iterations=iterations,
        seconds=None if seconds is None else seconds - kept,
        threads=arguments.threads,
        seed=arguments.seed,
        progress=display.update,
    )
    search = turns.TurnSearch(position, settings, arguments.seed)
    answer.turns = search.turns(
        answer.result,
        iterations=None if iterations is None else int(turns.SHARE * iterations),
        seconds=None if seconds is None else kept,
    )
    answer.work = search.work


def _print(display: _Display, answer: _Answer, arguments: argparse.Namespace) -> None:
    assert answer.result is not None
    if arguments.json:
        print(json.dumps(_plain(answer, arguments.top)))
        return
    display.clear()
    width = columns(sys.stdout, TEXT_WIDTH)
    if answer.turns:
        print(turns.text(answer.turns[: arguments.top], width), end="\n\n")
    print(suggest.table(answer.result, arguments.top, width))
    if answer.work.iterations:
        work = answer.work
        print(f"the turns: {work.iterations:,} more iterations in {work.seconds:.2f} s")
    if answer.why:
        assert answer.player is not None
        print("\n" + explain.table(answer.why, answer.player, width))
    if answer.note is not None:
        print(answer.note)


def _plain(answer: _Answer, top: int | None) -> dict[str, Any]:
    """Return the JSON object: the search, its turns, and by move the sources of VP."""
    assert answer.result is not None
    data = suggest.to_json(answer.result, top)
    sources = {one.action: one.to_list() for one in answer.why}
    for move in data["moves"]:
        if move["action"] in sources:
            move["sources"] = sources[move["action"]]
    data |= turns.to_json(answer.turns, answer.work, top)
    return data | {"bot": answer.bot} | ({} if answer.note is None else {"note": answer.note})


def _position(arguments: argparse.Namespace) -> tuple[Position, list[list[int]] | None]:
    """Return the position, and for a record what brought the VP so far, if that is asked for."""
    source = read_source(arguments.position, arguments.record, arguments.ply)
    position, entry = source.position, source.entry
    if source.observer not in (None, position.player) and position.player is not None:
        raise TrajanError(
            f"{arguments.position}: player {position.player} decides, but the file says only what "
            f"player {source.observer} knows"
        )
    if entry is None or not arguments.explain:
        return position, None
    moves = [position.game.move(action) for _, action in entry["actions"][: position.ply]]
    return position, explain.booked_so_far(records.positions(entry), moves)


class _Display:
    """The latest result, on a terminal's standard error as a table rewritten in place."""

    def __init__(self, top: int | None) -> None:
        self.top = top
        self.latest: Result | None = None
        self.next = 0.0
        self.shown = 0  # lines

    def update(self, result: Result) -> None:
        """Take an interim result."""
        self.latest = result
        now = time.monotonic()
        if not sys.stderr.isatty() or now < self.next:
            return
        self.next = now + REFRESH_SECONDS
        text = suggest.table(result, self.top or 10, columns(sys.stderr, TEXT_WIDTH))
        self.clear()
        print(text, file=sys.stderr, flush=True)
        self.shown = text.count("\n") + 1

    def clear(self) -> None:
        """Take the interim table away."""
        if self.shown:
            print(f"\x1b[{self.shown}A\x1b[J", end="", file=sys.stderr, flush=True)
            self.shown = 0
