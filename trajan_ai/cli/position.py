"""`trajan-ai position`: write a position file from a record, or a template to fill in."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trajan_ai.cli.common import (
    Source,
    check_observer,
    is_position_file,
    parse_options,
    print_board,
    print_note,
    read_source,
)
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.records import position_files

TEMPLATE_SEED = 0


def run(arguments: argparse.Namespace) -> int:
    """Write, or check and show."""
    source = _source(arguments)
    position = source.position
    print_note(position)
    if is_position_file(arguments.source):
        print_board(position, position.player)
        print(f"\nplayer {position.player} to decide: {', '.join(position.legal())}")
        return 0
    player = _player(arguments.player, source)
    data = position_files.position_file(position, player)
    if arguments.out:
        position_files.write(arguments.out, data)
    else:
        sys.stdout.write(position_files.dumps(data))
    return 0


def _player(asked: int | None, source: Source) -> int:
    usual = source.position.player if source.observer is None else source.observer
    player = usual if asked is None else asked
    check_observer("--player", player, source.observer)
    if player is None:
        raise TrajanError("the game is over there; give a --ply before the end, or a --player")
    return player


def _source(arguments: argparse.Namespace) -> Source:
    if arguments.source in GAMES:
        options = parse_options(arguments.option)
        game = game_named(arguments.source)
        return Source(game.start(arguments.players, TEMPLATE_SEED, **options))
    if not Path(arguments.source).suffix:
        game_named(arguments.source)
    return read_source(arguments.source, arguments.record, arguments.ply)
