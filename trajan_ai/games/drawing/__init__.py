"""Boards as pictures and as text: SVG, PNG, terminals."""
