"""Tools to write games: position files, reveals, sets, options, weights, games in Python."""
