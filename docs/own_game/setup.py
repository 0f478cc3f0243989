"""The compiled half of Hoard; Cython finds the .pxd files of trajan_ai where that is installed."""

from Cython.Build import cythonize
from setuptools import Extension, setup

ENGINE = Extension("hoard.engine", ["src/hoard/engine.pyx"])

setup(ext_modules=cythonize([ENGINE], language_level=3))
