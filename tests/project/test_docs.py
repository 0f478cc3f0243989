"""The documentation is correct: programs run, links have targets, and settings are described."""

import json
import re
import shlex

import pytest
from calls import ROOT, blocks, python, run_programs, write_programs

import trajan_ai
from trajan_ai.analysis.measurement import benchmark
from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.main import main
from trajan_ai.core import yamlfile
from trajan_ai.games import GAMES
from trajan_ai.tournaments.plan_file import read_plan
from trajan_ai.tournaments.schedule import Schedule

PLANS = ROOT / "tournaments"
BUILTIN_PLANS = ROOT / "trajan_ai" / "tournaments" / "plans"
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "lab").glob("*.md")),
    ROOT / "tournaments" / "README.md",
]
MEASURED = re.compile(r"\d+\.\d+ (?=s\b|% of the CPU)|\d\.\d{3}$", re.MULTILINE)


def test_the_program_in_the_readme_runs(capsys):
    run_programs("README.md")
    scores, best = capsys.readouterr().out.splitlines()
    assert scores.count("[") == 2
    assert best.startswith("goods ")


@pytest.fixture
def compare_outputs(tmp_path, monkeypatch, capsys, request):
    """Return a function that runs a command of a page.

    The function returns the actual output of the command and the output that the page shows.

    With --renew, the actual output, including the times on this machine, replaces that on the
    page.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def both(name, path=ROOT / "README.md"):
        page = path.read_text(encoding="utf-8")
        block = rf"<!-- {name} -->\n```sh\ntrajan-ai ([^\n]*)\n```\n\n```\n(.*?)```"
        (command, text), *_ = re.findall(block, page, re.DOTALL)
        assert main(shlex.split(command)) == 0
        printed = capsys.readouterr().out
        if request.config.getoption("--renew"):
            path.write_text(page.replace(text, printed), encoding="utf-8")
            text = printed
        return [MEASURED.sub("#", one) for one in (printed, text)]

    return both


@pytest.mark.slow
def test_the_readme_shows_the_best_move_in_a_game_of_the_first_tournament(
    compare_outputs, tmp_path, capsys
):
    plan = yamlfile.read_yaml(BUILTIN_PLANS / "quick.yaml").data | {"deals": 1}
    plan["bots"] = plan["bots"][2:]  # these bots play the first deal in the game that is shown
    (tmp_path / "plan.yaml").write_text(json.dumps(plan | {"rating": {}}))
    main(["tournament", "plan.yaml", "--out", "results/quick"])
    capsys.readouterr()
    games = tmp_path / "results" / "quick" / "records.jsonl"
    record = games.read_text().splitlines(keepends=True)[0]
    games.write_text(record * 18)  # the README's command uses one of them
    printed, text = compare_outputs("suggest")
    assert printed == text


@pytest.mark.slow
def test_the_readme_shows_how_its_bot_is_rated(compare_outputs, tmp_path):
    (plan,) = blocks("README.md", "yaml")
    (tmp_path / "mine.yaml").write_text(plan)
    printed, text = compare_outputs("tournament")
    assert printed == text


@pytest.mark.slow
def test_the_page_on_performance_shows_a_profile(compare_outputs):
    printed, text = compare_outputs("profile", ROOT / "docs" / "performance.md")
    assert re.findall("[a-z]+", printed) == re.findall("[a-z]+", text)


def test_the_programs_of_the_python_page_run(capsys):
    run_programs("docs/python.md", slice(4))
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 6
    assert "".join(blocks("docs/python.md", "text")) in printed


@pytest.mark.slow
@pytest.mark.needs("mypy", "gymnasium", "pettingzoo", "pyspiel", "duckdb", "polars")
def test_the_programs_of_the_pages_have_the_right_types(tmp_path):
    config = ("--config-file", ROOT / "pyproject.toml", "--strict")
    done = python("-m", "mypy", *config, *write_programs(tmp_path), folder=tmp_path)
    assert done.returncode == 0, done.stdout


def list_anchors(page):
    """Return the anchors that GitHub creates for the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tournaments/README.md"]
)
def test_links_lead_somewhere(name):
    """Sphinx checks the links of the other pages (test_site.py)."""
    page = ROOT / name
    links = re.findall(r"\]\(([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8"))
    for target, anchor in links:
        if not target.startswith(("http:", "https:")):
            path = page.parent / target if target else page
            assert path.exists(), f"{name} links to {target}"
            assert not anchor or anchor in list_anchors(path), f"{target} lacks #{anchor}"


def test_every_plan_is_listed_with_its_number_of_games():
    rows = (PLANS / "README.md").read_text(encoding="utf-8")
    listed = dict(
        re.findall(r"^\| (?:`|\[)([\w/-]+)\S* \|.*\| (?:at most )?([\d,]+) \|", rows, re.M)
    )
    files = {str(path.relative_to(PLANS).with_suffix("")): path for path in PLANS.rglob("*.yaml")}
    files |= {path.stem: path.stem for path in BUILTIN_PLANS.glob("*.yaml")}
    assert listed.keys() == files.keys()
    for name, plan in files.items():
        games = sum(Schedule(read_plan(plan)).count_games().values())
        assert games == int(listed[name].replace(",", "")), name


def test_every_option_of_a_game_is_described():
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for game in GAMES.values():
        for option in game.rules.options:
            assert f"`{option.name}`" in text, f"docs/rules.md lacks {game.name}: {option.name}"


@pytest.mark.slow
def test_the_page_on_systems_shows_the_signature_that_bench_prints(monkeypatch):
    monkeypatch.setattr(benchmark, "_nanoseconds", lambda work, count: 1.0)  # without measuring
    text = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
    assert f"the benchmark signature `{benchmark.run()['signature']}`" in text


def test_the_pages_name_every_command():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in COMMANDS:
        assert f"trajan-ai {name}" in text, f"no page names trajan-ai {name}"


def test_the_newest_release_of_the_changelog_is_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", text, re.MULTILINE)
    assert releases[0] == trajan_ai.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {trajan_ai.__version__}\n" in citation
    assert releases == sorted(releases, key=lambda text: [*map(int, text.split("."))])[::-1]
