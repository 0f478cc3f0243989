"""Levels score the VP in their names, players are matched with levels, and puzzles are right."""

import gzip
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from trajan_ai.analysis.annotation import judging, strength
from trajan_ai.analysis.annotation.strength import MIN_DECISIONS, estimate_strengths
from trajan_ai.bots import LIMITS, build, game_loop, read_bot
from trajan_ai.bots.levels import FULL, Levels, get_levels
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.games.forum_trajanum import GAME as FORUM
from trajan_ai.games.trajan import GAME as TRAJAN
from trajan_ai.lab.learning import puzzles
from trajan_ai.mcts.knowledge import play_by_policy
from trajan_ai.records import position_files

GAMES = [TRAJAN, FORUM]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_levels_score_as_named_and_beat_lower_levels(game):
    levels = get_levels(game)
    assert set(levels.tables) == {2, 3, 4}
    for players, rows in levels.tables.items():
        assert len(rows) >= 4
        for vp, row in rows.items():
            if vp != FULL:
                assert row.beats is None or row.beats[0] > 0.7
                assert row.vp[0] == pytest.approx(vp, abs=5 + row.vp[1])
            if vp != FULL and not row.thinks:  # fast enough to be measured again
                weights = [levels.weights(game, row.errors)] * players
                own_decisions = [
                    play_by_policy(game.start(players, seed=deal), weights, deal, 1 << 30)[0]
                    for deal in range(60)
                ]
                assert np.mean(own_decisions) == pytest.approx(vp, abs=8)


def test_a_level_is_deterministic_and_uses_no_hidden_information():
    bots = ["level-80", "level-140"]
    record = game_loop.play("trajan", bots, seed=3)
    assert game_loop.play("trajan", bots, seed=3)["actions"] == record["actions"]
    players = [build(read_bot(name), TRAJAN) for name in ("level-100", "level-160")]
    position = TRAJAN.start(2, seed=4)
    for _ in range(40):
        player, seat = players[position.ply % 8 == 7], position.player
        chosen = set()
        for other in (position, position.determinized(seat, 1)):
            player.start(seat, 2, 1)
            chosen.add(player.choose(other, 5))
        assert len(chosen) == 1
        position = position.after_move(chosen.pop())
    for game in GAMES:  # the searches of levels have no limit in seconds
        thinker = read_bot("level-120").thinker(game)
        assert [one for one in LIMITS if getattr(thinker, one) is not None] == ["iterations"]


def test_a_missing_level_gives_the_existing_ones():
    with pytest.raises(TrajanError, match="no level of 160 VP for 3 players; the levels are: 80,"):
        build(read_bot("level-160"), TRAJAN).start(0, 3, 1)
    with pytest.raises(TrajanError, match="no level of 160 VP"):
        read_bot("level-160").check(FORUM)


def test_strength_is_the_level_with_the_same_losses():
    value = judging.Value(0.0, 0.0, 0.0, 0.0)
    own_decisions = judging.Decision(
        0, 0, 0, 1, "sow", "", "", "", (), "", value, value, value, "mistake", None, None
    )

    def estimate(lost, count=200, grade="mistake", spread=1.0):
        losses = [replace(value, margin=lost + spread * (n % 2 - 0.5)) for n in range(count)]
        decisions = [replace(own_decisions, loss=one, grade=grade) for one in losses]
        return estimate_strengths(TRAJAN, 2, decisions)

    vps = [estimate(lost)[0].vp.mean for lost in (0.2, 0.5, 0.9)]
    assert vps == sorted(vps, reverse=True)
    assert vps[1] == pytest.approx(120, abs=40)
    assert estimate(0.5)[0].missing == 0
    assert estimate(0.5, MIN_DECISIONS - 1)[0].missing >= 1
    (vague,) = estimate(20.0, MIN_DECISIONS, spread=400.0)
    assert vague.missing > 10 * MIN_DECISIONS
    assert estimate(0.5, grade=judging.FINE)[0].lost.mean == 0


def test_the_error_of_a_strength_by_hand(monkeypatch):
    """Levels of 80 and 120 VP lose 1.0 and 0.5 VP per decision, with standard errors of 0.1, so
    the estimated level falls by 80 VP for each further VP that is lost.

    The error of the line through both levels is 0.1 / sqrt(2) halfway between them, and 0.1 at
    either level.
    """
    rows = {
        vp: {"errors": 0.0, "thinks": 0.0, "vp": (vp, 1.0), "beats": None, "lost": (lost, 0.1)}
        for vp, lost in ((80, 1.0), (120, 0.5))
    }
    monkeypatch.setattr(strength, "get_levels", lambda game: Levels(players={2: rows}))

    def estimate(losses):
        decisions = [
            SimpleNamespace(player=0, grade="mistake", loss=SimpleNamespace(margin=loss))
            for loss in losses
        ]
        return strength.estimate_strengths(TRAJAN, 2, decisions)[0]

    middle = estimate([0.25, 1.25] * 50)
    assert middle.vp.mean == pytest.approx(100)
    assert middle.lost.error == pytest.approx((0.25 / 99) ** 0.5)
    assert middle.vp.error == pytest.approx(80 * (0.25 / 99 + 0.01 / 2) ** 0.5)
    level = estimate([0.5] * 100)
    assert (level.vp.mean, level.vp.error) == pytest.approx((120, 80 * 0.1))


@pytest.mark.slow
def test_learn_measures_levels(tmp_path, capsys):
    plan = tmp_path / "levels.yaml"
    data = {
        "learn": "levels",
        "game": "trajan",
        "players": [2],
        "vp": [100, 120, 200],
        "overlooked": ["moves.next"],
        "games": 20,
        "searched": 2,
        "iterations": 5,
        "judged": 1,
    }
    plan.write_text(yaml.safe_dump(data))
    assert main(["learn", str(plan), "--jobs", "1", "--out", str(tmp_path / "run")]) == 0
    estimate = yaml.safe_load((tmp_path / "run" / "levels.yaml").read_text())
    rows = estimate["players"][2]
    assert list(rows) == [100, 120, "full"]  # the bot does not reach 200
    assert rows[100]["vp"][0] == pytest.approx(100, abs=15)
    assert rows[100]["errors"] > rows[120]["errors"] > 0
    assert rows[100]["beats"] is None
    assert 1.0 >= rows["full"]["beats"][0] > rows[120]["beats"][0] > 0.5
    plan.write_text(yaml.safe_dump(data | {"overlooked": ["moves.nxt"]}))
    assert main(["learn", str(plan), "--check"]) == 2
    assert (
        "trajan has no weight 'moves.nxt'; did you mean 'moves.next'?" in capsys.readouterr().err
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_shipped_puzzles_are_valid_positions_with_legal_answers(game):
    lines = gzip.decompress(game.rules.puzzles.read_bytes()).decode().splitlines()
    assert lines
    for line in lines:
        puzzle = json.loads(line)
        position = position_files.parse(puzzle["position"])
        assert position_files.position_file(position, position.player) == puzzle["position"]
        assert 1 <= len(puzzle["right"]) < len(position.legal())
        assert set(puzzle["right"]) <= set(position.legal())
        assert puzzle["lead"] >= puzzles.LEAD
        assert puzzle["rating"] > 300
