"""`trajan-ai results`: read, filter, compare and merge the results of tournaments."""

import argparse
import json
import shlex
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from trajan_ai.cli.arguments import Parser
from trajan_ai.cli.common import RESULTS_FOLDER
from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.table_text import TABLE_WIDTH
from trajan_ai.tournaments import rating_tables, summary
from trajan_ai.tournaments.comparison import compare
from trajan_ai.tournaments.output import format_csv, make_game_rows
from trajan_ai.tournaments.pool import Pool, evaluate_test, make_pools, select_planned
from trajan_ai.tournaments.ratings import NO_BOT, NO_FAILURE
from trajan_ai.tournaments.store import FILE, FailureRow, GameRow, Store, check_sources

FORMS = {  # minimum and maximum number of words of each form, and their names
    "compare": ((2, 2), "DIR DIR"),
    "drop": ((2, 2), "ENGINE DIR"),
    "game": ((1, 2), "ID [DIR]"),
    "merge": ((1, 1000), "DIR.."),
}
TABLE = ((1, 1), "DIR")


def run(arguments: argparse.Namespace) -> int:
    """Print or change results; the status is 0."""
    form, *words = arguments.words
    if form not in FORMS or Path(form, FILE).exists():
        form, words = "table", arguments.words
    (fewest, most), expected = FORMS.get(form, TABLE)
    if not fewest <= len(words) <= most:
        _fail(form, f"takes {expected}, got {' '.join(words) or 'nothing'}")
    work = {"table": _table, "compare": _compare, "game": _game, "merge": _merge, "drop": _drop}
    work[form](words, arguments)
    return 0


def _fail(form: str, message: str) -> NoReturn:
    """Exit with an error about the usage of a form."""
    name = "trajan-ai results" + ("" if form == "table" else f" {form}")
    Parser(prog=name).error(str(Problem(message)))


def _open(folder: str) -> Store:
    """Open the store of a folder; if it has none, the error names one in RESULTS_FOLDER."""
    beside = RESULTS_FOLDER / folder
    if not Path(folder, FILE).exists() and (beside / FILE).exists():
        raise TrajanError(f"{Path(folder, FILE)}: there are no results; did you mean {beside}?")
    return Store(folder)


def _table(words: list[str], arguments: argparse.Namespace) -> None:
    with _open(words[0]) as store:
        where, selected = _select(store, arguments)
        if arguments.failures:
            failures = store.failures(where, selected=selected)
            if arguments.bot:
                failures = [row for row in failures if row.bot in arguments.bot]
            _print_failures(failures, arguments)
            return
        if arguments.games:
            _print_games(_filter_games(store, arguments, where, selected), arguments)
            return
        pools = _make_pools(store, arguments, where, selected)
        others = store.count_others() if selected else 0
        missing = store.count_missing() if selected else 0
    if arguments.json or arguments.csv:
        pool = _get_only_pool(pools, words[0])
        rating = summary.summarize(pool.results, pool.rating, pool.cheats)
        data = summary.export_summary(rating) | {
            "engine": pool.engine,
            "timing": summary.export_timing(rating),
        }
        _print_data(arguments, data, data["standings"])
        return
    for pool in pools:
        if len(pools) > 1:
            print(f"{textwrap.fill(pool.title, TABLE_WIDTH)}\n")
        _print_table(pool)
    if missing:
        line = (
            f"{missing} games of the plan are missing; run `trajan-ai tournament` with the same "
            "plan and folder to play them"
        )
        print(textwrap.fill(line, TABLE_WIDTH))
    if others:
        line = f"{others} games in the folder do not belong to its last plan; --all shows them"
        print(textwrap.fill(line, TABLE_WIDTH))


def _print_table(pool: Pool) -> None:
    rating = summary.summarize(pool.results, pool.rating, pool.cheats)
    print(rating_tables.format_full_table(rating))
    print(f"\n{rating.games} games of {rating.blocks} deals")
    for test in pool.tests:
        print(rating_tables.format_verdict(evaluate_test(pool.results, test)))
    for warning in rating.warnings:
        print(textwrap.fill(f"warning: {warning}", TABLE_WIDTH))


def _select(store: Store, arguments: argparse.Namespace) -> tuple[dict[str, Any], bool]:
    """Return the filters on columns, and whether only the selected games of the plan count."""
    for bot in arguments.bot:
        if bot not in store.bots().values():
            names = ", ".join(store.bots().values())
            raise TrajanError(f"{store.path}: no bot is called {quoted(bot)}; bots: {names}")
    if arguments.engine is not None:
        _check_engine(store, arguments.engine)
    if arguments.game is not None:
        _check_game(store, arguments.game)
    where = {key: getattr(arguments, key) for key in ("players", "deal", "game", "engine")}
    where = {key: value for key, value in where.items() if value is not None}
    return where, not (arguments.all or arguments.engine) and select_planned(store)


def _check_engine(store: Store, engine: str) -> None:
    """Raise TrajanError if no game of the store was played by this engine."""
    engines = sorted({played_by for _, _, played_by in store.groups()})
    if engine not in engines:
        present = f"engines with games: {', '.join(engines)}" if engines else "it has no games"
        raise TrajanError(
            f"{store.path}: no game was played by engine {quoted(engine)}; {present}"
        )


def _check_game(store: Store, name: str) -> None:
    """Raise TrajanError if the store contains games, but none of the game called `name`."""
    games = sorted({game for game, _, _ in store.groups()})
    if games and name not in games:
        raise TrajanError(
            f"{store.path}: contains no games of {quoted(name)}; games: {', '.join(games)}"
        )


def _filter_games(
    store: Store, arguments: argparse.Namespace, where: dict[str, Any], selected: bool
) -> Iterator[GameRow]:
    games = store.games(where, selected=selected)
    return (game for game in games if set(arguments.bot) <= set(game.bots))


def _make_pools(
    store: Store, arguments: argparse.Namespace, where: dict[str, Any], selected: bool
) -> list[Pool]:
    pools = []
    for pool in make_pools(store, where, selected=selected):
        results = pool.results
        for bot in arguments.bot:
            number = results.bots.index(bot) if bot in results.bots else NO_BOT - 1
            results = results.only((results.seats == number).any(axis=1))
        if len(results):
            pools.append(replace(pool, results=summary.drop_absent_bots(results)))
    if not pools:
        if where or arguments.bot:
            raise TrajanError(f"{store.path}: no game matches the filters; use fewer of them")
        if selected and store.count_others():
            raise TrajanError(
                f"{store.path}: no game of the last plan is stored; --all shows others"
            )
        raise TrajanError(f"{store.path}: no game is finished yet; resume the tournament")
    return pools


def _get_only_pool(pools: list[Pool], folder: str) -> Pool:
    """Return the only pool; raise TrajanError if there are several."""
    if len(pools) > 1:
        titles = "; ".join(pool.title for pool in pools)
        raise TrajanError(f"{folder}: contains {titles}; choose one with --game or --engine")
    return pools[0]


def _print_data(arguments: argparse.Namespace, data: Any, rows: Iterable[dict[str, Any]]) -> bool:
    """Print data as JSON or rows as CSV; return whether either was requested."""
    if arguments.json:
        print(json.dumps(data, ensure_ascii=False))
    elif arguments.csv:
        sys.stdout.writelines(format_csv(rows))
    return bool(arguments.json or arguments.csv)


def _print_games(games: Iterator[GameRow], arguments: argparse.Namespace) -> None:
    rows = make_game_rows(games)
    data = {"games": [vars(game) for game in games]} if arguments.json else None
    if _print_data(arguments, data, rows):
        return
    print(f"{'game':<16}  {'deal':>5}  {'rot.':>4}  {'VP':<18}  bots by seat")
    for game in games:
        scores = "failed" if game.failed != NO_FAILURE else " : ".join(map(str, game.scores))
        print(
            f"{game.id:<16}  {game.deal:>5}  {game.rotation:>4}  {scores:<18}  "
            f"{', '.join(game.bots)}"
        )


def _print_failures(rows: list[FailureRow], arguments: argparse.Namespace) -> None:
    data = [vars(row) for row in rows]
    if _print_data(arguments, {"failures": data}, data):
        return
    if not rows:
        print("no bot failed")
    for row in rows:
        again = "" if row.counted else " (repeated)"
        print(
            f"{row.id}  {row.bot or 'unknown'}  {row.kind}{again}  seat {row.seat}  "
            f"ply {row.ply}  {row.message}"
        )
        for line in row.details.splitlines():
            print(f"    {line}")


def _compare(words: list[str], arguments: argparse.Namespace) -> None:
    """Print a comparison of the bots that two folders share, by points and margins."""
    sides = []
    for word in words:
        with _open(word) as store:
            where, selected = _select(store, arguments)
            pool = _get_only_pool(_make_pools(store, arguments, where, selected), word)
            sides.append((pool, list(_filter_games(store, arguments, where, selected))))
    (a, games_a), (b, games_b) = sides
    if a.game != b.game:
        raise TrajanError(f"{words[0]} contains games of {a.game}, {words[1]} of {b.game}")
    rows = compare(games_a, games_b)
    if not rows:
        raise TrajanError(
            f"{words[0]} and {words[1]} cannot be compared, because no table with the same bots "
            "occurs in both"
        )
    compared = {row.bot for row in rows}
    only = [sorted(set(pool.results.bots) - compared) for pool in (a, b)]
    data = [rating_tables.export_comparison(row) for row in rows]
    if _print_data(arguments, {"bots": data, "only_a": only[0], "only_b": only[1]}, data):
        return
    for letter, word, pool in (("A", words[0], a), ("B", words[1], b)):
        print(f"{letter}: {word}, {pool.title}")
    print(f"\n{rating_tables.format_comparison(rows)}")
    for letter, names in zip("AB", only, strict=True):
        if names:
            print(f"only in {letter}: {', '.join(names)}")


def _game(words: list[str], arguments: argparse.Namespace) -> None:
    """Print a record, and on standard error the command that replays it."""
    prefix = words[0]
    folders = (
        [Path(words[1])]
        if len(words) > 1
        else sorted(path.parent for path in RESULTS_FOLDER.glob(f"*/{FILE}"))
    )
    matches: list[tuple[Path, str]] = []
    for folder in folders:
        with _open(str(folder)) as store:
            matches += [(folder, identity) for identity in store.find(prefix)]
    if len({identity for _, identity in matches}) > 1:
        some = ", ".join(identity for _, identity in matches[:5])
        raise TrajanError(
            f"game {prefix!r} matches {len(matches)} games: {some}; give more of its digits"
        )
    if not matches:
        where = words[1] if len(words) > 1 else f"{RESULTS_FOLDER}/*; name its folder"
        raise TrajanError(f"there is no game {prefix!r} in {where}")
    folder, identity = matches[0]
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


def _drop(words: list[str], arguments: argparse.Namespace) -> None:
    engine, folder = words
    with _open(folder) as store:
        _check_engine(store, engine)
        dropped = store.drop(engine)
        left = len(store.identities())
    print(f"{dropped} games deleted, {left} left in {folder}")


def _merge(words: list[str], arguments: argparse.Namespace) -> None:
    if arguments.out is None:
        _fail("merge", "requires --out DIR, the folder to which games are added")
    added = 0
    check_sources(words, arguments.out)  # before any game is copied
    with Store(arguments.out, create=True) as store:
        for word in words:
            added += store.merge(word)
        total = len(store.identities())
        versions = store.find_versions()
    warnings = [
        f"{arguments.out} contains games of {len(bots)} versions of {quoted(name)} "
        f"({', '.join(bots)}); a plan uses only the games of its own version"
        for name, bots in versions.items()
    ]
    if arguments.json:
        data = {"added": added, "games": total, "warnings": warnings}
        print(json.dumps(data, ensure_ascii=False))
        return
    print(f"{added} games added, {total} games in {arguments.out}")
    for warning in warnings:
        print(f"warning: {warning}")
