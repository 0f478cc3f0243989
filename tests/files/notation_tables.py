"""The tables of docs/notation.md, and the strings that they stand for."""

import re
from itertools import combinations_with_replacement, product
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "notation.md"
PLACEHOLDER = re.compile(r"<([\w ]+)>(?:\+<\1>)*")


def tables(game):
    """Return, by heading, the code spans in the first column of each table of a game's section.

    A heading that names a placeholder, such as ``<colour>``, is called by it.
    """
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {game}\n")[1].split("\n## ")[0]
    result = {}
    for part in section.split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        named = PLACEHOLDER.search(heading)
        rows = [line for line in text.splitlines() if line.startswith("| `")]
        spans = [span for row in rows for span in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
        result[named[1] if named else heading] = spans
    return result


def strings(templates, names):
    """Return every string that the templates stand for, with names for their placeholders.

    Names may have placeholders too. One placeholder that ``+`` joins to itself stands for names in
    the order of their table.
    """
    result = []
    for template in templates:
        kinds = [(match[1], match[0].count("<")) for match in PLACEHOLDER.finditer(template)]
        choices = [
            map("+".join, combinations_with_replacement(strings(names[kind], names), count))
            for kind, count in kinds
        ]
        for chosen in product(*choices):
            words = iter(chosen)
            result.append(PLACEHOLDER.sub(lambda match, words=words: next(words), template))
    return result
