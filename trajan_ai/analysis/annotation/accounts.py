"""Compute accounts of annotated games: luck and errors in total, per quarter and per action kind.

A player's final margin = start + luck - own errors + others' errors + rest. The rest, which makes
the sum exact, consists of the errors of the searches and of the evaluation.
"""

import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from typing import Any

from trajan_ai.analysis.annotation.judging import FINE, LOSS_GRADES, Annotation, Decision, plain
from trajan_ai.analysis.annotation.strength import estimate_strengths
from trajan_ai.analysis.decision.move_values import Estimate
from trajan_ai.analysis.outcomes import margin_of
from trajan_ai.core.errors import printable
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_words import HasParts
from trajan_ai.core.table_text import Column, cut_middle, text_table

MAX_MISTAKES = 5  # mistakes in the list of a player
MIN_NAME = 12  # minimum width of a player's name in a narrow terminal, in columns
HEADS = ("games", "margin", "luck", "errors", "± s.e.", "blund.", "mist.", "inacc.")
PLACES = (("by_quarter", "VP lost in quarter"), ("by_kind", "VP lost at"))
NOTHING = Estimate(0.0, 0.0)


@dataclass(frozen=True)
class Account:
    """The parts of one player's final margin, in VP."""

    player: int
    final: float
    start: Estimate
    luck: Estimate
    own_errors: Estimate
    others_errors: Estimate
    rest: Estimate


def compute_accounts(annotation: Annotation) -> list[Account]:
    """Return the account of every player; for a witnessed game, only that of the witness."""
    witness = annotation.played.observer
    players = range(len(annotation.scores)) if witness is None else [witness]
    return [_account(annotation, player) for player in players]


def _account(annotation: Annotation, player: int) -> Account:
    final = margin_of(annotation.scores, player)
    start = annotation.start[player]
    decisions = annotation.decisions
    luck = _sum(decision.luck[player] for decision in decisions if decision.luck)
    gain, other = (
        _sum(one.effects[player] for one in decisions if one.effects and one.player in chosen)
        for chosen in ([player], [p for p in range(len(annotation.scores)) if p != player])
    )
    own = Estimate(0.0 - gain, gain.error)
    rest = final - start - luck + own - other
    error = _sum([start, luck, own, other]).error
    return Account(
        player=player,
        final=final,
        start=start,
        luck=luck,
        own_errors=own,
        others_errors=other,
        rest=Estimate(rest, error),
    )


def _sum(parts: Iterable[Estimate]) -> Estimate:
    summed = list(parts)
    return Estimate(sum(summed, 0.0), hypot(*(part.error for part in summed)))


def sum_losses(decisions: Sequence[Decision], player: int, by: str) -> dict[str, dict[str, Any]]:
    """Return a player's losses, luck and numbers of mistakes by ``quarter`` or ``kind``."""
    groups: dict[str, list[Decision]] = defaultdict(list)
    for decision in decisions:
        if decision.player == player:
            groups[str(getattr(decision, by))].append(decision)
    return {name: _loss_of(group, player) for name, group in sorted(groups.items())}


def _loss_of(group: Sequence[Decision], player: int) -> dict[str, Any]:
    margin = _sum(Estimate(one.loss.margin, one.loss.margin_error) for one in group)
    win = _sum(Estimate(one.loss.win, one.loss.win_error) for one in group)
    luck = _sum(one.luck[player] for one in group if one.luck)
    return {
        "decisions": len(group),
        "win": win.to_dict(),
        "margin": margin.to_dict(),
        "luck": luck.to_dict(),
    } | {name: sum(one.grade == name for one in group) for name, _, _ in LOSS_GRADES}


def list_mistakes(decisions: Sequence[Decision], player: int) -> list[int]:
    """Return the plies of a player's worst mistakes, beginning with the one that cost most VP."""
    own = [one for one in decisions if one.player == player and one.grade != FINE]
    own.sort(key=lambda one: -one.loss.margin)
    return [one.ply for one in own[:MAX_MISTAKES]]


def to_dict(annotation: Annotation) -> dict[str, Any]:
    """Return an annotation with its accounts as plain data: the content of NAME.json."""
    players = range(len(annotation.scores))
    decisions, game = annotation.decisions, annotation.played.final.game
    parts = offered(game.rules, HasParts)
    return annotation.to_dict() | {
        "accounts": [plain(account) for account in compute_accounts(annotation)],
        "strengths": [
            plain(one) for one in estimate_strengths(game, len(annotation.scores), decisions)
        ],
        "part": "quarter" if parts is None else parts.part,
        "by_quarter": [sum_losses(decisions, player, "quarter") for player in players],
        "by_kind": [sum_losses(decisions, player, "kind") for player in players],
        "biggest_mistakes": [list_mistakes(decisions, player) for player in players],
    }


class SeatTotals:
    """Sums over annotated games, grouped by the player's name."""

    def __init__(self) -> None:
        self._by_name: dict[str, _Totals] = {}

    def add(self, game: Mapping[str, Any]) -> None:
        """Add an annotated game, as `to_dict` returns it."""
        for account in game["accounts"]:
            player = account["player"]
            totals = self._by_name.setdefault(game["names"][player], _Totals())
            totals.add(account, {by: game[by][player] for by, _ in PLACES})

    def summarize(self) -> list[dict[str, Any]]:
        """Return a row for each player, ordered by name, with the means per game.

        A row contains ``name`` and ``games``, and the means of ``final``, of ``luck`` and
        ``own_errors`` (both with standard errors), of the numbers of mistakes by grade, and of the
        margin lost, in VP, ``by_quarter`` and ``by_kind``.
        """
        return [{"name": name} | one.means() for name, one in sorted(self._by_name.items())]


@dataclass
class _Totals:
    games: int = 0
    final: float = 0.0
    luck: Estimate = NOTHING
    own_errors: Estimate = NOTHING
    grades: Counter[str] = field(default_factory=Counter)
    losses: dict[str, Counter[str]] = field(
        default_factory=lambda: {by: Counter() for by, _ in PLACES}
    )

    def add(self, account: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> None:
        """Add the account of a game, and its losses in each quarter and for each kind."""
        self.games += 1
        self.final += account["final"]
        self.luck = _sum([self.luck, Estimate(**account["luck"])])
        self.own_errors = _sum([self.own_errors, Estimate(**account["own_errors"])])
        for by, of_player in groups.items():
            for key, group in of_player.items():
                self.losses[by][key] += group["margin"]["mean"]
        for group in groups["by_quarter"].values():
            self.grades.update({grade: group[grade] for grade, _, _ in LOSS_GRADES})

    def means(self) -> dict[str, Any]:
        """Return the means per game."""
        row: dict[str, Any] = {"games": self.games, "final": self.final / self.games}
        for part, total in (("luck", self.luck), ("own_errors", self.own_errors)):
            row |= {part: total / self.games, f"{part}_error": total.error / self.games}
        row |= {grade: self.grades[grade] / self.games for grade, _, _ in LOSS_GRADES}
        for by, losses in self.losses.items():
            row[by] = {key: vp / self.games for key, vp in sorted(losses.items())}
        return row


def format_cells(row: dict[str, Any]) -> list[str]:
    """Return a row of the summary as cells for the table with the headings `HEADS`."""
    plain = ("own_errors", "own_errors_error", *(name for name, _, _ in LOSS_GRADES))
    signed = [f"{row[name]:+.1f}" for name in ("final", "luck")]
    return [str(row["games"]), *signed, *(f"{row[name]:.1f}" for name in plain)]


def format_losses(row: dict[str, Any], by: str) -> list[str]:
    """Return the VP lost in a row of the summary; losses by kind begin with the largest."""
    most = sorted(row[by].items(), key=lambda item: -item[1] if by == "by_kind" else 0)
    return [f"{key} {vp:.1f}" for key, vp in most]


def format_table(rows: Sequence[dict[str, Any]], width: int) -> str:
    """Return the summary as text: means per game, then the VP lost per quarter and per kind."""
    heads = [Column("per game", "<", shorten=cut_middle, least=MIN_NAME), *map(Column, HEADS)]
    means = text_table(heads, [[row["name"], *format_cells(row)] for row in rows], width)
    places = (
        line
        for by, title in PLACES
        for row in rows
        for line in textwrap.wrap(
            f"{printable(row['name'])}: {title} {', '.join(format_losses(row, by)[:6])}",
            width,
            subsequent_indent="  ",
        )
    )
    return "\n".join([means, *places])
