"""Builds the example game and the wrong games outside the tree, as an outsider would."""

from pathlib import Path

from calls import ROOT, python

import trajan_ai

PACKAGES = {
    "hoard": ROOT / "docs" / "own_game" / "src" / "hoard",
    "wrong_games": Path(__file__).parent / "wrong_games",
}
# A checkout keeps its .pxd files apart; where trajan_ai is installed, Cython finds them itself.
CHECKOUT = Path(trajan_ai.__file__).parent.parent / "ext"
BUILD = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup

FAST = ["-O0"]  # these games are played for seconds
setup(
    ext_modules=cythonize(
        [
            Extension("hoard.engine", ["hoard/engine.pyx"], extra_compile_args=FAST),
            Extension("wrong_games.faults", ["wrong_games/faults.pyx"], extra_compile_args=FAST),
        ],
        include_path=INCLUDE,
        nthreads=2,
        language_level=3,
    ),
    options={"build_ext": {"inplace": True, "parallel": 2}},
)
"""


def build(folder: Path) -> None:
    """Copy the sources to `folder` and compile them there."""
    for name, source in PACKAGES.items():
        (folder / name).mkdir()
        for path in source.iterdir():
            if path.suffix in (".py", ".pyx", ".pxd"):
                (folder / name / path.name).write_bytes(path.read_bytes())
    include = [str(CHECKOUT)] if CHECKOUT.is_dir() else []
    (folder / "setup.py").write_text(BUILD.replace("INCLUDE", repr(include)), encoding="utf-8")
    result = python("setup.py", "-q", "build_ext", folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr
