"""Tiny games with known answers, on which the search is proved."""
