"""The page, served by its application or as static files, and a browser that shows it."""

import asyncio
import contextlib
import os
import socket
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zlib import crc32

import httpx
import pytest
from browser_tab import DESK, PATIENCE, Tab
from browsers import find_browser

from trajan_ai.page.app import Page
from trajan_ai.page.server import Server
from trajan_ai.page.work import Threads

with contextlib.suppress(ImportError):
    from playwright import sync_api

SITE = Path(__file__).parents[2] / "build" / "site"
STORED = "indexeddb,local_storage"  # cleared for a new user, whereas the installed site is kept


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by mark
def pytest_collection_modifyitems(items):
    """Mark the cases that repeat a browser test with other values as exhaustive.

    CI then runs each test for one case of each game and for one case with a worker. The sizes,
    languages and numbers of players in these cases vary between tests.
    """
    cases = {}
    for item in items:
        case = getattr(item, "callspec", None)
        if case and "browsers" in item.fixturenames and not item.get_closest_marker("exhaustive"):
            game = "forum_trajanum" if "forum" in case.id.casefold() else "trajan"
            group = "worker" if case.params.get("interface") == "worker" else game
            cases.setdefault(f"{item.nodeid.partition('[')[0]} {group}", []).append(item)
    for name, of_group in cases.items():
        chosen = crc32(name.encode()) % len(of_group)
        for item in of_group[:chosen] + of_group[chosen + 1 :]:
            item.add_marker(pytest.mark.exhaustive)


class Served:
    """A running server with the address `url` and the application `page`.

    Each answer below `/api/` is `delay` seconds late.
    """

    delay = 0

    def __init__(self, folder):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.page = Page(folder, Threads(2))
        self.server = Server(self.page, self.port)
        app = self.server.config.app

        async def answer_late(scope, receive, send):
            if scope["type"] == "http" and scope["path"].startswith("/api/"):
                await asyncio.sleep(self.delay)
            await app(scope, receive, send)

        self.server.config.app = answer_late
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True
        )
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def client(self):
        return httpx.Client(base_url=self.url, timeout=60)

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()


class Files(SimpleHTTPRequestHandler):
    """Answers requests with static files, and writes no log."""

    def log_message(self, *_):
        pass


class Site:
    """A site built by `trajan-ai site`, on a separate port; `url` is its address."""

    def __init__(self, folder):
        self.folder = folder
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=folder))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def built_site():
    """Yield the site in build/site."""
    if not (SITE / "sw.js").exists():
        pytest.skip(f"needs a site: trajan-ai site --out {SITE}")
    site = Site(SITE)
    yield site
    site.stop()


@pytest.fixture
def site():
    with built_site() as site:
        yield site


@pytest.fixture(scope="module")
def lasting_site():
    """Yield a site for all tests of a module, so that each window installs the site only once."""
    with built_site() as site:
        yield site


@pytest.fixture
def serve():
    """Yield a function that serves a folder; a second call acts like a restart."""
    with contextlib.ExitStack() as stack:

        def start(folder):
            served = Served(folder)
            stack.callback(served.stop)
            return served

        yield start


@pytest.fixture
def served(serve, tmp_path):
    return serve(tmp_path)


@pytest.fixture(params=["server", pytest.param("worker", marks=pytest.mark.long)])
def interface(request):
    """Return a server of the page, or a site, whose worker in the browser starts slowly."""
    return request.getfixturevalue("lasting_site" if request.param == "worker" else "served")


@pytest.fixture
def client(served):
    with served.client() as client:
        yield client


@pytest.fixture(scope="module")
def browsers():
    """Yield a function that returns a browser by its name, and starts it if needed."""
    with sync_api.sync_playwright() as playwright:
        sync_api.expect.set_options(timeout=PATIENCE)
        running = {}

        def find(name):
            if name not in running:
                running[name] = START[name](playwright)
            return running[name]

        yield find
        for browser in running.values():
            browser.close()


# Tests open hundreds of pages, and none for long. They save CPU time because all pages share a
# process, and because WebAssembly is not compiled again for more speed.
FRUGAL = [
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--js-flags=--liftoff-only",
]


def start_chromium(playwright):
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    path = find_browser("chromium")
    return playwright.chromium.launch(executable_path=path, args=FRUGAL + sandbox)


def start_firefox(playwright):
    """Start the installed Firefox, which cannot emulate media features."""
    return playwright.firefox.launch(
        channel="moz-firefox",
        executable_path=find_browser("firefox"),
        firefox_user_prefs={"ui.prefersReducedMotion": 1},
    )


START = {"chromium": start_chromium, "firefox": start_firefox}


@pytest.fixture(scope="module")
def browser(browsers):
    return browsers("chromium")


@pytest.fixture(scope="module")
def windows(browsers):
    """Yield a function that opens a page in a window with the given settings.

    The window is opened if needed and then kept, because opening a window takes several times as
    long as opening a page in an open one.
    """
    opened = {}

    def open(browser, **settings):
        key = (browser, *sorted(settings.items()))
        if key not in opened:
            opened[key] = browsers(browser).new_context(reduced_motion="reduce", **settings)
            opened[key].new_page()  # the window stays open as long as it has a page
        return opened[key].new_page()

    return open


@pytest.fixture
def tabs(windows, interface):
    """Yield a function that opens a tab for a new user, with given settings of the browser."""
    opened = []

    def open(size=DESK, browser="chromium", stored=None, **settings):
        page = windows(browser, **settings)
        page.set_viewport_size(size)
        if not opened and browser == "chromium":  # in Firefox, no server reuses an earlier port
            storage = {"origin": interface.url, "storageTypes": STORED}
            page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", storage)
        opened.append(Tab(interface, page, **stored or {}))
        return opened[-1]

    yield open
    for tab in opened:
        tab.page.close()
        assert tab.errors == []


@pytest.fixture
def tab(tabs):
    return tabs()
