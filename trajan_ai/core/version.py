"""Version of the package, the one place that names it."""

__version__ = "0.4.0"
