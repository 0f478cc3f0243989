"""What one asks of an engine: advice on a decision, annotated games, and measurements."""
