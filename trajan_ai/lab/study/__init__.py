"""Studies: games at several strengths of play, figures with errors, and tests of claims."""
