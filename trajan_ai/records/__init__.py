"""Game records, position files and followed games.

The package itself offers game records: a game is a JSON object, and a file contains one game per
line (docs/records.md). `position_files` reads and writes what one player knows, `following`
follows a game from that knowledge, `position_sources` opens any of these files, and
`scripted_game` plays a game move by move.
"""

from trajan_ai.records.game_records import (
    FORMAT,
    NEEDED,
    RESULT,
    Record,
    Verdict,
    checkable,
    checked,
    default_name,
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
    start,
    verify,
    write,
)

__all__ = [
    "FORMAT",
    "NEEDED",
    "RESULT",
    "Record",
    "Verdict",
    "checkable",
    "checked",
    "default_name",
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
    "start",
    "verify",
    "write",
]
