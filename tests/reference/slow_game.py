"""The base of the slow references, in which a game is a generator that yields decisions."""

from trajan_ai.core.events import Event


class SlowGame:
    """A game whose `course` yields (player, sorted actions) and receives actions.

    `decision` is the last decision yielded, or None when the game is over.
    """

    # The events of the last action, as (observer, event); the observer None sees everything.
    events = ()

    def begin(self):
        self.events = []
        self.course = self.whole_game()
        self.decision = next(self.course, None)

    def act(self, action):
        assert action in self.decision[1]
        self.events = []
        try:
            self.decision = self.course.send(action)
        except StopIteration:
            self.decision = None

    def report(
        self, name, player=None, thing=None, count=0, *, vp=0, source=None, to=None, insiders=None
    ):
        """Report an event to the observers in `to`; only those in `insiders` see the thing.

        The observer None sees each event once, in full. By default, `to` includes all observers,
        and all of them see the thing.
        """
        for observer in (None, *range(self.n)) if to is None else to:
            visible = thing if insiders is None or observer in insiders else None
            event = Event(
                name=name, player=player, vp=vp, thing=visible, count=count, source=source
            )
            self.events.append((observer, event))

    def events_of(self, observer):
        """Return the events of the last action that an observer sees."""
        return [event for viewer, event in self.events if viewer == observer]

    def choose(self, player, actions):
        """Yield a decision, or return the only legal action."""
        different = sorted(set(actions))
        if len(different) == 1:
            return different[0]
        return (yield player, different)


def unordered(value):
    """Return nested data with sorted lists, and with mappings that omit empty and zero values."""
    if isinstance(value, dict):
        return {key: unordered(inner) for key, inner in value.items() if inner}
    return sorted(map(unordered, value)) if isinstance(value, list | set | tuple) else value


def player_pairs(view, facts):
    """Return, by name, pairs of each fact about a player: from the view and from the reference."""
    return {
        f"player {number}: {key}": (unordered(view["players"][number][key]), unordered(fact))
        for number, own in enumerate(facts)
        for key, fact in own.items()
    }
