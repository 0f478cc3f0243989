"""Regenerate the pictures of the page in docs/images, or only those with the given names.

    python tests/experiments/pictures.py [NAME ..]

The program requires playwright, chromium and pillow.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page as Tab
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / name) for name in ("page", "helpers")]
from browsers import find_browser  # noqa: E402
from conftest import Served  # noqa: E402

SIZE = {"width": 1400, "height": 900}
MAXCOVERAGE = Image.Quantize.MAXCOVERAGE  # a method that keeps rare colours
COLOURS = 256  # reduces the size of the file to a third
KMEANS = 2  # without this, backgrounds get a shade of another colour


def load(tab: Tab, game: str, node: int) -> None:
    record = (ROOT / "tests" / "golden" / f"{game}_2p.jsonl").read_text("utf-8").splitlines()[0]
    tab.locator("#text").fill(record)
    tab.locator("form").last.locator("button.main").click()
    tab.locator(f'[data-node="{node}"]').click()
    tab.wait_for_function("node => location.hash.endsWith(`/${node}`)", arg=node)


def suggest(tab: Tab, game: str, node: int) -> None:
    load(tab, game, node)
    tab.locator("#view").select_option("1")  # the player to move, who gets the large board
    tab.wait_for_timeout(500)
    tab.locator("#seconds").select_option("3")
    tab.keyboard.press("s")
    tab.locator(".ranking ~ details").first.wait_for(state="attached")
    tab.get_by_role("button", name="Suggest", exact=True).wait_for()  # the search has ended


def real_table(tab: Tab) -> None:
    tab.locator(".ways button").click()
    for name in ("extra-forum", "extra-senate", "extra-construction"):
        tab.locator(f'[data-key="name {name}"]').click()
    tab.locator('[data-key="on"]').click()
    for name in ("votes3", "bread", "wild-goods"):
        tab.locator(f'[data-key="name {name}"]').click()


PICTURES: dict[str, Callable[[Tab], None]] = {
    "page": lambda tab: suggest(tab, "forum_trajanum", 61),
    "first_game": lambda tab: suggest(tab, "trajan", 97),
    "table": real_table,
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        served = Served(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=find_browser("chromium"), args=["--no-sandbox"]
        )
        for name in sys.argv[1:] or PICTURES:
            tab = browser.new_page(viewport=SIZE, reduced_motion="reduce", locale="en")
            tab.set_default_timeout(120_000)  # long enough for a busy machine
            tab.goto(served.url)
            PICTURES[name](tab)
            tab.mouse.move(0, 0)
            path = ROOT / "docs" / "images" / f"{name}.png"
            tab.screenshot(path=path)
            Image.open(path).convert("RGB").quantize(COLOURS, MAXCOVERAGE, KMEANS).save(
                path, optimize=True
            )
            tab.close()
        served.stop()


if __name__ == "__main__":
    main()
