"""Paths of files whose names come from outside: from a request, a record or a file of results."""

import re
from pathlib import Path

from trajan_ai.core.errors import TrajanError, quoted

MAX_NAME_BYTES = 200  # file systems allow 255, and a draft's name is longer than the file's
# Separators, control characters, and all other characters that Windows does not allow in names.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|\ud800-\udfff]')
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def build_path(folder: Path, name: str) -> Path:
    """Return the path of a file directly in a folder; every name from outside is checked here.

    Raises TrajanError if the name could refer to a file elsewhere or to no file: if it is empty,
    hidden or longer than `MAX_NAME_BYTES` bytes, if it contains a separator or a control
    character, or if it is the name of a device.
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
            f"{quoted(name)} is not a file name: a file name must have at most {MAX_NAME_BYTES} "
            'bytes, contain no control character and none of / \\ : * ? " < > |, not begin with a '
            "dot, not end with a dot or space, and not be the name of a device such as nul"
        )
    return folder / name
