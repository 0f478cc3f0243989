"""Write files completely or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from trajan_ai.core.errors import TrajanError


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Yield the path of a draft file, which replaces `path` at the end of this context.

    After an exception, the draft is deleted, and the file at `path` keeps its content.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_atomically(path: Path, parts: Iterable[str], remedy: str = "") -> None:
    """Write a file in one step: readers see either the old or the new content, even after a crash.

    Raises TrajanError if writing fails; the message ends with `remedy`.
    """
    try:
        with draft_of(path) as draft, draft.open("w", encoding="utf-8") as file:
            file.writelines(parts)
    except OSError as error:
        raise TrajanError(f"{path}: {error.strerror}{remedy}") from error
