"""`trajan-ai new-game`: write a package for a new game, as docs/own_game.md describes."""

import argparse
import re
import sys
from pathlib import Path

import trajan_ai
from trajan_ai.core.errors import TrajanError
from trajan_ai.games import GAMES

PACKAGE = Path(trajan_ai.__file__).parent
FOLDERS = (
    PACKAGE,
    PACKAGE.parent / "docs",
)  # folders of the examples in a wheel and in a checkout
EXAMPLES = ("python_game", "own_game")
SUFFIXES = (".py", ".pyx", ".pxd", ".toml")


def run(arguments: argparse.Namespace) -> int:
    """Write the package, and print the commands to run next."""
    name = arguments.name
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,40}", name):
        raise TrajanError(
            "NAME must be a lower-case letter followed by at most 40 lower-case letters, digits "
            f"or underscores, got {name!r:.60}"
        )
    if name in GAMES or name in sys.stdlib_module_names:
        raise TrajanError(f"NAME must not be the name of an existing game or module, got {name!r}")
    folder = Path(arguments.out or name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TrajanError(f"{folder} already exists and is not an empty folder")
    write(name, folder, compiled=arguments.cython)
    python, place = Path(sys.executable).name, folder if folder.is_absolute() else f"./{folder}"
    # Compiled games are built with the installed trajan_ai; edits to Python games take effect at
    # once.
    options = "--no-build-isolation" if arguments.cython else "--editable"
    print(f"{folder} contains the package of {name}; docs/own_game.md explains it. Next:")
    print(f"    {python} -m pip install {options} {place}")
    print(f"    {python} -m trajan_ai.testing {name}")
    return 0


def write(name: str, folder: Path, *, compiled: bool) -> None:
    """Write the example game Hoard, in Python or in Cython, under another name."""
    example = next(filter(Path.is_dir, (place / EXAMPLES[compiled] for place in FOLDERS)))
    title = name.replace("_", " ").title()
    for path in sorted(example.rglob("*")):
        if path.suffix in SUFFIXES:
            text = path.read_text(encoding="utf-8")
            text = text.replace("HoardRules", f"{title.replace(' ', '')}Rules")
            text = re.sub(r"\bHoard\b", title, text)
            text = re.sub(r"\bhoard\b", name, text)
            target = folder / path.relative_to(example).as_posix().replace("hoard", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
