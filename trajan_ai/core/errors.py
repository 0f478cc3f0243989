"""The domain exceptions of the package."""

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")  # break lines or terminals


class TrajanError(ValueError):
    """Bad input: the message is one line that says where, what, and what would be right.

    The command line prints it and exits with status 2. ``problems`` holds every problem found,
    for input that is checked as a whole (files); the message joins them. What a file says may
    be quoted as it stands: characters that are no text are shown as their escapes.
    """

    def __init__(self, *problems: str) -> None:
        self.problems = tuple(_CONTROL.sub(_escape, problem) for problem in problems)
        super().__init__("; ".join(self.problems))


def _escape(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


class NotSupported(TrajanError):
    """The game does not offer what was asked for, such as position files."""
