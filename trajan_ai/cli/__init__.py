"""The `trajan-ai` command: one module per subcommand, errors in one line, fixed exit statuses."""

from trajan_ai.cli.main import main

__all__ = ["main"]
