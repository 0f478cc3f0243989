"""`trajan-ai board`: draw a position, as text, SVG or PNG."""

import argparse
from pathlib import Path

from trajan_ai.analysis.decision import advice
from trajan_ai.cli.arguments import OPEN, SUGGESTIONS
from trajan_ai.cli.common import check_observer, print_board, print_note, read_source
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.rules import needed
from trajan_ai.core.rules_drawing import HasPicture
from trajan_ai.games.drawing.png import png

MIN_PIXELS, MAX_PIXELS = 100, 10_000


def run(arguments: argparse.Namespace) -> int:
    """Print a position as text, or draw it in a file."""
    if arguments.out and Path(arguments.out).suffix not in (".svg", ".png"):
        raise TrajanError(f"--out must end in .svg or .png, got {arguments.out!r}")
    if not MIN_PIXELS <= arguments.width <= MAX_PIXELS:
        raise TrajanError(
            f"--width must be {MIN_PIXELS} to {MAX_PIXELS} pixels, got {arguments.width}"
        )
    source = read_source(arguments.position, arguments)
    position = source.position
    print_note(position)
    player = _viewer(arguments.view, position, source.observer)
    suggested = _suggested(arguments.suggest, position, player)
    if not arguments.out:
        print_board(position, player)
        if suggested:
            print(f"\nplayer {position.player}, best first: {', '.join(suggested)}")
        return 0
    rules = position.game.rules
    drawing = needed(position.game, HasPicture).picture(
        rules.view(position, player), last=source.last, suggested=suggested, width=arguments.width
    )
    _write(arguments.out, drawing, arguments.width)
    return 0


def _write(file: str, drawing: str, width: int) -> None:
    data = png(drawing, width) if file.endswith(".png") else f"{drawing}\n".encode()
    Path(file).write_bytes(data)


def _viewer(view: str | None, position: Position, observer: int | None) -> int | None:
    """Return the player whose view is drawn, or None if everything is drawn."""
    if view is None:
        return position.player if observer is None else observer
    if view == OPEN:
        player = None
    elif view.isdecimal() and int(view) < position.players:
        player = int(view)
    else:
        raise TrajanError(f"--view must be 0 to {position.players - 1} or {OPEN}, got {view!r}")
    check_observer("--view", player, observer)
    return player


def _suggested(seconds: float | None, position: Position, player: int | None) -> list[str]:
    if seconds is None:
        return []
    if position.player is not None and player not in (None, position.player):
        raise TrajanError(
            f"--suggest requires the view of player {position.player}, who is to decide, because "
            "suggestions depend on that player's hidden cards"
        )
    analysis = advice.search(position, seconds=seconds)
    return [move.action for move in analysis.moves[:SUGGESTIONS]]
