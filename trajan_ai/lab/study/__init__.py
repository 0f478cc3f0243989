"""Studies: games of several strengths of play, figures with errors, claims put to the test."""
