"""Forum Trajanum (Stefan Feld, 2018): rules, notation, drawing."""
