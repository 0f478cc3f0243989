"""The report: self-contained, and opened in a real browser where there is one."""

import html
import re
import shutil
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from plans import plan, scripted

from trajan_ai.tournaments import report, runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.ratings import NO_FAILURE
from trajan_ai.tournaments.store import GameRow

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
PICTURES = ("rating", "superiority", "scores", "cost", "convergence")
TABLES = ("standings", "standings-2", "standings-3", "cross", "seats", "failures", "games")


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    bots = ["random", "greedy", {"name": "<b>&bold", "extends": "ismcts", "iterations": 10},
            scripted("raise")]  # fmt: skip
    tournament = plan(folder, bots=bots, players=[2, 3], deals=1)
    write_outputs(folder / "out", runner.run(tournament, folder / "out", 1))
    return folder / "out"


@pytest.fixture(scope="module")
def page(out):
    return (out / "report.html").read_text(encoding="utf-8")


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [value for key, value in attributes.items() if key in ("href", "src")]
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_game_lost_to_a_failure_has_no_result():
    game = GameRow(
        id="a1", game="trajan", options="{}", players=2, block="b1", deal=3, rotation=1, plies=9,
        failed=NO_FAILURE, bots=["one", "two"], scores=[30, 20], ranks=[1, 2],
    )  # fmt: skip
    assert report._game(game) == ["a1", "3", "1", "one, two", "30 : 20", "1 : 2"]
    lost = replace(game, failed=1, scores=[None, None], ranks=[None, None])
    assert report._game(lost)[4:] == ["lost to a failure", ""]


@pytest.mark.slow
def test_the_page_is_whole_self_contained_and_the_same_everywhere(page, out):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert set(TABLES) <= set(tags.ids)
    assert all((out / link).exists() for link in tags.links), tags.links
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert "@import" not in page
    assert len(page) < 500_000
    assert "<b>&bold" not in page
    assert "&lt;b&gt;&amp;bold" in page
    assert "<dc:date>" not in page
    assert str(out) not in page


@pytest.mark.needs("matplotlib")
def test_every_picture_is_in_the_page(page):
    tags = Tags()
    tags.feed(page)
    assert set(PICTURES) <= set(tags.ids)
    assert "pip install" not in page


def test_without_matplotlib_the_report_explains_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write_outputs(
        tmp_path / "out",
        runner.run(plan(tmp_path, bots=["random", "greedy"], deals=1), tmp_path / "out", 1),
    )
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not set(PICTURES) & set(tags.ids)
    assert "standings" in tags.ids
    assert html.unescape(page).count("pip install 'trajan-ai[pictures]'") == 1


MEASURE = """[...document.querySelectorAll("table, figure svg")].map(element => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    const box = element.getBoundingClientRect();
    return [element.id || element.closest("[id]").id, box.width, box.height]; })"""
HIDDEN = """[...document.querySelectorAll("[id^=standings]")].map(
    table => table.scrollWidth - table.clientWidth)"""


@pytest.mark.slow
@pytest.mark.needs("matplotlib", "chromium", "playwright")
def test_a_browser_shows_tables_and_pictures(out):
    """No table or picture has collapsed, and none makes the page scroll sideways.

    On a screen the ratings need no scroll bar.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        tab = browser.new_page()
        for window in (500, 1200):
            tab.set_viewport_size({"width": window, "height": 900})
            tab.goto((out / "report.html").as_uri())
            sizes = {name: (width, height) for name, width, height in tab.evaluate(MEASURE)}
            for name in TABLES + PICTURES:
                width, height = sizes[name]
                assert width > 100, (name, sizes)
                assert height > 40, (name, sizes)
            assert tab.evaluate("document.documentElement.scrollWidth") <= window
            hidden = tab.evaluate(HIDDEN)
            assert len(hidden) == 3
            assert window < 1200 or not any(hidden)
        browser.close()
