"""What one asks of an engine: suggestions, profiles, benchmarks."""
