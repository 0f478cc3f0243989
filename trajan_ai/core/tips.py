"""The tips about a game's board, and the rules on one screen, which are composed of tips."""

from functools import cache
from pathlib import Path
from typing import Any

from trajan_ai.core.languages import tr
from trajan_ai.core.rules_drawing import HasOverview
from trajan_ai.core.yamlfile import read_yaml


def read_tips(path: Path) -> dict[str, str]:
    """Return the tips in a file by topic, in the current language."""
    return {topic: tr(tip) for topic, tip in _read_topics(path).items()}


@cache
def _read_topics(path: Path) -> dict[str, str]:
    tips = read_yaml(path).data
    return {topic: tip for topics, tip in tips.items() for topic in topics.split(", ")}


def read_overview(rules: HasOverview) -> list[dict[str, Any]]:
    """Return the rules on one screen: sections with a ``title`` and ``rows``.

    A row has a ``name``, a ``text`` and the ``symbols`` of the pieces that it is about.
    """
    tips = read_tips(rules.tips)
    return [
        {
            "title": tr(title),
            "rows": [
                {"name": tr(name), "text": tips[topic], "symbols": symbols}
                for name, (topic, *symbols) in rows.items()
            ],
        }
        for title, rows in read_yaml(rules.overview).data.items()
    ]
