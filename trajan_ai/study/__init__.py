"""Studies: games of several strengths of play, figures with their errors, claims put to the test."""
