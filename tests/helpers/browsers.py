"""The installed browsers that tests can use."""

import shutil

# The commands of each browser. The first one is preferred and is also the name of the Debian
# package. chromium-headless-shell needs 30 % less CPU time than chromium.
COMMANDS = {
    "chromium": ("chromium-headless-shell", "chromium", "chromium-browser"),
    "firefox": ("firefox-esr", "firefox"),
}


def find_browser(name):
    """Return the path of a browser's command, or None if it is not installed."""
    return next(filter(None, map(shutil.which, COMMANDS[name])), None)
