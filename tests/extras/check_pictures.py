"""A check of the extra `pictures`."""

import trajan_ai
from trajan_ai.core.rules import needed
from trajan_ai.core.rules_drawing import HasPicture
from trajan_ai.games.drawing.png import png

game = trajan_ai.game("trajan")
drawing = needed(game, HasPicture).picture(game.start(2, seed=1).view(0))
assert png(drawing, 400).startswith(b"\x89PNG")
