"""A check of the extra `data`."""

import tempfile
from pathlib import Path

import trajan_ai
from trajan_ai import records
from trajan_ai.cli.main import main

with tempfile.TemporaryDirectory() as name:
    games, data = Path(name) / "games.jsonl", Path(name) / "data"
    records.write(games, [trajan_ai.play("trajan", ["random", "random"], seed=1)])
    assert main(["export", str(games), "--to", str(data)]) == 0
    assert list(data.glob("trajan/seats/*/*.parquet"))
