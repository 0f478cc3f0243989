"""The arguments of each subcommand, apart from its work: help loads nothing of the engine."""
