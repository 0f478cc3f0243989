"""The page as static files that run in any browser, without a server (docs/site.md)."""

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

from trajan_ai.analysis.annotation.annotation_page import SCRIPT
from trajan_ai.bots.processes import run_command
from trajan_ai.core import languages, look
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.version import __version__
from trajan_ai.page.app import STATIC, describe_games

WORKER = STATIC.parent / "worker"
RUN = STATIC.parent / "node" / "run.mjs"
# Files of the worker at the top level of a site; the worker's other files are in static.
AT_TOP = ("sw.js", "manifest.webmanifest")

# `wasm-unsafe-eval` permits only the compilation of WebAssembly.
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
    "Everything runs and stays in this browser. Tournaments, learning weights and bots that are "
    "programs require an installation of trajan_ai. "
    '<a href="licenses.txt">Licences</a></footer></body>'
)
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript",
    ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm",
    ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8", ".zip": "application/zip",
}  # fmt: skip

# Files of the wheels and of Python's standard library that are useless in a browser.
EXCLUDED = re.compile(
    r"trajan_ai/(adapters|cli|lab|own_game|python_game|service|testing|tournaments)/"
    r"|trajan_ai/page/((node|worker)/|(server|site_files|wasm)\.py)"
    r"|trajan_ai/page/static/.*(?<!\.html)$|.*(\.dist-info/.*|\.pyi|\.pxd|\.h|/py\.typed)$"
    r"|(anyio/(_backends/_trio|pytest_plugin)|pydantic/mypy|starlette/testclient)\.py"
    r"|(idna|pydantic/v1|_pyrepl|multiprocessing|sqlite3|unittest|wsgiref|xml/(dom|etree)|xmlrpc)/"
    r"|(asyncio/(proactor|windows)_|encodings/(big5|cp(?!437)|euc_|gb|hz|iso2022|jo|koi|mac))"
    r"|(http/(cookiejar|server)|logging/(config|handlers)|encodings/iso8859_(?!1\.))"
    r"|(_pydatetime|_pyio|argparse|bdb|cmd|code|compileall|configparser|doctest|ftplib|gettext)\.py"
    r"|(imaplib|mailbox|modulefinder|optparse|pdb|pickletools|plistlib|poplib|profile|pstats)\.py"
    r"|(pyclbr|pydoc|smtplib|socketserver|symtable|tabnanny|tarfile|timeit|trace|wave)\.py"
)


def check_target(target: Path) -> None:
    """Raise TrajanError if `target`, which `write` deletes, contains anything but a site."""
    if target.is_dir() and any(target.iterdir()) and not (target / "sw.js").exists():
        raise TrajanError(
            f"{target} was not written by `trajan-ai site`; name a new or an empty folder"
        )


def write(target: Path, parts: Path) -> None:
    """Write a site from a folder that `wasm.build` filled; replace any old site in `target`."""
    check_target(target)
    if target.exists():
        shutil.rmtree(target)
    static, engine = target / "static", target / "engine"
    shutil.copytree(STATIC, static)
    shutil.copy(SCRIPT, static)
    (static / "look.css").write_text(look.style_sheet(), "utf-8")
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
            start, texts = describe_games(), languages.describe_languages()
        for name, data in (("start", start), ("languages", texts)):
            (engine / f"{name}.{code}.json").write_text(json.dumps(data), encoding="utf-8")
    (target / "licenses.txt").write_text("\n\n".join(_licenses(wheels)), encoding="utf-8")
    script = (target / "sw.js").read_text(encoding="utf-8")
    (static / "index.html").rename(target / "index.html")
    digest = hashlib.sha256(str(list_files(target)).encode()).hexdigest()
    version = f"trajan-ai-{__version__}-{digest[:12]}"
    _adapt_page(target / "index.html", version, target)
    files = {path: file for path, file in list_files(target).items() if path != "sw.js"}
    for name, value in (("VERSION", version), ("FILES", files), ("POLICY", POLICY)):
        before, _, after = script.partition(f"const {name} = ")
        script = f"{before}const {name} = {json.dumps(value)};{after.partition(';')[2]}"
    (target / "sw.js").write_text(script, encoding="utf-8")


def _adapt_page(index: Path, version: str, target: Path) -> None:
    """Change the page so that a worker answers its requests."""
    text = index.read_text(encoding="utf-8")
    changes = {'<html lang="en">': f'<html lang="en" data-engine="{version}">', "</head>": HEAD,
               "<main": LOADING, "</body>": FOOT}  # fmt: skip
    for path in ("static/look.css", "static/page.css", "static/main.js"):
        changes[f'{path}"'] = f'{path}" integrity="{list_files(target)[path]["integrity"]}"'
    for old, new in changes.items():
        if text.count(old) != 1:
            raise TrajanError(f"{index}: must contain {old} exactly once")
        text = text.replace(old, new)
    index.write_text(text, encoding="utf-8")


def list_files(target: Path) -> dict[str, Mapping[str, str]]:
    """Return a dict from the path of each file of a site to its integrity hash and type."""
    result: dict[str, Mapping[str, str]] = {}
    for file in sorted(one for one in target.rglob("*") if one.is_file()):
        digest = base64.b64encode(hashlib.sha256(file.read_bytes()).digest()).decode()
        path = file.relative_to(target).as_posix()
        result[path] = {"integrity": f"sha256-{digest}", "type": TYPES[file.suffix]}
    return result


def _join(archives: list[Path], target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as joined:
        for archive in archives:
            with zipfile.ZipFile(archive) as source:
                for name in source.namelist():
                    if not EXCLUDED.match(name):
                        data = source.read(name)
                        joined.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)


def _compile(target: Path) -> None:
    """Compile the modules that a first suggestion loads, in the site's own interpreter."""
    work = (RUN, target.resolve(), RUN.with_name("compile.py"), target / "engine")
    try:
        run_command(["node", *work])
    except OSError:
        print("node was not found, so the first suggestion will take longer", file=sys.stderr)
    except subprocess.CalledProcessError as error:
        # Node's traceback follows Python's traceback, whose last line states what failed
        reason = error.stderr.partition("\n    at ")[0].strip().rpartition("\n")[2]
        raise TrajanError(f"cannot compile the site's Python: {reason or error}") from None


def _licenses(wheels: list[Path]) -> Iterator[str]:
    """Yield the licences of all software that a site contains."""
    yield from ("Pyodide: Mozilla Public License 2.0", "CPython: PSF License Version 2")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as source:
            notes = [name for name in source.namelist() if ".dist-info/" in name]
            about = next(name for name in notes if name.endswith("/METADATA"))
            metadata = Parser().parsestr(source.read(about).decode(), headersonly=True)
            licence = metadata["License-Expression"] or metadata["License"]
            yield f"{metadata['Name']} {metadata['Version']}: {licence}"
            for name in notes:
                if "LICEN" in name.upper().rpartition(".dist-info/")[2]:
                    yield source.read(name).decode()
