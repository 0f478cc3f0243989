"""Format an analysis as text or HTML: the best turns, the moves, and the sources of VP."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from trajan_ai.analysis.decision.move_values import Estimate, MoveValue
from trajan_ai.analysis.decision.vp_sources import TOTAL, name_source
from trajan_ai.analysis.decision.whole_turns import Turn
from trajan_ai.core.errors import printable
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.core.table_text import Column, cut_list, cut_middle, text_table
from trajan_ai.core.templates import render_table

if TYPE_CHECKING:
    from trajan_ai.analysis.decision.analysis_run import Analysis

MIN_NAME = 27  # minimum width of a move's name with its mark, in columns
MIN_CONTINUATION = 14  # columns; a narrower continuation is omitted
TURNS = 3  # whole turns in the text
CONTINUATION = 3  # moves shown after a move; a longer continuation rarely fits into a line


def text(
    analysis: Analysis,
    top: int | None = None,
    width: int = TEXT_WIDTH,
    *,
    continuation: int | None = CONTINUATION,
) -> str:
    """Return an analysis as text of at most `width` columns.

    `continuation` is the number of moves that are shown after each move, or None for all.
    """
    moves = analysis.moves[:top]
    lines = [*_turns(moves[:TURNS], width), "", _table(analysis, moves, width, continuation)]
    if len(moves) < len(analysis.moves):
        lines.append(f"and {len(analysis.moves) - len(moves)} more")
    lines += ["", *textwrap.wrap(summary(analysis), width)]
    if any(move.sources for move in moves):
        lines += ["", *_reasons(analysis.player, [move for move in moves if move.sources], width)]
    return "\n".join(lines)


def html(analysis: Analysis) -> str:
    """Return the moves as an HTML table for notebooks."""
    heads = ["action", *(column.head for column, _ in _FIGURES), _LINE.head]
    rows = [[move.action, *_list_cells(move, CONTINUATION)] for move in analysis.moves]
    return render_table(heads, rows, summary(analysis))


def summary(analysis: Analysis) -> str:
    """Return sentences on the searches and on the meaning of the figures."""
    result = (
        f"{analysis.game}, player {analysis.player}, {analysis.grade} by "
        f"{printable(analysis.bot)}: {_work(analysis)} in {analysis.seconds:.2f} s. "
        "±: standard error."
    )
    has_rough = any(_is_rough(analysis, move) for move in analysis.moves)
    if has_rough:
        result += " ~: rough estimate from the shared search."
    elif analysis.grade == "quick":
        result += " All figures are rough. Rarely tried moves come last."
    if analysis.tree_full:
        result += " The search tree was full and stopped growing; it needs more memory."
    if not analysis.calibrated and (has_rough or not analysis.redeals):
        which = "of moves with ~ " if analysis.redeals else ""
        result += f" VP, win and margin {which}are those of playouts, because no calibration fits."
    return result


def _is_rough(analysis: Analysis, move: MoveValue) -> bool:
    """Return whether a move, unlike the best, has only figures of the search among all moves.

    In a quick analysis, no move counts as rough, because all moves have only such figures.
    """
    return move.margin is not None and move.grade != analysis.grade


def _work(analysis: Analysis) -> str:
    if analysis.redeals:
        return f"{analysis.redeals:,} redeals"
    return f"{analysis.iterations:,} iterations"


def _turns(moves: Sequence[MoveValue], width: int) -> list[str]:
    """Return lines that show whole turns: the best one, then others with their gain over it."""
    lines: list[str] = []
    for move in moves:
        if move.margin is None or move.gain is None:
            continue
        head = (
            f"or, {_figure(move.gain, '+.1f')} VP against it:"
            if lines
            else f"best turn, margin {_figure(move.margin, '+.1f')}:"
        )
        rows = [head, f"  {move.turn.words}"]
        if move.turn.words != ", ".join(move.turn.actions):  # the game words its actions
            rows.append(f"  {' > '.join(move.turn.actions)}")
        rows += [f"  {note}" for note in _notes(move.turn)]
        lines += [
            line
            for row in rows
            for line in textwrap.wrap(
                row.strip(), width, initial_indent=row[: len(row) - len(row.lstrip())],
                subsequent_indent="    ",
            )
        ]  # fmt: skip
    return lines


def _notes(turn: Turn) -> list[str]:
    notes = [
        f"after {turn.actions[number]}, the rest depends on what is revealed"
        for number in turn.reveals
        if number + 1 < len(turn.actions)
    ]
    if turn.undecided:
        return [*notes, "then several continuations are about equal"]
    return notes if turn.complete else [*notes, "the turn continues, but was not searched further"]


_FIGURES: tuple[tuple[Column, Callable[[MoveValue], str]], ...] = (
    (Column("visits", width=8, omit=4), lambda move: f"{move.visits:,}"),
    (Column("win", width=14, omit=2), lambda move: _figure(move.win, ".1%")),
    (Column("VP", width=12, omit=3), lambda move: _figure(move.score, ".1f")),
    (Column("margin", width=12, omit=1), lambda move: _figure(move.margin, "+.1f")),
)
_LINE = Column("continuation", "<", shorten=cut_list, least=MIN_CONTINUATION, omit=5)


def _table(
    analysis: Analysis, moves: Sequence[MoveValue], width: int, continuation: int | None
) -> str:
    rows = []
    for move in moves:
        name = f"{move.action} {'~' if _is_rough(analysis, move) else ' '}"
        rows.append([name, *_list_cells(move, continuation)])
    name_column = Column("action", "<", shorten=cut_middle, least=MIN_NAME)
    return text_table([name_column, *(column for column, _ in _FIGURES), _LINE], rows, width)


def _list_cells(move: MoveValue, continuation: int | None) -> list[str]:
    following = move.line[1:][:continuation]
    line = ", ".join(f"{player}: {action}" for player, action in following)
    return [*(cell(move) for _, cell in _FIGURES), line]


def _figure(value: Estimate | None, form: str) -> str:
    return "-" if value is None else f"{value.mean:{form}} ± {value.error:{form.lstrip('+')}}"


def _reasons(player: int, moves: Sequence[MoveValue], width: int) -> list[str]:
    """Return a table of the best move's expected VP by source, and how other moves change them."""
    first = moves[0].sources
    assert first is not None
    names = [name for name in first[player] if name != TOTAL]
    opponents = [other for other in range(len(first)) if other != player]
    heads = ["VP", *(f"P{other}" for other in opponents), *map(name_source, names)]
    cells = []
    for move in moves:
        assert move.sources is not None
        vp = move.sources
        figures = [
            (vp[who][name], first[who].get(name, 0.0))
            for who, name in [
                (player, TOTAL),
                *((other, TOTAL) for other in opponents),
                *((player, name) for name in names),
            ]
        ]
        cells.append(
            [f"{here:.1f}" if move is moves[0] else _change(here - best) for here, best in figures]
        )
    lines = textwrap.wrap(
        "why: expected final VP after the best move (own total, opponents' totals, own sources), "
        "and below them the changes with other moves",
        width,
    )
    label = Column("", "<", shorten=cut_middle, least=min(24, max(12, width // 4)))
    rows = [[move.action, *row] for move, row in zip(moves, cells, strict=True)]
    return [*lines, text_table([label, *map(Column, heads)], rows, width)]


def _change(value: float) -> str:
    return "." if abs(value) < 0.05 else f"{value:+.1f}"
