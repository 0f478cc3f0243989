"""Where the page is shown: browser, size, language, theme, and how fast its server answers.

Each regression test of a fault has a parameter `surrounding`: a combination of browser, size,
language, theme and delay of answers. CI runs each of these tests with one combination.
"""

from itertools import product
from typing import NamedTuple

import pytest
from browser_tab import SIZES, by_server

DELAYS = {"instant": 0, "delayed": 0.3}  # seconds


class Surrounding(NamedTuple):
    browser: str
    size: str
    language: str
    theme: str
    delay: str

    @property
    def window(self):
        """The width and the height of the window, in pixels."""
        return SIZES[self.size]

    @property
    def is_phone(self):
        return self.size == "phone"

    @property
    def has_touch(self):
        """Whether users tap. They do not tap in Firefox, where emulated taps have no effect."""
        return self.is_phone and self.browser == "chromium"


ALL = [
    Surrounding(*values)
    for values in product(("chromium", "firefox"), SIZES, ("en", "de"), ("light", "dark"), DELAYS)
]
CI = [  # every pair of values
    Surrounding("chromium", "wide", "en", "light", "instant"),
    Surrounding("firefox", "wide", "de", "dark", "delayed"),
    Surrounding("chromium", "middle", "en", "dark", "delayed"),
    Surrounding("firefox", "middle", "de", "light", "instant"),
    Surrounding("chromium", "phone", "de", "light", "delayed"),
    Surrounding("firefox", "phone", "en", "dark", "instant"),
]


def fault(browser, size):
    """Mark the test of a fault; CI runs it with one combination, which has the given values."""
    chosen = next(one for one in CI if (one.browser, one.size) == (browser, size))
    aside = (pytest.mark.long, pytest.mark.exhaustive)
    cases = [
        pytest.param(one, id="-".join(one), marks=() if one == chosen else aside) for one in ALL
    ]
    marks = [
        pytest.mark.slow,
        pytest.mark.needs("playwright", "axe_playwright_python", "chromium", "firefox"),
        pytest.mark.parametrize("surrounding", cases),
        by_server,
    ]

    def mark(test):
        for one in marks:
            test = one(test)
        return test

    return mark
