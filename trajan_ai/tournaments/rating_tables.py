"""Ratings and comparisons as text for a terminal of 80 columns."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from trajan_ai.core.table_text import TABLE_WIDTH, Column, cut_middle, text_table
from trajan_ai.tournaments.comparison import BotComparison, Difference
from trajan_ai.tournaments.pool import TestState, get_other_measure
from trajan_ai.tournaments.sprt import MIN_BLOCKS
from trajan_ai.tournaments.summary import Standing, Summary, round_value

NARROWEST_NAME = 7
NAME = Column("bot", "<", shorten=cut_middle, least=NARROWEST_NAME)

HEAD = ("rank", "bot", "Elo", "95 % interval", "games", "wins", "VP", "margin ±", "LOS", "s/turn")
# Columns that are omitted if a table is too wide, "s/turn" first; exports and the report contain
# them.
OPTIONAL = {"s/turn": 2, "LOS": 1}
FAILED = "failed"


def format_full_table(summary: Summary) -> str:
    """Return the ratings from all games and for each number of players, with the legend."""
    parts = [format_standings(summary.standings)]
    parts += [
        f"{players} players\n{format_standings(standings)}"
        for players, standings in summary.by_players
    ]
    return "\n\n".join(parts) + "\n" + format_legend(summary.standings)


def format_standings(standings: Sequence[Standing]) -> str:
    """Return the rating table with units in its header. Long names are cut in the middle.

    If the numbers are too wide for a line, the columns of OPTIONAL are omitted as needed.
    """
    heads = [*HEAD, FAILED] if any(row.failures for row in standings) else [*HEAD]
    columns = [
        NAME if head == NAME.head else Column(head, omit=OPTIONAL.get(head, 0)) for head in heads
    ]
    return text_table(columns, format_cells(standings, heads), TABLE_WIDTH, gap=1)


def format_cells(standings: Sequence[Standing], heads: Sequence[str]) -> list[list[str]]:
    """Return the cells of some columns of the rating table; the report uses them, too."""
    return [[_CELLS[head](row) for head in heads] for row in standings]


def format_legend(standings: Sequence[Standing]) -> str:
    """Return the meaning of the columns."""
    lines = [
        "VP: mean. margin: lead in VP over an average bot, or the anchor, ± 95 %.",
        "LOS: probability, in %, of being stronger than the next bot.",
    ]
    if any(not (row.bounded_above and row.bounded_below) for row in standings):
        lines.append("open: no result bounds the rating on this side; only the prior does.")
    if any(row.failures for row in standings):
        lines.append("A failed game counts as lost. VP are means over complete games.")
    return "\n".join(lines)


def format_verdict(test: TestState) -> str:
    """Return the state of a sequential test, with a note on the difference from the ratings."""
    state = test.state
    verdict: str = state.verdict or "open"
    if state.blocks < MIN_BLOCKS:
        verdict = f"open before deal {MIN_BLOCKS}"
    other = get_other_measure(test.on)
    return (
        f"sequential test on {test.on}: LLR {state.llr:+.2f} "
        f"({state.lower:+.2f} .. {state.upper:+.2f}), "
        f"{state.blocks} deals, {test.elo:+.0f} Elo, verdict {verdict}\n"
        f"the same games on {other}: LLR {test.other.llr:+.2f}, {test.other_elo:+.0f} Elo\n"
        "The Elo of a test follows from the mean score of its deals. The table fits all\n"
        "games, with seat effects and a prior, so its Elo differs."
    )


def format_comparison(rows: Sequence[BotComparison]) -> str:
    """Return the comparison of two sets of games, and the meaning of its columns."""
    heads = ["points A", "B", "B - A (95 %)", "VP A", "B", "B - A (95 %)", "deals"]
    cells = []
    for row in rows:
        same = row.paired == min(row.blocks_a, row.blocks_b)
        cells.append(
            [
                row.bot,
                *_format_difference(row.points, 100.0),
                *_format_difference(row.margin, 1.0),
                f"{row.paired}" if same else f"{row.blocks_a}/{row.blocks_b}",
            ]
        )
    text = text_table([NAME, *map(Column, heads)], cells, TABLE_WIDTH, gap=1)
    return (
        f"{text}\n"
        "points: comparisons won, in %. VP: lead over the mean of the other bots.\n"
        "deals: number in both, compared in pairs, or the numbers in A/B if they differ."
    )


def export_comparison(row: BotComparison) -> dict[str, Any]:
    """Return a comparison as plain data, with B - A and its 95 % interval."""
    data: dict[str, Any] = {
        "bot": row.bot,
        "deals_a": row.blocks_a,
        "deals_b": row.blocks_b,
        "paired": row.paired,
    }
    for name, value in (("points", row.points), ("margin", row.margin)):
        data |= {
            f"{name}_a": round_value(value.a),
            f"{name}_b": round_value(value.b),
            f"{name}_difference": round_value(value.difference),
            f"{name}_low": round_value(value.difference - value.half_width),
            f"{name}_high": round_value(value.difference + value.half_width),
        }
    return data


def _format_difference(values: Difference, scale: float) -> list[str]:
    if math.isnan(values.difference):
        return ["–", "–", "–"]
    return [
        f"{scale * values.a:.1f}",
        f"{scale * values.b:.1f}",
        f"{scale * values.difference:+.1f} ± {format_number(scale * values.half_width, 1)}",
    ]


def format_number(value: float, places: int) -> str:
    """Return a number as text, or a dash for nan."""
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
    "margin ±": lambda row: (
        "–"
        if math.isnan(row.margin)
        else f"{row.margin:+.1f} ± {format_number(row.margin_half_width, 1)}"
    ),
    "mean rank": lambda row: format_number(row.mean_rank, 2),
    "LOS": lambda row: format_number(100 * row.superiority, 0),
    "s/turn": lambda row: format_number(row.seconds_per_turn, 3),
    "CPU s/turn": lambda row: format_number(row.cpu_per_turn, 3),
    FAILED: lambda row: str(row.failures),
}
