"""ISMCTS written as plainly as possible: the fast one must make the same visits."""

import math
from dataclasses import dataclass, field

import numpy as np

from trajan_ai.core.game import Random
from trajan_ai.core.seeds import derive_seed


@dataclass
class Node:
    mover: int = -1
    total: float = 0.0
    squares: float = 0.0
    visits: int = 0
    availability: int = 0
    prior: float = 0.0
    children: dict = field(default_factory=dict)


def rank_payoffs(position):
    ranks = position.ranks
    others = len(ranks) - 1
    return [
        sum(1.0 if r > rank else 0.5 if r == rank else 0.0 for q, r in enumerate(ranks) if q != p)
        / others
        for p, rank in enumerate(ranks)
    ]


def ucb1(node, c):
    mean = node.total / node.visits
    return mean + c * math.sqrt(math.log(node.availability) / node.visits)


def ucb1_tuned(node, c):
    share = math.log(node.availability) / node.visits
    mean = node.total / node.visits
    variance = node.squares / node.visits - mean**2 + math.sqrt(2 * share)
    return mean + c * math.sqrt(share * min(0.25, variance))


def best_puct(children, c):
    tried = [child for child in children if child.visits]
    unseen = sum(t.total for t in tried) / sum(t.visits for t in tried) if tried else 0.5

    def bound(child):
        mean = child.total / child.visits if child.visits else unseen
        return mean + c * child.prior * math.sqrt(child.availability) / (1 + child.visits)

    return max(children, key=bound)


def step(node, position, selection, c, random):
    """Return (move, child) chosen at the node, counting availability."""
    legal, player = position.legal_moves(), position.player
    if selection == "puct":
        for move in legal:
            node.children.setdefault(
                (move, player), Node(player, prior=float(np.float32(1 / len(legal))))
            )
    known = [
        child
        for (move, mover), child in node.children.items()
        if mover == player and move in legal
    ]
    for child in known:
        child.availability += 1
    if selection == "puct":
        chosen = best_puct(known, c)
    elif len(known) < len(legal):
        untried = [move for move in legal if (move, player) not in node.children]
        move = untried[random.below(len(untried))]
        chosen = node.children[move, player] = Node(player)
    else:
        value = ucb1 if selection == "ucb1" else ucb1_tuned
        chosen = max(known, key=lambda child: value(child, c))
    return next(key[0] for key, child in node.children.items() if child is chosen), chosen


def plain_search(position, iterations, seed, selection="ucb1", c=0.7):
    """Return {move: visits} at the root after `iterations`."""
    base = derive_seed("search", seed, 0)
    random = Random(base)
    root = Node()
    for iteration in range(iterations):
        state = position.determinized(position.player, base + iteration)
        node, path = root, [root]
        while state.player is not None:
            move, node = step(node, state, selection, c, random)
            state = state.after_move(move)
            path.append(node)
            if node.visits == 0:
                break
        while state.player is not None:
            legal = state.legal_moves()
            state = state.after_move(legal[random.below(len(legal))])
        payoffs = rank_payoffs(state)
        for node in path:
            node.visits += 1
            node.total += payoffs[node.mover] if node.mover >= 0 else 0.0
            node.squares += payoffs[node.mover] ** 2
    return {move: child.visits for (move, _), child in root.children.items()}
