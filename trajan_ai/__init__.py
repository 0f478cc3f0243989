"""trajan_ai: rules, search and records for Stefan Feld's Trajan and Forum Trajanum."""

from trajan_ai.core.errors import TrajanError
from trajan_ai.version import __version__

__all__ = ["TrajanError", "__version__"]
