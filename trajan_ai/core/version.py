"""The version of the package, which is defined only here."""

__version__ = "0.5.0"
