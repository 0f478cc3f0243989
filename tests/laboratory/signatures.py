"""The signature of play by several compilers: ``python tests/laboratory/signatures.py``.

Builds copies of the working tree, one for each compiler and its options, and plays what
``trajan-ai bench`` plays, without measuring. Ends with status 1 where two signatures differ.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from working_copy import PLAY, build, copy

BUILDS = (
    "gcc -O3", "gcc -O1", "gcc -O3 -march=native", "clang -O3", "clang -O1",
    "clang -O3 -march=native",
)  # fmt: skip


def signature(told):
    """Return the signature that the code of one compiler, and its options, gives."""
    compiler, _, options = told.partition(" ")
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(folder), "ext/**/*.c")
        linker = f"{compiler} -shared"
        done = build(folder, CC=compiler, LDSHARED=linker, TRAJAN_CFLAGS=options)
        if done.returncode:
            sys.exit(f"{told}: {(done.stdout + done.stderr)[-2000:]}")
        environment = os.environ | {"PYTHONPATH": folder}
        play = [sys.executable, "-c", PLAY]
        return subprocess.check_output(play, cwd=folder, env=environment, text=True).strip()


def main():
    """Build and play."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs="*", default=BUILDS, help='such as "gcc -O1"')
    found = set()
    for told in parser.parse_args().builds:
        found.add(one := signature(told))
        print(f"{one}  {told}", flush=True)
    if len(found) > 1:
        sys.exit("the signatures differ")


if __name__ == "__main__":
    main()
