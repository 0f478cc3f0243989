"""A third-party game built against the installed package passes the conformance kit.

It can also be played and analysed.

These tests run outside the sources, where trajan_ai is installed as users install it, and are
skipped elsewhere. The environment variable OWN_GAME names the folder of the example.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import trajan_ai

PACKAGE = Path(trajan_ai.__file__).parent
SOURCES = Path(os.environ.get("OWN_GAME", Path.cwd() / "docs" / "own_game"))

pytestmark = pytest.mark.skipif(
    not (PACKAGE / "core" / "game.pxd").exists(),
    reason="trajan_ai is a checkout",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Install the game into a separate folder, and return a function that runs Python there."""
    folder = tmp_path_factory.mktemp("own_game")
    site, work = folder / "site", folder / "work"
    work.mkdir()
    shutil.copytree(SOURCES, folder / "sources")
    environment = os.environ | {"PYTHONPATH": str(site), "CFLAGS": "-O0"}

    def python(*arguments, status=0):
        result = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=work,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == status, result.stdout + result.stderr
        return result

    pip = ["-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index"]
    python(*pip, "--target", site, folder / "sources")
    assert list((site / "hoard").glob("engine.*.so"))
    return python


def test_its_own_tests_pass(run):
    tests = SOURCES.resolve() / "tests"
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tests, tests)


def test_games_are_played_and_verified_by_name(run):
    run("-m", "trajan_ai", "play", "hoard", "--bots", "ismcts,greedy", "--games", "3",
        "--out", "games.jsonl")  # fmt: skip
    assert "3" in run("-m", "trajan_ai", "replay", "games.jsonl", "--verify").stdout


def test_a_tournament_rates_bots_at_it(run):
    plan = {"game": "hoard", "players": 3, "deals": 4, "options": {"bonus": 9}}
    plan |= {"bots": [
        {"name": "search", "kind": "ismcts", "iterations": 60}, "greedy", "random",
    ]}  # fmt: skip
    folder = Path(run("-c", "import os; print(os.getcwd())").stdout.strip())
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    table = run("-m", "trajan_ai", "tournament", "plan.yaml", "--out", "results").stdout
    assert all(name in table for name in ("search", "greedy", "random"))
    assert (folder / "results").is_dir()
