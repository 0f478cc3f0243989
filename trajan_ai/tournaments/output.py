"""What a tournament leaves in its folder: report, tables as JSON and CSV, records."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from trajan_ai.core.whole import write_whole
from trajan_ai.tournaments import pool, rating_tables, report, schedule, summary
from trajan_ai.tournaments.ratings import NO_FAILURE
from trajan_ai.tournaments.runner import TournamentRun
from trajan_ai.tournaments.store import GameRow, Store
from trajan_ai.tournaments.summary import Summary

REPORT = "report.html"
RESULTS = "results.json"  # no time in it: equal games give equal bytes
TIMING = "timing.json"
STANDINGS = "standings.csv"
GAMES = "games.csv"
RECORDS = "records.jsonl"
LISTED_FAILURES = 10  # in the printed text; the store has all
REMEDY = (
    "; make room or give another --out: the results are kept, the same command writes the report"
)
write_file = partial(write_whole, remedy=REMEDY)


@dataclass(frozen=True)
class Written:
    """What a run has to say: text for people, data for programs, games lost to failing bots."""

    text: str
    data: dict[str, Any]
    failures: int


def write_outputs(folder: Path, run: TournamentRun) -> Written:
    """Write all outputs of a run and return what to print."""
    plan = run.plan
    with Store(folder) as store:
        ids = schedule.planned(plan, run.chosen)
        names = dict(zip(plan.digests, plan.names, strict=True))
        results = store.results(names, ids=ids)
        if not len(results):
            return Written("no game is finished yet", {"games": 0, "ended": run.ended}, 0)
        told = summary.summarize(results, plan.settings.rating, pool.cheating(store, names))
        failures = [row for row in store.failures(ids) if row.counted]
        games = store.games(ids=ids)
        data = summary.exported(told) | {
            "engine": run.engine,
            "plan": plan.portable(),
            "test": None if run.test is None else run.test.exported(),
        }
        page = report.page(report.Context(plan.portable(), told, results, games, failures, run))
        write_file(folder / RESULTS, [json.dumps(data, indent=1, ensure_ascii=False), "\n"])
        write_file(folder / TIMING, [json.dumps(summary.timing(told), indent=1), "\n"])
        write_file(folder / STANDINGS, [csv_of(standing_rows(told))])
        write_file(folder / GAMES, [csv_of(game_rows(games))])
        write_file(folder / REPORT, [page])
        write_file(folder / RECORDS, (line + "\n" for line in store.records(ids)))
        harness = store.harness_share(ids)
    lost = int((results.failed != NO_FAILURE).sum())
    data |= {
        "timing": summary.timing(told),
        "ended": run.ended,
        "played": run.played,
        "found": run.reused,
        "failures": [vars(row) for row in failures],
        "harness_share": harness,
    }
    return Written(_text(told, run, failures, harness), data, lost)


def standing_rows(told: Summary) -> list[dict[str, Any]]:
    """Return the rating table as rows of plain data."""
    return list(summary.exported(told)["standings"])


def game_rows(games: Iterable[GameRow]) -> list[dict[str, Any]]:
    """Return a row for each seat of each game."""
    return [
        {
            "id": game.id,
            "players": game.players,
            "block": game.block,
            "deal": game.deal,
            "rotation": game.rotation,
            "seat": seat,
            "bot": bot,
            "score": game.scores[seat],
            "rank": game.ranks[seat],
            "failed": int(game.failed == seat),
        }
        for game in games
        for seat, bot in enumerate(game.bots)
    ]


def csv_of(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows of equal keys as CSV text."""
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _text(told: Summary, run: TournamentRun, failures: Sequence[Any], harness: float) -> str:
    lines = [rating_tables.full_table(told), ""]
    lines.append(
        f"{told.games} games of {told.blocks} deals ({run.played} played now, {run.reused} found); "
        f"ended: {run.ended}"
    )
    points, lead = told.saved
    if not np.isnan(points):
        lines.append(
            f"duplicate deals: variance of mean points x{points:.2f}, of mean lead x{lead:.2f}"
        )
    lines.append(f"harness: {100 * harness:.1f} % of the CPU time of the games")
    if run.test:
        lines.append(rating_tables.verdict(run.test))
    lines += [f"warning: {warning}" for warning in told.warnings]
    for row in failures[:LISTED_FAILURES]:
        lines.append(
            f"failed: {row.bot or 'nobody known'} {row.kind} in game {row.id} at ply {row.ply}: "
            f"{row.message}"
        )
    if len(failures) > LISTED_FAILURES:
        lines.append(f"failed: {len(failures) - LISTED_FAILURES} more")
    return "\n".join(lines)
