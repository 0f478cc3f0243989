"""`trajan-ai replay`: replay and check records; show the board at a ply."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from trajan_ai import records
from trajan_ai.cli.common import check_observer, position_of_table, print_board
from trajan_ai.core.errors import TrajanError
from trajan_ai.records import following

Entry = records.Record | following.Table


def run(arguments: argparse.Namespace) -> int:
    """Replay the file; the status is 1 if a record cannot be read or does not verify."""
    failures = 0
    number = 0
    for number, (place, entry) in enumerate(_entries(arguments.file), start=1):
        if arguments.game not in (None, number):
            continue
        try:
            if isinstance(entry, TrajanError):
                raise entry
            if arguments.ply is not None:
                _show(entry, arguments)
            else:
                print(f"{place}: {_replayed(entry, place, arguments.verify)}")
        except TrajanError as error:
            wrong = error.within(place)
            if arguments.ply is not None:  # one position was asked for, and there is none
                raise wrong from None
            failures += 1
            print("\n".join(wrong.messages), file=sys.stderr)
    if arguments.game is not None and not 1 <= arguments.game <= number:
        raise TrajanError(
            f"{arguments.file}: no record number {arguments.game}, the file has 1 to {number}"
        )
    return 1 if failures else 0


def _entries(file: str) -> Iterator[tuple[str, Entry | TrajanError]]:
    """Yield every record with its place, and the error of a line that cannot be read.

    Raises TrajanError if the file has no record at all: it is not a file of records.
    """
    unreadable: list[tuple[str, TrajanError]] = []
    some = False
    for place, entry in following.scan_all(file):
        if isinstance(entry, TrajanError) and not some:
            unreadable.append((place, entry))
            continue
        if not some:
            yield from unreadable
        some = True
        yield place, entry
    if unreadable and not some:
        place, error = unreadable[0]
        raise error.within(place)
    if not some:
        raise TrajanError(f"{file}: no record in the file")


def _replayed(entry: Entry, place: str, verify: bool) -> str:
    """Return the line that tells how the record ended and, if asked for, what was compared."""
    if isinstance(entry, following.Table):
        position = entry.position
        count = len(entry.moves)
        moves = "1 move and what it" if count == 1 else f"{count} moves and what they"
        start = f"verified, {moves} showed player {entry.observer}"
    elif verify:
        verdict = records.verify(entry)
        for warning in verdict.warnings:
            print(f"{place}: warning: {warning}", file=sys.stderr)
        position = verdict.position
        compared = " and ".join(verdict.compared)
        told = f"{compared} compared" if compared else "nothing to compare with"
        start = f"verified, {position.ply} decisions, {told}"
    else:
        position = records.replay(entry)
        start = f"replayed, {position.ply} decisions"
    if position.player is None:
        return f"{start}, scores {position.scores} ranks {position.ranks}"
    return f"{start}, unfinished, player {position.player} to decide"


def _show(entry: Entry, arguments: argparse.Namespace) -> None:
    player = arguments.player
    if isinstance(entry, following.Table):
        position = position_of_table(entry, arguments.ply).position
        player = entry.observer if player is None else player
        check_observer("--player", player, entry.observer)
    else:
        position = records.replay(entry, arguments.ply)
    if player is not None and not 0 <= player < position.players:
        raise TrajanError(f"--player must be 0 to {position.players - 1}, got {player}")
    print_board(position, player)
    if position.player is None:
        return
    legal = position.legal()
    if isinstance(entry, following.Table):
        legal = following.follow(position, entry.observer).legal()
    print(f"\nplayer {position.player} to decide: {', '.join(legal) or 'in secret'}")
