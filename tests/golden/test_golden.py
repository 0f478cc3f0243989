"""A replay of each golden game gives the recorded decisions, legal actions, scores and ranks."""

import hashlib
import json
from pathlib import Path

import pytest

from trajan_ai import GAMES
from trajan_ai.games.registry import BUILT_IN

FILES = sorted(Path(__file__).parent.glob("*.jsonl"))
RECORDS = [
    pytest.param(json.loads(line), id=f"{path.stem}-{number}")
    for path in FILES
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
]


def fingerprint(legal):
    """Return the number of legal actions and their hash, as in `x_legal`."""
    digest = hashlib.sha256("\n".join(sorted(legal)).encode()).hexdigest()
    return [len(legal), digest[:8]]


def test_every_golden_file_is_here():
    tables = [f"{game}_{players}p" for game in BUILT_IN for players in (2, 3, 4)]
    suffixes = ("", "_options", "_later_options")
    assert {path.stem for path in FILES} == {one + suffix for one in tables for suffix in suffixes}


@pytest.mark.parametrize("record", RECORDS)
def test_record_replays_exactly(record):
    game = GAMES[record["game"]]
    position = game.restore(record["players"], record["setup"], **record.get("options", {}))
    for ply, (player, action) in enumerate(record["actions"]):
        place = f"ply {ply}, {player} {action}"
        legal = position.legal()
        assert position.player == player, place
        assert fingerprint(legal) == record["x_legal"][ply], f"{place}: {legal}"
        if "x_scores" in record:
            assert position.scores == record["x_scores"][ply], place
        position = position.after(action)
    assert position.player is None
    assert position.scores == record["scores"]
    assert position.ranks == record["ranks"]
