"""Boards as text: terminal colours, and a layout that ignores the escape sequences of colours."""

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from typing import TextIO

MIN_WIDTH = 40  # columns of a board, even on a narrower terminal
INDENT = 12  # columns before continuation lines

# Foreground and background of a terminal with 256 colours. Boards are readable without colours.
COLOURS = {
    "blue": (231, 26),
    "green": (231, 28),
    "orange": (16, 208),
    "pink": (16, 212),
    "white": (16, 255),
    "yellow": (16, 220),
    "red": (231, 160),
    "eagle": (231, 240),
    "gold": (16, 179),
}
PLAYERS = ((231, 124), (231, 25), (231, 58), (231, 91))
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Paint:
    """Adds colours to words, or leaves the words as they are."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def colour(self, text: str, name: str) -> str:
        """Return `text` with the background colour `name`."""
        return self._paint(text, COLOURS[name])

    def player(self, text: str, player: int) -> str:
        """Return `text` with a player's colour as background."""
        return self._paint(text, PLAYERS[player])

    def bold(self, text: str) -> str:
        """Return `text` in bold."""
        return f"\x1b[1m{text}\x1b[0m" if self.on else text

    def faint(self, text: str) -> str:
        """Return `text` in a fainter style."""
        return f"\x1b[2m{text}\x1b[0m" if self.on else text

    def _paint(self, text: str, colours: tuple[int, int]) -> str:
        front, back = colours
        return f"\x1b[38;5;{front};48;5;{back}m{text}\x1b[0m" if self.on else text


def wants_colour(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal with colours and NO_COLOR is not set."""
    dumb = os.environ.get("TERM") == "dumb"
    return stream.isatty() and not os.environ.get("NO_COLOR") and not dumb


def columns(stream: TextIO, otherwise: int) -> int:
    """Return the width of the terminal, or `otherwise` if `stream` is not a terminal."""
    return shutil.get_terminal_size((otherwise, 24)).columns if stream.isatty() else otherwise


def length(text: str) -> int:
    """Return the number of columns that `text` takes up."""
    return len(_ESCAPE.sub("", text))


def padded(text: str, width: int) -> str:
    """Return `text`, padded with spaces to `width` columns."""
    return text + " " * max(0, width - length(text))


def wrapped(text: str, width: int) -> list[str]:
    """Return a text as lines of at most `width` columns; continuation lines are indented."""
    lines, used = [""], 0
    for i, word in enumerate(re.split(r"( +)", text)):
        size = length(word)
        if i % 2 == 0 and used + size > width and used > INDENT:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * INDENT)
            used = INDENT
        elif i % 2 and used == INDENT and len(lines) > 1:
            continue
        lines[-1] += word
        used += size
    lines[-1] = lines[-1].rstrip()
    return lines


def side_by_side(
    blocks: Iterable[Sequence[str]], width: int, block: int, *, gap: bool = True
) -> list[str]:
    """Return blocks of lines side by side, each `block` columns wide, with as many per row as fit.

    With `gap`, there is an empty line between rows of blocks.
    """
    left = list(blocks)
    per_row = max(1, width // block)
    lines: list[str] = []
    while left:
        row, left = left[:per_row], left[per_row:]
        if lines and gap:
            lines.append("")
        for i in range(max(map(len, row))):
            parts = [padded(one[i] if i < len(one) else "", block) for one in row]
            lines.append("".join(parts).rstrip())
    return lines
