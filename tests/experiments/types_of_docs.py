"""Check the types of every Python example of the docs with mypy and pyright.

    PYTHONPATH=tests/helpers python tests/experiments/types_of_docs.py

Requires `npm ci` and the extra `ci`. Both tools check the pages; only pyright checks the longer
programs in docs/examples, which have few annotations.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from calls import ROOT, write_programs

PYRIGHT = ROOT / "node_modules" / "pyright" / "index.js"


def main():
    """Run both checkers; return the exit status."""
    mypy = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--strict"]
    pyright = ["node", PYRIGHT, "--pythonpath", sys.executable]
    # Pyright does not find a package that is installed in editable mode.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    programs = sorted((ROOT / "docs" / "examples").glob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        files = write_programs(Path(folder))
        runs = [
            subprocess.run([*command, *paths], cwd=where, env=environment, check=False)
            for command, paths, where in (
                (mypy, files, folder),
                (pyright, files, folder),
                (pyright, programs, ROOT),
            )
        ]
    return max(run.returncode for run in runs)


if __name__ == "__main__":
    sys.exit(main())
