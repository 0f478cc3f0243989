"""The report: self-contained, and opened in a real browser where there is one."""

import html
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from plans import plan, scripted

from trajan_ai.tournaments import runner
from trajan_ai.tournaments.output import write_outputs

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


@pytest.mark.slow
def test_the_page_is_whole_and_self_contained(page, out):
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert set(TABLES) <= set(tags.ids)
    assert all((out / link).exists() for link in tags.links), tags.links
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert "@import" not in page
    assert len(page) < 500_000


@pytest.mark.needs("matplotlib")
def test_every_picture_is_in_the_page(page):
    tags = Tags()
    tags.feed(page)
    assert set(PICTURES) <= set(tags.ids)
    assert "pip install" not in page


def test_without_matplotlib_the_page_says_how_to_get_its_pictures(tmp_path, monkeypatch):
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


@pytest.mark.slow
def test_names_are_escaped(page):
    assert "<b>&bold" not in page
    assert "&lt;b&gt;&amp;bold" in page


@pytest.mark.slow
def test_no_date_and_no_folder_is_in_the_page(page, out):
    assert "<dc:date>" not in page
    assert str(out) not in page


@pytest.mark.slow
@pytest.mark.needs("matplotlib", "chromium")
@pytest.mark.parametrize("window", [500, 1200])
def test_a_browser_shows_tables_and_pictures(out, tmp_path, window):
    """Its own measure of what it laid out: no table or picture may have collapsed.

    On a screen the ratings need no scroll bar.
    """
    script = """<script>addEventListener("load", () => {
      const sizes = [...document.querySelectorAll("table, figure svg")].map(element => {
        const details = element.closest("details"); if (details) details.open = true;
        const box = element.getBoundingClientRect();
        return `${element.id || element.closest("[id]").id}:${Math.round(box.width)}x${Math.round(box.height)}`});
      document.body.insertAdjacentHTML("beforeend",
        `<p id="measured">${sizes.join(" ")} page:${document.documentElement.scrollWidth}</p>`);
      for (const table of document.querySelectorAll(".standings")) {
        const box = table.parentElement; table.title = `${box.scrollWidth - box.clientWidth} out`; }
    });</script>"""  # noqa: E501
    page = (out / "report.html").read_text(encoding="utf-8").replace("</body>", script + "</body>")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}",
            f"--window-size={window},900", "--virtual-time-budget=5000", "--dump-dom",
            (tmp_path / "page.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    told = re.search(r'<p id="measured">(.*?) page:(\d+)</p>', done.stdout)
    assert told, done.stdout[-500:]
    sizes = dict(part.split(":") for part in told[1].split())
    for name in TABLES + PICTURES:
        width, height = map(int, sizes[name].split("x"))
        assert width > 100, (name, sizes)
        assert height > 40, (name, sizes)
    assert int(told[2]) <= window, "wider than the window: it would scroll sideways on a phone"
    hidden = re.findall(r'title="(\d+) out"', done.stdout)
    assert len(hidden) == 3
    assert window < 1200 or set(hidden) == {"0"}
