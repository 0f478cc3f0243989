"""`trajan-ai position`: write a position file from a record or as a template, or check one."""

import argparse
import sys
from pathlib import Path

from trajan_ai.cli.common import (
    check_observer,
    parse_options,
    print_board,
    print_decision,
    print_note,
    read_source,
)
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.records import position_files
from trajan_ai.records.position_sources import PositionSource

TEMPLATE_SEED = 0


def run(arguments: argparse.Namespace) -> int:
    """Write a position file, or check and show one."""
    is_template = arguments.source in GAMES
    source = _template(arguments) if is_template else _read(arguments)
    position = source.position
    print_note(position)
    if not is_template and source.record is None:
        print_board(position, source.observer)
        print_decision(position, source.observer)
        return 0
    player = _player(arguments.player, source)
    data = position_files.position_file(position, player)
    if arguments.out:
        position_files.write(arguments.out, data)
    else:
        sys.stdout.write(position_files.dumps(data))
    return 0


def _player(option: int | None, source: PositionSource) -> int:
    usual = source.position.player if source.observer is None else source.observer
    player = usual if option is None else option
    check_observer("--player", player, source.observer)
    if player is None:
        raise TrajanError("the game is over at this ply; give an earlier --ply, or a --player")
    return player


def _template(arguments: argparse.Namespace) -> PositionSource:
    game, options = game_named(arguments.source), parse_options(arguments.option)
    return PositionSource(game.start(arguments.players, TEMPLATE_SEED, **options))


def _read(arguments: argparse.Namespace) -> PositionSource:
    if not Path(arguments.source).suffix and not Path(arguments.source).exists():
        # raises TrajanError, because the source is neither a file nor a game
        game_named(arguments.source)
    return read_source(arguments.source, arguments)
