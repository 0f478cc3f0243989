"""Files as people write them: YAML with line numbers."""
