"""Build the compiled modules of trajan_ai: one for each .pyx below ext/, named after its path.

A .pyx includes .pxi files, one for each of its topics. The C file generated from a .pyx stays
beside it, and is generated again when it is older than one of its sources.

Environment switches:

- ``TRAJAN_DEBUG=1`` compiles invariant checks (C ``assert``).
- ``TRAJAN_ANNOTATE=1`` leaves Cython's annotated HTML beside the C files.
- ``TRAJAN_PORTABLE=1`` compiles the code that is meant for compilers other than gcc and clang
  (core/portable.h).
- ``TRAJAN_CFLAGS`` contains further options for the compiler and the linker, such as
  ``"-O1 -fsanitize=undefined"``. They follow all other options.
"""

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from Cython.Build import cythonize
from Cython.Build.Dependencies import create_dependency_tree
from Cython.Compiler import Options
from Cython.Compiler.Main import CompilationOptions, Context
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import CompileError, PlatformError
from setuptools.modified import newer_group

SOURCES = Path("ext")
EXAMPLES = [Path("docs", "python_game"), Path("docs", "own_game")]  # for `trajan-ai new-game`
DEBUG = os.environ.get("TRAJAN_DEBUG") == "1"
ANNOTATE = os.environ.get("TRAJAN_ANNOTATE") == "1"
PORTABLE = os.environ.get("TRAJAN_PORTABLE") == "1"
FURTHER = os.environ.get("TRAJAN_CFLAGS", "").split()

# A contracted a*b+c rounds differently. Some compilers contract by default, which would make the
# results of a search depend on the machine. Debug information, which Python's own flags request,
# would take five times the space of the code; TRAJAN_CFLAGS="-g" restores it.
GNU_ARGS = [
    "-g0",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
]
MSVC_ARGS = ["/O2", "/fp:precise", "/W3"]
if DEBUG:
    GNU_ARGS.append("-UNDEBUG")
    MSVC_ARGS += ["/Od", "/UNDEBUG"]
else:
    GNU_ARGS.append("-DNDEBUG")

# Modules whose loops determine how fast games are played and searched. In other modules, the
# highest level of optimization only makes the build longer.
HOT = {"rules", "ismcts", "batch", "measure", "game"}

NO_COMPILER = (
    "trajan_ai needs a C compiler and the headers of Python. Install them: "
    "apt install gcc python3-dev (Debian, Ubuntu), dnf install gcc python3-devel (Fedora), "
    "apk add gcc musl-dev python3-dev (Alpine), xcode-select --install (macOS), "
    "or the Build Tools for Visual Studio (Windows)"
)

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
    "warn.undeclared": False,
    "show_performance_hints": True,
}

Options.fast_fail = True


def sources_of(path: str) -> list[str]:
    """Return the paths of a .pyx, our files that it includes or cimports, and all headers."""
    # only the first context counts, because Cython caches the tree
    context = Context([str(SOURCES)], {}, options=CompilationOptions())
    known = create_dependency_tree(context).all_dependencies(path)
    headers = map(str, SOURCES.rglob("*.h"))
    return sorted({*headers, *(name for name in known if not os.path.isabs(name))})


def extensions() -> list[Extension]:
    """Return one extension for each .pyx, whose path below ext/ determines the module's name."""
    return [
        Extension(
            ".".join(path.relative_to(SOURCES).with_suffix("").parts),
            [str(path)],
            include_dirs=[str(SOURCES)],
            define_macros=[("TRAJAN_PORTABLE", None)] if PORTABLE else [],
            extra_link_args=FURTHER,
        )
        for path in sorted(SOURCES.rglob("*.pyx"))
    ]


class TranslateAndBuild(build_ext):
    """Translates changed sources to C, but only when something is built."""

    def finalize_options(self) -> None:
        """Compile on all processors; in editable installs, an option of setup() has no effect."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count() or 1
        self.beside = bool(self.inplace)  # `inplace` itself is not set during the build

    def build_extension(self, extension: Extension) -> None:
        """Compile a module, or keep that of an earlier editable install if nothing has changed."""
        built = Path(self.get_ext_fullpath(extension.name))
        left = Path(*extension.name.split(".")[:-1], built.name)
        if self.beside and left.exists() and not built.exists():
            self.mkpath(str(built.parent))
            shutil.copy2(left, built)
        super().build_extension(extension)

    def require_compiler(self) -> None:
        """Compile a one-line file; if that fails, exit and print what to install."""
        with TemporaryDirectory() as folder:
            source = Path(folder, "probe.c")
            source.write_text("#include <Python.h>\n", encoding="utf-8")
            try:
                self.compiler.compile([str(source)], folder, include_dirs=self.include_dirs)
            except (CompileError, PlatformError) as error:
                raise SystemExit(f"{error}\n{NO_COMPILER}") from None

    def build_extensions(self) -> None:
        """Translate all changed sources with Cython in one call, then compile."""
        self.require_compiler()
        stale = []
        for extension in self.extensions:
            (source,) = extension.sources
            translated = str(Path(source).with_suffix(".c"))
            extension.depends = sources_of(source)
            if self.force or newer_group(extension.depends, translated):
                stale.append(Extension(extension.name, [source]))
            extension.sources = [translated]
            extension.extra_compile_args = [*self.options_of(extension), *FURTHER]
        cythonize(
            stale,
            include_path=[str(SOURCES)],
            annotate=ANNOTATE,
            force=True,
            nthreads=os.cpu_count() or 1,
            compiler_directives=DIRECTIVES,
        )
        super().build_extensions()

    def options_of(self, extension: Extension) -> list[str]:
        """Return the compiler options for a module."""
        if self.compiler.compiler_type == "msvc":
            return MSVC_ARGS
        hot = extension.name.rpartition(".")[2] in HOT and not DEBUG
        return ["-O3" if hot else "-O1", *GNU_ARGS]


class InstallDeclarations(build_py):
    """Installs every .pxd and .h beside the compiled modules, for code that cimports them."""

    def run(self) -> None:
        """Copy the Python files and, except in editable installs, declarations and examples."""
        super().run()
        if not self.editable_mode:
            for path in [*SOURCES.rglob("*.pxd"), *SOURCES.rglob("*.h")]:
                self.copy_file(str(path), str(Path(self.build_lib, path.relative_to(SOURCES))))
            for path in (path for example in EXAMPLES for path in example.rglob("*")):
                if path.suffix in (".py", ".pyx", ".pxd", ".toml"):
                    target = Path(self.build_lib, "trajan_ai", path.relative_to("docs"))
                    self.mkpath(str(target.parent))
                    self.copy_file(str(path), str(target))


setup(
    cmdclass={"build_ext": TranslateAndBuild, "build_py": InstallDeclarations},
    ext_modules=extensions(),
    # An editable install adds this folder to Python's path. The default, an import hook, comes too
    # late in the folder above, where Python takes the clone itself for a package.
    options={"editable_wheel": {"mode": "compat"}},
)
