"""`trajan-ai position`: write a position file from a record, or a template to fill in."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from trajan_ai import positions, records
from trajan_ai.cli.common import position_of_record
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named

TEMPLATE_SEED = 0


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "position",
        help="write a position file: from a record, or a template to fill in; or check one",
        description="Writes what one player knows as a position file (see docs/positions.md): "
        "with a record as SOURCE the position at --ply, with the name of a game an opening to "
        "change by hand. With a position file as SOURCE it checks and shows it.",
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="FILE.jsonl, FILE.yaml, or a game's name for a template"
    )
    parser.add_argument("--record", type=int, default=1, metavar="N", help="record of the file")
    parser.add_argument("--ply", type=int, help="after so many actions (default: all)")
    parser.add_argument("--player", type=int, help="who knows it (default: who decides)")
    parser.add_argument("--players", type=int, default=2, help="of the template, 2 to 4")
    parser.add_argument("--out", metavar="FILE", help="write here (.json: JSON), not to stdout")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Write, or check and show."""
    if Path(arguments.source).suffix in (".yaml", ".yml", ".json"):
        position = positions.read(arguments.source)
        print(position.game.rules.draw(position, position.player))
        print(f"\nplayer {position.player} to decide: {', '.join(position.legal())}")
        return 0
    position = _source(arguments)
    player = position.player if arguments.player is None else arguments.player
    if player is None:
        raise TrajanError("the game is over there; give a --ply before the end, or a --player")
    data = positions.position_file(position, player)
    if arguments.out:
        positions.write(arguments.out, data)
    else:
        sys.stdout.write(positions.dumps(data))
    return 0


def _source(arguments: argparse.Namespace) -> Position:
    if arguments.source in GAMES:
        return game_named(arguments.source).start(arguments.players, seed=TEMPLATE_SEED)
    if not Path(arguments.source).suffix:
        game_named(arguments.source)
    return position_of_record(
        list(records.scan(arguments.source)), arguments.source, arguments.record, arguments.ply
    )
