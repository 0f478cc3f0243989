"""Rolled-out decisions: the values of their moves, and how far analyses are from these values."""
