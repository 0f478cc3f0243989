"""Compile the modules of a site that a first suggestion loads: reading their text was half of it.

Runs in the site's own interpreter, by run.mjs; FOLDER is the site's `engine`.
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
from trajan_ai.page.inside import Inside

FOLDER = Path(globals()["FOLDER"])
LIBRARIES = {
    "python_stdlib.zip": os.path.dirname(os.__file__),
    "python.zip": site.getsitepackages()[0],
}
READ = {"anyio/__init__.py"}  # it reads its own text


async def suggest(game: str) -> None:
    """Ask for a suggestion in a new game, as the page does."""
    inside = Inside("/studies", 8)

    async def ask(method: str, address: str, body: object = None) -> Any:
        told: list[Any] = []
        await inside.answer(1, method, address, json.dumps(body), lambda *one: told.append(one))
        if told[0][0] != 200:
            raise RuntimeError(told)
        return json.loads(told[0][3]) if method == "POST" else None

    study = await ask("POST", "/api/studies", {"game": game, "seats": [None, None]})
    at = f"/api/studies/{study['id']}"
    node = (await ask("POST", f"{at}/at", {}))["node"]
    await ask("GET", f"{at}/search?node={node}&iterations=100")


def compiled(name: str, text: bytes) -> bytes:
    """Return a module as Python keeps it, without docstrings and whatever its file's date is."""
    source, target = Path("/one.py"), Path("/one.pyc")
    source.write_bytes(text)
    whatever = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(source), str(target), name, True, 2, whatever)
    return target.read_bytes()


async def main() -> None:
    """Replace text by what was compiled of it."""
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
                if f"{place}/{name}" in loaded and name.endswith(".py") and name not in READ:
                    data = compiled(name, data)
                    file.filename += "c"
                target.writestr(file, data, zipfile.ZIP_DEFLATED, 9)
        after.chmod(before.stat().st_mode)
        after.replace(before)


done = asyncio.ensure_future(main())
done  # noqa: B018  # run.mjs awaits the value of a program
