"""`trajan-ai results`: read, filter, compare and merge the results of tournaments."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tournaments import summary
from tournaments.output import csv_of, game_rows, standing_rows
from tournaments.ratings import Results
from tournaments.store import FILE, FailureRow, GameRow, Store
from tournaments.summary import Rules
from trajan_ai.core.errors import TrajanError

RESULTS_FOLDER = Path("results")  # where tournaments go without --out
FORMS = ("compare", "game", "merge")


def add_parser(commands: Any) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "results",
        help="read, filter, compare and merge results of tournaments",
        usage="trajan-ai results DIR [filters] [--games | --failures] [--json | --csv]\n"
        "       trajan-ai results compare DIR DIR [filters] [--json]\n"
        "       trajan-ai results game ID [DIR]\n"
        "       trajan-ai results merge DIR DIR.. --out DIR",
        description="DIR: the rating table of a results folder, of all games or of some. compare: "
        "two folders side by side, bot by bot. game: the record of one game and the command that "
        "replays it; ID may be shortened. merge: all games of several folders in one, each once.",
    )
    parser.add_argument(
        "words", metavar="DIR", nargs="+", help="a folder, or one of the forms above"
    )
    parser.add_argument(
        "--bot", action="append", default=[], help="only games with this bot; repeat for several"
    )
    parser.add_argument("--players", type=int, help="only games with so many players")
    parser.add_argument("--deal", type=int, help="only games of this deal")
    parser.add_argument("--games", action="store_true", help="list the games, not the ratings")
    parser.add_argument("--failures", action="store_true", help="list the failures of bots")
    parser.add_argument("--out", metavar="DIR", help="with merge: the folder to add to")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print CSV")
    parser.set_defaults(func=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    form, *words = arguments.words
    if form not in FORMS or Path(form, FILE).exists():
        form, words = "table", arguments.words
    needed = {"table": (1, 1), "compare": (2, 2), "game": (1, 2), "merge": (1, 1000)}[form]
    if not needed[0] <= len(words) <= needed[1]:
        wanted = {"table": "DIR", "compare": "DIR DIR", "game": "ID [DIR]", "merge": "DIR.."}[form]
        raise TrajanError(
            f"results {form.replace('table', '')}: takes {wanted}, got {' '.join(words)}"
        )
    work = {"table": _table, "compare": _compare, "game": _game, "merge": _merge}[form]
    work(words, arguments)
    return 0


def _table(words: list[str], arguments: argparse.Namespace) -> None:
    with Store(words[0]) as store:
        if arguments.failures:
            _print_failures(store.failures(), arguments)
            return
        if arguments.games:
            _print_games(_chosen_games(store, arguments), arguments)
            return
        results, rules = _chosen(store, arguments)
    told = summary.summarize(results, rules)
    if arguments.json:
        data = summary.exported(told) | {"timing": summary.timing(told)}
        print(json.dumps(data, ensure_ascii=False))
    elif arguments.csv:
        print(csv_of(standing_rows(told)), end="")
    else:
        print(summary.table(told.standings))
        for players, standings in told.by_players:
            print(f"\n{players} players\n{summary.table(standings)}")
        print(f"\n{told.games} games of {told.blocks} deals")
        for warning in told.warnings:
            print(f"warning: {warning}")


def _chosen(store: Store, arguments: argparse.Namespace) -> tuple[Results, Rules]:
    """Return the games that the filters leave, and how the store's plan rates."""
    names = store.bots()
    for bot in arguments.bot:
        if bot not in names.values():
            raise TrajanError(
                f"{store.path}: no bot is called {bot!r}; bots: {', '.join(names.values())}"
            )
    where = {key: getattr(arguments, key) for key in ("players", "deal")}
    where = {key: value for key, value in where.items() if value is not None}
    results = store.results(names, where)
    mask = np.ones(len(results), dtype=np.bool_)
    for bot in arguments.bot:
        mask &= (results.seats == results.bots.index(bot)).any(axis=1)
    results = summary.played_only(results.only(mask))
    if not len(results):
        raise TrajanError(f"{store.path}: no game fits; fewer filters would show some")
    return results, _rules(store)


def _rules(store: Store) -> Rules:
    plan = store.plan()
    rating = plan.get("rating", {})
    known = {
        key: rating[key]
        for key in ("anchor", "elo", "seat_effect", "prior", "resamples")
        if key in rating
    }
    return Rules(**known, seed=plan.get("seed", 1))


def _chosen_games(store: Store, arguments: argparse.Namespace) -> list[GameRow]:
    where = {key: getattr(arguments, key) for key in ("players", "deal")}
    games = store.games({key: value for key, value in where.items() if value is not None})
    return [game for game in games if set(arguments.bot) <= set(game.bots)]


def _print_games(games: list[GameRow], arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps({"games": [vars(game) for game in games]}, ensure_ascii=False))
    elif arguments.csv:
        print(csv_of(game_rows(games)), end="")
    else:
        print(f"{'game':<16}  {'deal':>5}  {'rot.':>4}  {'VP':<18}  bots by seat")
        for game in games:
            failed = game.failed != -1
            scores = "failed" if failed else " : ".join(str(score) for score in game.scores)
            print(
                f"{game.id:<16}  {game.deal:>5}  {game.rotation:>4}  {scores:<18}  "
                f"{', '.join(game.bots)}"
            )


def _print_failures(rows: list[FailureRow], arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(json.dumps({"failures": [vars(row) for row in rows]}, ensure_ascii=False))
    elif arguments.csv:
        print(csv_of([vars(row) for row in rows]), end="")
    elif not rows:
        print("no bot failed")
    else:
        for row in rows:
            again = "" if row.counted else " (played again)"
            print(
                f"{row.id}  {row.bot or 'unknown'}  {row.kind}{again}  seat {row.seat}  "
                f"ply {row.ply}  {row.message}"
            )


def _compare(words: list[str], arguments: argparse.Namespace) -> None:
    """Print the bots that two folders share, with the difference and its interval."""
    told = []
    for word in words:
        with Store(word) as store:
            told.append(summary.summarize(*_chosen(store, arguments)))
    first, second = ({row.bot: row for row in each.standings} for each in told)
    shared = [bot for bot in first if bot in second]
    if not shared:
        raise TrajanError(f"{words[0]} and {words[1]} have no bot of the same name")
    rows = []
    for bot in shared:
        a, b = first[bot], second[bot]
        half = float(np.hypot((a.high - a.low) / 2, (b.high - b.low) / 2))
        lead = b.elo - a.elo
        rows.append(
            {
                "bot": bot,
                "elo_a": round(a.elo, 1),
                "elo_b": round(b.elo, 1),
                "difference": round(lead, 1),
                "low": round(lead - half, 1),
                "high": round(lead + half, 1),
                "mean_score_a": round(a.mean_score, 2),
                "mean_score_b": round(b.mean_score, 2),
            }
        )
    only = [sorted(set(first) - set(second)), sorted(set(second) - set(first))]
    if arguments.json:
        print(json.dumps({"bots": rows, "only_a": only[0], "only_b": only[1]}, ensure_ascii=False))
        return
    if arguments.csv:
        print(csv_of(rows), end="")
        return
    width = max(len("bot"), *(len(bot) for bot in shared))
    print(
        f"{'bot':<{width}}  {'Elo A':>7}  {'Elo B':>7}  {'B - A':>7}  {'95 % interval':>17}  "
        "VP A, B"
    )
    for row in rows:
        interval = f"{row['low']:+.0f} .. {row['high']:+.0f}"
        print(
            f"{row['bot']:<{width}}  {row['elo_a']:>+7.0f}  {row['elo_b']:>+7.0f}  "
            f"{row['difference']:>+7.0f}  {interval:>17}  "
            f"{row['mean_score_a']:.1f}, {row['mean_score_b']:.1f}"
        )
    for letter, names in zip("AB", only, strict=True):
        if names:
            print(f"only in {letter}: {', '.join(names)}")


def _game(words: list[str], arguments: argparse.Namespace) -> None:
    """Print one record, and on standard error the command that replays it."""
    prefix = words[0]
    folders = (
        [Path(words[1])]
        if len(words) > 1
        else sorted(path.parent for path in RESULTS_FOLDER.glob(f"*/{FILE}"))
    )
    found: list[tuple[Path, str]] = []
    for folder in folders:
        with Store(folder) as store:
            found += [(folder, identity) for identity in store.find(prefix)]
    if len({identity for _, identity in found}) > 1:
        some = ", ".join(identity for _, identity in found[:5])
        raise TrajanError(f"game {prefix!r} fits {len(found)} games: {some}; write more of it")
    if not found:
        where = words[1] if len(words) > 1 else f"{RESULTS_FOLDER}/*; name its folder"
        raise TrajanError(f"there is no game {prefix!r} in {where}")
    folder, identity = found[0]
    with Store(folder) as store:
        line = store.record(identity)
        failures = [row for row in store.failures() if row.id == identity]
    print(line)
    again = shlex.join(["trajan-ai", "results", "game", identity, str(folder)])
    print(
        f"to replay: {again} > game.jsonl && trajan-ai replay game.jsonl --verify",
        file=sys.stderr,
    )
    for row in failures:
        print(f"{row.kind}: {row.bot or 'unknown'}, ply {row.ply}: {row.message}", file=sys.stderr)
        if row.details:
            print(row.details, file=sys.stderr)


def _merge(words: list[str], arguments: argparse.Namespace) -> None:
    if arguments.out is None:
        raise TrajanError("results merge: needs --out DIR, the folder to add to")
    added = 0
    for word in words:
        Store(word).close()  # every folder is there before the first game moves
    with Store(arguments.out, create=True) as store:
        for word in words:
            added += store.merge(word)
        total = len(store.identities())
    if arguments.json:
        print(json.dumps({"added": added, "games": total}))
    else:
        print(f"{added} games added, {total} games in {arguments.out}")
