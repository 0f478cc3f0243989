"""`trajan-ai replay`: replay and verify records; show the board at a ply."""

import argparse
import sys
from collections.abc import Iterator

from trajan_ai import records
from trajan_ai.cli.common import check_observer, event_line, print_board, print_decision
from trajan_ai.core.errors import TrajanError, check_seat, printable
from trajan_ai.records import position_sources
from trajan_ai.records.following import FollowedGame, RecordedGame
from trajan_ai.records.position_sources import PositionSource

# If a file contains no records and at most this number of unreadable lines, a single error rejects
# the whole file. A file with more such lines counts as damaged, and each of them is reported.
MAX_UNREADABLE = 100


def run(arguments: argparse.Namespace) -> int:
    """Replay the file; the status is 1 if a record cannot be read or does not verify."""
    if arguments.player is not None and arguments.ply is None:
        raise TrajanError(
            "--player requires --ply N, because only boards are shown from a player's view"
        )
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
                print(f"{printable(place)}: {_replay(entry, place, arguments.verify)}")
        except TrajanError as error:
            wrong = error.within(place)
            if arguments.ply is not None:  # without this position, nothing can be printed
                raise wrong from None
            failures += 1
            print("\n".join(wrong.messages), file=sys.stderr)
    if arguments.game is not None and not 1 <= arguments.game <= number:
        raise TrajanError(
            f"{arguments.file}: there is no record {arguments.game}; "
            f"the file contains records 1 to {number}"
        )
    return 1 if failures else 0


def _entries(file: str) -> Iterator[tuple[str, RecordedGame | TrajanError]]:
    """Yield every record, or the error for a line that cannot be read, each with its place.

    Raises TrajanError if the file contains no record and at most MAX_UNREADABLE other lines.
    """
    unreadable: list[tuple[str, TrajanError]] = []  # kept until the first record is found
    some = False
    for place, entry in position_sources.scan_games(file):
        if isinstance(entry, TrajanError) and not some and len(unreadable) < MAX_UNREADABLE:
            unreadable.append((place, entry))
            continue
        if not some:
            yield from unreadable
        some = True
        yield place, entry
    if unreadable and not some:
        place, error = unreadable[0]
        raise error.within(place)


def _replay(entry: RecordedGame, place: str, verify: bool) -> str:
    """Return a line about the result of the record and, with `verify`, about what was compared."""
    if isinstance(entry, FollowedGame):
        position = entry.position
        count = len(entry.moves)
        moves = "1 move" if count == 1 else f"{count} moves"
        start = f"verified, {moves} as player {entry.observer} saw them"
    elif verify:
        verdict = records.verify(entry)
        for warning in verdict.warnings:
            print(printable(f"{place}: warning: {warning}"), file=sys.stderr)
        position = verdict.position
        *first, last = verdict.compared or ("nothing",)
        compared = f"{', '.join(first)} and {last}" if first else last
        result = f"{compared} compared"
        start = f"verified, {position.ply} decisions, {result}"
    else:
        position = records.replay(entry)
        start = f"replayed, {position.ply} decisions"
    if position.player is None:
        return f"{start}, scores {position.scores} ranks {position.ranks}"
    return f"{start}, unfinished, player {position.player} to decide"


def _show(entry: RecordedGame, arguments: argparse.Namespace) -> None:
    source = position_sources.source_of(entry, arguments.ply)
    position = source.position
    player = source.observer if arguments.player is None else arguments.player
    check_observer("--player", player, source.observer)
    if player is not None:
        check_seat(player, position.players, "--player")
    print_board(position, player)
    _print_last(source, player)
    print_decision(position, player)


def _print_last(source: PositionSource, player: int | None) -> None:
    """Print what happened in the move before a position, as a player sees it."""
    events = source.list_events(player)
    if events:
        print("\nin the last move:")
    for event in events:
        print(f"  {event_line(source.position.game.rules, event)}")
