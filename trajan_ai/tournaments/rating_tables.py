"""Ratings and comparisons as text for a terminal of 80 columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from trajan_ai.tournaments.comparison import BotComparison, Difference
from trajan_ai.tournaments.pool import TestState
from trajan_ai.tournaments.summary import Standing, Summary, round_value

WIDTH = 80
NARROWEST_NAME = 7


HEAD = ("rank", "bot", "Elo", "95 % interval", "games", "wins", "VP", "margin ±", "LOS", "s/turn")
SPARED = ("s/turn", "LOS")  # every export and the report has them
FAILED = "failed"


def format_full_table(summary: Summary) -> str:
    """Return the rating of all games, then of each number of players apart, and the legend."""
    parts = [format_standings(summary.standings)]
    parts += [
        f"{players} players\n{format_standings(standings)}"
        for players, standings in summary.by_players
    ]
    return "\n\n".join(parts) + "\n" + format_legend(summary.standings)


def format_standings(standings: Sequence[Standing]) -> str:
    """Return the rating table, units in the header; long names are cut in their middle.

    Where its numbers are too wide for the line, the columns of SPARED are left out, as needed.
    """
    heads = [*HEAD, FAILED] if any(row.failures for row in standings) else [*HEAD]
    for spared in (None, *SPARED):
        heads = [head for head in heads if head != spared]
        text = _aligned([heads, *format_cells(standings, heads)])
        if max(map(len, text.splitlines())) <= WIDTH:
            break
    return text


def format_cells(standings: Sequence[Standing], heads: Sequence[str]) -> list[list[str]]:
    """Return what stands below some heads of the rating table, here and in the report."""
    return [[_CELLS[head](row) for head in heads] for row in standings]


def format_legend(standings: Sequence[Standing]) -> str:
    """Return what the columns mean, and what not every game tells."""
    lines = [
        "VP: mean; margin: lead in VP over an average bot, or the anchor, ± 95 %.",
        "LOS: probability, in %, of being stronger than the next bot.",
    ]
    if any(not (row.bounded_above and row.bounded_below) for row in standings):
        lines.append("open: no result bounds the rating on this side, only the prior does.")
    if any(row.failures for row in standings):
        lines.append(
            "A failed game is a lost one; VP are of the games that were played to the end."
        )
    return "\n".join(lines)


def format_verdict(test: TestState) -> str:
    """Return where a sequential test stands, in two lines."""
    state = test.state
    other = "margin" if test.on == "wins" else "wins"
    return (
        f"sequential test on {test.on}: LLR {state.llr:+.2f} "
        f"({state.lower:+.2f} .. {state.upper:+.2f}), "
        f"{state.blocks} deals, {test.elo:+.0f} Elo, verdict {state.verdict or 'open'}\n"
        f"the same games on {other}: LLR {test.other.llr:+.2f}, {test.other_elo:+.0f} Elo"
    )


def format_comparison(rows: Sequence[BotComparison]) -> str:
    """Return the comparison of two sets of games, and what its columns mean."""
    head = ["", "bot", "points A", "B", "B - A (95 %)", "VP A", "B", "B - A (95 %)", "deals"]
    lines = [head]
    for row in rows:
        same = row.paired == min(row.blocks_a, row.blocks_b)
        lines.append(
            [
                "",
                row.bot,
                *_compared(row.points, 100.0),
                *_compared(row.margin, 1.0),
                f"{row.paired}" if same else f"{row.blocks_a}/{row.blocks_b}",
            ]
        )
    text = _aligned(lines)
    return (
        f"{text}\n"
        "points: share of the comparisons won, in %; VP: lead over the rest of the table.\n"
        "deals: played in both and compared pair by pair; or A's/B's where not all are."
    )


def export_comparison(row: BotComparison) -> dict[str, Any]:
    """Return a comparison as plain data: differences are B's minus A's, with 95 % intervals."""
    data: dict[str, Any] = {
        "bot": row.bot,
        "deals_a": row.blocks_a,
        "deals_b": row.blocks_b,
        "paired": row.paired,
    }
    for name, told in (("points", row.points), ("margin", row.margin)):
        data |= {
            f"{name}_a": round_value(told.a),
            f"{name}_b": round_value(told.b),
            f"{name}_difference": round_value(told.difference),
            f"{name}_low": round_value(told.difference - told.half_width),
            f"{name}_high": round_value(told.difference + told.half_width),
        }
    return data


def _compared(told: Difference, scale: float) -> list[str]:
    if math.isnan(told.difference):
        return ["–", "–", "–"]
    return [
        f"{scale * told.a:.1f}",
        f"{scale * told.b:.1f}",
        f"{scale * told.difference:+.1f} ± {format_number(scale * told.half_width, 1)}",
    ]


def format_number(value: float, places: int) -> str:
    """Return a number that may be missing."""
    return "–" if math.isnan(value) else f"{value:.{places}f}"


def _interval(row: Standing) -> str:
    low = f"{row.low:+.0f}" if row.bounded_below else "open"
    high = f"{row.high:+.0f}" if row.bounded_above else "open"
    return f"{low:>5} .. {high:<5}"


_CELLS: dict[str, Callable[[Standing], str]] = {
    "rank": lambda row: str(row.place),
    "bot": lambda row: row.bot + (" (cheats)" if row.cheats else ""),
    "Elo": lambda row: f"{row.elo:+.0f}",
    "95 % interval": _interval,
    "games": lambda row: str(row.games),
    "wins": lambda row: f"{row.wins:.6g}",
    "VP": lambda row: format_number(row.mean_score, 0),
    "VP ±": lambda row: (
        f"{format_number(row.mean_score, 1)} ± {format_number(row.score_half_width, 1)}"
    ),
    "margin ±": lambda row: f"{row.margin:+.1f} ± {format_number(row.margin_half_width, 1)}",
    "mean rank": lambda row: format_number(row.mean_rank, 2),
    "LOS": lambda row: format_number(100 * row.superiority, 0),
    "s/turn": lambda row: format_number(row.seconds_per_turn, 3),
    "CPU s/turn": lambda row: format_number(row.cpu_per_turn, 3),
    FAILED: lambda row: str(row.failures),
}


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    """Return lines of cells as columns; the second is a name, cut to keep to WIDTH."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    others = sum(widths) - widths[1] + len(widths) - 1
    widths[1] = min(widths[1], max(NARROWEST_NAME, WIDTH - others))
    return "\n".join(_line(line, widths) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    rank, name, *rest = cells
    room = widths[1]
    if len(name) > room:
        tail = (room - 1) // 2
        name = f"{name[: room - 1 - tail]}…{name[-tail:]}"
    numbers = (cell.rjust(width) for cell, width in zip(rest, widths[2:], strict=True))
    first = [rank.rjust(widths[0])] if widths[0] else []
    return " ".join([*first, name.ljust(room), *numbers])
