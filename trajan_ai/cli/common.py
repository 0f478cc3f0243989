"""What several subcommands share: values of options, a position and its board, progress lines."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trajan_ai import records
from trajan_ai.core import yamlfile
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.platform import usable_cores
from trajan_ai.core.rules import TEXT_WIDTH, note_on
from trajan_ai.games.drawing.text_layout import columns, wants_colour
from trajan_ai.records import following, position_files

POSITION_FILES = (".yaml", ".yml", ".json")


@contextmanager
def page_needs() -> Iterator[None]:
    """Import the page's modules in here: a package that lacks is told with the extra for it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package == "trajan_ai":
            raise
        raise TrajanError(
            f"the page needs the package {package}: pip install 'trajan-ai[page]'"
        ) from None


def parse_options(texts: Sequence[str]) -> dict[str, Any]:
    """Return options by name from ``NAME=VALUE``; raises TrajanError with all problems."""
    parted = [text.partition("=") for text in texts]
    wrong = [f"--option is NAME=VALUE, got {name!r}" for name, equals, _ in parted if not equals]
    if wrong:
        raise TrajanError(*wrong)
    return yamlfile.option_values({name: value for name, _, value in parted})


def jobs_of(arguments: argparse.Namespace, planned: int | None = None) -> int:
    """Return how many processes work: as the command says, else its plan, else one per core."""
    if arguments.jobs is not None and arguments.jobs < 1:
        raise TrajanError(f"--jobs must be at least 1, got {arguments.jobs}")
    return int(arguments.jobs or planned or usable_cores())


@dataclass(frozen=True)
class Source:
    """A position that a command is given, and what its file says besides.

    ``observer`` is whose knowledge it is, None where everything is known; ``last`` the move that
    led to it and ``entry`` the record it is from, None where there is none.
    """

    position: Position
    observer: int | None = None
    last: tuple[int, str] | None = None
    entry: records.Record | None = None


def read_source(file: str, number: int, ply: int | None) -> Source:
    """Return the position of a position file, or of the `number`-th game of a file of games.

    Of a game it is the position after `ply` of its moves, or after all. Raises TrajanError if
    there is none such.
    """
    if is_position_file(file):
        if ply is not None:
            raise TrajanError("--ply goes with a file of records, not with a position file")
        document = yamlfile.read_yaml(file)
        return Source(position_files.of_document(document), document.data.get("observer"))
    place, entry = _game_of(file, number)
    try:
        if isinstance(entry, following.Table):
            return position_of_table(entry, ply)
        position = records.replay(entry, ply)
    except TrajanError as error:
        raise error.within(place) from None
    done = entry["actions"][: position.ply]
    last = (int(done[-1][0]), str(done[-1][1])) if done else None
    return Source(position, None, last, entry)


def check_observer(option: str, asked: int | None, observer: int | None) -> None:
    """Raise TrajanError if more is asked for than the one player knows whose file it is."""
    if observer not in (None, asked):
        raise TrajanError(
            f"{option} must be {observer}: the file says only what that player knows"
        )


def is_position_file(file: str) -> bool:
    """Whether a file is meant as a position file, by its name and the format it states."""
    return Path(file).suffix in POSITION_FILES and not is_witnessed_file(file)


def is_witnessed_file(file: str) -> bool:
    """Whether a file holds one followed game."""
    try:
        return Path(file).suffix == ".json" and following.is_witnessed(
            json.loads(Path(file).read_text(encoding="utf-8"))
        )
    except (OSError, ValueError, RecursionError):
        return False


def _game_of(file: str, number: int) -> tuple[str, records.Record | following.Table]:
    if is_witnessed_file(file) and number == 1:
        return file, following.load(file)
    count = 0
    for count, (place, entry) in enumerate(following.scan(file), start=1):
        if count == number:
            return place, entry
    raise TrajanError(f"{file}: has {count} records, there is no number {number}")


def position_of_table(table: following.Table, ply: int | None) -> Source:
    """Return the position of a followed game after `ply` of its moves."""
    count = len(table.moves)
    at = count if ply is None else ply
    if not 0 <= at <= count:
        raise TrajanError(f"ply must be 0 to {count}, got {ply}")
    move = table.moves[at - 1] if at else None
    last = None if move is None or move.action is None else (move.player, move.action)
    return Source(table.positions[at], table.observer, last)


def print_note(position: Position) -> None:
    """Print to standard error what a player should know of the game as it is here."""
    rules = position.game.rules
    note = note_on(rules, rules.view(position, None))
    if note is not None:
        print(note, file=sys.stderr)


def print_board(position: Position, player: int | None) -> None:
    """Print the board as text, in the width and colours of the terminal there is."""
    width, colour = columns(sys.stdout, TEXT_WIDTH), wants_colour(sys.stdout)
    print(position.game.rules.draw(position, player, width=width, colour=colour))


class StatusLine:
    """One line on standard error that is rewritten in place; silent where that is no terminal."""

    def __init__(self) -> None:
        self.on = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replace the line by `text`; an empty text clears it."""
        if self.on:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
