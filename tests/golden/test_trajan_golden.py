"""Golden games of Trajan replay exactly: decisions, legal actions, scores and ranks."""

import hashlib
import json
from pathlib import Path

import pytest

from trajan_ai.trajan import GAME

FILES = sorted(Path(__file__).parent.glob("trajan_*.jsonl"))


def games(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fingerprint(legal):
    digest = hashlib.sha256("\n".join(sorted(legal)).encode()).hexdigest()
    return [len(legal), digest[:8]]


def test_every_golden_file_is_here():
    assert len(FILES) == 6


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_golden_games(path):
    for number, record in enumerate(games(path)):
        position = GAME.restore(record["players"], record["setup"], **record.get("options", {}))
        for ply, (player, action) in enumerate(record["actions"]):
            place = f"game {number}, ply {ply}, {player} {action}"
            legal = position.legal()
            assert position.player == player, place
            assert fingerprint(legal) == record["x_legal"][ply], f"{place}: {legal}"
            if "x_scores" in record:
                assert position.scores == record["x_scores"][ply], place
            position = position.after(action)
        assert position.player is None, number
        assert position.scores == record["scores"], number
        assert position.ranks == record["ranks"], number
