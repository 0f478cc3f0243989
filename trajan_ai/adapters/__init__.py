"""Interfaces for other tools: arrays of games, Gymnasium, PettingZoo, OpenSpiel."""
