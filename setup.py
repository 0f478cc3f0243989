"""Compiled modules of trajan_ai: every .pyx below ext/, named after its path.

Environment switches: ``TRAJAN_DEBUG=1`` compiles invariant checks in (C ``assert`` and bounds
checks), ``TRAJAN_ANNOTATE=1`` leaves Cython's annotated HTML beside the C files,
``TRAJAN_NATIVE=1`` tunes for the processor at hand.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup

SOURCES = Path("ext")
DEBUG = os.environ.get("TRAJAN_DEBUG") == "1"
ANNOTATE = os.environ.get("TRAJAN_ANNOTATE") == "1"
NATIVE = os.environ.get("TRAJAN_NATIVE") == "1"

# A contracted a*b+c rounds differently, and some compilers contract by default: results of a
# search would then depend on the machine.
COMPILE_ARGS = [
    "-O3",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
]
if NATIVE:
    COMPILE_ARGS.append("-march=native")
if DEBUG:
    COMPILE_ARGS += ["-O1", "-UNDEBUG"]
else:
    COMPILE_ARGS.append("-DNDEBUG")

Options.fast_fail = True


def extensions() -> list[Extension]:
    """One extension for each .pyx, its module name derived from its path below ext/."""
    found = []
    for path in sorted(SOURCES.rglob("*.pyx")):
        name = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
        found.append(Extension(name, [str(path)], extra_compile_args=COMPILE_ARGS))
    return found


setup(
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
    ext_modules=cythonize(
        extensions(),
        include_path=[str(SOURCES)],
        annotate=ANNOTATE,
        nthreads=os.cpu_count() or 1,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
            "warn.undeclared": False,
            "show_performance_hints": True,
        },
    ),
)
