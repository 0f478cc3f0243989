"""The commands `serve` and `site`, without a browser."""

import ast
import base64
import hashlib
import json
import marshal
import py_compile
import re
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest

import trajan_ai
from trajan_ai.cli.main import main
from trajan_ai.core.errors import TrajanError
from trajan_ai.page import server, site_files, wasm


@pytest.mark.slow
def test_serve_accepts_connections_once_it_has_printed_its_address(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    command = [sys.executable, "-P", "-m", "trajan_ai", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        try:
            answer = httpx.get(f"{address}api/start")
            assert answer.json()["trees"] == []
        finally:
            process.send_signal(signal.SIGINT)
        assert process.stdout.read() == ""
    assert process.returncode == 130
    assert (tmp_path / "trajan-ai" / "studies").is_dir()


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_port_that_does_not_exist_is_rejected(capsys, port):
    assert main(["serve", "--port", port]) == 2
    assert f"--port must be 0 to 65535, got {port}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--wheel", "missing.whl"], "--wheel missing.whl: there is no such file"),
        ([], "--wheel is needed: the wheel for browsers can only be built"),
    ],
)
def test_site_names_what_an_installed_package_needs(
    tmp_path, monkeypatch, capsys, options, problem
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(wasm, "SOURCES", tmp_path)
    assert main(["site", "--out", "site", *options]) == 2
    assert problem in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_modules_of_a_site_are_compiled_without_docstrings_and_dates(tmp_path):
    """The program runs in the site's interpreter, so only one of its functions is tested here."""
    program = ast.parse(site_files.RUN.with_name("compile.py").read_text(encoding="utf-8"))
    program.body = [one for one in program.body if getattr(one, "name", "") == "compile_module"]
    names = {"py_compile": py_compile, "Path": lambda path: tmp_path / path.lstrip("/")}
    exec(compile(program, "compile.py", "exec"), names)
    data = names["compile_module"]("mine/one.py", b'"""A text."""\nassert False\nx = 1\n')
    assert int.from_bytes(data[4:8], "little") == 1  # the hash of the source is never checked
    code = marshal.loads(data[16:])
    assert code.co_filename == "mine/one.py"
    result = {}
    exec(code, result)
    assert (result["x"], result.get("__doc__")) == (1, None)


def test_a_site_whose_python_fails_names_the_reason(tmp_path, monkeypatch):
    def fail(command):
        trace = "Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'x'\n"
        raise subprocess.CalledProcessError(
            1, command, "", f"PythonError: {trace}\n    at new_error (x.mjs)\n"
        )

    monkeypatch.setattr(site_files, "run_command", fail)
    with pytest.raises(TrajanError, match=r"^cannot compile the site's Python: KeyError: 'x'$"):
        site_files._compile(tmp_path)


def test_site_deletes_no_other_folder(tmp_path, monkeypatch, capsys):
    (tmp_path / "photo.jpg").write_text("x")
    assert main(["site", "--out", str(tmp_path)]) == 2
    assert "was not written by `trajan-ai site`" in capsys.readouterr().err
    with pytest.raises(TrajanError, match="was not written by `trajan-ai site`"):
        site_files.write(tmp_path, tmp_path)
    assert (tmp_path / "photo.jpg").exists()


def test_parts_of_the_right_versions_are_not_filled_again(tmp_path):
    calls = []

    def fill(folder):
        calls.append(folder)
        (folder / "part").write_text("x")

    for versions in ("1", "1", "2"):
        wasm._update(tmp_path / "parts", versions, fill)
    assert len(calls) == 2


def test_pyodide_is_unpacked_from_its_package(tmp_path, monkeypatch):
    names = {"pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"}
    names.add("pyodide-lock.json")
    (tmp_path / "package").mkdir()

    def pack(what, *command, folder):
        assert command[-1] == f"pyodide@{wasm.PYODIDE}"
        with tarfile.open(folder / "pyodide.tgz", "w:gz") as package:
            for name in (*names, "README.md"):
                (tmp_path / "package" / name).write_text(f"content of {name}")
                package.add(tmp_path / "package" / name, f"package/{name}")
        return "pyodide.tgz\n"

    monkeypatch.setattr(wasm, "_run", pack)
    (tmp_path / "runtime").mkdir()
    wasm._fetch_runtime(tmp_path / "runtime")
    unpacked = {path.name: path.read_text() for path in (tmp_path / "runtime").iterdir()}
    assert unpacked == {name: f"content of {name}" for name in names}


def test_headers_come_from_debian_and_have_the_settings_of_pyodide(tmp_path, monkeypatch):
    folder, config, commands = tmp_path / "headers", tmp_path / "config.py", []
    config.write_text("build_time_vars = {'HAVE_FORK': 0, 'SIZEOF_LONG': 4, 'OTHER': 1}\n")
    (folder / "python").mkdir(parents=True)

    def run(what, *command, **settings):
        commands.append(command[-1])
        if command[-2] == "download":
            (folder / f"{what}.deb").touch()
        return "https://deb.example/debian\nhttps://deb.example/security\n"

    def unpack(archive, folder):
        return ["HAVE_FORK", "SIZEOF_LONG", "MISSING"] if "python" in archive.name else []

    monkeypatch.setattr(wasm, "_run", run)
    monkeypatch.setattr(wasm, "_unpack_headers", unpack)
    wasm._fetch_headers(folder, config)
    sources = (folder / "sources").read_text().splitlines()
    assert sources == [
        f"deb https://deb.example/debian {suite} main" for suite in ("sid", "trixie")
    ]
    assert commands[1:] == ["update", f"libpython{wasm.PYTHON}-dev/sid", "emscripten/trixie"]
    assert (folder / "python" / "pyconfig.h").read_text() == "#define SIZEOF_LONG 4\n"
    assert {path.name for path in folder.iterdir()} == {"sources", "python"}


def archive(path, *names):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as target:
        for name in names:
            target.writestr(name, "Name: x\nVersion: 1\nLicense: MIT\n")


@pytest.mark.parametrize("module", [server, site_files, wasm], ids=lambda one: one.__name__)
def test_a_site_leaves_out_the_modules_that_build_or_serve_the_page(module):
    name = Path(module.__file__).relative_to(Path(trajan_ai.__file__).parents[1]).as_posix()
    assert site_files.EXCLUDED.match(name)


def test_a_site_contains_the_page_and_the_hashes_of_its_files(tmp_path, monkeypatch):
    parts, target = tmp_path / "parts", tmp_path / "site"
    archive(parts / "runtime" / "python_stdlib.zip", "json/decoder.py", "pydoc.py")
    (parts / "runtime" / "pyodide.mjs").write_text("//")
    (parts / "runtime" / ".pins").write_text("x")
    archive(
        parts / "wheels" / "x-1-py3-none-any.whl",
        *("trajan_ai/page/app.py", "trajan_ai/page/wasm.py", "trajan_ai/page/worker/worker.js",
          "trajan_ai/cli/main.py", "trajan_ai/analysis/decision/advice.py",
          "trajan_ai/page/static/main.js", "trajan_ai/page/static/index.html",
          "x-1.dist-info/METADATA", "x-1.dist-info/LICENSE"),
    )  # fmt: skip
    monkeypatch.setattr(site_files, "_compile", lambda folder: None)
    for _ in range(2):  # a site may be replaced
        site_files.write(target, parts)
    with zipfile.ZipFile(target / "engine" / "python.zip") as library:
        assert library.namelist() == [
            "trajan_ai/page/app.py", "trajan_ai/analysis/decision/advice.py",
            "trajan_ai/page/static/index.html",
        ]  # fmt: skip
    with zipfile.ZipFile(target / "engine" / "python_stdlib.zip") as library:
        assert library.namelist() == ["json/decoder.py"]
    script = (target / "sw.js").read_text("utf-8")
    files = json.loads(re.search(r"const FILES = (.*);", script)[1])
    paths = {str(file.relative_to(target)) for file in target.rglob("*") if file.is_file()}
    assert set(files) == paths - {"sw.js"}
    assert {"index.html", "static/worker.js", "static/tree.js", "engine/start.de.json"} < paths
    for path, file in files.items():
        digest = hashlib.sha256((target / path).read_bytes()).digest()
        assert file["integrity"] == f"sha256-{base64.b64encode(digest).decode()}"
    page = (target / "index.html").read_text("utf-8")
    assert f'data-engine="{re.search("const VERSION = .(.*?).;", script)[1]}"' in page
    assert files["static/main.js"]["integrity"] in page
