"""Information-set Monte-Carlo tree search; no game is named here."""
