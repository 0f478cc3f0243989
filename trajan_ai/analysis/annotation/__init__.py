"""Annotated games: every decision judged, sums by player, and the page that shows them."""
