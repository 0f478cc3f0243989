"""What every game and every search share: the contract, handles, seeds, options, errors."""
