"""The core that games and searches share: contract, handles, seeds, options, errors."""
