"""The VP by source add up exactly to the score in every game."""

import random

import numpy as np
import pytest
from golden_games import GOLDEN

import trajan_ai
from trajan_ai import records
from trajan_ai.analysis.decision import outlook


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_vp_has_a_source_and_booking_changes_nothing(path):
    for entry in records.read(path)[:3]:
        positions = list(records.positions(entry))
        moves = [positions[0].game.move(action) for _, action in entry["actions"]]
        total = np.zeros((entry["players"], len(positions[0].game.vp_sources)), int)
        for position, move, after in zip(positions, moves, positions[1:], strict=False):
            noted, brought = outlook.sources_of(position, move)
            total += brought
            assert noted == after
            assert list(total.sum(axis=1)) == after.scores


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
def test_an_action_scores_from_its_source(name, begins, source):
    """Often all VP of an action come from this one source. Other sources are possible, because the
    end of a turn may also end a quarter or a phase."""
    game, own, other = trajan_ai.game(name), 0, 0
    for seed in range(6):
        position, chance = game.start(2, seed), random.Random(seed)
        while position.player is not None:
            moves = position.legal_moves()
            here = [move for move in moves if game.actions[move].startswith(begins)]
            move = chance.choice(here or moves)
            after, brought = outlook.sources_of(position, move)
            if here:
                got = [vp for vp in zip(game.vp_sources, brought[position.player]) if vp[1]]  # noqa: B905
                own += [vp[0] for vp in got] == [source]
                other += bool(got) and source not in dict(got)
            position = after
    assert own > 0
    assert other <= own // 5


@pytest.mark.parametrize("name", trajan_ai.GAMES)
def test_sources_are_exact_where_the_result_is_certain(name):
    """Corrections that were learned from whole games do not change certain results."""
    position = trajan_ai.game(name).start(2, seed=3)
    chooser = random.Random(3)
    while (after := position.after(chooser.choice(position.legal()))).player is not None:
        position = after
    for move in trajan_ai.search(position, iterations=2000, grade="verified", sources=True).moves:
        assert move.margin.error == 0.0
        events = position.events(move.action)
        for player, sources in enumerate(move.sources):
            for source in position.game.vp_sources:
                of_source = [e.vp for e in events if (e.player, e.source) == (player, source)]
                assert sources[source] == pytest.approx(sum(of_source), abs=1e-9)
