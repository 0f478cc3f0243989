"""Doors for other people's tools: batched environments, PettingZoo, OpenSpiel."""
