"""Trajan (Stefan Feld, 2011): rules, notation, drawing."""
