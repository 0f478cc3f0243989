"""Helpers for several subcommands: option values, positions in files, boards and progress."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trajan_ai.core import yamlfile
from trajan_ai.core.errors import TrajanError, printable
from trajan_ai.core.events import Event
from trajan_ai.core.game import Position
from trajan_ai.core.platform import usable_cores
from trajan_ai.core.rules import TEXT_WIDTH, Rules, offered
from trajan_ai.core.rules_following import HasFollowing
from trajan_ai.core.rules_words import note_on, word_event_with_vp
from trajan_ai.games.drawing.text_layout import columns, wants_colour
from trajan_ai.records import following, position_sources
from trajan_ai.records.position_sources import PositionSource

RESULTS_FOLDER = Path("results")  # parent of the folders of runs without --out


@contextmanager
def page_needs() -> Iterator[None]:
    """If a package for the page is missing, raise an error that shows how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        if package == "trajan_ai":
            raise
        raise TrajanError(
            f"the page needs the package {package}; install it with pip install 'trajan-ai[page]'"
        ) from None


@contextmanager
def resumable() -> Iterator[None]:
    """If the user interrupts a run with Ctrl-C, print how to resume it."""
    try:
        yield
    except KeyboardInterrupt:
        StatusLine().show("")
        print("interrupted; to resume, repeat the command", file=sys.stderr)
        raise


def parse_options(texts: Sequence[str]) -> dict[str, Any]:
    """Return options by name from ``NAME=VALUE``; raise TrajanError, which lists all problems."""
    parted = [text.partition("=") for text in texts]
    wrong = [
        f"--option must be NAME=VALUE, got {name!r}" for name, equals, _ in parted if not equals
    ]
    if wrong:
        raise TrajanError(*wrong)
    return yamlfile.option_values({name: value for name, _, value in parted})


def jobs_of(arguments: argparse.Namespace, planned: int | None = None) -> int:
    """Return the number of processes set by the command line or the plan, or one per core."""
    if arguments.jobs is not None and arguments.jobs < 1:
        raise TrajanError(f"--jobs must be at least 1, got {arguments.jobs}")
    return int(arguments.jobs or planned or usable_cores())


def read_source(file: str, arguments: argparse.Namespace) -> PositionSource:
    """Return the position in a file that ``--record`` and ``--ply`` select."""
    return position_sources.read(file, number=arguments.record, ply=arguments.ply)


def check_observer(option: str, player: int | None, observer: int | None) -> None:
    """Raise TrajanError if a file contains the knowledge of a player other than `player`."""
    if observer not in (None, player):
        raise TrajanError(
            f"{option} must be {observer}: the file contains only what that player knows"
        )


def print_note(position: Position) -> None:
    """Print to standard error what a player should know about the components of the game."""
    rules = position.game.rules
    note = note_on(rules, rules.view(position, None))
    if note is not None:
        print(note, file=sys.stderr)


def event_line(rules: Rules, event: Event) -> str:
    """Return an event as text, such as ``player 1: misses 2 demands: -9 VP``."""
    words = word_event_with_vp(rules, event)
    return words if event.player is None else f"player {event.player}: {words}"


def print_board(position: Position, player: int | None) -> None:
    """Print the board as text, with the width and colours of the terminal."""
    width, colour = columns(sys.stdout, TEXT_WIDTH), wants_colour(sys.stdout)
    print(position.game.rules.draw(position, player, width=width, colour=colour))


def print_decision(position: Position, player: int | None) -> None:
    """Unless the game is over, print who decides and the moves as far as `player` knows them."""
    if position.player is None:
        return
    who = f"\nplayer {position.player} to decide"
    if player in (None, position.player):
        legal = position.legal()
    elif offered(position.game.rules, HasFollowing) is None:
        print(who)
        return
    else:
        legal = following.follow(position, player).legal()
    print(f"{who}: {', '.join(legal) or 'in secret'}")


class StatusLine:
    """One line on standard error that is rewritten in place; silent without a terminal."""

    def __init__(self) -> None:
        self.is_on = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replace the line with `text`; an empty text clears it."""
        if self.is_on:
            print(f"\r\x1b[K{printable(text)}", end="", file=sys.stderr, flush=True)
