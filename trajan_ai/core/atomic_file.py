"""Write text files completely or not at all."""

import os
from collections.abc import Iterable
from pathlib import Path

from trajan_ai.core.errors import TrajanError


def write_atomically(path: Path, parts: Iterable[str], remedy: str = "") -> None:
    """Write a file in one step: readers see the old or the new content, even after a crash.

    Raises TrajanError, whose message ends with the `remedy`, if writing fails.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.writelines(parts)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise TrajanError(f"{path}: {error.strerror}{remedy}") from error
