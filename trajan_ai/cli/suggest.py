"""`trajan-ai suggest`: rank the moves of the player to decide."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from tqdm import tqdm

from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.analysis.decision.wording import text
from trajan_ai.cli.common import print_note, read_source
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.games.drawing.text_layout import columns

REFRESH_SECONDS = 0.5


def run(arguments: argparse.Namespace) -> int:
    """Analyse a decision and print the result; after Ctrl-C, the interim result."""
    if arguments.top is not None and arguments.top < 1:
        raise TrajanError(f"--top must be at least 1, got {arguments.top}")
    source = read_source(arguments.position, arguments)
    print_note(source.position)
    try:
        information = source.information_set()
    except TrajanError as error:
        raise error.within(arguments.position) from None
    advisor = advice.prepare(information.game, arguments.bot, threads=arguments.threads)
    analysing = advisor.begin(
        information,
        grade=arguments.grade,
        iterations=arguments.iterations,
        seconds=arguments.time,
        redeals=arguments.redeals,
        seed=arguments.seed,
        top=arguments.top,
        sources=arguments.explain,
    )
    display: _Display | _RolloutBar = _Display(arguments.top)
    if analysing.grade == "rollout":
        display = _RolloutBar(analysing.redeals)
    try:
        analysis = advice.complete(analysing, display.update)
    except KeyboardInterrupt:
        if display.latest is not None:
            _print(display, display.latest, arguments, advisor.note)
        raise
    _print(display, analysis, arguments, advisor.note)
    return 0


def _print(
    display: _Display | _RolloutBar,
    analysis: Analysis,
    arguments: argparse.Namespace,
    note: str | None,
) -> None:
    display.clear()
    if arguments.json:
        data = analysis.to_dict(arguments.top)
        print(json.dumps(data | ({} if note is None else {"note": note})))
        return
    print(text(analysis, arguments.top, columns(sys.stdout, TEXT_WIDTH)))
    if note is not None:
        print(note)


class _Display:
    """The latest analysis, as a table on standard error that is rewritten in place."""

    def __init__(self, top: int | None) -> None:
        self.top = top
        self.latest: Analysis | None = None
        self.next = 0.0
        self.lines = 0  # lines of the table on the terminal

    def update(self, analysis: Analysis) -> None:
        """Show an interim analysis."""
        self.latest = analysis
        now = time.monotonic()
        if not sys.stderr.isatty() or now < self.next:
            return
        self.next = now + REFRESH_SECONDS
        table = text(analysis, self.top or 10, columns(sys.stderr, TEXT_WIDTH))
        self.clear()
        print(table, file=sys.stderr, flush=True)
        self.lines = table.count("\n") + 1

    def clear(self) -> None:
        """Clear the interim table."""
        if self.lines:
            print(f"\x1b[{self.lines}A\x1b[J", end="", file=sys.stderr, flush=True)
            self.lines = 0


class _RolloutBar:
    """The latest analysis, and a progress bar on standard error if that is a terminal."""

    def __init__(self, redeals: int | None) -> None:
        self.redeals = redeals
        self.latest: Analysis | None = None
        self.bar: tqdm[Any] | None = None

    def update(self, analysis: Analysis) -> None:
        """Show the number of redeals, and by how much the best move leads."""
        self.latest = analysis
        if self.bar is None:
            self.bar = tqdm(
                desc="rollout", total=self.redeals, unit=" redeals", leave=False, disable=None,
                mininterval=0.0,
            )  # fmt: skip
        self.bar.set_postfix_str(_lead(analysis), refresh=False)
        self.bar.update(analysis.redeals - self.bar.n)

    def clear(self) -> None:
        """Remove the bar."""
        if self.bar is not None:
            self.bar.close()


def _lead(analysis: Analysis) -> str:
    """Return the lead of the best move over the next one that was rolled out."""
    second = next((move for move in analysis.moves[1:] if move.grade == "rollout"), None)
    if second is None or second.gain is None:
        return ""
    best = analysis.best.action
    return f"{best}: {-second.gain.mean:.1f} ± {second.gain.error:.1f} VP ahead"
