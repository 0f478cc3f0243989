"""The signature of play by several compilers: ``python tests/laboratory/compilers/signatures.py``.

Builds copies of the working tree, one for each compiler and its options, and plays what
``trajan-ai bench`` plays, without measuring. Ends with status 1 where two signatures differ.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from working_copy import copy

BUILDS = (
    "gcc -O3", "gcc -O1", "gcc -O3 -march=native", "clang -O3", "clang -O1",
    "clang -O3 -march=native",
)  # fmt: skip
PLAY = (
    "from trajan_ai.analysis import bench; bench._nanoseconds = lambda work, count: 1.0; "
    "print(bench.run()['signature'])"
)


def signature(build: str) -> str:
    """Return the signature that the code of one compiler gives."""
    compiler, _, options = build.partition(" ")
    with tempfile.TemporaryDirectory() as folder:
        copy(Path(folder), "ext/**/*.c")
        environment = os.environ | {
            "CC": compiler,
            "LDSHARED": f"{compiler} -shared",
            "TRAJAN_CFLAGS": options,
            "PYTHONPATH": folder,
        }
        for command in (["setup.py", "-q", "build_ext", "--inplace"], ["-c", PLAY]):
            done = subprocess.run(
                [sys.executable, *command],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                sys.exit(f"{build}: {(done.stdout + done.stderr)[-2000:]}")
        return done.stdout.strip()


def main() -> None:
    """Build and play."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("builds", nargs="*", default=BUILDS, help='such as "gcc -O1"')
    found = {}
    for build in parser.parse_args().builds:
        found[build] = signature(build)
        print(f"{found[build]}  {build}", flush=True)
    if len(set(found.values())) > 1:
        sys.exit("the signatures differ")


if __name__ == "__main__":
    main()
