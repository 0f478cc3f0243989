"""The exit statuses of commands. Status 1 means that a command finished, but something failed."""

DONE = 0
BAD_INPUT = 2  # wrong usage or bad input
INTERNAL = 3  # a bug in this package
INTERRUPTED = 130  # 128 plus the number of SIGINT, as shells report it
