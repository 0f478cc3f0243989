"""Measure the page in Chromium: `python tests/experiments/page_speed.py [STEPS [SEARCHES]]`.

For each game, it prints the median milliseconds from a step of a replay to the frame that shows
the step, at the pace of a person and right after another step; the milliseconds from a click on
*Suggest* to the first ranking; the milliseconds of processor time that a step takes, which hardly
depend on other processes; and the frames per second while pieces travel. The program requires
playwright, chromium and a quiet machine. To measure with one core, put `taskset -c 0` in front of
the command.
"""

import os
import shutil
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / name) for name in ("page", "helpers")]
from browsers import find_browser  # noqa: E402
from conftest import Served  # noqa: E402

FIRST, STEPS, SEARCHES = 40, 40, 9  # first node; default numbers of steps and searches
PACE = 300  # milliseconds between the steps of a person
MOVING_FROM, MOVING_STEPS = {"trajan": 114, "forum_trajanum": 61}, 12
TIMED = """async ([what, selector]) => {
  const before = location.hash, start = performance.now();
  const has = () => (selector ? document.querySelector(selector) : location.hash !== before);
  if (what === 'step') document.body.dispatchEvent(
    new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  else document.querySelector('.now button.main').click();
  // Checks each frame before it is drawn, because a timer could miss the frame with the answer.
  do await new Promise(requestAnimationFrame); while (!has());
  await new Promise((done) => setTimeout(done, 0));
  return performance.now() - start;
}"""

# Returns the times of the frames from a step until all pieces have arrived.
FRAMES = """async () => {
  const times = [];
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  const has = () => document.querySelector('.motion');
  for (let i = 0; i < 100 && !has(); i++) await new Promise((done) => setTimeout(done, 5));
  while (has()) times.push(await new Promise(requestAnimationFrame));
  return times;
}"""
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


def work(session):
    """Return the milliseconds for which the page has worked so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * sum(one["value"] for one in metrics if one["name"] in WORK)


def open_game(page, served, game, node):
    page.goto(served.url)
    record = (ROOT / "tests" / "golden" / f"{game}_2p.jsonl").read_text().splitlines()[0]
    page.locator("#text").fill(record)
    page.locator("form").last.locator("button.main").click()
    page.locator(f'[data-node="{node}"]').dispatch_event("click")
    page.wait_for_function("(node) => location.hash.endsWith(`/${node}`)", arg=node)


def measure_frames(browser, served, game, steps):
    """Return the frames per second while pieces travel: the median and the slowest tenth."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    open_game(page, served, game, MOVING_FROM[game])
    page.evaluate(FRAMES)
    gaps = []
    for _ in range(min(steps, MOVING_STEPS)):
        times = page.evaluate(FRAMES)
        gaps += [later - one for one, later in pairwise(times)]
    page.close()
    gaps.sort()
    return 1000 / median(gaps), 1000 / gaps[len(gaps) * 9 // 10]


def main(steps=STEPS, searches=SEARCHES):
    served = Served(Path(tempfile.mkdtemp()))
    with sync_playwright() as playwright:
        # Users have the whole browser, which takes longer than the headless shell.
        chromium = shutil.which("chromium") or find_browser("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for game in ("trajan", "forum_trajanum"):
            size = {"width": 1400, "height": 900}
            page = browser.new_page(viewport=size, reduced_motion="reduce")
            open_game(page, served, game, FIRST)
            page.evaluate(TIMED, ["step", None])  # loads everything that is loaded only once
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            before, served_before = work(session), time.process_time()
            fast_times = [page.evaluate(TIMED, ["step", None]) for _ in range(steps)]
            served_own = 1000 * (time.process_time() - served_before) / steps
            own = (work(session) - before) / steps
            step_times = []
            for _ in range(steps):
                page.wait_for_timeout(PACE)
                step_times.append(page.evaluate(TIMED, ["step", None]))
            search_times = []
            for _ in range(searches):
                search_times.append(page.evaluate(TIMED, ["suggest", "table.ranking"]))
                page.keyboard.press("s")
                page.evaluate(TIMED, ["step", None])
            page.close()
            frames, slow = measure_frames(browser, served, game, steps)
            print(
                f"{game}: step {median(step_times):.0f} ms, right after another "
                f"{median(fast_times):.0f} ms; work of one in the page {own:.0f} ms, in the "
                f"server {served_own:.0f} ms; first suggestion "
                f"{median(search_times):.0f} ms; {frames:.0f} frames per second, a tenth below "
                f"{slow:.0f}"
            )
        browser.close()
    served.stop()
    print("load", *(f"{one:.1f}" for one in os.getloadavg()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
