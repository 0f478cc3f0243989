"""Games against bots that have reached the decision with which a browser test begins."""


def play_first_moves(tree, is_reached=lambda position: False):
    """Play the first legal moves of a game until a position is reached, or to the end.

    Return the game, whose user is looking at the last position.
    """
    node = 0
    while (position := tree.position(node)).player is not None and not is_reached(position):
        node = tree.add(node, position.legal()[0])
    tree.here = node
    return tree


def cut_after(tree, node):
    """Remove everything after a node; return the game, whose user is looking at that node."""
    del tree.nodes[node + 1 :]
    tree.nodes[node].children.clear()
    tree.here = node
    return tree
