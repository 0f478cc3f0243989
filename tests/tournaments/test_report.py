"""The report is self-contained, and the tests open it in a real browser if there is one."""

import base64
import html
import re
import sys
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import combinations
from types import SimpleNamespace

import pytest
from browsers import find_browser
from plans import NIM, plan, scripted

from trajan_ai.core.local_address import HOST, PAGE_PORT
from trajan_ai.lab.simulation import simulate
from trajan_ai.tournaments import report, runner
from trajan_ai.tournaments.output import write_outputs
from trajan_ai.tournaments.ratings import NO_FAILURE, RatingOptions
from trajan_ai.tournaments.store import GameRow, RunRow
from trajan_ai.tournaments.summary import summarize

PICTURES = ("rating", "scores", "cost", "convergence")
TABLES = ("standings", "standings-2", "standings-3", "superiority", "cross", "pairs", "seats",
          "failures", "games", "runs")  # fmt: skip
PAGE = f"http://{HOST}:{PAGE_PORT}/#record/"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    bots = ["random", "greedy", {"name": "<b>&bold", "extends": "ismcts", "iterations": 10},
            scripted("raise")]  # fmt: skip
    tournament = plan(folder, bots=bots, players=[2, 3], deals=1)
    write_outputs(runner.run(tournament, folder / "out", 1))
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


def test_a_run_has_its_start_and_duration():
    start = datetime(2026, 5, 4, 3, 2, tzinfo=UTC).timestamp()
    row = RunRow(started=start, ended=start + 90, jobs=2, machine="Linux", games=7)
    assert report._run(row) == ["2026-05-04 03:02", "90 s", "7", "2", "Linux"]
    sentence = "Played on 2026-05-04 in 3 min on Linux."
    assert [*report._describe_runs([row, row])] == [sentence]


@pytest.mark.slow
def test_the_page_is_whole_self_contained_and_the_same_everywhere(page, out):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert set(TABLES) <= set(tags.ids)
    local = [link for link in tags.links if not link.startswith(PAGE)]
    assert all((out / link).exists() for link in local), local
    assert not re.search(r"https?://(?!www\.w3\.org)", page.replace(PAGE, ""))
    assert "@import" not in page
    assert len(page) < 500_000
    assert "<b>&bold" not in page
    assert "&lt;b&gt;&amp;bold" in page
    assert "<dc:date>" not in page
    assert str(out) not in page


@pytest.mark.slow
def test_the_links_of_games_contain_their_records(page, out):
    tags = Tags()
    tags.feed(page)
    linked = []
    for link in tags.links:
        data = link.removeprefix(PAGE)
        if data != link:
            packed = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
            linked.append(zlib.decompress(packed).decode())
    assert sorted(linked) == sorted((out / "records.jsonl").read_text().splitlines())


@pytest.mark.slow
def test_the_page_says_when_and_where_its_games_were_played(page):
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    assert today in page
    assert re.search(r"Played on .* in \d+ s on \w+, ", page)


@pytest.mark.needs("matplotlib")
def test_the_course_of_a_sequential_test_is_drawn(tmp_path):
    test = {"bot": "greedy", "against": "random", "elo1": 100}
    keys = {"game": NIM, "bots": ["random", "greedy"], "deals": 48, "test": test}
    state = runner.run(plan(tmp_path, **keys), tmp_path / "out", 1)
    write_outputs(state)
    assert [deals for deals, _ in state.llr] == [16, 32, 48][: len(state.llr)]
    assert state.llr[-1][1] == state.test.state.llr
    page = (tmp_path / "out" / "report.html").read_text()
    assert 'aria-label="llr"' in page
    assert "The Elo of a test follows" in page
    again = runner.run(plan(tmp_path, **keys), tmp_path / "out", 1)
    assert again.llr == state.llr


def test_places_are_spread_in_order():
    assert report.spread([0.2, 0.9, 0.5], 0.1) == [0.2, 0.9, 0.5]
    assert report.spread([0.5, 0.5, 0.45], 0.2) == pytest.approx([0.65, 0.85, 0.45])
    crowded = report.spread([1.0] * 5, 0.2)
    assert crowded == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


@pytest.mark.slow
@pytest.mark.needs("matplotlib")
def test_labels_of_pictures_do_not_overlap():
    """There are forty bots of nearly the same strength and speed."""
    from matplotlib.text import Text

    results = simulate([float(k % 3) for k in range(40)], 2, 1, seed=1)
    results = replace(results, bots=tuple(f"bot-with-a-name-{k}" for k in range(40)))
    state = SimpleNamespace(
        llr=[], plan=SimpleNamespace(settings=SimpleNamespace(rating=RatingOptions()))
    )
    context = report.Context(
        plan={}, summary=summarize(results, RatingOptions()), results=results, games=[],
        failures=[], run=state, runs=[],
    )  # fmt: skip
    for draw in (report._rating, report._scores, report._cost, report._convergence):
        figure = draw(context)
        figure.draw_without_rendering()
        for axes in figure.axes:
            labels = [*axes.get_yticklabels(), *axes.texts]
            boxes = [Text.get_window_extent(label) for label in labels if label.get_text()]
            for one, other in combinations(boxes, 2):
                assert not one.shrunk(0.9, 0.9).overlaps(other.shrunk(0.9, 0.9)), draw


@pytest.mark.needs("matplotlib")
def test_every_picture_is_in_the_page(page):
    tags = Tags()
    tags.feed(page)
    assert set(PICTURES) <= set(tags.ids)
    assert "pip install" not in page


def test_without_matplotlib_the_report_explains_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    tournament = plan(tmp_path, bots=["random", "greedy"], deals=1)
    write_outputs(runner.run(tournament, tmp_path / "out", 1))
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

    On a wide screen, the table of ratings needs no scroll bar.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page()
        for window in (500, 1000, 1200):
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
            assert window < 1000 or not any(hidden)
        browser.close()


FIRST = """() => [...document.querySelectorAll("#standings tbody tr")].map(
    row => row.cells[1].textContent)"""
INKS = """() => [document.body, document.querySelector("#rating text")].map(
    element => getComputedStyle(element).color + getComputedStyle(element).fill)"""


@pytest.mark.slow
@pytest.mark.needs("matplotlib", "chromium", "playwright")
def test_tables_are_sorted_and_pictures_follow_the_theme(out):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser("chromium"), args=["--no-sandbox"]
        )
        inks = []
        for theme in ("light", "dark"):
            tab = browser.new_page(color_scheme=theme)
            tab.goto((out / "report.html").as_uri())
            inks.append(tab.evaluate(INKS))
        assert all(one != other for one, other in zip(*inks, strict=True))
        ranked = tab.evaluate(FIRST)
        tab.click("#standings th:nth-child(2) button")
        assert tab.evaluate(FIRST) == sorted(ranked)
        # The first click sorts a numeric column in descending order.
        tab.click("#standings th:nth-child(1) button")
        assert tab.evaluate(FIRST) == ranked[::-1]
        tab.click("#standings th:nth-child(1) button")
        assert tab.evaluate(FIRST) == ranked
        assert tab.get_attribute("#standings th", "aria-sort") == "ascending"
        browser.close()
