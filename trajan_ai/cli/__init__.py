"""The `trajan-ai` command."""
