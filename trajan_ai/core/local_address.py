"""Where servers of this package listen: on this machine only."""

HOST = "127.0.0.1"
PAGE_PORT = 8117  # of the page: the year in which the emperor died, and an 8 for the web
