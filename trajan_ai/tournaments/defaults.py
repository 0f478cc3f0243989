"""Defaults of tournaments and trials: what help names without loading the harness."""

from __future__ import annotations

from pathlib import Path

BUILTIN_FOLDER = Path(__file__).parent / "plans"
BUILTIN_PLANS = tuple(sorted(path.stem for path in BUILTIN_FOLDER.glob("*.yaml")))

TABLES = (2, 3, 4)  # players; a test compares them with those of the engine, not loaded here
# A trial of a bot: every seat of every table, small ones first.
TRIAL_SEATS = tuple((players, seat) for players in TABLES for seat in range(players))
PATIENCE = 10.0  # seconds that a call may take beyond the bot's own time
