"""Play a game on the engine and a slow reference at once, choosing moves in various ways.

A table is a module such as trajan_table.py. It contains GAME, REFERENCE, VALUES (those of the
options), `compare` (which returns further pairs that must be equal, in addition to decisions,
scores, ranks and events), TWIN (the game's knowledge in plain Python), and FAULTS (wrong functions
for the reference).
"""

import json
import math
import re

import forum_table
import pytest
import trajan_table

from trajan_ai import records
from trajan_ai.bots import read_bot
from trajan_ai.core.game import Random
from trajan_ai.core.information import InformationSet
from trajan_ai.mcts.driver import ThreadedSearch
from trajan_ai.mcts.knowledge import evaluation, policy_choice, priors

TABLES = {table.GAME.name: table for table in (trajan_table, forum_table)}
MIN_PRIOR = 1e-3  # smallest prior of a move, relative to the best move
TEMPERATURE = 8.0  # temperature of the prior, in VP


class Difference(AssertionError):
    """The engine and the reference differ; the message ends with the record of the position."""


def some_options(values, seed):
    """Return random options from `values`, or no options for every fourth seed."""
    random = Random(seed)
    if seed % 4 == 0:
        return {}
    return {name: allowed[random.below(len(allowed))] for name, allowed in values.items()}


def at_random(game, seed):
    random = Random(seed)

    def choose(position):
        legal = position.legal_moves()
        return legal[random.below(len(legal))]

    return choose


def curious(game, seed):
    """Choose the policy's move or, half of the time, a kind of action not yet played in this game.

    Such choices reach situations that are rare in random and in good play, such as wild tiles in
    shipments or the reward for a fourth building. Actions that differ only in their cells are of
    one kind.
    """
    kinds = [re.sub(r" [A-Fm][.0-9]+", "", action) for action in game.actions]
    random, kinds_played = Random(seed), set()

    def choose(position):
        legal = position.legal_moves()
        new = [move for move in legal if kinds[move] not in kinds_played]
        if new and random.below(2):
            move = new[random.below(len(new))]
        else:
            move = legal[policy_choice(position, game.default_weights, seed + position.ply)]
        kinds_played.add(kinds[move])
        return move

    return choose


def searched(game, seed):
    """Choose moves of `expert` with 30 iterations, because good play reaches other positions."""
    engine = ThreadedSearch(game, read_bot("expert").model_copy(update={"seconds_per_turn": None}))

    def choose(position):
        information = InformationSet(position)
        return engine.search(information, seed + position.ply, iterations=30).moves[0].move

    return choose


def play(name, players, seed, chooser=curious, reference=None, *, knowledge=False):
    """Play a game on the engine and the reference; return the number of decisions.

    The seed determines the options. Raise Difference at the first difference.
    """
    table = TABLES[name]
    choose = chooser(table.GAME, seed)
    start = position = table.GAME.start(players, seed, **some_options(table.VALUES, seed))
    _, checked, setup = start.origin
    slow = (reference or table.REFERENCE)(players, checked, json.loads(json.dumps(setup)))
    actions, events = [], {}
    while True:
        pairs = {
            "decision": (decision(position), slow.decision),
            "scores": (position.scores, [player.score for player in slow.player]),
            "ranks": (position.ranks, slow.ranks),
            **events,
            **table.compare(position, slow),
        }
        if knowledge:
            pairs |= compare_knowledge(table, position, slow)
        for what, (one, other) in pairs.items():
            if one != other:
                record = records.dumps(records.record(start, actions))
                raise Difference(f"{what}: engine {one}, reference {other}\n{record}")
        if position.player is None:
            return len(actions)
        action = table.GAME.actions[choose(position)]
        actions.append((position.player, action))
        before, position = position, position.after(action)
        slow.act(action)
        events = {
            f"events seen by {observer}": (
                before.events(action, observer),
                slow.events_of(observer),
            )
            for observer in (None, *range(players))
        }


def decision(position):
    return None if position.player is None else (position.player, sorted(position.legal()))


def compare_knowledge(table, position, slow):
    """Return the engine's prior, evaluation and policy, each paired with the slow reference's.

    All weights except temperatures are drawn at random and differ from 0, so that counting
    anything too often makes a difference. The policy uses the default weights and no noise.
    """
    random, names = Random(position.ply), table.GAME.weight_names
    weights = {name: 0.2 + random.below(2801) / 1000 for name in names}
    weights |= {name: TEMPERATURE for name in names if name.endswith("temperature")}
    weight_list = list(weights.values())
    if position.player is None:
        return {"evaluation": (evaluation(position, weight_list), position.scores)}
    view, legal = position.view(position.player), position.legal()

    def rates(weights):
        return list(map(table.TWIN.Rates(slow, view, weights, legal).rate, legal))

    expected = pytest.approx(shares_of(rates(weights)), rel=2e-3)
    pairs = {"prior": (priors(position, weight_list), expected)}
    values = table.TWIN.evaluation(slow, view, weights)
    if values is not None:
        # A value near 0 is a difference between large numbers, which are rounded to 32-bit floats.
        near = pytest.approx(values, rel=1e-5, abs=1e-4)
        pairs["evaluation"] = (evaluation(position, weight_list), near)
    shipped = dict(zip(names, table.GAME.default_weights, strict=True))
    quiet = shipped | {name: 0.0 for name in names if name.endswith("noise")}
    choice, scores = policy_choice(position, list(quiet.values()), position.ply), rates(quiet)
    return pairs | {"policy": (scores[choice], pytest.approx(max(scores), abs=1e-3))}


def shares_of(rates):
    best = max(rates)
    raw = [math.exp((rate - best) / TEMPERATURE) + MIN_PRIOR for rate in rates]
    return [share / sum(raw) for share in raw]
