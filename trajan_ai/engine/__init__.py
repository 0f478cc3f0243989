"""The engine process: requests and answers as JSON lines; see docs/engine.md."""
