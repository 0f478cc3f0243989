"""Tables of the documents that are made from the code."""

from pathlib import Path

from trajan_ai.mcts.settings import settings_table

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_settings_of_the_search(same_table):
    same_table(DOCS / "bots.md", "<!-- made from trajan_ai.mcts.settings -->", settings_table())
