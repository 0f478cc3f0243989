"""The data set: recorded games as tables that other programs query (docs/data.md)."""
