"""Accounts of annotated games: luck and skill apart, by quarter and kind of action, in sum.

A player's final margin = start + luck - own errors + others' errors + rest, exactly: the rest is
what is left, and holds what the searches' and the evaluation's judgement missed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from trajan_ai.analysis.judging import GRADES, Annotation, Decision, plain
from trajan_ai.analysis.move_values import Estimate
from trajan_ai.analysis.strength import strengths
from trajan_ai.core.table_text import text_table

BIGGEST = 5  # mistakes of a player that are listed
HEADS = ("games", "margin", "luck", "errors", "± s.e.", "blund.", "mist.", "inacc.")
PLACES = (("by_quarter", "VP lost in quarter"), ("by_kind", "VP lost at"))


@dataclass(frozen=True)
class Account:
    """Where one player's final margin in VP came from."""

    player: int
    final: int
    start: Estimate
    luck: Estimate
    own_errors: Estimate
    others_errors: Estimate
    rest: Estimate


def accounts(annotation: Annotation) -> list[Account]:
    """Return every player's account; of a witnessed game that of who saw it."""
    seen = annotation.played.observer
    players = range(len(annotation.scores)) if seen is None else [seen]
    return [_account(annotation, player) for player in players]


def _account(annotation: Annotation, player: int) -> Account:
    others = [vp for other, vp in enumerate(annotation.scores) if other != player]
    final = annotation.scores[player] - max(others)
    start = annotation.start[player]
    decisions = annotation.decisions
    luck = _sum(decision.luck[player] for decision in decisions if decision.luck)
    gained, other = (
        _sum(one.effects[player] for one in decisions if one.effects and one.player in chosen)
        for chosen in ([player], [p for p in range(len(annotation.scores)) if p != player])
    )
    own = Estimate(0.0 - gained, gained.error)
    rest = final - start - luck + own - other
    error = _sum([start, luck, own, other]).error
    return Account(player, final, start, luck, own, other, Estimate(rest, error))


def _sum(parts: Iterable[Estimate]) -> Estimate:
    summed = list(parts)
    return Estimate(sum(summed, 0.0), hypot(*(part.error for part in summed)))


def losses(decisions: Sequence[Decision], player: int, by: str) -> dict[str, dict[str, Any]]:
    """Return what a player lost and what luck brought them, by ``quarter`` or ``kind``."""
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
    } | {name: sum(one.grade == name for one in group) for name, _, _ in GRADES}


def biggest_mistakes(decisions: Sequence[Decision], player: int) -> list[int]:
    """Return the plies of a player's biggest graded losses, the biggest first."""
    graded = [name for name, _, _ in GRADES]
    own = [one for one in decisions if one.player == player and one.grade in graded]
    own.sort(key=lambda one: (graded.index(one.grade), -one.loss.margin))
    return [one.ply for one in own[:BIGGEST]]


def to_dict(annotation: Annotation) -> dict[str, Any]:
    """Return an annotation with its accounts: what NAME.json holds."""
    players = range(len(annotation.scores))
    decisions, game = annotation.decisions, annotation.played.final.game
    return annotation.to_dict() | {
        "accounts": [plain(account) for account in accounts(annotation)],
        "strengths": [plain(one) for one in strengths(game, len(annotation.scores), decisions)],
        "by_quarter": [losses(decisions, player, "quarter") for player in players],
        "by_kind": [losses(decisions, player, "kind") for player in players],
        "biggest_mistakes": [biggest_mistakes(decisions, player) for player in players],
    }


def summary(games: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, by who played, the means per game over annotated games (`to_dict`).

    Rows have ``name``, ``games``, and per game ``final``, ``luck``, ``own_errors`` with standard
    errors over the games' own, and ``by_quarter`` and ``by_kind``: margin lost per game.
    """
    seats: dict[str, list[tuple[dict[str, Any], int]]] = defaultdict(list)
    for game in games:
        for account in game["accounts"]:
            player = account["player"]
            seats[game["names"][player]].append((game | {"account": account}, player))
    return [_summary_of(name, places) for name, places in sorted(seats.items())]


def _summary_of(name: str, places: Sequence[tuple[dict[str, Any], int]]) -> dict[str, Any]:
    count = len(places)
    row: dict[str, Any] = {
        "name": name,
        "games": count,
        "final": sum(game["account"]["final"] for game, _ in places) / count,
    }
    for part in ("luck", "own_errors"):
        total = _sum(Estimate(**game["account"][part]) for game, _ in places)
        row |= {part: total / count, f"{part}_error": total.error / count}
    groups = [one for game, player in places for one in game["by_quarter"][player].values()]
    row |= {grade: sum(group[grade] for group in groups) / count for grade, _, _ in GRADES}
    for by, _ in PLACES:
        lost: dict[str, float] = defaultdict(float)
        for game, player in places:
            for key, group in game[by][player].items():
                lost[key] += group["margin"]["mean"] / count
        row[by] = dict(sorted(lost.items()))
    return row


def cells(row: dict[str, Any]) -> list[str]:
    """Return what stands below `HEADS` in a row of the summary."""
    plain = ("own_errors", "own_errors_error", *(name for name, _, _ in GRADES))
    signed = [f"{row[name]:+.1f}" for name in ("final", "luck")]
    return [str(row["games"]), *signed, *(f"{row[name]:.1f}" for name in plain)]


def lost(row: dict[str, Any], by: str) -> list[str]:
    """Return where a row of the summary says that VP were lost; by kind, the most first."""
    most = sorted(row[by].items(), key=lambda item: -item[1] if by == "by_kind" else 0)
    return [f"{key} {vp:.1f}" for key, vp in most]


def table(rows: Sequence[dict[str, Any]], width: int) -> str:
    """Return the summary as text: who loses how much where, in VP of margin per game."""
    names = [row["name"][: max(width - 60, 12)] for row in rows]
    named = list(zip(names, rows, strict=True))
    means = text_table(["per game", *HEADS], [[name, *cells(row)] for name, row in named])
    places = (
        f"{name}: {title} {', '.join(lost(row, by)[:6])}"[:width]
        for by, title in PLACES
        for name, row in named
    )
    return "\n".join([means, *places])
