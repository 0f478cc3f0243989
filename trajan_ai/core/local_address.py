"""The address on which servers of this package listen: this machine only."""

HOST = "127.0.0.1"
PAGE_PORT = 8117  # of the page: an 8 for the web, and 117, the year in which Trajan died
