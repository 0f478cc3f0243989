"""The games of an independent implementation, for tests that need one that was played."""

from pathlib import Path

from trajan_ai import records

GOLDEN = Path(__file__).parent.parent / "golden"


def golden(game, table="2p"):
    """The first record of a game at a table, such as ``3p`` or ``3p_options``."""
    return next(records.scan(GOLDEN / f"{game}_{table}.jsonl"))


def golden_line(game, table="2p"):
    """The same as it stands in the file."""
    return (GOLDEN / f"{game}_{table}.jsonl").read_text().splitlines()[0]
