"""Recorded games of Forum Trajanum replay exactly, legal actions at every decision included."""

import hashlib
import json
from pathlib import Path

import pytest

from trajan_ai.forum_trajanum import GAME

RECORDS = [
    pytest.param(json.loads(line), id=f"{path.stem}-{number}")
    for path in sorted(Path(__file__).parent.glob("forum_*.jsonl"))
    for number, line in enumerate(path.read_text().splitlines())
]


def fingerprint(legal):
    """Number and hash of the legal actions, as `x_legal` has them."""
    text = "\n".join(sorted(legal))
    return [len(legal), hashlib.sha256(text.encode()).hexdigest()[:8]]


@pytest.mark.parametrize("record", RECORDS)
def test_record_replays_exactly(record):
    position = GAME.restore(record["players"], record["setup"], **record["options"])
    for ply, (player, action) in enumerate(record["actions"]):
        assert position.player == player, ply
        assert fingerprint(position.legal()) == record["x_legal"][ply], (ply, position.legal())
        if "x_scores" in record:
            assert position.scores == record["x_scores"][ply], ply
        position = position.after(action)
    assert position.player is None
    assert position.scores == record["scores"]
    assert position.ranks == record["ranks"]
