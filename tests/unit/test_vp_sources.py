"""VP by source: exact in every game, and what `suggest --explain` makes of it."""

import random
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis import explain, outlook, suggest
from trajan_ai.core.errors import TrajanError
from trajan_ai.reference_games import KUHN

GOLDEN = Path(__file__).parent.parent / "golden"
CASES = [(name, players) for name in ("trajan", "forum_trajanum") for players in (2, 3, 4)]


def middle(name, players=2, seed=4, ply=80):
    position = trajan_ai.game(name).start(players, seed)
    chance = random.Random(seed)
    while position.ply < ply:
        position = position.after_move(chance.choice(position.legal_moves()))
    return position


@pytest.mark.parametrize(("name", "players"), CASES)
def test_every_vp_of_a_game_has_a_source_and_noting_it_changes_nothing(name, players):
    for seed in range(8):
        position = trajan_ai.game(name).start(players, seed)
        total = [[0] * len(position.game.vp_sources) for _ in range(players)]
        chance = random.Random(seed)
        while position.player is not None:
            move = chance.choice(position.legal_moves())
            after, brought = outlook.booked(position, move)
            assert after == position.after_move(move)
            total = [
                [a + b for a, b in zip(one, other, strict=True)]
                for one, other in zip(total, brought, strict=True)
            ]
            assert [sum(row) for row in total] == after.scores
            position = after


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_the_sources_of_a_record_add_up_to_its_scores(path):
    entry = records.read(path)[0]
    positions = list(records.positions(entry))
    moves = [positions[0].game.move(action) for _, action in entry["actions"]]
    assert [sum(row) for row in explain.booked_so_far(positions, moves)] == entry["scores"]


@pytest.mark.parametrize(
    ("name", "begins", "source"),
    [
        ("trajan", "ship equal", "ships"),
        ("trajan", "deploy", "military"),
        ("trajan", "build", "construction"),
        ("forum_trajanum", "build column", "columns"),
        ("forum_trajanum", "bonus vp", "area_bonuses"),
    ],
)
def test_an_action_brings_its_own_source(name, begins, source):
    """Often alone: the end of a turn may end a quarter or a phase as well."""
    game, own, other = trajan_ai.game(name), 0, 0
    for seed in range(6):
        position, chance = game.start(2, seed), random.Random(seed)
        while position.player is not None:
            moves = position.legal_moves()
            here = [move for move in moves if game.actions[move].startswith(begins)]
            move = chance.choice(here or moves)
            after, brought = outlook.booked(position, move)
            if here:
                got = [vp for vp in zip(game.vp_sources, brought[position.player]) if vp[1]]  # noqa: B905
                own += [vp[0] for vp in got] == [source]
                other += bool(got) and source not in dict(got)
            position = after
    assert own > 0
    assert other <= own // 5


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_explanations_add_up_and_tell_nothing_hidden(name):
    position = middle(name)
    result = suggest.search(position, iterations=200)
    one = explain.explain(position, result.moves[:3], playouts=40)
    alike = position.determinized(position.player, 99)
    assert explain.explain(alike, result.moves[:3], playouts=40) == one
    for outlook_of in one:
        for vp in outlook_of.vp:
            parts = sum(value.mean for source, value in vp.items() if source != explain.TOTAL)
            assert parts == pytest.approx(vp[explain.TOTAL].mean, abs=1e-3)
        assert sum(win.mean for win in outlook_of.win) == pytest.approx(1.0, abs=1e-3)
    for number in (1, 2):
        gained = one[number].vp[0][explain.TOTAL].mean - one[0].vp[0][explain.TOTAL].mean
        against = one[number].vp_against[0][explain.TOTAL]
        assert against.mean == pytest.approx(gained, abs=1e-3)


def test_the_same_move_twice_gains_nothing_at_all():
    """The draws are common: a difference without one has no error either."""
    position = middle("trajan")
    best = suggest.search(position, iterations=100).best
    twice = explain.explain(position, [best, best], playouts=20)[1]
    for vp in twice.vp_against:
        assert all(value == explain.Mean(0.0, 0.0) for value in vp.values())


def test_tables_of_reasons_keep_to_the_width():
    position = middle("trajan", players=4)
    outlooks = explain.explain(position, suggest.search(position, iterations=50).moves, playouts=4)
    for width in (60, 80, 120):
        lines = explain.table(outlooks, position.player, width).splitlines()
        assert max(map(len, lines[1:])) <= width


def test_games_that_tell_no_sources_apart_say_so():
    with pytest.raises(TrajanError, match="does not tell its sources of VP apart"):
        explain.sources_of(KUHN)
