"""The results of every release since 0.3.0 can be read, merged and compared.

Only the engine that played such a tournament can resume it. `stored/VERSION` contains the results
of a tournament that the release played; those of older releases have a kind of bot and settings
that no longer exist. The plan is stored only to show how the results were made: no test reads it.
Add a folder with every release.
"""

import json
import shutil
from pathlib import Path

import pytest
from calls import problems
from plans import plan

from trajan_ai import records
from trajan_ai.cli.main import main
from trajan_ai.core.version import __version__
from trajan_ai.tournaments import runner
from trajan_ai.tournaments.store import Store

STORED = Path(__file__).parent / "stored"
RELEASES = sorted(folder.name for folder in STORED.iterdir())
PAST = [release for release in RELEASES if release != __version__]
BOTS = {"random", "greedy", "search"}  # those of every release
GAMES = 12


@pytest.fixture(params=RELEASES)
def folder(request, tmp_path):
    return copied(request.param, tmp_path)


def copied(release, tmp_path):
    return shutil.copytree(STORED / release, tmp_path / release)


def test_results_of_a_release_are_rated(folder, capsys):
    assert main(["results", str(folder), "--all"]) == 0
    text = capsys.readouterr().out
    assert all(f" {bot} " in text for bot in BOTS)
    with Store(folder) as store:
        assert len(store.identities()) == GAMES


def test_the_records_of_a_release_replay(folder):
    with Store(folder) as store:
        entries = [json.loads(line) for line in store.records()]
    assert len(entries) == GAMES
    for entry in entries:
        assert records.verify(entry).position.player is None


def test_results_of_a_release_are_merged(folder, tmp_path, capsys):
    assert main(["results", "merge", str(folder), "--out", str(tmp_path / "all")]) == 0
    assert f"{GAMES} games added" in capsys.readouterr().out
    assert main(["results", "merge", str(folder), "--out", str(tmp_path / "all")]) == 0
    assert f"0 games added, {GAMES} games in" in capsys.readouterr().out


def test_results_of_two_releases_are_compared_but_not_merged(tmp_path, capsys):
    one, other = (str(copied(release, tmp_path)) for release in RELEASES[-2:])
    assert main(["results", "compare", one, other, "--all"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n{bot} " in text for bot in BOTS)
    assert main(["results", "merge", one, other, "--out", str(tmp_path / "all")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "which must not be rated together; keep both folders" in line


@pytest.mark.parametrize("release", PAST)
def test_another_engine_cannot_resume_a_release(release, tmp_path):
    folder = copied(release, tmp_path)
    (problem,) = problems(runner.run, plan(tmp_path, bots=["random", "greedy"]), folder, 1)
    assert "played by another engine" in problem
