"""The page as static files, for which a worker in the browser does the work of a server."""

import json
import os
import re
import shutil
from contextlib import suppress
from datetime import date

import pytest
from browser_tab import DESK, PATIENCE, Tab, expect
from golden_games import golden_line, short_game

from trajan_ai import records
from trajan_ai.page.practice import daily_puzzle, puzzles
from trajan_ai.page.site_files import list_files

pytestmark = [pytest.mark.long, pytest.mark.needs("playwright", "chromium")]

DECISIONS = 2  # decisions in the log of each game of these tests
OTHER = "https://host/other/ trajan-ai-0"  # the cache of another copy of the site
TODAY = "new Date().toLocaleDateString('sv')"  # the browser's date, such as 2026-02-01
FULL = """() => { IDBObjectStore.prototype.put = () => {
  throw new DOMException("no room", "QuotaExceededError");
}; }"""
LAST_BOARD = """(node) => {
  const { look, text } = JSON.parse(localStorage.getItem("seen") ?? "{}");
  return look?.split(" ")[2] === String(node) && JSON.parse(text).node === node;
}"""
UPDATE = """async () => {
  const registration = await navigator.serviceWorker.getRegistration();
  await registration.update().catch(() => null);
  while (registration.installing) await new Promise((done) => setTimeout(done, 50));
}"""


@pytest.fixture
def tab(browser, site):
    context = browser.new_context(viewport=DESK, reduced_motion="reduce")
    tab = Tab(site, context.new_page())
    yield tab
    context.close()
    assert tab.errors == []


def begin(tab):
    """Start a game of two people in a tab."""
    tab.open()
    tab.page.get_by_label("Game", exact=True).select_option("forum_trajanum")
    tab.page.get_by_label("Player 2").select_option("You")
    tab.page.get_by_role("button", name="Start", exact=True).click()
    tab.board()
    expect(tab.page.locator("#loading")).to_be_hidden()


def play(tab, which=0):
    """Make one of the legal moves."""
    before = tab.page.url
    tab.page.keyboard.press("l")
    tab.page.locator(".legal .move").nth(which).click()
    expect(tab.page).not_to_have_url(before)


def other_tab(tab):
    """Return another tab of the same user."""
    other = Tab(tab.served, tab.page.context.new_page())
    other.page.goto(tab.page.url)
    other.board()
    return other


def test_a_worker_that_dies_in_a_search_is_started_again_and_nothing_is_lost(tab):
    begin(tab)
    play(tab)
    tab.page.keyboard.press("s")
    expect(tab.page.locator("table.ranking")).to_be_visible()
    (worker,) = tab.page.workers
    with suppress(Exception):  # the worker does not answer any more
        worker.evaluate("self.close()")
    expect(tab.page.get_by_text("The search ended early")).to_be_visible()
    expect(tab.page.get_by_role("button", name="Suggest")).to_be_visible()
    play(tab)
    assert tab.page.locator(".log [data-node]").count() == DECISIONS
    tab.page.reload()
    tab.board()
    assert tab.page.locator(".log [data-node]").count() == DECISIONS


def test_the_site_works_without_a_network_and_sends_no_request(tab):
    requests = []
    tab.page.context.on("request", lambda request: requests.append(request.url))
    begin(tab)
    before = len(requests)
    play(tab)
    assert requests[before:] == []
    assert {url.startswith((tab.served.url, "data:", "blob:")) for url in requests} == {True}
    tab.served.stop()
    tab.page.reload()
    tab.board()
    play(tab)
    tab.page.keyboard.press("s")
    expect(tab.page.locator("table.ranking")).to_be_visible()


def test_two_tabs_of_a_game_save_the_decisions_of_both(tab):
    begin(tab)
    other = other_tab(tab)
    play(tab)
    play(other, 1)
    expect(other.page.locator(".log [data-node]")).to_have_count(DECISIONS)
    tab.page.reload()
    tab.board()
    expect(tab.page.locator(".log [data-node]")).to_have_count(DECISIONS)
    assert other.errors == []


def test_the_next_visit_begins_with_the_board_of_a_step_that_was_fetched_ahead(tab):
    tab.load(golden_line())
    for node in (1, 2, 1):
        tab.page.keyboard.press("ArrowRight" if tab.node() < node else "ArrowLeft")
        tab.at(node)
        tab.page.wait_for_function(LAST_BOARD, arg=node)


def test_a_full_disk_is_reported_and_all_games_can_be_exported(tab):
    begin(tab)
    (worker,) = tab.page.workers
    worker.evaluate(FULL)
    play(tab)
    expect(tab.page.locator("#notice")).to_contain_text(["no room"])
    tab.page.get_by_role("link", name="Games").click()
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("link", name="Save all as a file").click()
    text = saved.value.path().read_text()
    assert len(json.loads(text)["nodes"]) == 1
    worker.evaluate("self.close()")
    tab.page.get_by_label("Or its text").fill("[" * 20_000)
    tab.page.get_by_role("button", name="Open", exact=True).click()
    expect(tab.page.locator("#notice")).to_contain_text(["problem"])
    tab.page.get_by_role("button", name="Close").click()
    tab.page.get_by_label("Or its text").fill(text)
    tab.page.get_by_role("button", name="Open", exact=True).click()
    expect(tab.page.locator(".saved li")).to_have_count(2)


def test_a_record_can_be_saved_as_a_file(tab):
    tab.load(golden_line("forum_trajanum"), 60)
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("link", name="Save the record").click()
    actions = json.loads(saved.value.path().read_text())["actions"]
    assert actions == json.loads(golden_line("forum_trajanum"))["actions"]


@pytest.mark.needs("axe_playwright_python")
def test_a_first_evening_with_the_worker(tab):
    """A user starts quickly, solves the puzzle of the day, and reads the lesson of a game."""
    page = tab.page
    tab.open()
    tab.accessible()
    page.get_by_role("button", name="Play now: Trajan", exact=True).click()
    tab.board()
    expect(page.locator(".who")).to_contain_text("Your turn: ")
    expect(page.locator(".board")).to_contain_text("Bot (level 80)")
    page.get_by_role("link", name="Games").click()
    expect(page.locator(".saved li")).to_contain_text("Trajan against Bot (level 80)")
    page.locator(".day .daily").click()
    tab.board()
    daily = daily_puzzle(date.fromisoformat(page.evaluate(TODAY)), "trajan", 0)
    expect(page).to_have_url(re.compile(f"#practice/{daily}$"))
    page.keyboard.press("l")
    page.locator(f'.legal [data-action="{puzzles()[daily].right[0]}"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".verdict .right")).to_be_visible()
    expect(page.locator(".logs")).to_contain_text("days in a row with a right answer: 1")
    tab.accessible()
    tab.load(records.dumps(short_game()))
    page.keyboard.press("End")
    expect(page.locator(".result tfoot")).to_contain_text("total")
    page.get_by_role("button", name="Analyse", exact=True).click()
    lesson = page.get_by_role("link", name="Learn from your mistakes")
    expect(lesson).to_be_visible(timeout=5 * PATIENCE)
    tab.accessible()
    lesson.click()
    expect(page.locator(".who")).to_contain_text("Mistake 1 of ")
    tab.open()
    expect(page.locator(".day .daily")).to_contain_text("✓")


def publish(folder, title, whole=True):
    """Publish another version of a site, with this title; it is incomplete unless `whole`."""
    before = (folder / "sw.js").stat().st_mtime
    text = (folder / "static" / "start.js").read_text()
    text, changed = re.subn(
        r'"h2", \{\}, (tr\("New game"\)|"\w+")', f'"h2", {{}}, "{title}"', text
    )
    assert changed == 1
    (folder / "static" / "start.js").write_text(text)
    files = {path: file for path, file in list_files(folder).items() if path != "sw.js"}
    if not whole:  # everything but the last line break
        (folder / "static" / "start.js").write_text(text.rstrip())
    script = (folder / "sw.js").read_text()
    for name, value in (("VERSION", f"trajan-ai-{title}"), ("FILES", files)):
        script = re.sub(rf"const {name} = .*", f"const {name} = {json.dumps(value)};", script)
    (folder / "sw.js").write_text(script)
    # A server states the times of files in whole seconds, and the browser keeps files whose time
    # is unchanged.
    for path in (folder / "sw.js", folder / "static" / "start.js"):
        os.utime(path, (before + 2, before + 2))


def test_versions_are_never_mixed(browser, site, tmp_path):
    folder = tmp_path / "site"
    shutil.copytree(site.folder, folder)
    here = type(site)(folder)
    context = browser.new_context()
    pages = [context.new_page() for _ in range(2)]

    def titles(expected):
        for page in pages:
            expect(page.locator("form h2").first).to_have_text(expected)

    for page in pages:
        page.goto(here.url)
    titles("New game")
    pages[0].evaluate("(name) => caches.open(name)", OTHER)
    pages[0].wait_for_function("() => navigator.serviceWorker.controller !== null")
    publish(folder, "half", whole=False)
    pages[0].reload()
    pages[0].evaluate(UPDATE)
    titles("New game")
    publish(folder, "newer")
    pages[0].reload()
    pages[0].evaluate(UPDATE)
    offer = pages[0].get_by_role("button", name="A new version")
    expect(offer).to_be_visible()
    titles("New game")
    offer.click()
    titles("newer")
    assert sorted(pages[0].evaluate("caches.keys()")) == [f"{here.url}/ trajan-ai-newer", OTHER]
    context.close()
    here.stop()
