"""A slow reference implementation of ISMCTS, which makes the same visits as the fast one."""

import math
from dataclasses import dataclass, field

import numpy as np

from trajan_ai.core.game import Random
from trajan_ai.core.seeds import derive_seed


@dataclass(eq=False)
class Node:
    mover: int = -1
    total: float = 0.0
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


class LeadPayoffs:
    """Payoffs from leads, after a fraction of the shortfalls above their mean is added to VP."""

    def __init__(self, share, shortfalls, scale=20.0):
        self.share, self.shortfalls, self.scale, self.history = share, shortfalls, scale, []

    def __call__(self, position):
        scores = position.scores
        seats = range(len(scores))
        rivals = [max((q for q in seats if q != p), key=scores.__getitem__) for p in seats]
        self.history.append(self.shortfalls())
        beyond = np.array(self.history[-1]) - np.mean(self.history, axis=0)
        counted = [scores[p] + self.share * beyond[p] for p in seats]
        leads = [own - counted[rival] for own, rival in zip(counted, rivals, strict=True)]
        return [0.5 + 0.5 * lead / (self.scale + abs(lead)) for lead in leads]


def ucb1(node, c, _):
    mean = node.total / node.visits
    return mean + c * math.sqrt(math.log(node.availability) / node.visits)


def best_puct(children, c, growth):
    tried = [child for child in children if child.visits]
    visits = sum(t.visits for t in tried)
    unseen = sum(t.total for t in tried) / visits if tried else 0.5
    c += growth * math.log(max(visits / 500, 1.0))

    def bound(child):
        mean = child.total / child.visits if child.visits else unseen
        return mean + c * child.prior * math.sqrt(child.availability) / (1 + child.visits)

    return max(children, key=bound)


def step(node, position, selection, exploration, random):
    """Return the (move, child) chosen at the node, and count the moves that were available."""
    legal, player = position.legal_moves(), position.player
    if selection == "puct":
        for move in legal:
            node.children.setdefault(
                (move, player), Node(player, prior=float(np.float32(1 / len(legal))))
            )
    children = [
        child
        for (move, mover), child in node.children.items()
        if mover == player and move in legal
    ]
    for child in children:
        child.availability += 1
    if selection == "puct":
        chosen = best_puct(children, *exploration)
    elif len(children) < len(legal):
        untried = [move for move in legal if (move, player) not in node.children]
        move = untried[random.below(len(untried))]
        chosen = node.children[move, player] = Node(player)
    else:
        chosen = max(children, key=lambda child: ucb1(child, *exploration))
    return next(key[0] for key, child in node.children.items() if child is chosen), chosen


def descend(roots, state, selection, exploration, random):
    """Return the state in which an iteration leaves the trees, and its path through them."""
    places, path = list(roots), list(dict.fromkeys(roots))
    while state.player is not None:
        mover = state.player
        shared = places[mover]
        move, node = step(shared, state, selection, exploration, random)
        places = [node if place is shared else place for place in places]
        state = state.after_move(move)
        path.append(node)
        if node.visits == 0:
            break
    return state, path


def credit(path, gains, visits=1):
    for node, gain in zip(path, gains, strict=True):
        node.visits += visits
        node.total += gain


def plain_search(
    position,
    iterations,
    seed,
    selection="ucb1",
    *,
    exploration=(0.7, 0.0),
    in_flight=1,
    own=False,
    payoffs_of=rank_payoffs,
    play=None,
):
    """Return {move: visits} at the root after `iterations`.

    All players share a tree. With `own`, each player has a tree of that player's moves only. With
    several iterations in flight (for open games only), each iteration has a separate generator of
    random numbers, and until the iteration finishes, its nodes count as visited with their mean
    payoff. If `play`, a function of a state and a seed, is given, it replaces the playouts, and
    the state is not determinized.
    """
    base = derive_seed("search", seed, 0)
    random = Random(base)
    roots = [Node() for _ in range(position.players)] if own else [Node()] * position.players
    under_way = []
    for iteration in range(iterations + in_flight - 1):
        if iteration < iterations:
            state = position if play else position.determinized(position.player, base + iteration)
            state, path = descend(roots, state, selection, exploration, random)
            lent = [node.total / node.visits if node.visits else 0.0 for node in path]
            if in_flight == 1:
                lent = [0.0] * len(path)
            else:
                credit(path, lent)
            under_way.append((state, path, lent, base + iteration))
        if iteration < in_flight - 1:
            continue
        state, path, lent, number = under_way.pop(0)
        if play and state.player is not None:
            state = play(state, number)
        draws = random if in_flight == 1 else Random(number)
        while state.player is not None:
            legal = state.legal_moves()
            state = state.after_move(legal[draws.below(len(legal))])
        payoffs = payoffs_of(state)
        gains = [payoffs[node.mover] if node.mover >= 0 else 0.0 for node in path]
        credit(
            path,
            [payoff - before for payoff, before in zip(gains, lent, strict=True)],
            visits=in_flight == 1,
        )
    root = roots[position.player]
    return {move: child.visits for (move, _), child in root.children.items()}
