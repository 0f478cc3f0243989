"""The compiled half of Hoard, against the trajan_ai that is installed."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import trajan_ai

ENGINE = Extension("hoard.engine", ["src/hoard/engine.pyx"])
# A checkout keeps its .pxd files apart; where trajan_ai is installed, Cython finds them itself.
CHECKOUT = Path(trajan_ai.__file__).parent.parent / "ext"
INCLUDE = [str(CHECKOUT)] if CHECKOUT.is_dir() else []

setup(ext_modules=cythonize([ENGINE], include_path=INCLUDE, language_level=3))
