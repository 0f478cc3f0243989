"""Compile the modules that a site's first suggestion loads; this halves its time.

run.mjs runs this program in the site's interpreter. FOLDER is the site's folder `engine`.
"""

from __future__ import annotations

import asyncio
import json
import os
import py_compile
import site
import sys
import zipfile
from pathlib import Path
from typing import Any

from trajan_ai.games import GAMES
from trajan_ai.page.in_browser import BrowserPage

FOLDER = Path(globals()["FOLDER"])
LIBRARIES = {
    "python_stdlib.zip": os.path.dirname(os.__file__),
    "python.zip": site.getsitepackages()[0],
}
SOURCE_NEEDED = {"anyio/__init__.py"}  # this module reads its own source


async def suggest(game: str) -> None:
    """Request a suggestion in a new game, as the page does."""
    page = BrowserPage("/trees", 8)

    async def post(address: str, body: object) -> Any:
        parts: list[Any] = []
        await page.answer(1, "POST", address, json.dumps(body), lambda *part: parts.append(part))
        if parts[0][0] != 200:
            raise RuntimeError(parts)
        return json.loads(parts[0][3])

    saved = await post("/api/trees", {"game": game, "seats": [None, None]})
    address = f"/api/trees/{saved['id']}"
    node = (await post(f"{address}/at", {}))["node"]
    await post(f"{address}/search", {"node": node, "iterations": 100})


def compile_module(name: str, text: bytes) -> bytes:
    """Return the byte code of a module, without docstrings and without a date."""
    source, target = Path("/one.py"), Path("/one.pyc")
    source.write_bytes(text)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), str(target), name, True, 2, mode)
    return target.read_bytes()


async def main() -> None:
    """Replace the source of every loaded module with its byte code."""
    for game in GAMES:
        await suggest(game)
    loaded = {getattr(module, "__file__", None) for module in sys.modules.values()}
    for library, place in LIBRARIES.items():
        before, after = FOLDER / library, FOLDER / "compiled.zip"
        with (
            zipfile.ZipFile(before) as source,
            zipfile.ZipFile(after, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target,
        ):
            for file in source.infolist():
                data, name = source.read(file), file.filename
                if (
                    f"{place}/{name}" in loaded
                    and name.endswith(".py")
                    and name not in SOURCE_NEEDED
                ):
                    data = compile_module(name, data)
                    file.filename += "c"
                target.writestr(file, data, zipfile.ZIP_DEFLATED, 9)
        after.chmod(before.stat().st_mode)
        after.replace(before)


task = asyncio.ensure_future(main())
task  # noqa: B018  # run.mjs awaits the value of the program
