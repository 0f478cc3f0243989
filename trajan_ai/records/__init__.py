"""Game records, position files and followed games.

This package itself offers game records: one game is one JSON object, a file contains one per line.
docs/records.md describes the format. The other files are `position_files`, `following` (games
followed from what one player sees) and `scripted_game` (a game played by a script).
"""

from trajan_ai.records.game_records import (
    DEFAULTS_THEN,
    FORMAT,
    NEEDED,
    RESULT,
    Record,
    Verdict,
    checkable,
    checked,
    dumps,
    fingerprint,
    is_blank,
    key_problems,
    parse,
    parse_object,
    player_names,
    positions,
    read,
    record,
    replay,
    replay_all,
    scan,
    scan_all,
    scan_objects,
    start,
    verify,
    write,
)

__all__ = [
    "DEFAULTS_THEN",
    "FORMAT",
    "NEEDED",
    "RESULT",
    "Record",
    "Verdict",
    "checkable",
    "checked",
    "dumps",
    "fingerprint",
    "is_blank",
    "key_problems",
    "parse",
    "parse_object",
    "player_names",
    "positions",
    "read",
    "record",
    "replay",
    "replay_all",
    "scan",
    "scan_all",
    "scan_objects",
    "start",
    "verify",
    "write",
]
