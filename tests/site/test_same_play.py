"""A browser's interpreter plays the same games as this one; the test requires a site and Node."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trajan_ai import GAMES
from trajan_ai.page.site_files import RUN

HERE = Path(__file__).parent
SITE = HERE.parents[1] / "build" / "site"


@pytest.mark.long
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node: apt-get install nodejs")
@pytest.mark.skipif(not (SITE / "sw.js").exists(), reason=f"needs trajan-ai site --out {SITE}")
def test_signatures_golden_games_and_searched_games_are_the_native_ones():
    program, folder = str(HERE / "played.py"), str(HERE.parent / "golden")
    results = []
    for command in (
        [sys.executable, program, folder],
        ["node", str(RUN), str(SITE.resolve()), program, folder],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        results.append(json.loads(done.stdout))
    native, browser = results
    speeds = native.pop("speed"), browser.pop("speed")
    assert browser == native
    assert native["golden"] > 100
    for game, here, there in zip(GAMES, *speeds, strict=True):
        print(f"{game}: {there / here:.2f} of the native speed")
