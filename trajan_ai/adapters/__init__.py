"""Interfaces for other tools: arrays of games, Gymnasium, PettingZoo and OpenSpiel."""
