"""Annotated games: judgements of all decisions, sums for each player, and a page with both."""
