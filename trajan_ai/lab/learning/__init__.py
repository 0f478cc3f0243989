"""Learning the weights of a game's knowledge: plans, positions with labels, fits, tests."""
