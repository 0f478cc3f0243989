"""The expert with the knowledge of an open step 1, in a game of Forum Trajanum where it is hidden.

Only for measuring what that knowledge is worth: it looks at what its player may not know.
"""

from trajan_ai.bots import build, read_bot
from trajan_ai.forum_trajanum import types


class OpenStepOne:
    """Plays as `bot` would in the same position with the option ``step_one: open``."""

    def __init__(self, game, iterations):
        """Search with `iterations` per decision."""
        expert = read_bot("expert")
        limits = {"iterations": iterations, "seconds_per_turn": None}
        self.player = build(expert.model_copy(update=limits), game)
        self.game = game

    def start(self, seat, players, seed):
        """Begin a game."""
        self.player.start(seat, players, seed)

    def choose(self, observation, seed):
        """Choose with the others' step 1 in sight."""
        return self.player.choose(self._opened(observation.position), seed)

    def observe(self, observation, move):
        """Hear of a move as if it were seen."""
        self.player.observe(self._opened(observation.position), move)

    def _opened(self, position):
        fields = types.fields(position.to_bytes())
        fields["options"] |= types.OPTION_STEP_ONE_OPEN
        return self.game.from_bytes(types.state_bytes(fields), ply=position.ply)
