"""Base of the slow references: a game is a generator that yields decisions."""


class SlowGame:
    """A game whose `course` yields (player, sorted actions) and receives actions.

    `decision` is the last one yielded, None when the game is over.
    """

    def begin(self):
        self.course = self.whole_game()
        self.decision = next(self.course, None)

    def act(self, action):
        assert action in self.decision[1]
        try:
            self.decision = self.course.send(action)
        except StopIteration:
            self.decision = None

    def choose(self, player, actions):
        """Yield a decision, or return the only legal action."""
        different = sorted(set(actions))
        if len(different) == 1:
            return different[0]
        return (yield player, different)


def unordered(value):
    """Return nested data with lists sorted, and without empty or zero values in mappings."""
    if isinstance(value, dict):
        return {key: unordered(inner) for key, inner in value.items() if inner}
    return sorted(map(unordered, value)) if isinstance(value, list | set | tuple) else value


def player_pairs(view, facts):
    """Return pairs of a view's and the reference's facts about each player, by name."""
    return {
        f"player {number}: {key}": (unordered(view["players"][number][key]), unordered(fact))
        for number, own in enumerate(facts)
        for key, fact in own.items()
    }
