"""Check the types of every Python example of the docs with pyright.

    PYTHONPATH=tests/helpers python tests/experiments/types_of_docs.py

The check requires `npm ci` and the extra `ci`. The programs are those of the pages and the longer
programs in docs/examples; tests/project/test_docs.py checks the programs of the pages with mypy.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from calls import ROOT, write_programs

PYRIGHT = ROOT / "node_modules" / "pyright" / "index.js"


def main():
    """Run pyright, and return its exit status."""
    pyright = ["node", PYRIGHT, "--pythonpath", sys.executable]
    # Pyright does not find a package that is installed in editable mode.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    programs = sorted((ROOT / "docs" / "examples").glob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        files = write_programs(Path(folder))
        runs = [
            subprocess.run([*pyright, *paths], cwd=where, env=environment, check=False)
            for paths, where in ((files, folder), (programs, ROOT))
        ]
    return max(run.returncode for run in runs)


if __name__ == "__main__":
    sys.exit(main())
