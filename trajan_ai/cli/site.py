"""`trajan-ai site`: the analysis page as static files that run in any browser (docs/site.md)."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from email.parser import Parser
from pathlib import Path

import trajan_ai
from trajan_ai.analysis.annotation_page import SCRIPT
from trajan_ai.cli.common import page_needs
from trajan_ai.core import languages
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.version import __version__

with page_needs():
    from trajan_ai.page.app import STATIC, beginning

CHECKOUT = Path(trajan_ai.__file__).parent.parent
BUILD = CHECKOUT / "wasm.py"
PARTS = CHECKOUT / "build" / "wasm"
WORKER = STATIC.parent / "worker"
RUN = STATIC.parent / "node" / "run.mjs"
AT_TOP = ("sw.js", "manifest.webmanifest", "icon.svg")  # of the worker's files; others: static

# What the page may do: `wasm-unsafe-eval` compiles WebAssembly, and nothing else.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; "
    "connect-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
HEAD = f"""<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<link rel="manifest" href="manifest.webmanifest">
</head>"""
LOADING = """<div id="loading" class="card" aria-live="polite"><p>Loading …</p>
<progress value="0"></progress></div>
<main"""
FOOT = (
    '<footer class="small">'
    "Everything runs and stays in this browser. Tournaments, learning of weights and programs as "
    'bots need trajan_ai installed. <a href="licenses.txt">Licences</a></footer></body>'
)
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript",
    ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm",
    ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8", ".zip": "application/zip",
}  # fmt: skip

# What of the wheels and of Python's library a browser has no use for.
LEFT_OUT = re.compile(
    r"trajan_ai/(adapters|cli|lab|own_game|page/(node|worker)|testing|tournaments)/"
    r"|trajan_ai/page/static/.*(?<!\.html)$|.*(\.dist-info/.*|\.pyi|\.pxd|\.h|/py\.typed)$"
    r"|(anyio/(_backends/_trio|pytest_plugin)|pydantic/mypy|starlette/testclient)\.py"
    r"|(idna|pydantic/v1|_pyrepl|multiprocessing|sqlite3|unittest|wsgiref|xml/(dom|etree)|xmlrpc)/"
    r"|(asyncio/(proactor|windows)_|encodings/(big5|cp(?!437)|euc_|gb|hz|iso2022|jo|koi|mac))"
    r"|(http/(cookiejar|server)|logging/(config|handlers)|encodings/iso8859_(?!1\.))"
    r"|(_pydatetime|_pyio|argparse|bdb|cmd|code|compileall|configparser|doctest|ftplib|gettext)\.py"
    r"|(imaplib|mailbox|modulefinder|optparse|pdb|pickletools|plistlib|poplib|profile|pstats)\.py"
    r"|(pyclbr|pydoc|smtplib|socketserver|symtable|tabnanny|tarfile|timeit|trace|wave)\.py"
)


def run(arguments: argparse.Namespace) -> int:
    """Write the site and say how large it is."""
    target = Path(arguments.out)
    if target.is_dir() and any(target.iterdir()) and not (target / "sw.js").exists():
        raise TrajanError(f"{target} is there already and is no site of this command")
    parts = PARTS if arguments.parts is None else Path(arguments.parts)
    if arguments.parts is None:
        _build()
    for name in ("runtime/pyodide.mjs", "wheels"):
        if not (parts / name).exists():
            raise TrajanError(f"{parts} has no {name}: wasm.py of the sources makes such a folder")
    if target.exists():
        shutil.rmtree(target)
    write(target, parts)
    sizes = [file.stat().st_size for file in target.rglob("*") if file.is_file()]
    print(
        f"{target} has {len(sizes)} files of {sum(sizes) / 1e6:.1f} MB; "
        "docs/site.md tells how to publish them. To try it:"
    )
    print(f"    {Path(sys.executable).name} -m http.server --directory {target} 8118")
    return 0


def _build() -> None:
    if not BUILD.exists():
        raise TrajanError("--parts is needed: only a checkout of the sources can build its own")
    done = subprocess.run(
        [sys.executable, BUILD, PARTS], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise TrajanError(done.stderr.strip().rpartition("\n")[2])


def write(target: Path, parts: Path) -> None:
    """Write the site of a folder that wasm.py made."""
    static, engine = target / "static", target / "engine"
    shutil.copytree(STATIC, static)
    shutil.copy(SCRIPT, static)
    for file in sorted(WORKER.iterdir()):
        shutil.copy(file, target if file.name in AT_TOP else static)
    shutil.copytree(parts / "runtime", engine, ignore=shutil.ignore_patterns(".*"))
    wheels = sorted((parts / "wheels").glob("*.whl"))
    _join(wheels, engine / "python.zip")
    library = "python_stdlib.zip"
    _join([parts / "runtime" / library], engine / library)
    _compile(target)
    for code in languages.list_languages():
        with languages.use_language(code):
            for name, known in (("start", beginning()), ("languages", languages.describe_languages())):
                text = json.dumps(known)
                (engine / f"{name}.{code}.json").write_text(text, encoding="utf-8")
    (target / "licenses.txt").write_text("\n\n".join(_licenses(wheels)), encoding="utf-8")
    script = (target / "sw.js").read_text(encoding="utf-8")
    (static / "index.html").rename(target / "index.html")
    digest = hashlib.sha256(str(files_of(target)).encode()).hexdigest()
    version = f"trajan-ai-{__version__}-{digest[:12]}"
    _page(target / "index.html", version, target)
    files = {path: file for path, file in files_of(target).items() if path != "sw.js"}
    for name, value in (("VERSION", version), ("FILES", files), ("POLICY", POLICY)):
        before, _, after = script.partition(f"const {name} = ")
        script = f"{before}const {name} = {json.dumps(value)};{after.partition(';')[2]}"
    (target / "sw.js").write_text(script, encoding="utf-8")


def _page(index: Path, version: str, target: Path) -> None:
    """Make the page one that has its engine in a worker."""
    text = index.read_text(encoding="utf-8")
    changes = {'<html lang="en">': f'<html lang="en" data-engine="{version}">', "</head>": HEAD,
               "<main": LOADING, "</body>": FOOT}  # fmt: skip
    for path in ("static/page.css", "static/main.js"):
        changes[f'{path}"'] = f'{path}" integrity="{files_of(target)[path]["integrity"]}"'
    for old, new in changes.items():
        if text.count(old) != 1:
            raise TrajanError(f"{index}: {old} must be there once")
        text = text.replace(old, new)
    index.write_text(text, encoding="utf-8")


def files_of(target: Path) -> dict[str, Mapping[str, str]]:
    """Return every file of the site by its path, with its integrity and content type."""
    found: dict[str, Mapping[str, str]] = {}
    for file in sorted(one for one in target.rglob("*") if one.is_file()):
        digest = base64.b64encode(hashlib.sha256(file.read_bytes()).digest()).decode()
        path = file.relative_to(target).as_posix()
        found[path] = {"integrity": f"sha256-{digest}", "type": TYPES[file.suffix]}
    return found


def _join(archives: list[Path], target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as joined:
        for archive in archives:
            with zipfile.ZipFile(archive) as source:
                for name in source.namelist():
                    if not LEFT_OUT.match(name):
                        data = source.read(name)
                        joined.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)


def _compile(target: Path) -> None:
    """Compile what a first suggestion loads, in the site's own interpreter."""
    work = (RUN, target.resolve(), RUN.with_name("compile.py"), target / "engine")
    try:
        subprocess.run(["node", *work], capture_output=True, text=True, check=True)
    except OSError:
        print("without node its Python is not compiled, and its first suggestion takes longer")
    except subprocess.CalledProcessError as error:
        said = error.stderr.partition("\n    at ")[0].strip()
        raise TrajanError(f"compiling the site's Python: {said[-300:]}") from None


def _licenses(wheels: list[Path]) -> Iterator[str]:
    """Yield whose work the site holds, under which licences."""
    yield from ("Pyodide: Mozilla Public License 2.0", "CPython: PSF License Version 2")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as source:
            notes = [name for name in source.namelist() if ".dist-info/" in name]
            about = next(name for name in notes if name.endswith("/METADATA"))
            said = Parser().parsestr(source.read(about).decode(), headersonly=True)
            licence = said["License-Expression"] or said["License"]
            yield f"{said['Name']} {said['Version']}: {licence}"
            for name in notes:
                if "LICEN" in name.upper().rpartition(".dist-info/")[2]:
                    yield source.read(name).decode()
