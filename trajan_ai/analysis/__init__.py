"""Uses of the engine: advice on a decision, annotated games, and measurements."""
