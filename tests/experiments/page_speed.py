"""Measure the page in Chromium: `python tests/experiments/page_speed.py [STEPS [SEARCHES]]`.

It prints, for each game, the median milliseconds of one step of a replay until the next frame, and
from a click on *Suggest* to the first ranking. Requires playwright, chromium and a quiet machine.
"""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "page"))
from conftest import Served  # noqa: E402

FIRST, STEPS, SEARCHES = 40, 40, 9  # unless other numbers are given
TIMED = """async ([what, selector]) => {
  const before = location.hash, start = performance.now();
  const has = () => (selector ? document.querySelector(selector) : location.hash !== before);
  if (what === 'step') document.body.dispatchEvent(
    new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  else document.querySelector('.now button.main').click();
  while (!has()) await new Promise((done) => setTimeout(done, 0));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - start;
}"""


def main(steps=STEPS, searches=SEARCHES):
    served = Served(Path(tempfile.mkdtemp()))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        for game in ("trajan", "forum_trajanum"):
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(served.url)
            record = (ROOT / "tests" / "golden" / f"{game}_2p.jsonl").read_text().splitlines()[0]
            page.locator("#text").fill(record)
            page.locator("form").last.locator("button.main").click()
            page.locator(f'[data-node="{FIRST}"]').dispatch_event("click")
            page.wait_for_function("(node) => location.hash.endsWith(`/${node}`)", arg=FIRST)
            page.evaluate(TIMED, ["step", None])  # loads what is needed once
            step_times = [page.evaluate(TIMED, ["step", None]) for _ in range(steps)]
            search_times = []
            for _ in range(searches):
                search_times.append(page.evaluate(TIMED, ["suggest", "table.ranking"]))
                page.keyboard.press("s")
                page.evaluate(TIMED, ["step", None])
            print(
                f"{game}: step {median(step_times):.0f} ms, "
                f"first suggestion {median(search_times):.0f} ms"
            )
            page.close()
        browser.close()
    served.stop()
    print("load", *(f"{one:.1f}" for one in os.getloadavg()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
