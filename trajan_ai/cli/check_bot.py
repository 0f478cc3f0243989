"""`trajan-ai check-bot`: find errors in a bot, and measure its speed."""

import argparse
import json
import textwrap
from typing import Any

from trajan_ai.bots import Bot, UserBot, game_loop, read_bot
from trajan_ai.cli.common import StatusLine
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.table_text import TABLE_WIDTH, text_table
from trajan_ai.games.registry import BUILT_IN
from trajan_ai.tournaments import checking, game_task
from trajan_ai.tournaments.checking import GameReport

# The meaning of each kind of failure.
MEANING = {
    "raised": "it raised an error",
    "illegal": "its answer is invalid",
    "hung": "it did not answer",
    "late": "it took too long",
    "died": "its process died",
}


def run(arguments: argparse.Namespace) -> int:
    """Check the bot; the status is 1 if it failed."""
    for name in ("games", "patience"):
        if not getattr(arguments, name) > 0:
            raise TrajanError(f"--{name} must be above 0, got {getattr(arguments, name)}")
    bot = read_bot(arguments.bot)
    games = arguments.game or list(BUILT_IN)
    for game in games:
        game_loop.find_game(game)
    status = StatusLine()
    trial = checking.Trial(bot, read_bot("random"), arguments.games, arguments.patience)
    reports = list(checking.check(trial, games, status.show))
    status.show("")
    if all(report.unfit for report in reports):
        raise TrajanError(*dict.fromkeys(reason for r in reports for reason in r.unfit))
    ok = not any(report.failure for report in reports)
    data = {"bot": bot.name, "ok": ok, "games": [_data(report) for report in reports]}
    print(json.dumps(data, ensure_ascii=False) if arguments.json else _text(bot, reports))
    return 0 if ok else 1


def _data(report: GameReport) -> dict[str, Any]:
    failure = report.failure
    return {
        "game": report.game,
        "games": report.games,
        "decisions": report.decisions,
        "decisions_per_second": _rate(report),
        "seconds_per_turn": round(report.seconds / report.turns, 6) if report.turns else None,
        "longest_turn": round(report.longest, 6),
        "repeats": report.repeats,
        "remembers": report.remembers,
        "unfit": list(report.unfit),
        "failure": None
        if failure is None
        else {
            "kind": failure.kind,
            "message": failure.message,
            "details": failure.details,
            "players": report.players,
            "seat": report.seat,
            "ply": failure.ply,
        },
    }


def _text(bot: Bot, reports: list[GameReport]) -> str:
    heads = ["", "games", "decisions", "per second", "s/turn", "longest"]
    rows = [_row(report) for report in reports if not report.unfit]
    lines = [f"{bot.name} ({bot.resolved()['kind']})", "", text_table(heads, rows)]
    for report in reports:
        if report.unfit:
            lines.append(f"{report.game} cannot be played:")
            lines += [f"    {reason}" for reason in report.unfit]
    messages: set[str] = set()
    for report in reports:
        lines += _format_failure(report, messages)
    notes = ["", *_make_notes(bot, reports)]
    lines += [line for note in notes for line in textwrap.wrap(note, TABLE_WIDTH) or [""]]
    return "\n".join(lines)


def _row(report: GameReport) -> list[str]:
    rate = _rate(report)
    per_turn = report.seconds / report.turns if report.turns else 0.0
    counts = [report.game, str(report.games), str(report.decisions)]
    speed = "–" if rate is None else f"{rate:,.0f}"
    return [*counts, speed, f"{per_turn:.4f}", f"{report.longest:.4f}"]


def _format_failure(report: GameReport, messages: set[str]) -> list[str]:
    """Return the failure as lines, without details if `messages` contains its message."""
    failure = report.failure
    if failure is None:
        return []
    details = [] if failure.message in messages else failure.details.splitlines()
    messages.add(failure.message)
    meaning = MEANING.get(failure.kind, "it failed")
    return [
        "",
        f"{report.game}, game {report.games}, {report.players} players, at seat {report.seat}, "
        f"after {failure.ply} decisions:",
        *textwrap.wrap(f"{meaning}: {failure.message}", TABLE_WIDTH),
        *(f"    {line}" for line in details),
    ]


def _make_notes(bot: Bot, reports: list[GameReport]) -> list[str]:
    notes = []
    if any(report.repeats is False for report in reports):
        notes.append(
            "the bot made different choices with the same seeds: derive all its random choices "
            "from the seeds that it receives, so that games are repeatable"
        )
    elif game_task.get_time_limit(bot) and not any(report.failure for report in reports):
        notes.append(
            "the bot's time is limited, so it was not checked whether the bot repeats its games"
        )
    elif any(report.repeats for report in reports):
        notes.append("with the same seeds, the bot repeats its games exactly")
    if any(report.remembers for report in reports):
        notes.append(
            "the bot made different choices after another game in the same process; in a "
            "tournament, every game has a new process, so data kept in classes and modules is lost"
        )
    if isinstance(bot, UserBot) and bot.seconds_per_turn is None:
        notes.append(
            "the bot sets no seconds_per_turn, so in a tournament only `patience` limits its time"
        )
    if any(report.failure for report in reports):
        notes.append("failed: fix the error, then run the same command again")
    else:
        notes.append("no errors")
    return notes


def _rate(report: GameReport) -> float | None:
    """Return the number of decisions per second of the bot's time."""
    return round(report.decisions / report.seconds, 1) if report.seconds > 0 else None
