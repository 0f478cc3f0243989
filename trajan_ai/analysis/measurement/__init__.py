"""Measurements of the engine: its speed, where its time goes, and how it plays."""
