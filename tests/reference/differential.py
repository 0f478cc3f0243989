"""A game played on the engine and on a slow reference at once, and who chooses in it."""

import json

from trajan_ai import records
from trajan_ai.bots import build, read_bot
from trajan_ai.core.game import Random


class Difference(AssertionError):
    """Where engine and reference part; the message ends in the record that leads there."""


def some_options(values, seed):
    """No options for every fourth seed, else each at random of its `values`."""
    random = Random(seed)
    if seed % 4 == 0:
        return {}
    return {name: allowed[random.below(len(allowed))] for name, allowed in values.items()}


def at_random(seed):
    random = Random(seed)

    def choose(position):
        legal = position.legal_moves()
        return legal[random.below(len(legal))]

    return choose


def by_bot(game, name, players, seed):
    """The moves of a built-in bot in every seat; a search thinks for a moment only."""
    bot = read_bot(name)
    if name == "expert":
        bot = bot.model_copy(update={"iterations": 5, "seconds_per_turn": None})
    seated = [build(bot, game) for _ in range(players)]
    for number, player in enumerate(seated):
        player.start(number, players, seed)
    return lambda position: seated[position.player].choose(position, seed + position.ply)


def play(game, reference, shown, *, players, seed, choose, **options):
    """Play a game on both; return the decisions made.

    `reference` is called as (players, options, setup); `shown` returns, of a position and the
    reference's game, what is to be equal besides decisions, scores and ranks: name to a pair.
    """
    start = position = game.start(players, seed, **options)
    _, checked, setup = start.origin
    slow = reference(players, checked, json.loads(json.dumps(setup)))
    actions = []
    while True:
        pairs = {
            "decision": (decision(position), slow.decision),
            "scores": (position.scores, [player.score for player in slow.player]),
            "ranks": (position.ranks, slow.ranks),
            **shown(position, slow),
        }
        for what, (one, other) in pairs.items():
            if one != other:
                record = records.dumps(records.record(start, actions))
                raise Difference(f"{what}: engine {one}, reference {other}\n{record}")
        if position.player is None:
            return len(actions)
        action = game.actions[choose(position)]
        actions.append((position.player, action))
        position = position.after(action)
        slow.act(action)


def decision(position):
    """What a position asks, as the references tell it."""
    return None if position.player is None else (position.player, sorted(position.legal()))
