"""Try the package with other CPythons: ``python tests/laboratory/interpreters.py PYTHON ..``.

For each interpreter a copy of the working tree is built and installed into an environment of its
own, which must then replay the recorded games, share positions between threads, and play with the
signature of the others. Ends with status 1 where something fails or two signatures differ.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from working_copy import PLAY, ROOT, copy

TESTS = ("tests/golden", "tests/files/test_shared_positions.py")
ALONE = ("-c", "pyproject.toml", "-o", "addopts=-q", "-p", "no:cacheprovider", "--noconftest")


def tried(interpreter, folder):
    """Return the version of an interpreter and the signature that the package has with it."""
    python = folder / "environment" / "bin" / "python"
    copy(folder / "sources", "ext/**/*.c")
    subprocess.run([interpreter, "-m", "venv", folder / "environment"], check=True)
    subprocess.run(
        [python, "-m", "pip", "-q", "install", folder / "sources", "pytest"], check=True
    )
    subprocess.run([python, "-P", "-m", "pytest", *ALONE, *TESTS], cwd=ROOT, check=True)
    told = [python, "-P", "-c", f"import sys; print(sys.version.split()[0]); {PLAY}"]
    return subprocess.check_output(told, cwd=folder, text=True).split()


def main(interpreters):
    """Try every interpreter, and compare."""
    signatures = set()
    for interpreter in interpreters:
        with tempfile.TemporaryDirectory() as folder:
            version, signature = tried(interpreter, Path(folder))
        print(f"{signature}  CPython {version}", flush=True)
        signatures.add(signature)
    if len(signatures) != 1:
        sys.exit("the signatures differ")


if __name__ == "__main__":
    main(sys.argv[1:])
