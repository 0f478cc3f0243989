"""A check of the extra `mcp`: the server for agents loads."""

from trajan_ai.service import mcp_server

assert mcp_server
