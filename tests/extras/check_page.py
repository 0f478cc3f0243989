"""A check of the extra `page`: the application of the page loads."""

from trajan_ai.page import server

assert server
