"""The pages of docs/ are built as a site without a warning: all links and names have targets."""

import pytest
from calls import ROOT, python

DOCS = ROOT / "docs"

pytestmark = pytest.mark.needs("sphinx", "myst_parser", "furo")


@pytest.mark.slow
def test_every_page_is_on_the_site_and_every_link_leads_somewhere(tmp_path):
    result = python("-m", "sphinx", "-q", "-W", "--keep-going", "-E", DOCS, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert {page.stem for page in DOCS.glob("*.md")} == {
        page.stem for page in tmp_path.glob("*.html") if page.stem not in ("genindex", "search")
    } - {"py-modindex"}
    assert "determinized" in (tmp_path / "api.html").read_text()
