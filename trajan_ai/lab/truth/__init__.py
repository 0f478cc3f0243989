"""Rolled-out decisions: what their moves are worth, and how far analyses are from it."""
