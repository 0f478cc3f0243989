"""Games against bots at the decision with which a browser test begins."""


def play_first_moves(tree, is_reached=lambda position: False):
    """Always play the first legal move until a position is reached or the game ends.

    Return the game, in which the user is viewing the last position.
    """
    node = 0
    while (position := tree.position(node)).player is not None and not is_reached(position):
        node = tree.add(node, position.legal()[0])
    tree.here = node
    return tree


def cut_after(tree, node):
    """Remove everything after a node, and return the game with the user viewing that node."""
    del tree.nodes[node + 1 :]
    tree.nodes[node].children.clear()
    tree.here = node
    return tree
