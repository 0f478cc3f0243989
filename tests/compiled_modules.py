"""Print the names of all compiled modules, for the stub check."""

from pathlib import Path

SOURCES = Path(__file__).parent.parent / "ext"


def compiled_modules() -> list[str]:
    """Names of the modules that setup.py compiles, derived from their paths."""
    return [
        ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        for path in sorted(SOURCES.rglob("*.pyx"))
    ]


if __name__ == "__main__":
    print("\n".join(compiled_modules()))
