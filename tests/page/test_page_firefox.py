"""The page in Firefox, which is controlled through its protocol Marionette."""

import contextlib
import json
import shutil
import socket
import subprocess
import time

import pytest
from browser_tab import by_server
from golden_games import golden, golden_line
from test_board import CLIPPED, CONTRAST, MARKED, MIDDLE, PANELS, PHONE, SMALL, WIDE

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
SOON = 90  # seconds: where a worker begins on a busy machine

CHOICE = (
    "(document.querySelector('#dialog[open] .move')"
    " ?? document.querySelector('.pane svg :is([data-action], [data-choices])')"
    " ?? document.querySelector('.choices button'))"
)

pytestmark = [
    pytest.mark.long,  # in Chromium, shorter tests look at the same
    pytest.mark.skipif(FIREFOX is None, reason="needs firefox: apt-get install firefox-esr"),
]


class Firefox:
    """A window without a screen; `run` waits until the element that it looks for exists."""

    def __init__(self, profile, languages):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = {
            "marionette.port": port,
            "intl.accept_languages": languages,
            "ui.prefersReducedMotion": 1,
        }
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in settings.items()]
        (profile / "user.js").write_text("\n".join(lines))
        command = [FIREFOX, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, **quiet)
        self.socket = self._connected(port)
        self.stream = self.socket.makefile("rwb")
        self._answer()  # it names itself
        self("WebDriver:NewSession", capabilities={})

    def _connected(self, port):
        end = time.monotonic() + 3 * SOON
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=SOON)
            except OSError:
                assert time.monotonic() < end, "Firefox does not listen"
                time.sleep(0.2)

    def _answer(self):
        length = b""
        while (digit := self.stream.read(1)) != b":":
            length += digit
        return json.loads(self.stream.read(int(length)))

    def __call__(self, command, **parameters):
        message = json.dumps([0, 1, command, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, result = self._answer()
        assert error is None, error["message"]
        return result

    def run(self, script):
        """Return the value of a script once it is true."""
        end = time.monotonic() + SOON
        while not (result := self("WebDriver:ExecuteScript", script=script, args=[])["value"]):
            assert time.monotonic() < end, script
            time.sleep(0.05)
        return result

    def value(self, script, *args):
        """Return the value of a function that a test in Chromium uses as well."""
        called = f"return ({script})(...arguments)"
        return self("WebDriver:ExecuteScript", script=called, args=args)["value"]

    def show(self, interface, size, **settings):
        """Show the page in a window of a size, with settings that it stores."""
        self("WebDriver:Navigate", url=interface.url)
        for name, value in settings.items():
            self.value("(name, value) => localStorage.setItem(name, value)", name, value)
        inner = self.value("() => [outerWidth - innerWidth, outerHeight - innerHeight]")
        self("WebDriver:SetWindowRect", **{
            side: size[side] + more for side, more in zip(("width", "height"), inner, strict=True)
        })  # fmt: skip

    def load(self, interface, record, node):
        """Open a record at a node."""
        load = """const [text, node] = arguments; return fetch('/api/load', {
          method: 'POST', headers: {'Content-Type': 'application/json'},
          body: JSON.stringify({text}),
        }).then((answer) => answer.json()).then(({id}) => id)"""
        id = self("WebDriver:ExecuteScript", script=load, args=[record, node])["value"]
        self("WebDriver:Navigate", url=f"{interface.url}/#{id}/{node}")
        self("WebDriver:Refresh")
        self.run("return document.querySelector('.board[data-arranged] svg') && 1")

    def go(self, node):
        """Click a node in the log."""
        self.click(f"document.querySelector('[data-node=\"{node}\"]')")
        self.run(f"return location.hash.endsWith('/{node}')")

    def click(self, element):
        event = "new MouseEvent('click', {bubbles: true})"
        self.run(f"const one = {element}; one?.dispatchEvent({event}); return Boolean(one)")

    def close(self):
        with contextlib.suppress(OSError, ValueError, AssertionError):
            self("Marionette:Quit", flags=["eForceQuit"])
        self.process.kill()
        self.process.wait()
        self.stream.close()
        self.socket.close()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    firefox = Firefox(tmp_path_factory.mktemp("profile"), "de-DE, en")
    yield firefox
    firefox.close()


def test_a_game_begins_and_is_advised_in_firefox(firefox, interface):
    firefox("WebDriver:Navigate", url=interface.url)
    assert firefox.run("return document.querySelector('form .main')?.innerText") == "Los"
    for field, value in (("game", "forum_trajanum"), ("seat1", "level-80")):
        chosen = f"const one = document.getElementById('{field}'); one.value = '{value}';"
        firefox.run(f"{chosen} one.dispatchEvent(new Event('change')); return true")
    firefox.click("document.querySelector('form .main')")
    mine = "document.querySelector('.who')?.innerText.includes('Du bist am Zug')"
    while firefox.run(f"return {mine} && location.hash.split('/')[1]") < "3":
        firefox.click(CHOICE)
        time.sleep(0.2)
    firefox.run(f"return {mine}")
    firefox.click("document.querySelector('button.main')")
    assert firefox.run("return document.querySelectorAll('.ranking tbody tr').length")
    assert firefox.run("return document.querySelectorAll('.mark.best').length")


GROUND = """() => getComputedStyle(document.querySelector('.table g[data-height] > rect'))
  .fill.match(/\\d+/g).map(Number)"""
TEXT = "(selector) => document.querySelector(selector).innerText"
WIDTH = "() => document.documentElement.scrollWidth - innerWidth"
CASES = {
    "wide": (WIDE, {"language": "en", "theme": "light"}, 24),
    "middle": (MIDDLE, {"language": "de", "theme": "dark"}, 24),
    "phone": (
        PHONE | {"width": 500},
        {  # no window is narrower
            "language": "de",
            "theme": "light",
        },
        32,
    ),
}


@by_server
@pytest.mark.parametrize("game", ["trajan", "forum_trajanum"])
@pytest.mark.parametrize("case", CASES)
def test_the_board_is_still_marked_and_readable_in_firefox(firefox, interface, game, case):
    size, settings, least = CASES[case]
    firefox.show(interface, size, **settings)
    firefox.load(interface, golden_line(game), 61)
    assert firefox.value("() => [innerWidth, innerHeight]") == [size["width"], size["height"]]
    assert (max(firefox.value(GROUND)) < 80) == (settings["theme"] == "dark")
    still = firefox.value(PANELS)
    for node in range(0, len(golden(game)["actions"]), 37):
        firefox.go(node)
        assert firefox.value(PANELS) == still
        marked = firefox.value(MARKED)
        assert marked["moves"] == marked["listed"] > 0
        assert marked["bare"] == []
        assert marked["hidden"] == marked["tabs"]
        assert firefox.value(TEXT, ".who").strip()
        for script in (CLIPPED, CONTRAST):
            assert firefox.value(script) == []
        assert firefox.value(SMALL, least) == []
        assert firefox.value(WIDTH) <= 0
    firefox.run("scrollTo(0, 500); return true")  # the board neither folds nor shrinks
    firefox.go(1)
    firefox.run("scrollTo(0, 0); return true")
    assert firefox.value(PANELS) == still
