"""Tools to write games: names, weights, readers of position files, features."""
