"""The engine as a service for other programs: JSON lines (docs/engine.md) or MCP (docs/mcp.md)."""
