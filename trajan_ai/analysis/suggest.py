"""The best moves of a position: the search behind `trajan_ai.search` and `trajan-ai suggest`."""

from __future__ import annotations

import os
from typing import Any

from trajan_ai.bots import Bot, IsmctsBot, read_bot
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.search import Result, Settings
from trajan_ai.search import search as search_settings
from trajan_ai.search.driver import Progress

DEFAULT_BOT = "expert"
DEFAULT_SECONDS = 5.0  # where neither the call nor the bot limits a decision
LIMITS = ("iterations", "seconds_per_decision", "seconds_per_turn", "seconds_per_game")


def search(
    position: Position,
    bot: Bot | str | os.PathLike[str] = DEFAULT_BOT,
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
    searches. `iterations` or `seconds` limit this decision and replace the bot's own limits; all
    of it is spent, also when the choice is settled, since the numbers go on getting better. With
    `player` the search knows what that player knows, by default the one to decide. `progress`
    gets interim results. Raises TrajanError on bad limits, a bot that does not search, or a
    finished game.
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
    if position.player is None:
        raise TrajanError(f"{position.game.name}: the game is over, there is nothing to decide")
    if iterations is None and seconds is None:
        iterations = settings.iterations
        seconds = settings.seconds_per_decision or settings.seconds_per_turn
        if iterations is None and seconds is None:
            seconds = DEFAULT_SECONDS
    changes: dict[str, Any] = {"early_stop": False}
    if threads is not None:
        changes["threads"] = threads
    settings = settings.model_copy(update=changes)
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


def settings_of(bot: Bot | str | os.PathLike[str]) -> Settings:
    """Return the search settings of a bot; raises TrajanError if it does not search."""
    described = bot if isinstance(bot, Bot) else read_bot(bot)
    if not isinstance(described, IsmctsBot):
        raise TrajanError(
            f"bot {described.name}: of kind {getattr(described, 'kind', '?')}, which does not "
            "search; take one of kind ismcts or flat"
        )
    return described


def table(result: Result, top: int | None = None) -> str:
    """Return a result as text for a terminal: a line a move, best first."""
    lines = [
        f"{'action':<26}{'visits':>9}{'share':>8}{'win':>8}{'± s.e.':>8}{'VP':>8}{'margin':>8}"
        f"{'led':>7}  continuation"
    ]
    for move in result.moves[:top]:
        lines.append(
            f"{move.action:<26}{move.visits:>9,}{move.share:>8.1%}"
            f"{_number(move.win, '>8.1%')}{_number(move.win_error, '>8.1%')}"
            f"{_number(move.score, '>8.1f')}{_number(move.margin, '>+8.1f')}"
            f"{move.led:>7.0%}  {_line(move.line)}".rstrip()
        )
    if top is not None and top < len(result.moves):
        lines.append(f"and {len(result.moves) - top} more")
    lines.append("")
    lines.append(summary(result))
    return "\n".join(lines)


def summary(result: Result) -> str:
    """Return one line about the work done."""
    rate = result.iterations / result.seconds if result.seconds else 0.0
    return (
        f"{result.game}, player {result.player}: {result.iterations:,} iterations in "
        f"{result.seconds:.2f} s ({rate:,.0f}/s), {result.nodes:,} nodes, "
        f"{result.memory_bytes / 2**20:.1f} MiB"
    )


def _number(value: float | None, form: str) -> str:
    return f"{'-':>8}" if value is None else format(value, form)


def _line(line: tuple[tuple[int, str], ...], length: int = 4) -> str:
    return ", ".join(f"{player}: {action}" for player, action in line[1:length])


def to_json(result: Result, top: int | None = None) -> dict[str, Any]:
    """Return the object that ``trajan-ai suggest --json`` prints."""
    data = result.to_dict()
    data["moves"] = data["moves"][:top]
    return data
