"""The page in Firefox, spoken to by its own protocol, Marionette."""

import contextlib
import json
import shutil
import socket
import subprocess
import time

import pytest
from test_page_browser import served

__all__ = ["served"]

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
SOON = 90  # seconds: where a worker begins on a busy machine

CHOICE = (
    "(document.querySelector('#dialog[open] .move')"
    " ?? document.querySelector('.pane svg :is([data-action], [data-choices])'))"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FIREFOX is None, reason="needs firefox: apt-get install firefox-esr"),
]


class Firefox:
    """A window without a screen; `run` waits until what it looks for is there."""

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

    def click(self, element):
        self.run(f"{element}.dispatchEvent(new MouseEvent('click', {{bubbles: true}})); return 1")

    def close(self):
        with contextlib.suppress(OSError, ValueError, AssertionError):
            self("Marionette:Quit", flags=["eForceQuit"])
        self.process.kill()
        self.process.wait()
        self.stream.close()
        self.socket.close()


def test_a_game_begins_and_is_advised_in_firefox(served, tmp_path_factory):
    firefox = Firefox(tmp_path_factory.mktemp("profile"), "de-DE, en")
    try:
        firefox("WebDriver:Navigate", url=served.url)
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
    finally:
        firefox.close()
