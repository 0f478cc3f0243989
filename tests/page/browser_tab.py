"""A tab of a headless browser that shows the page, for tests in several modules."""

from contextlib import suppress

import pytest

with suppress(ImportError):
    from axe_playwright_python import sync_playwright as axe
try:
    from playwright.sync_api import expect
except ImportError:
    expect = None  # the tests that use it are skipped

PATIENCE = 90_000  # milliseconds that the page may take on a busy machine
# Sizes of windows in pixels. DESK is the default size of a tab.
DESK = {"width": 1280, "height": 900}
WIDE = {"width": 1400, "height": 900}
MIDDLE = {"width": 800, "height": 600}
PHONE = {"width": 390, "height": 844}
SIZES = {"wide": WIDE, "middle": MIDDLE, "phone": PHONE}

# Waits until observers have reacted to the latest change of a size.
NEXT_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

# An empty page is skipped, because Firefox rejects any access to the storage of such a page.
STORE = "if (location.protocol === 'http:') localStorage.setItem('%s', '%s')"

in_browser = [
    pytest.mark.slow,
    pytest.mark.needs("playwright", "axe_playwright_python", "chromium"),
]
by_server = pytest.mark.parametrize("interface", ["server"], indirect=True)


class Tab:
    """A browser tab that shows the page. Every error of the page makes the test fail."""

    def __init__(self, served, page, **stored):
        self.served = served
        self.page = page
        self.errors = []
        self.page.set_default_timeout(PATIENCE)
        for name, value in {"notation": "yes", **stored}.items():
            self.page.add_init_script(STORE % (name, value))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._check_message)

    def _check_message(self, message):
        if message.type == "error" and "status of 40" not in message.text:
            self.errors.append(message.text)

    def open(self, at=""):
        self.page.goto(f"{self.served.url}/{at}")

    def open_game(self, tree):
        """Save a game, and open it at the node that its user is viewing."""
        self.served.page.folder.add(tree)
        self.open(f"#{tree.id}")
        self.board()

    def load(self, text, node=0):
        """Open the text of a record or a position file; in a record, go to a node."""
        self.open()
        self.page.locator("#text").fill(text)
        self.page.locator("form").last.locator("button.main").click()
        self.board()
        if node:
            self.go(node)

    def go(self, node):
        """Click a node in the log."""
        self.page.locator(f'[data-node="{node}"]').dispatch_event("click")
        self.at(node)

    def searched(self, until="table.ranking"):
        """Search for the best move, and stop once one is shown. This works in every language."""
        self.page.keyboard.press("s")
        expect(self.page.locator(until).first).to_be_visible()
        self.page.keyboard.press("s")
        expect(self.page.locator(".ranking ~ details").first).to_be_attached()

    def board(self):
        expect(self.page.locator(".board svg").first).to_be_visible()

    def node(self):
        return int(self.page.url.rpartition("/")[2])

    def at(self, node):
        at = "(node) => location.hash.endsWith(`/${node}`)"  # `expect` looks less often
        self.page.wait_for_function(at, arg=node)

    def accessible(self):
        self.page.evaluate(NEXT_FRAMES)
        # In Firefox, axe assumes that text on a drawn card has the background of the page, so
        # contrast is checked only in Chromium.
        is_chromium = self.page.context.browser.browser_type.name == "chromium"
        # Without `resultTypes`, axe also returns the source of every element that passed.
        rules = {"color-contrast": {"enabled": is_chromium}}
        options = {"resultTypes": ["violations"], "rules": rules}
        report = axe.Axe().run(self.page, options=options)
        assert report.violations_count == 0, report.generate_report()[:3000]
