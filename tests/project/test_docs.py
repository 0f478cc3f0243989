"""The documents are true: programs run, links lead somewhere, every setting is described."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import trajan_ai
from trajan_ai.cli.main import COMMANDS
from trajan_ai.games import GAMES

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_the_program_in_the_readme_runs(capsys):
    (program,) = blocks(ROOT / "README.md", "python")
    exec(compile(program, "README.md", "exec"), {})
    scores, best = capsys.readouterr().out.splitlines()
    assert scores.count("[") == 2
    assert best.startswith("goods ")


def test_the_search_in_the_python_page_runs(capsys):
    program = "\n".join(blocks(ROOT / "docs" / "python.md", "python")[:3])
    exec(compile(program, "python.md", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.slow
@pytest.mark.needs("mypy", "gymnasium", "pettingzoo", "pyspiel")
def test_the_programs_of_the_pages_have_the_right_types(tmp_path):
    files = []
    for page in PAGES:
        program = "\n".join(blocks(page, "python"))
        if page.name in (
            "README.md",
            "adapters.md",
            "boards.md",
            "bots.md",
            "engine.md",
            "python.md",
        ):
            files.append(tmp_path / f"{page.stem.lower()}_page.py")
            files[-1].write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--strict"]
    done = subprocess.run(
        [*command, *files], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_option_of_a_game_is_described():
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for game in GAMES.values():
        for option in game.rules.options:
            assert f"`{option.name}`" in text, f"docs/rules.md lacks {game.name}: {option.name}"


def test_the_readme_names_every_command():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in COMMANDS:
        assert f"trajan-ai {name}" in text, f"no page names trajan-ai {name}"


def test_the_newest_release_of_the_changelog_is_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\d+\.\d+\.\d+)$", text, re.MULTILINE)
    assert releases[0] == trajan_ai.__version__
    assert releases == sorted(releases, key=lambda text: [*map(int, text.split("."))])[::-1]


def test_the_readme_has_one_line_commands():
    """`.ci/run` takes them from there."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("start", "develop", "rebuild"):
        (command,) = re.findall(rf"<!-- {name} -->\n```sh\n(.*)\n```", text)
        assert command
