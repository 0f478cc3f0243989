"""What the page needs to run in a browser: Pyodide, and wheels for Pyodide.

All downloads come from package registries (PyPI, npm, Debian) and stay in a folder for later
builds. The modules of trajan_ai are compiled for WebAssembly by zig's clang; `cibuildwheel
--platform pyodide` builds the same wheel with Emscripten. docs/site.md describes how to update the
versions.
"""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trajan_ai
from trajan_ai.bots.processes import run_command
from trajan_ai.core.errors import TrajanError

PYODIDE = "314.0.7"
PYTHON = "3.14"
PLATFORM = "pyemscripten_2026_0_wasm32"
COMPILERS = ["ziglang==0.17.1", "setuptools>=77", "cython>=3.1,<4", "wheel>=0.45"]
LIBRARIES = [
    "pydantic==2.14.3", "pydantic-core==2.50.4", "annotated-types==0.8.0",
    "typing-extensions==4.16.0", "typing-inspection==0.4.5",
    "starlette==1.10.0", "anyio==4.16.0", "idna==3.20", "jinja2==3.1.6",
]  # fmt: skip
PURE = ["pyyaml==6.0.3", "markupsafe==3.0.3"]  # these work without their compiled parts
# headers of CPython and of its C library
HEADERS = {"sid": f"libpython{PYTHON}-dev", "trixie": "emscripten"}
SYSROOT = "./usr/share/emscripten/cache/sysroot/include/"
# folders with headers of the C library
LIBC = ["", "arpa", "bits", "emscripten", "netinet", "sys", "wasi"]

SOURCES = Path(trajan_ai.__file__).parent.parent  # of a checkout
TAG = "cp" + PYTHON.replace(".", "")
COMPILE = (
    "-target wasm32-unknown-emscripten -nostdinc -fPIC -fvisibility=hidden -mbulk-memory "
    "-msign-ext -mmutable-globals -mnontrapping-fptoint -mmultivalue"
)
LINK = (
    "-shared --experimental-pic --unresolved-symbols=import-dynamic --import-memory "
    "--import-table --no-entry -Bsymbolic --strip-all --export-dynamic"
)


def build(folder: Path, wheel: Path | None = None) -> None:
    """Fill a folder with ``runtime`` (Pyodide) and ``wheels``.

    Existing parts of the right versions are kept. `wheel` is a wheel of trajan_ai for Pyodide; by
    default, it is built from the sources of a checkout. Raises TrajanError if something that this
    requires is missing.
    """
    if wheel is None and not (SOURCES / "setup.py").exists():
        raise TrajanError(
            "--wheel is needed: the wheel for browsers can only be built in a source checkout"
        )
    if wheel is not None and not wheel.is_file():
        raise TrajanError(f"--wheel {wheel}: there is no such file")
    _update(folder / "runtime", PYODIDE, _fetch_runtime)
    _update(folder / "wheels", [LIBRARIES, PURE, PLATFORM], _fetch_libraries)
    wheel = wheel or _build_wheel(folder)
    for old in (folder / "wheels").glob("trajan_ai-*.whl"):
        old.unlink()
    shutil.copy(wheel, folder / "wheels")


def _run(what: str, *command: str | Path, **settings: Any) -> str:
    """Return the output of a command; if it fails, raise TrajanError, which names `what`."""
    try:
        return run_command(command, **settings)
    except OSError as error:
        raise TrajanError(f"cannot get {what}: {command[0]}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout or "failed").strip().splitlines()
        first = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise TrajanError(f"cannot get {what}: {command[0]}: {first:.300}") from None


def _pip(what: str, *arguments: str) -> None:
    _run(what, sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments)


def _fetch_runtime(folder: Path) -> None:
    tar = _run("Pyodide", "npm", "pack", "--silent", f"pyodide@{PYODIDE}", folder=folder.parent)
    with tarfile.open(folder.parent / tar.strip()) as package:
        for name in (
            "pyodide.mjs",
            "pyodide.asm.mjs",
            "pyodide.asm.wasm",
            "python_stdlib.zip",
            "pyodide-lock.json",
        ):
            (folder / name).write_bytes(_extract(package, f"package/{name}"))


def _extract(archive: tarfile.TarFile, member: str | tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


def _fetch_libraries(folder: Path) -> None:
    """Download the wheels of other packages; remove the compiled files from those in `PURE`."""
    only = ["--no-deps", "--only-binary=:all:", "--python-version", PYTHON, "-d", str(folder)]
    _pip("wheels", "download", *only, "--platform", PLATFORM, "--abi", TAG, *LIBRARIES)
    _pip("wheels", "download", *only, "--platform", "manylinux2014_x86_64", *PURE)
    for whole in folder.glob("*manylinux*.whl"):
        pure = folder / f"{'-'.join(whole.name.split('-')[:2])}-py3-none-any.whl"
        with zipfile.ZipFile(whole) as source, zipfile.ZipFile(pure, "w") as target:
            for name in source.namelist():
                if not name.startswith("_yaml/") and not name.endswith((".so", ".c", "/RECORD")):
                    target.writestr(name, source.read(name))
        whole.unlink()


def _fetch_headers(folder: Path, config: Path) -> None:
    """Unpack the headers of CPython and of its C library from Debian's packages.

    The packages are not installed. `pyconfig.h` is written from the build settings of Pyodide in
    `config`.
    """
    uri = _run(
        "Debian's packages", "apt-get", "indextargets", "--format", "$(REPO_URI)",
        "Origin: Debian", "Created-By: Packages",
    ).split("\n")[0]  # fmt: skip
    (folder / "lists" / "partial").mkdir(parents=True)
    (folder / "sources").write_text("".join(f"deb {uri} {suite} main\n" for suite in HEADERS))
    options = [
        f"-oDir::Etc::sourcelist={folder / 'sources'}", "-oDir::Etc::sourceparts=/dev/null",
        f"-oDir::State::lists={folder / 'lists'}", f"-oDir::Cache={folder}",
        "-oAcquire::Languages=none", "-qq",
    ]  # fmt: skip
    _run("Debian's lists", "apt-get", *options, "update")
    for suite, package in HEADERS.items():
        _run(package, "apt-get", *options, "download", f"{package}/{suite}", folder=folder)
    names: list[str] = []
    for archive in folder.glob("*.deb"):
        names = _unpack_headers(archive, folder) or names
        archive.unlink()
    shutil.rmtree(folder / "lists")
    settings = runpy.run_path(str(config))["build_time_vars"]
    lines = [f"#define {name} {settings[name]}\n" for name in names if settings.get(name)]
    (folder / "python" / "pyconfig.h").write_text("".join(lines))


def _unpack_headers(archive: Path, folder: Path) -> list[str]:
    """Unpack the headers of a package; return the names that its pyconfig.h may define."""
    names: list[str] = []
    own = f"./usr/include/python{PYTHON}/"
    unpacking = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    assert unpacking.stdout is not None
    with tarfile.open(fileobj=unpacking.stdout, mode="r|") as files:
        for member in filter(tarfile.TarInfo.isfile, files):
            path = member.name
            below = path.removeprefix(SYSROOT)
            if path.endswith("/pyconfig.h") and not path.startswith(own):
                text = _extract(files, member).decode()
                names = re.findall(r"^(?:#define|/\* #undef) (\w+)", text, re.MULTILINE)
                continue
            if path.startswith(own):
                target = folder / "python" / path.removeprefix(own)
            elif below != path and below.rpartition("/")[0] in LIBC:
                target = folder / "libc" / below
            else:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(_extract(files, member))
    unpacking.wait()
    return names


def _update(
    folder: Path, versions: object, fill: Callable[..., object], *arguments: object
) -> None:
    """Fill a folder, unless it was filled with the same versions before."""
    mark = folder / ".pins"
    if not mark.exists() or mark.read_text(encoding="utf-8") != str(versions):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        fill(folder, *arguments)
        mark.write_text(str(versions), encoding="utf-8")


def _build_wheel(folder: Path) -> Path:
    """Return the wheel for Pyodide that setup.py builds from the sources."""
    with zipfile.ZipFile(folder / "runtime" / "python_stdlib.zip") as library:
        name = next(n for n in library.namelist() if n.startswith("_sysconfigdata"))
        config = library.read(name).decode()
    (folder / name).write_text(f"{config}\nbuild_time_vars['CFLAGS'] = ''\n")  # not Emscripten's
    tools, headers = folder / "tools", folder / "headers"

    def install(path: Path) -> None:
        _pip("zig", "install", "--target", str(path), *COMPILERS)

    _update(tools, COMPILERS, install)
    _update(headers, [HEADERS, LIBC, PYODIDE], _fetch_headers, folder / name)
    zig = tools / "ziglang" / "zig"
    builtin = tools / "ziglang" / "lib" / "include"
    places = [headers / "python", headers / "libc", builtin]
    # the compiler searches these folders before it searches the headers of this Python
    include = " ".join(f"-I{place}" for place in places)
    environment = os.environ | {
        "PYTHONPATH": f"{tools}{os.pathsep}{folder}",
        "_PYTHON_SYSCONFIGDATA_NAME": name.removesuffix(".py"),
        "_PYTHON_HOST_PLATFORM": PLATFORM,
        "CC": f"{zig} clang {COMPILE} {include}",
        "LDSHARED": f"{zig} wasm-ld {LINK}",
        "TRAJAN_PORTABLE": "1",
    }
    built = folder / "built"
    for old in (
        *built.glob("*.whl"),
        *built.glob("lib*/**/*.py"),
    ):  # the current sources may no longer contain these modules
        old.unlink()
    _run(
        "the wheel", sys.executable, "setup.py", "-q", "build", "--build-base", built,
        "bdist_wheel", "--dist-dir", built, folder=SOURCES, environment=environment,
    )  # fmt: skip
    (wheel,) = built.glob("*.whl")
    _run(
        "its tags", sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag", TAG,
        "--abi-tag", TAG, wheel, environment=os.environ | {"PYTHONPATH": str(tools)},
    )  # fmt: skip
    return next(built.glob("*.whl"))
