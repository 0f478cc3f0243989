"""The best moves of a position: the search behind `trajan_ai.search` and `trajan-ai suggest`."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trajan_ai.analysis.defaults import DEFAULT_BOT, PLAIN_BOT
from trajan_ai.bots import Bot, IsmctsBot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.files.yamlfile import Document, validate
from trajan_ai.mcts import Result, Settings
from trajan_ai.mcts import search as search_settings
from trajan_ai.mcts.driver import Progress
from trajan_ai.mcts.result import MoveResult

LEAST_CONTINUATION = 16  # columns; with fewer it is not shown
DEFAULT_SECONDS = 5.0  # where neither the call nor the bot limits a decision
LIMITS = ("iterations", "seconds_per_decision", "seconds_per_turn", "seconds_per_game")


def search(
    position: Position,
    bot: Bot | str | os.PathLike[str] | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    seed: int = 0,
    player: int | None = None,
    progress: Progress | None = None,
    timed: bool = False,
) -> Result:
    """Rank the moves of the player to decide, best first.

    `bot` (a built-in name, the path of a file, or a Bot) says how to search; it must be one that
    searches. The default is that of `chosen_bot`. `iterations` or `seconds` limit this decision
    and replace the bot's own limits; all of it is spent, also when the choice is settled, since
    the numbers go on getting better. With `player` the search knows what that player knows, by
    default the one to decide. `progress` gets interim results. Raises TrajanError on bad limits,
    a bot that does not search, or a finished game.
    """
    described, _ = chosen_bot(position.game, bot)
    settings, iterations, seconds = limited(described, iterations, seconds, threads)
    if position.player is None:
        raise TrajanError(f"{position.game.name}: the game is over, there is nothing to decide")
    return search_settings(
        position,
        settings,
        iterations=iterations,
        seconds=seconds,
        seed=seed,
        player=player,
        progress=progress,
        timed=timed,
    )


def chosen_bot(
    game: Game, bot: Bot | str | os.PathLike[str] | None = None
) -> tuple[Bot, str | None]:
    """Return the bot that is meant, and a line to tell where it stands in for the default one.

    Without a name that is `DEFAULT_BOT` or, for a game without the knowledge which that needs,
    `PLAIN_BOT`. Raises TrajanError on a bot that cannot be read.
    """
    if bot is not None:
        return (bot if isinstance(bot, Bot) else read_bot(bot)), None
    expert = read_bot(DEFAULT_BOT)
    lacking = settings_of(expert).lacking(game)
    if not lacking:
        return expert, None
    return read_bot(PLAIN_BOT), (
        f"{game.name} has no knowledge for {', '.join(lacking)}: "
        f"searched by {PLAIN_BOT} (plain search) in place of {DEFAULT_BOT}"
    )


def limited(
    bot: Bot | str | os.PathLike[str],
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
) -> tuple[Settings, int | None, float | None]:
    """Return how to search one decision: settings, iterations and seconds, as `search` does.

    Raises TrajanError on bad limits and on a bot that does not search.
    """
    settings = settings_of(bot)
    problems = []
    if iterations is not None and not 1 <= iterations < 2**31:
        problems.append(f"iterations must be 1 to {2**31 - 1}, got {iterations}")
    if seconds is not None and not 0 < seconds < float("inf"):
        problems.append(f"time must be above 0 seconds, got {seconds}")
    if threads is not None and not 1 <= threads <= 256:
        problems.append(f"threads must be 1 to 256, got {threads}")
    if problems:
        raise TrajanError(*problems)
    if iterations is None and seconds is None:
        iterations = settings.iterations
        seconds = settings.seconds_per_decision or settings.seconds_per_turn
        if iterations is None and seconds is None:
            seconds = DEFAULT_SECONDS
    if threads is not None:  # not every bot can use several
        changed = settings.model_dump(by_alias=True) | {"threads": threads}
        settings = validate(type(settings), Document("bot", changed, {}))
    return settings.model_copy(update={"early_stop": False}), iterations, seconds


def settings_of(bot: Bot | str | os.PathLike[str]) -> Settings:
    """Return the search settings of a bot; raises TrajanError if it does not search."""
    described = bot if isinstance(bot, Bot) else read_bot(bot)
    if not isinstance(described, IsmctsBot):
        raise TrajanError(
            f"bot {described.name}: of kind {getattr(described, 'kind', '?')}, which does not "
            "search; take one of kind ismcts or flat"
        )
    return described


def table(result: Result, top: int | None = None, width: int = TEXT_WIDTH) -> str:
    """Return a result as text: one line per move, best first, of at most `width` columns.

    What does not fit is left out: the continuation first, then the columns that matter least.
    """
    moves = result.moves[:top]
    label = min(max([*(len(move.action) for move in moves), len("action")]) + 1, 26)
    left = width - label
    columns = [column for column in _COLUMNS if (left := left - column.width) >= 0]
    used = label + sum(column.width for column in columns)
    continued = width - used >= LEAST_CONTINUATION
    heads = "".join(f"{column.head:>{column.width}}" for column in _ordered(columns))
    lines = [f"{'action':<{label}}{heads}" + ("  continuation" if continued else "")]
    for move in moves:
        cells = "".join(f"{column.cell(move):>{column.width}}" for column in _ordered(columns))
        line = f"{move.action[: label - 1]:<{label}}{cells}"
        if continued:
            line += f"  {_line(move.line)}"[: width - used]
        lines.append(line.rstrip())
    if top is not None and top < len(result.moves):
        lines.append(f"and {len(result.moves) - top} more")
    lines += ["", *textwrap.wrap(summary(result), width)]
    return "\n".join(lines)


def summary(result: Result) -> str:
    """Return one line about the work done."""
    rate = result.iterations / result.seconds if result.seconds else 0.0
    return (
        f"{result.game}, player {result.player}: {result.iterations:,} iterations in "
        f"{result.seconds:.2f} s ({rate:,.0f}/s), {result.nodes:,} nodes, "
        f"{result.memory_bytes / 2**20:.1f} MiB"
    )


@dataclass(frozen=True)
class _Column:
    """A column of the table of moves; `place` orders them from left to right."""

    head: str
    width: int
    place: int
    cell: Callable[[MoveResult], str]


# The columns that matter most first: the last ones go where the terminal is narrow.
_COLUMNS = (
    _Column("win", 8, 2, lambda move: _number(move.win, ".1%")),
    _Column("margin", 8, 5, lambda move: _number(move.margin, "+.1f")),
    _Column("± s.e.", 8, 3, lambda move: _number(move.win_error, ".1%")),
    _Column("visits", 10, 0, lambda move: f"{move.visits:,}"),
    _Column("VP", 8, 4, lambda move: _number(move.score, ".1f")),
    _Column("share", 8, 1, lambda move: f"{move.share:.1%}"),
    _Column("led", 7, 6, lambda move: f"{move.led:.0%}"),
)


def _ordered(columns: Sequence[_Column]) -> list[_Column]:
    return sorted(columns, key=lambda column: column.place)


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _line(line: tuple[tuple[int, str], ...], length: int = 4) -> str:
    return ", ".join(f"{player}: {action}" for player, action in line[1:length])


def to_json(result: Result, top: int | None = None) -> dict[str, Any]:
    """Return a result as plain data: what ``trajan-ai suggest --json`` prints of it."""
    data = result.to_dict()
    data["moves"] = data["moves"][:top]
    return data
