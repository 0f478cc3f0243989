"""Tables of records contain the games that were played, and restore the same bytes."""

import codecs
import fnmatch
import json
import os
import random
import re
import tracemalloc
from array import array
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
import tender
from calls import ROOT, run_programs

from trajan_ai import play, records
from trajan_ai.analysis.annotation import judging
from trajan_ai.analysis.decision import outlook
from trajan_ai.cli.main import main
from trajan_ai.games import GAMES
from trajan_ai.games.forum_trajanum import rules as forum_types
from trajan_ai.games.trajan import rules as trajan_types
from trajan_ai.lab.dataset import dataset_files, exporting, tape
from trajan_ai.lab.dataset.state_layout import layout

DOCS = ROOT / "docs"
TYPES = {"trajan": trajan_types, "forum_trajanum": forum_types}


def record_of(name, players, seed, **extra):
    game = GAMES[name]
    start = game.start(players, seed)
    decisions, _, scores, ranks, _ = tape.play(start, [game.default_weights] * players, seed)
    moves = array("H", decisions)
    actions = [(mover, game.actions[move]) for move, mover in zip(*[iter(moves)] * 2, strict=True)]
    result = {"scores": scores, "ranks": ranks}
    return records.record(start, actions) | result | extra


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a file with records of both games.

    The last two records have no seed, and an action in them is in capitals; the last is
    unfinished.
    """
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    some = [
        record_of(name, players, 7, x_bots=[{"name": "policy"}] * players, x_deal_seed=7)
        for name in TYPES
        for players in (2, 3, 4)
    ]
    other = record_of("trajan", 2, 8, x_note=[1, None])
    left = {key: value for key, value in other.items() if key not in records.RESULT}
    other["actions"][0][1] = other["actions"][0][1].upper()
    lines = [*map(records.dumps, some), json.dumps(other), records.dumps(left | {
        "actions": left["actions"][:50]})]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def data(file):
    pytest.importorskip("pyarrow")
    folder = file.parent / "data"
    judged = [*records.read(file)][:1]
    records.write(file.parent / "one.jsonl", judged)
    course = judging.Judging(
        judged[0], judging.prepare_judge(judging.game_of(judged[0]), iterations=16)
    )
    one = course.annotation([course.judge(ply) for ply in course.plies[::20]])
    (file.parent / "one.json").write_text(json.dumps(one.to_dict()))
    assert main(["export", str(file), f"{file.parent}/one.json", "--to", str(folder)]) == 0
    return folder


def rows(folder, game, table):
    from pyarrow import parquet

    return [
        row | {"players": int(path.parent.name[-1])}
        for path in sorted((folder / game / table).glob("*/*.parquet"))
        for row in parquet.ParquetFile(path).read().to_pylist()
    ]


@pytest.mark.parametrize("name", TYPES)
def test_states_as_numpy_records_have_the_right_fields(name):
    size = layout(TYPES[name]).itemsize
    state = random.Random(1).randbytes(size)

    def plain(value):
        if isinstance(value, np.void):
            return {key: plain(value[key]) for key in value.dtype.names}
        if isinstance(value, np.ndarray):
            return [plain(one) for one in value]
        return int(value)

    assert plain(np.frombuffer(state, layout(TYPES[name]))[0]) == TYPES[name].fields(state)


def test_records_come_back_as_the_same_bytes(data, file, tmp_path, capsys):
    assert main(["export", str(data), "--restore", "--to", str(tmp_path / "back.jsonl")]) == 0
    assert (tmp_path / "back.jsonl").read_bytes() == file.read_bytes()
    assert main(["replay", "--verify", str(tmp_path / "back.jsonl")]) == 0
    capsys.readouterr()
    # as if the command had been killed before it wrote this part
    next(data.glob("trajan/games/players=3/*")).unlink()
    assert main(["export", str(file), "--to", str(data)]) == 0
    assert capsys.readouterr().out == f"{file}: 1 game written, 7 existing\n"


def test_records_that_cannot_be_exported_are_reported_with_their_place(file, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    lines = file.read_text(encoding="utf-8").splitlines()
    wrong = json.loads(lines[0])
    wrong["actions"][9][1] = "march britannia"
    bad = tmp_path / "bad.jsonl"
    bad.write_text(f"{lines[1]}\n[]\n{json.dumps(wrong)}\n", encoding="utf-8")
    assert main(["export", str(bad), "--to", str(tmp_path / "data")]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"{bad}: 1 game written, 0 existing\n"
    first, second = printed.err.splitlines()
    assert first == f"{bad}:2: a record must be a JSON object, got list"
    assert second.startswith(f"{bad}:3: action 9: 'march britannia' of player ")


@pytest.mark.needs("pyarrow")
def test_only_the_first_skipped_lines_of_each_file_are_printed(tmp_path, capsys):
    files = [tmp_path / "a.md", tmp_path / "b.md"]
    for path, count in zip(files, (13, 10), strict=True):
        path.write_text("text\n" * count, encoding="utf-8")
    assert main(["export", *map(str, files), "--to", str(tmp_path / "data")]) == 1
    lines = capsys.readouterr().err.splitlines()
    places = [line.partition(": ")[0] for line in lines]
    first, second = ([f"{path}:{n}" for n in range(1, 11)] for path in files)
    assert places == [*first, str(files[0]), *second]
    assert lines[10] == f"{files[0]}: and 3 more lines that were skipped"


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        ("me", "[]"),
        (7, "[]"),
        (None, "[]"),
        ([{}, {"name": 3}], "[null, null]"),
        (["a", {"name": "b"}], '[null, "b"]'),
    ],
)
def test_extra_keys_of_other_programs_are_exported(file, bots, names, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    lines = file.read_text(encoding="utf-8").splitlines()
    odd = json.loads(lines[0]) | {"x_bots": bots, "x_deal_seed": -(10**30)}
    path, data = tmp_path / "odd.jsonl", tmp_path / "data"
    text = f"{lines[0]}\n{records.dumps(odd)}\n"
    path.write_text(text, encoding="utf-8")
    assert main(["export", str(path), "--to", str(data)]) == 0
    assert capsys.readouterr() == (f"{path}: 2 games written, 0 existing\n", "")
    game = json.loads(lines[0])["game"]
    assert [row["bots"] for row in rows(data, game, "games")][1] == names
    assert main(["export", str(data), "--restore", "--to", str(tmp_path / "back.jsonl")]) == 0
    assert (tmp_path / "back.jsonl").read_text(encoding="utf-8") == text


def test_a_byte_order_mark_loses_no_game(file, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path, data = tmp_path / "bom.jsonl", tmp_path / "data"
    path.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert main(["export", str(path), "--to", str(data)]) == 0
    assert capsys.readouterr().out == f"{path}: 8 games written, 0 existing\n"
    assert main(["export", str(data), "--restore", "--to", str(tmp_path / "back.jsonl")]) == 0
    assert (tmp_path / "back.jsonl").read_bytes() == file.read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("command", ["replay", "export"])
def test_a_command_on_many_records_takes_constant_memory(command, file, tmp_path, monkeypatch):
    """Ten times as many records, or many invalid ones, take at most 1 MiB more memory."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(exporting, "GAMES_PER_PART", 8)
    good = file.read_text(encoding="utf-8")

    def peak(name, text):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(text, encoding="utf-8")
        target = ["--to", str(tmp_path / name)] if command == "export" else []
        tracemalloc.start()
        with open(os.devnull, "w") as none, redirect_stdout(none), redirect_stderr(none):
            main([command, str(path), *target])
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak("first", good)  # fills the caches
    few = peak("few", good)
    assert peak("many", good * 10) < few + 2**20
    assert peak("bad", "[]\n" * 10_000 + good) < few + 2**20


@pytest.mark.parametrize("name", TYPES)
def test_tables_agree_with_positions(data, file, name):
    """Compare the tables, turn by turn, with the positions that `records.positions` returns."""
    turns, stages, games = (rows(data, name, table) for table in ("turns", "stages", "games"))
    by_id = {row["id"]: row for row in games}
    for entry in records.read(file):
        if entry["game"] != name or "x_deal_seed" not in entry:
            continue
        positions = list(records.positions(entry))
        (row,) = (r for r in by_id.values() if r["players"] == entry["players"]
                  and r["scores"] == entry["scores"])  # fmt: skip
        game = GAMES[name]
        moves = [game.move(action) for _, action in entry["actions"]]
        assert row["moves"] == moves
        starts = [k for k, p in enumerate(positions[:-1])
                  if k == 0 or p.turn != positions[k - 1].turn]  # fmt: skip
        own = [turn for turn in turns if turn["id"] == row["id"]]
        assert [turn["seat"] for turn in own] == [positions[k].player for k in starts]
        assert [t["score"] for t in own] == [positions[k].scores[positions[k].player]
                                             for k in starts]  # fmt: skip
        names = [f"vp_{source.replace(' ', '_')}" for source in game.vp_sources]
        brought = sum(
            np.array(outlook.sources_of(position, move)[1])
            for position, move in zip(positions, moves, strict=False)
        ).tolist()
        for seat, vp in enumerate(brought):
            assert [row[one][seat] for one in names] == vp
            mine = [s for s in stages if s["id"] == row["id"] and s["seat"] == seat]
            assert [sum(s[one] for s in mine) for one in names] == vp
            assert mine[-1]["score"] == entry["scores"][seat]
        seats = [seat for seat in rows(data, name, "seats") if seat["id"] == row["id"]]
        happened = Counter()
        for position, (_, action) in zip(positions, entry["actions"], strict=False):
            for event in position.events(action):
                happened[event.name, event.player] += 1
                happened[event.name, event.player, event.thing] += event.count
        for seat in seats:
            player = seat["seat"]
            if name == "trajan":
                unmet = [
                    s["unmet"] for s in stages if s["id"] == row["id"] and s["seat"] == player
                ]
                assert sum(unmet) == happened["miss_demands", player, None]
                assert seat["senate"] == happened["advance", player]
                tiles_taken = sum(seat[column] for column in seat if column.startswith("forum_"))
                assert tiles_taken == happened["take_forum_tile", player]
                assert seat["workers"] == happened["get_workers", player, None]
                tiles = [k for k in seat if k.startswith(("start_", "tile_"))]
                assert sum(seat[k] for k in tiles) == happened["take_tile", player]
            else:
                assert seat["gained_coin"] == happened["gain", player, "coin"]
                assert seat["spent_builder"] == happened["spend", player, "builder"]
                seated = sum(seat[f"seat_{number}"] for number in range(1, 7))
                assert seated == happened["seat", player]
                mine = [turn for turn in own if turn["seat"] == player]
                assert sum(turn["buildings"] for turn in mine) == happened["build", player]
        if name == "trajan":
            for turn, first, end in zip(own, starts, [*starts[1:], None], strict=True):
                reached = [trajan_types.fields(p.to_bytes()) for p in positions[first:end]]
                actions = {one["decision"] for one in reached if not one["in_free"]}
                # A turn in which the player has no choice has no action.
                actions &= set(range(trajan_types.TRAYS))
                if turn["action"] is not None and actions:
                    action = getattr(trajan_types, f"ACTION_{turn['action']}".upper())
                    assert actions == {action}


def test_judged_decisions_are_those_of_the_game(data):
    judged = rows(data, "trajan", "decisions")
    (game,) = (row for row in rows(data, "trajan", "games") if row["id"] == judged[0]["id"])
    assert [row["ply"] for row in judged] == list(range(0, len(game["moves"]), 20))
    for row in judged:
        assert row["loss"] == pytest.approx(row["value_before"] - row["value_after"])
    assert any(row["luck"] for row in judged)


def test_luck_has_a_number_type_even_if_it_is_always_null(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    exporting.write_judged([{"ply": 3, "luck": None}], tmp_path / "a.parquet")
    assert [str(one.type) for one in parquet.read_schema(tmp_path / "a.parquet")][1] == "double"


@pytest.mark.parametrize("seed", [1, True, "1", "\ud800", 2, -1, 2**64, None])
def test_only_a_setup_that_its_seed_deals_is_omitted(seed):
    game = GAMES["trajan"]
    entry = records.record(game.start(2, 1), []) | {"scores": [], "ranks": [], "x_deal_seed": seed}
    head = json.loads(exporting.head_of(game, entry))
    assert head["setup"] == (None if type(seed) is int and seed == 1 else entry["setup"])
    assert head["x_deal_seed"] == seed


@pytest.mark.parametrize("decisions", ["[{}]", "{}]", "7"])
def test_files_that_are_not_annotations_are_rejected(decisions, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.json"
    path.write_text(f'{{"record": "1f", "game": "nim", "players": 2, "decisions": {decisions}}}')
    assert main(["export", str(path), "--to", str(tmp_path / "data")]) == 2
    assert f"{path}: not a file that trajan-ai annotate wrote" in capsys.readouterr().err


def test_a_missing_source_is_reported_with_what_is_allowed(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    assert main(["export", str(tmp_path / "castle"), "--to", str(tmp_path / "data")]) == 2
    assert "name a file of game records or the folder of a tournament" in capsys.readouterr().err


def test_the_summary_of_annotated_games_has_no_decisions(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path = tmp_path / "summary.json"
    path.write_text('{"players": [{"decisions": 3}]}')
    assert main(["export", str(path), "--to", str(tmp_path / "data")]) == 0
    assert capsys.readouterr().out == f"{path}: 0 decisions written\n"


def test_every_column_is_described_and_in_its_range(data):
    from pyarrow import parquet

    text = (DOCS / "data.md").read_text(encoding="utf-8").replace("−", "-")
    rows = re.findall(r"^\| `([\w*`, ]+)` \| ([\w, ]+) \| ([^|]*) \|", text, re.MULTILINE)
    described = [
        (column, tables.split(", "), span)
        for columns, tables, span in rows
        for column in columns.replace("`", "").split(", ")
    ]
    for path in data.glob("*/*/*/*.parquet"):
        table = parquet.ParquetFile(path).read()
        for name in table.column_names:
            spans = [span for column, tables, span in described
                     if fnmatch.fnmatch(name, column) and path.parts[-3] in tables]  # fmt: skip
            assert spans, f"docs/data.md lacks {name} of {path.parts[-3]}"
            limits = re.search(r"(-?\d+) \.\. (-?\d+)", spans[0])
            values = np.hstack([v for v in table[name].to_pylist() if v is not None] or [[]])
            if limits and len(values):
                assert int(limits[1]) <= values.min(), name
                assert values.max() <= int(limits[2]), name


@pytest.mark.needs("duckdb", "polars")
def test_the_queries_in_the_docs_run(data, monkeypatch, capsys):
    monkeypatch.chdir(data.parent)
    run_programs("docs/data.md")
    assert "senate" in capsys.readouterr().out


@pytest.mark.needs("mlcroissant")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_metadata_are_croissant():
    import mlcroissant

    assert mlcroissant.Dataset(jsonld=str(DOCS / "data.croissant.json")).metadata.name


@pytest.mark.needs("pyarrow")
def test_any_game_has_plain_tables(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(GAMES._loaded, "tender", tender.GAME)
    played = [play(tender.GAME, ["random", "greedy"], seed=seed) for seed in range(5)]
    left = {key: value for key, value in played[0].items() if key not in records.RESULT}
    played.append(left | {"actions": left["actions"][:3]})
    source, data = tmp_path / "games.jsonl", tmp_path / "data"
    records.write(source, played)
    assert main(["export", str(source), "--to", str(data)]) == 0
    assert "6 games written" in capsys.readouterr().out
    folder = data / "tender"
    games, seats, moves = (
        dataset_files.read_columns(next(folder.glob(f"{table}/players=2/*.parquet")))
        for table in ("games", "seats", "moves")
    )
    names = dataset_files.read_columns(folder / "moves.parquet")["action"]
    for number, entry in enumerate(played):
        line = records.replay_all(entry)
        id = games["id"][number]
        own, seat = moves["id"] == id, seats["id"] == id
        assert list(zip(moves["seat"][own], moves["action"][own], strict=True)) == [
            tuple(action) for action in entry["actions"]
        ]
        assert list(names[moves["move"][own]]) == list(moves["action"][own])
        assert list(names[games["moves"][number]]) == list(moves["action"][own])
        assert list(moves["ply"][own]) == list(range(len(line) - 1))
        assert list(moves["turn"][own]) == [position.turn for position in line[:-1]]
        end = line[-1]
        ranks = end.ranks or [0, 0]
        assert list(games["scores"][number]) == list(seats["score"][seat]) == end.scores
        assert list(games["ranks"][number]) == list(seats["rank"][seat]) == ranks
        assert list(seats["lead"][seat]) == [a - b for a, b in (end.scores, end.scores[::-1])]
        assert sum(seats["turns"][seat]) == len({position.turn for position in line[:-1]})
    again = tmp_path / "again.jsonl"
    assert main(["export", str(data), "--restore", "--to", str(again)]) == 0
    assert again.read_bytes() == source.read_bytes()
    assert main(["export", str(source), "--to", str(data)]) == 0
    assert "0 games written, 6 existing" in capsys.readouterr().out


def test_a_restored_file_never_replaces_what_is_read(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    games = tmp_path / "games.jsonl"
    games.write_text("{}\n")
    assert main(["export", str(games), "--restore", "--to", str(games)]) == 2
    assert "--to must not be one of the files to read" in capsys.readouterr().err
    assert games.read_text() == "{}\n"
