"""Tools for writing games: position files, reveals, sets, options, weights, games in Python."""
