"""The data set: recorded games as tables for other programs (docs/data.md)."""
