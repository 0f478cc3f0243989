"""Build the compiled half of Hoard against the installed trajan_ai."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import trajan_ai

ENGINE = Extension("hoard.engine", ["src/hoard/engine.pyx"])
# A checkout of trajan_ai has its .pxd files in `ext`. Cython itself finds those of an installed
# one.
CHECKOUT = Path(trajan_ai.__file__).parent.parent / "ext"
INCLUDE = [str(CHECKOUT)] if CHECKOUT.is_dir() else []

setup(ext_modules=cythonize([ENGINE], include_path=INCLUDE, language_level=3))
