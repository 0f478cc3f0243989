"""Text files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from trajan_ai.core.errors import TrajanError


def write_whole(path: Path, parts: Iterable[str], remedy: str = "") -> None:
    """Write a file; a reader, or a crash, finds the old one or the new one.

    Raises TrajanError, with the `remedy`, where that fails.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.writelines(parts)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise TrajanError(f"{path}: {error.strerror}{remedy}") from error
