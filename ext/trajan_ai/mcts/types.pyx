"""Enumerations of the search, and the size of a node."""

from trajan_ai.mcts.tree cimport Node

NODE_BYTES = sizeof(Node)
