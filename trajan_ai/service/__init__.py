"""The engine as a service for other programs: JSON lines, see docs/engine.md, and MCP."""
