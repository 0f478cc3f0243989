"""A check of the extra `openspiel`."""

import pyspiel

import trajan_ai.adapters.openspiel  # noqa: F401  importing it registers the games

game = pyspiel.load_game("python_trajan", {"deals": 3})
pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
