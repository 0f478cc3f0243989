"""Show boards with all cards, in the render modes of PettingZoo and Gymnasium."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position
from trajan_ai.core.rules import needed, offered
from trajan_ai.core.rules_drawing import PICTURE_WIDTH, HasPicture
from trajan_ai.games.drawing.png import png


def render_modes(game: Game, mode: str | None) -> list[str]:
    """Return the render modes of a game; raise TrajanError if `mode` is not one of them."""
    has_picture = offered(game.rules, HasPicture) is not None
    modes = [name for name in RENDERERS if has_picture or name != "rgb_array"]
    if mode is not None and mode not in modes:
        raise TrajanError(f"render_mode must be one of {', '.join(modes)}, got {mode!r}")
    return modes


def _draw_text(position: Position) -> str:
    return position.game.rules.draw(position)


def _print_text(position: Position) -> None:
    print(_draw_text(position))


def _draw_pixels(position: Position) -> NDArray[np.uint8]:
    rules = needed(position.game, HasPicture)
    data = png(rules.picture(position.game.rules.view(position, None)), PICTURE_WIDTH)
    from PIL import Image  # noqa: PLC0415 - part of the extra pictures, which png() needs

    with Image.open(BytesIO(data)) as image:
        return np.asarray(image.convert("RGB"))


RENDERERS: dict[str, Callable[[Position], Any]] = {
    "human": _print_text,
    "ansi": _draw_text,
    "rgb_array": _draw_pixels,
}
