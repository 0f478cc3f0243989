"""The output files of a tournament: report, tables as JSON and CSV, and records."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from trajan_ai.core.atomic_file import write_atomically
from trajan_ai.tournaments import pool, rating_tables, report, summary
from trajan_ai.tournaments.ratings import NO_FAILURE, Results
from trajan_ai.tournaments.runner import TournamentRun, read_results
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import GameRow, Store
from trajan_ai.tournaments.summary import Summary

REPORT = "report.html"
RESULTS = "results.json"  # without times, so that the same games give the same bytes
TIMING = "timing.json"
STANDINGS = "standings.csv"
GAMES = "games.csv"
RECORDS = "records.jsonl"
LISTED_FAILURES = 10  # failures in the printed text; the store contains all of them
REMEDY = (
    "; make room on the disk, or make the folder writable, and run the same command again: "
    "every finished game is kept"
)
write_file = partial(write_atomically, remedy=REMEDY)


@dataclass(frozen=True)
class RunOutput:
    """The output of a run: text, data, and the number of games lost to failing bots."""

    text: str
    data: dict[str, Any]
    failures: int


def write_outputs(run: TournamentRun) -> RunOutput:
    """Write all output files of a run, and return what to print."""
    plan, folder = run.plan, run.folder
    with Store(folder) as store:
        results = read_results(run, store)
        if not len(results):
            return RunOutput("no game is finished yet", {"games": 0, "ended": run.ended}, 0)
        context = _gather(store, run, results)
        rating, failures = context.summary, context.failures
        data = summary.export_summary(rating) | {
            "engine": run.engine,
            "plan": plan.portable(),
            "test": None if run.test is None else run.test.export(),
        }
        timing = summary.export_timing(rating)
        page = report.render_page(context)
        write_file(folder / RESULTS, [json.dumps(data, indent=1, ensure_ascii=False), "\n"])
        write_file(folder / TIMING, [json.dumps(timing, indent=1), "\n"])
        write_file(folder / STANDINGS, format_csv(data["standings"]))
        write_file(folder / GAMES, format_csv(make_game_rows(store.games(selected=True))))
        write_file(folder / REPORT, [page])
        write_file(folder / RECORDS, (line + "\n" for line in store.records(selected=True)))
        harness = store.measure_harness()
    lost = int((results.failed != NO_FAILURE).sum())
    data |= {
        "timing": timing,
        "ended": run.ended,
        "played": run.played,
        "found": run.reused,
        "failures": [vars(row) for row in failures],
        "harness_share": harness,
    }
    return RunOutput(_format_text(rating, run, failures, harness), data, lost)


def render_live_report(run: TournamentRun) -> str | None:
    """Return the report on a running tournament's games, or None if no game is finished yet."""
    # The schedule is copied, because the run changes it while this function writes the report.
    run = replace(run, schedule=Schedule(run.plan, list(run.schedule.chosen)))
    with Store(run.folder) as store:
        results = read_results(run, store)
        if not len(results):
            return None
        return report.render_page(replace(_gather(store, run, results), is_live=True))


def _gather(store: Store, run: TournamentRun, results: Results) -> report.Context:
    """Return the data of a report on the selected games."""
    plan = run.plan
    cheats = pool.find_cheats(store, plan.names_by_digest)
    games = list(islice(store.games(selected=True), report.LISTED_GAMES))
    return report.Context(
        plan=plan.portable(),
        summary=summary.summarize(results, plan.settings.rating, cheats),
        results=results,
        games=[(game, store.record(game.id)) for game in games],
        failures=[row for row in store.failures(selected=True) if row.counted],
        run=run,
        runs=store.runs(),
    )


def make_game_rows(games: Iterable[GameRow]) -> Iterator[dict[str, Any]]:
    """Yield one row per seat of each game."""
    for game in games:
        for seat, bot in enumerate(game.bots):
            yield {
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


def format_csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield rows with the same keys as lines of CSV, after a header."""
    text = io.StringIO()
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(text, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _format_text(
    rating: Summary, run: TournamentRun, failures: Sequence[Any], harness: float
) -> str:
    lines = [rating_tables.format_full_table(rating), ""]
    lines.append(
        f"{rating.games} games of {rating.blocks} deals ({run.played} played now, "
        f"{run.reused} reused); ended: {run.ended}"
    )
    points, lead = rating.saved
    if not np.isnan(points):
        lines.append(
            f"duplicate deals: variance of mean points x{points:.2f}, of mean lead x{lead:.2f}"
        )
    lines.append(f"harness: {100 * harness:.1f} % of the CPU time of the games")
    if run.test:
        lines.append(rating_tables.format_verdict(run.test))
    lines += [f"warning: {warning}" for warning in rating.warnings]
    for row in failures[:LISTED_FAILURES]:
        lines.append(
            f"failed: {row.bot or 'unknown bot'} {row.kind} in game {row.id} at ply {row.ply}: "
            f"{row.message}"
        )
    if len(failures) > LISTED_FAILURES:
        lines.append(f"failed: {len(failures) - LISTED_FAILURES} more")
    return "\n".join(lines)
