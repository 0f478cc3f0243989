"""Tournaments that start from positions of recorded games."""

import json

import pytest
from calls import problems
from golden_games import golden
from plans import outputs, plan, plan_file, scripted

from trajan_ai import records
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.plan_file import read_plan
from trajan_ai.tournaments.pool import select_planned
from trajan_ai.tournaments.schedule import Schedule
from trajan_ai.tournaments.store import Store

PLY = 100


@pytest.fixture
def games(tmp_path):
    """Write and return two records of games with the same number of players and no options."""
    entries = [golden("trajan", "3p"), golden("trajan", "3p")]
    entries[1] = entries[1] | {"actions": entries[1]["actions"][: PLY + 1]}
    for entry in entries:
        entry.pop("x_legal", None)
        entry.pop("x_scores", None)
    for key in ("scores", "ranks"):
        entries[1].pop(key, None)
    records.write(tmp_path / "games.jsonl", entries)
    return entries


def positions(ply=PLY, **more):
    return [{"file": "games.jsonl", "ply": ply} | more]


def keys(entries, **more):
    bots = ["random", "greedy", scripted()]
    options = entries[0]["options"]
    return {"players": 3, "bots": bots, "positions": positions(), "options": options} | more


def played(folder, entries, out="out", jobs=1, **more):
    path = plan_file(folder, **keys(entries, **more))
    data = path.read_text().replace("deals: 2\n", "")
    path.write_text(data)
    state = runner.run(read_plan(path), folder / out, jobs)
    write_outputs(state)
    return state


@pytest.mark.slow
def test_each_position_is_played_from_all_seats(tmp_path, games):
    state = played(tmp_path, games)
    assert (state.played, state.missing) == (6, 0)
    seatings = set()
    for entry in records.read(tmp_path / "out" / "records.jsonl"):
        assert entry["x_start_ply"] == PLY
        assert entry["setup"] == games[0]["setup"]
        assert entry["actions"][:PLY] == games[0]["actions"][:PLY]
        assert records.verify(entry).position.player is None
        seatings.add(tuple(bot["name"] for bot in entry["x_bots"]))
    assert len(seatings) == 6  # the two deals have different circular orders
    with Store(tmp_path / "out") as store:  # without the records that contain the positions
        assert select_planned(store)
        assert store.count_missing() == 0
    again = played(tmp_path, games)
    assert (again.played, again.reused) == (0, 6)


@pytest.mark.long
def test_any_number_of_jobs_gives_the_same_bytes(tmp_path, games):
    played(tmp_path, games)
    played(tmp_path, games, out="two", jobs=2)
    assert outputs(tmp_path / "two") == outputs(tmp_path / "out")


@pytest.mark.slow
def test_a_failure_is_recorded_after_the_moves_before_it(tmp_path, games):
    bots = ["random", "greedy", scripted("exit")]
    state = played(tmp_path, games, bots=bots, limits={"retries": 0})
    assert state.failures == 6
    for entry in records.read(tmp_path / "out" / "records.jsonl"):
        assert len(entry["actions"]) >= PLY
        assert entry["actions"][:PLY] == games[0]["actions"][:PLY]


def test_games_depend_on_the_position(tmp_path, games):
    ids = [
        [fixture.id for fixture in Schedule(plan(tmp_path, **keys(games, **more))).fixtures()]
        for more in (
            {},
            {"positions": positions(PLY - 1)},
            {"positions": positions(record=1)},
            {"positions": positions(record=2)},
        )
    ]
    assert not {*ids[0]} & {*ids[1]}
    assert ids[2] == ids[3] == ids[0]  # both records are the same up to this ply
    assert len({*ids[0]}) == 6


def test_a_resolved_plan_has_the_same_games(tmp_path, games):
    first = plan(tmp_path, **keys(games))
    other = tmp_path / "other"
    again = plan(other, **json.loads(json.dumps(first.resolved())))
    assert Schedule(again).ids() == Schedule(first).ids()
    assert str(tmp_path) not in json.dumps(first.portable())


def test_unsuitable_records_are_reported(tmp_path, games):
    def fails(**more):
        return "; ".join(problems(plan, tmp_path, **keys(games, **more)))

    assert "plan.yaml" in fails(positions=positions(record=3))
    assert "has 2 records, so there is no record 3" in fails(positions=positions(record=3))
    assert "ply must be 0 to 101, got 500" in fails(positions=positions(500))
    end = len(games[0]["actions"])
    assert f"the game is over after {end} actions" in fails(positions=positions(end, record=1))
    assert "has 3 players, unlike the plan" in fails(players=2)
    assert "is a game of trajan, but the plan is for" in fails(game="forum_trajanum", options={})
    assert "they must be the same" in fails(options=games[0]["options"] | {"lap_length": 9})
    assert "no.jsonl" in fails(positions=[{"file": "no.jsonl", "ply": 1}])
