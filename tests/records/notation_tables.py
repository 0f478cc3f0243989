"""The tables of docs/notation.md, and the strings that they represent."""

import re
from itertools import combinations_with_replacement, product
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "notation.md"
PLACEHOLDER = re.compile(r"<([\w ]+)>(?:\+<\1>)*")


def tables(game):
    """Return, by heading, the code spans in the first column of each table in a game's section.

    If a heading contains a placeholder, such as ``<colour>``, its table is stored under the name
    of the placeholder, and so is each column whose head contains one. A table whose head contains
    ``of`` has a separate heading in the first cell of each row, and the names in the second cell.
    The page gives only examples of ``<pair>``, but the result contains all pairs.
    """
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {game}\n")[1].split("\n## ")[0]
    result = {}
    for part in section.split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        head, _, *rows = [line[1:].split("|") for line in text.splitlines() if line[:1] == "|"]
        placeholders = {i: PLACEHOLDER.search(cell) for i, cell in enumerate(head)}
        columns = {i: match[1] for i, match in placeholders.items() if match}
        named = PLACEHOLDER.search(heading)
        for row in rows:
            if head[0].strip() == "of":
                columns = {1: PLACEHOLDER.search(row[0])[1]}
            for i, name in (columns or {0: named[1] if named else heading}).items():
                result.setdefault(name, []).extend(re.findall(r"`([^`]+)`", row[i]))
    if "pair" in result:
        pairs = neighbours(strings(result["cell"], result))
        assert set(result["pair"]) <= set(pairs)
        result["pair"] = pairs
    return result


def neighbours(cells):
    """Return the pairs of neighbouring cells, with the left or the upper cell first."""
    return [
        f"{one} {other}"
        for one in cells
        for other in (chr(ord(one[0]) + 1) + one[1:], f"{one[0]}{int(one[1:]) + 1}")
        if other in cells
    ]


def reversed_words(name):
    return " ".join(name.split()[::-1])


def strings(templates, names):
    """Return every string that the templates represent when names replace the placeholders.

    Names may also contain placeholders. A placeholder that is joined to itself by ``+`` represents
    several names, in the order of their table. ``<turned X>`` represents the names of X with
    reversed words.
    """
    names = names | {f"turned {kind}": list(map(reversed_words, names[kind])) for kind in names}
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
