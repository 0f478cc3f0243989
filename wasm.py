"""Build what `trajan-ai site` needs besides the page: the wheel with modules for WebAssembly, and
the Python that runs them in a browser. Package registries (PyPI, npm, Debian) have all of it:

    python wasm.py FOLDER

FOLDER then holds ``runtime`` (Pyodide) and ``wheels``; what was fetched once is kept there. The
compiler is zig's clang, in place of Emscripten's. Outside, `cibuildwheel --platform pyodide` makes
the same wheel. A new Pyodide has a new ABI: docs/site.md says how to bump the versions.
"""

import argparse
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

PYODIDE = "314.0.7"
PYTHON = "3.14"
PLATFORM = "pyemscripten_2026_0_wasm32"
COMPILERS = ["ziglang==0.17.1", "setuptools>=77", "cython>=3.1,<4", "wheel>=0.45"]
LIBRARIES = [
    "pydantic==2.14.3", "pydantic-core==2.50.4", "annotated-types==0.8.0",
    "typing-extensions==4.16.0", "typing-inspection==0.4.5",
    "starlette==1.10.0", "anyio==4.16.0", "idna==3.20", "jinja2==3.1.6",
]  # fmt: skip
HALVES = ["pyyaml==6.0.3", "markupsafe==3.0.3"]  # what of them is Python does without the rest
HEADERS = {"sid": f"libpython{PYTHON}-dev", "trixie": "emscripten"}  # of CPython, of its libc
SYSROOT = "./usr/share/emscripten/cache/sysroot/include/"
LIBC = ["", "arpa", "bits", "emscripten", "netinet", "sys", "wasi"]  # its folders

SOURCES = Path(__file__).resolve().parent
TAG = "cp" + PYTHON.replace(".", "")
COMPILE = (
    "-target wasm32-unknown-emscripten -nostdinc -fPIC -fvisibility=hidden -mbulk-memory "
    "-msign-ext -mmutable-globals -mnontrapping-fptoint -mmultivalue"
)
LINK = (
    "-shared --experimental-pic --unresolved-symbols=import-dynamic --import-memory "
    "--import-table --no-entry -Bsymbolic --strip-all --export-dynamic"
)


def run(what, *command, **settings):
    """Run a command; if it cannot be had or fails, end with a line that says what is missing."""
    try:
        return subprocess.run(command, check=True, text=True, capture_output=True,
                              **settings).stdout  # fmt: skip
    except OSError as error:
        sys.exit(f"wasm.py: cannot have {what}: {command[0]}: {error.strerror}")
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout or "failed").strip().splitlines()
        first = next((line for line in said if "error" in line.lower()), said[-1])
        sys.exit(f"wasm.py: cannot have {what}: {command[0]}: {first:.300}")


def pip(what, *arguments):
    """Run pip."""
    run(what, sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments)


def runtime(folder):
    """Fetch Pyodide."""
    tar = run("Pyodide", "npm", "pack", "--silent", f"pyodide@{PYODIDE}", cwd=folder.parent)
    with tarfile.open(folder.parent / tar.strip()) as package:
        for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip",
                     "pyodide-lock.json"):  # fmt: skip
            file = package.extractfile(f"package/{name}")
            (folder / name).write_bytes(file.read())


def libraries(folder):
    """Fetch the wheels of other people's packages; of `HALVES` keep what is Python."""
    only = ["--no-deps", "--only-binary=:all:", "--python-version", PYTHON, "-d", str(folder)]
    pip("wheels", "download", *only, "--platform", PLATFORM, "--abi", TAG, *LIBRARIES)
    pip("wheels", "download", *only, "--platform", "manylinux2014_x86_64", *HALVES)
    for whole in folder.glob("*manylinux*.whl"):
        pure = folder / f"{'-'.join(whole.name.split('-')[:2])}-py3-none-any.whl"
        with zipfile.ZipFile(whole) as source, zipfile.ZipFile(pure, "w") as target:
            for name in source.namelist():
                if not name.startswith("_yaml/") and not name.endswith((".so", ".c", "/RECORD")):
                    target.writestr(name, source.read(name))
        whole.unlink()


def headers(folder, config):
    """Unpack the headers of CPython and its libc from Debian's packages, without installing them.

    pyconfig.h is made from what Pyodide's own build noted of it.
    """
    uri = run("Debian's packages", "apt-get", "indextargets", "--format", "$(REPO_URI)",
              "Origin: Debian", "Created-By: Packages").split("\n")[0]  # fmt: skip
    (folder / "lists" / "partial").mkdir(parents=True)
    (folder / "sources").write_text("".join(f"deb {uri} {suite} main\n" for suite in HEADERS))
    options = [f"-oDir::Etc::sourcelist={folder / 'sources'}", "-oDir::Etc::sourceparts=/dev/null",
               f"-oDir::State::lists={folder / 'lists'}", f"-oDir::Cache={folder}",
               "-oAcquire::Languages=none", "-qq"]  # fmt: skip
    run("Debian's lists", "apt-get", *options, "update")
    for suite, package in HEADERS.items():
        run(package, "apt-get", *options, "download", f"{package}/{suite}", cwd=folder)
    names = []
    for package in folder.glob("*.deb"):
        unpacking = subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE
        )
        with tarfile.open(fileobj=unpacking.stdout, mode="r|") as files:
            for member in filter(tarfile.TarInfo.isfile, files):
                path, own = member.name, f"./usr/include/python{PYTHON}/"
                below = path.removeprefix(SYSROOT)
                if path.endswith("/pyconfig.h") and not path.startswith(own):
                    text = files.extractfile(member).read().decode()
                    names = re.findall(r"^(?:#define|/\* #undef) (\w+)", text, re.MULTILINE)
                    continue
                if path.startswith(own):
                    target = folder / "python" / path.removeprefix(own)
                elif below != path and below.rpartition("/")[0] in LIBC:
                    target = folder / "libc" / below
                else:
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files.extractfile(member).read())
        unpacking.wait()
        package.unlink()
    shutil.rmtree(folder / "lists")
    known = runpy.run_path(str(config))["build_time_vars"]
    lines = [f"#define {name} {known[name]}\n" for name in names if known.get(name)]
    (folder / "python" / "pyconfig.h").write_text("".join(lines))


def once(folder, pins, make, *arguments):
    """Make a folder of what is pinned, unless it holds just that."""
    mark = folder / ".pins"
    if not mark.exists() or mark.read_text(encoding="utf-8") != str(pins):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        make(folder, *arguments)
        mark.write_text(str(pins), encoding="utf-8")


def wheel(folder):
    """Return the wheel that setup.py makes of the sources, told that it runs in Pyodide."""
    with zipfile.ZipFile(folder / "runtime" / "python_stdlib.zip") as library:
        name = next(n for n in library.namelist() if n.startswith("_sysconfigdata"))
        noted = library.read(name).decode()
    (folder / name).write_text(f"{noted}\nbuild_time_vars['CFLAGS'] = ''\n")  # of Emscripten
    tools, there = folder / "tools", folder / "headers"
    once(tools, COMPILERS,
         lambda path: pip("zig", "install", "--target", str(path), *COMPILERS))  # fmt: skip
    once(there, [HEADERS, LIBC, PYODIDE], headers, folder / name)
    zig = tools / "ziglang" / "zig"
    builtin = tools / "ziglang" / "lib" / "include"
    places = [there / "python", there / "libc", builtin]
    include = " ".join(f"-I{place}" for place in places)  # before those of this Python
    environment = os.environ | {
        "PYTHONPATH": f"{tools}{os.pathsep}{folder}",
        "_PYTHON_SYSCONFIGDATA_NAME": name.removesuffix(".py"),
        "_PYTHON_HOST_PLATFORM": PLATFORM,
        "CC": f"{zig} clang {COMPILE} {include}",
        "LDSHARED": f"{zig} wasm-ld {LINK}",
        "TRAJAN_PORTABLE": "1",
    }
    built = folder / "built"
    for old in (*built.glob("*.whl"), *built.glob("lib*/**/*.py")):  # may be gone from the sources
        old.unlink()
    run("the wheel", sys.executable, "setup.py", "-q", "build", "--build-base", str(built),
        "bdist_wheel", "--dist-dir", str(built), cwd=SOURCES, env=environment)  # fmt: skip
    (made,) = built.glob("*.whl")
    run("its tags", sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag", TAG,
        "--abi-tag", TAG, str(made), env=os.environ | {"PYTHONPATH": str(tools)})  # fmt: skip
    return next(built.glob("*.whl"))


def main():
    """Build it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="the folder to build in")
    parser.add_argument("--wheel", type=Path, help="take this wheel, in place of building one")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    once(folder / "runtime", PYODIDE, runtime)
    once(folder / "wheels", [LIBRARIES, HALVES, PLATFORM], libraries)
    made = arguments.wheel or wheel(folder)
    for old in (folder / "wheels").glob("trajan_ai-*.whl"):
        old.unlink()
    shutil.copy(made, folder / "wheels")


if __name__ == "__main__":
    main()
