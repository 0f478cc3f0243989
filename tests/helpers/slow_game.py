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


def unordered(value):
    """A board without its order: lists sorted; nothing, 0 and False left out of mappings."""
    if isinstance(value, dict):
        return {key: unordered(inner) for key, inner in value.items() if inner}
    return sorted(map(unordered, value)) if isinstance(value, list | set | tuple) else value


def player_pairs(view, facts):
    """What each player has in a view and by the facts of the reference, name to a pair."""
    return {
        f"player {number}: {key}": (unordered(view["players"][number][key]), unordered(fact))
        for number, own in enumerate(facts)
        for key, fact in own.items()
    }
