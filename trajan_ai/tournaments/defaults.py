"""Defaults of tournaments and of `check-bot`, in a module that the help can load quickly."""

from pathlib import Path

BUILTIN_FOLDER = Path(__file__).parent / "plans"
BUILTIN_PLANS = tuple(sorted(path.stem for path in BUILTIN_FOLDER.glob("*.yaml")))

TABLES = (2, 3, 4)  # numbers of players; a test compares them with the engine's
# Number of players and seat of each game of a trial, in order.
TRIAL_SEATS = tuple((players, seat) for players in TABLES for seat in range(players))
TRIAL_PATIENCE = 10.0  # seconds that a call may take beyond the bot's time limit
