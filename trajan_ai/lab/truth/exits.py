"""Give the commands of the lab the same exit statuses as `trajan-ai`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.exit_status import BAD_INPUT, INTERRUPTED


@contextmanager
def exit_with_status() -> Iterator[None]:
    """End the process with a message after bad input, and without a message when interrupted."""
    try:
        yield
    except TrajanError as error:
        print(error, file=sys.stderr)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
