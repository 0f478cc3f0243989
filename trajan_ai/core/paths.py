"""Paths of files whose names come from outside: from a request, a record or a file of results."""

import re
from pathlib import Path

from trajan_ai.core.errors import TrajanError, quoted

MAX_NAME_BYTES = 200  # file systems allow 255, and a draft's name is longer than the file's
# Separators and drives, control characters, and what Windows does not allow in names.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|\ud800-\udfff]')
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def build_path(folder: Path, name: str) -> Path:
    """Return the path of a file directly in a folder. Every name from outside goes through here.

    Raises TrajanError for a name that could refer to a file elsewhere or to no file: an empty or a
    hidden name, one with a separator or a control character, the name of a device, or a name of
    more than `MAX_NAME_BYTES` bytes.
    """
    if (
        not isinstance(name, str)
        or not name.strip(". ")
        or name[0] == "."
        or name[-1] in ". "
        or _FORBIDDEN.search(name)
        or _DEVICE.fullmatch(name)
        or len(name.encode()) > MAX_NAME_BYTES
    ):
        raise TrajanError(
            f"{quoted(name)} is not a file name: it must have at most {MAX_NAME_BYTES} bytes, no "
            'control character and none of / \\ : * ? " < > |, no dot at its beginning, no dot or '
            "space at its end, and must not be the name of a device such as nul"
        )
    return folder / name
