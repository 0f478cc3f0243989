"""The table open for all to see, in the modes that PettingZoo and Gymnasium name."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import PICTURE_WIDTH, HasPicture, needed, offered
from trajan_ai.games.drawing.png import png


def render_modes(game: Game, mode: str | None) -> list[str]:
    """Return the modes in which a game can be shown; raise TrajanError if `mode` is none."""
    pictured = offered(game.rules, HasPicture) is not None
    modes = [name for name in RENDERERS if pictured or name != "rgb_array"]
    if mode is not None and mode not in modes:
        raise TrajanError(f"render_mode must be one of {', '.join(modes)}, got {mode!r}")
    return modes


def _text(position: Position) -> str:
    return position.game.rules.draw(position)


def _print(position: Position) -> None:
    print(_text(position))


def _pixels(position: Position) -> NDArray[np.uint8]:
    rules = needed(position.game, HasPicture)
    svg = rules.picture(position.game.rules.view(position, None))
    with Image.open(BytesIO(png(svg, PICTURE_WIDTH))) as image:
        return np.asarray(image.convert("RGB"))


RENDERERS: dict[str, Callable[[Position], Any]] = {
    "human": _print,
    "ansi": _text,
    "rgb_array": _pixels,
}
