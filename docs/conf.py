"""Configure Sphinx, which builds a site from these pages: ``python -m sphinx -W docs site``."""

import re
import textwrap

from trajan_ai.core.look import COLOURS, HEAD_FONT, TEXT_FONT
from trajan_ai.core.version import __version__

project = "trajan_ai"
author = "The trajan_ai developers"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"trajan_ai {version}"
_NAMES = {
    "color-brand-primary": "red", "color-brand-content": "red", "color-brand-visited": "red",
    "color-background-primary": "paper", "color-background-secondary": "tray",
    "color-foreground-primary": "ink", "color-foreground-secondary": "faint",
}  # fmt: skip
_FONTS = {"font-stack": TEXT_FONT, "font-stack--headings": HEAD_FONT}
html_theme_options = {
    f"{theme}_css_variables": {name: COLOURS[ours][i] for name, ours in _NAMES.items()} | _FONTS
    for i, theme in enumerate(("light", "dark"))
}

# The pages are also read in the repository, so their links name files and headings. Sphinx needs
# anchors for these headings.
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "description"


def keep_tables(app, what, name, obj, options, lines):  # noqa: PLR0917
    """Keep the aligned columns of a docstring, which Sphinx would join to running text."""
    paragraphs = "\n".join(lines).split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        if re.search(r"^\S+(, \S+)* {2,}\S", paragraph, re.MULTILINE):
            paragraphs[number] = "::\n\n" + textwrap.indent(paragraph, "    ")
    lines[:] = "\n\n".join(paragraphs).split("\n")


def setup(app):
    """Make Sphinx pass every docstring to `keep_tables`."""
    app.connect("autodoc-process-docstring", keep_tables)
