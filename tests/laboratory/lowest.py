"""Run tests with every dependency at the lowest version that pyproject.toml allows.

``python tests/laboratory/lowest.py [TEST ..]`` makes an environment in a temporary folder by `uv`,
as `--resolution lowest-direct` resolves it, and runs the tests (by default those of `TESTS`) in it
on the compiled modules of this working copy.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
EXTRAS = ("page", "pictures", "completion", "dask", "test")
TESTS = (
    "tests/tournaments",
    "tests/page",
    "tests/cli/test_completion.py",
    "tests/drawing/test_pictures.py",
)


def main(tests: list[str]) -> int:
    """Make the environment, tell what is in it, run the tests and return their exit status."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
        install = [python, "-m", "uv", "pip", "install", "--python", python]
        extras = [word for extra in EXTRAS for word in ("--extra", extra)]
        lowest = ["--resolution", "lowest-direct", "-r", "pyproject.toml", *extras]
        subprocess.run([*install, *lowest], cwd=ROOT, check=True)
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        command = [
            python,
            "-m",
            "pytest",
            "-q",
            "-W",
            "ignore::DeprecationWarning",
            *(tests or TESTS),
        ]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
