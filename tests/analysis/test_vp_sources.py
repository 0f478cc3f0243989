"""VP by source: exact in every game."""

import random
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis import outlook
from trajan_ai.analysis.sources import booked_so_far

GOLDEN = Path(__file__).parent.parent / "golden"
CASES = [(name, players) for name in ("trajan", "forum_trajanum") for players in (2, 3, 4)]


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
    assert [sum(row) for row in booked_so_far(positions, moves)] == entry["scores"]


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
