"""`trajan-ai suggest`: rank the moves of the player to decide."""

from __future__ import annotations

import argparse
import json
import sys
import time

from trajan_ai import records
from trajan_ai.analysis import advice
from trajan_ai.analysis.decision import Analysis
from trajan_ai.analysis.vp_sources import booked_so_far, source_names
from trajan_ai.analysis.wording import text
from trajan_ai.cli.common import print_note, read_source
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.games.drawing.text_layout import columns

REFRESH_SECONDS = 0.5


def run(arguments: argparse.Namespace) -> int:
    """Analyse and print; after Ctrl-C what was found so far."""
    if arguments.top is not None and arguments.top < 1:
        raise TrajanError(f"--top must be at least 1, got {arguments.top}")
    known, so_far = _known(arguments)
    _, note = advice.chosen_bot(known.game, arguments.bot)
    display = _Display(arguments.top)
    try:
        analysis = advice.analyse(
            known,
            arguments.bot,
            grade=arguments.grade,
            iterations=arguments.iterations,
            seconds=arguments.time,
            threads=arguments.threads,
            seed=arguments.seed,
            top=arguments.top,
            sources=arguments.explain,
            so_far=so_far,
            progress=display.update,
        )
    except KeyboardInterrupt:
        if display.latest is not None:
            _print(display, display.latest, arguments, note)
        raise
    _print(display, analysis, arguments, note)
    return 0


def _known(
    arguments: argparse.Namespace,
) -> tuple[InformationSet, list[list[int]] | None]:
    """Return what is known, and for a record what brought the VP so far, if that is asked for."""
    source = read_source(arguments.position, arguments.record, arguments.ply)
    position, entry = source.position, source.entry
    print_note(position)
    if source.observer not in (None, position.player) and position.player is not None:
        raise TrajanError(
            f"{arguments.position}: player {position.player} decides, but the file says only what "
            f"player {source.observer} knows"
        )
    known = InformationSet(position, source.observer)
    if arguments.explain:
        source_names(known.game)
    if entry is None or not arguments.explain:
        return known, None
    moves = [position.game.move(action) for _, action in entry["actions"][: position.ply]]
    return known, booked_so_far(records.positions(entry), moves)


def _print(
    display: _Display, analysis: Analysis, arguments: argparse.Namespace, note: str | None
) -> None:
    if arguments.json:
        data = analysis.to_dict(arguments.top)
        print(json.dumps(data | ({} if note is None else {"note": note})))
        return
    display.clear()
    print(text(analysis, arguments.top, columns(sys.stdout, TEXT_WIDTH)))
    if note is not None:
        print(note)


class _Display:
    """The latest analysis, on a terminal's standard error as a table rewritten in place."""

    def __init__(self, top: int | None) -> None:
        self.top = top
        self.latest: Analysis | None = None
        self.next = 0.0
        self.shown = 0  # lines

    def update(self, analysis: Analysis) -> None:
        """Take an interim analysis."""
        self.latest = analysis
        now = time.monotonic()
        if not sys.stderr.isatty() or now < self.next:
            return
        self.next = now + REFRESH_SECONDS
        shown = text(analysis, self.top or 10, columns(sys.stderr, TEXT_WIDTH))
        self.clear()
        print(shown, file=sys.stderr, flush=True)
        self.shown = shown.count("\n") + 1

    def clear(self) -> None:
        """Take the interim table away."""
        if self.shown:
            print(f"\x1b[{self.shown}A\x1b[J", end="", file=sys.stderr, flush=True)
            self.shown = 0
