"""What several subcommands share: picking a position, progress lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position


def position_of_record(
    entries: Sequence[records.Record], place: str, number: int, ply: int | None
) -> Position:
    """Return the position of the `number`-th record (from 1) after `ply` actions, or all."""
    if not 1 <= number <= len(entries):
        raise TrajanError(f"{place}: has {len(entries)} records, there is no number {number}")
    try:
        return records.replay(entries[number - 1], ply)
    except TrajanError as error:
        raise TrajanError(f"{place}:{number}: {error}") from None


class StatusLine:
    """One line on standard error that is rewritten in place; silent where that is no terminal."""

    def __init__(self) -> None:
        self.on = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replace the line by `text`; an empty text clears it."""
        if self.on:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
