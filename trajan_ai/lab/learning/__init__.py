"""Learn the weights of a game's knowledge: plans, labelled positions, fits and tests."""
