"""What the slow references share: a game is one generator that yields decisions."""


class SlowGame:
    """A game whose `course` yields (player, sorted actions) and is sent actions.

    `decision` is the last one yielded, None when the game is over.
    """

    def begin(self):
        """Go on to the first decision."""
        self.course = self.whole_game()
        self.decision = next(self.course, None)

    def act(self, action):
        """Make the action of the player to decide."""
        assert action in self.decision[1]
        try:
            self.decision = self.course.send(action)
        except StopIteration:
            self.decision = None

    def choose(self, player, actions):
        """Ask, unless there is one legal action: then it is made automatically."""
        different = sorted(set(actions))
        if len(different) == 1:
            return different[0]
        return (yield player, different)
