"""The tables of docs/notation.md, and the strings that they stand for."""

import re
from itertools import combinations_with_replacement, product
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "notation.md"
PLACEHOLDER = re.compile(r"<([\w ]+)>(?:\+<\1>)*")


def tables(game):
    """Return, by heading, the code spans in the first column of each table of a game's section.

    A heading that names a placeholder, such as ``<colour>``, is called by it; so is each column
    headed by one. A table headed ``of`` has many: names stand behind what they are of.
    """
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {game}\n")[1].split("\n## ")[0]
    result = {}
    for part in section.split("\n### ")[1:]:
        heading, _, text = part.partition("\n")
        head, _, *rows = [line[1:].split("|") for line in text.splitlines() if line[:1] == "|"]
        headed = {i: PLACEHOLDER.search(cell) for i, cell in enumerate(head)}
        columns = {i: found[1] for i, found in headed.items() if found}
        named = PLACEHOLDER.search(heading)
        of = named[1] if named else heading
        for row in rows:
            if head[0].strip() == "of":
                of = PLACEHOLDER.search(row[0])[1] if row[0].strip() else of
            for i, name in (columns or {head[0].strip() == "of": of}).items():
                result.setdefault(name, []).extend(re.findall(r"`([^`]+)`", row[i]))
    return result


def turned(name):
    return " ".join(name.split()[::-1])


def strings(templates, names):
    """Return every string that the templates stand for, with names for their placeholders.

    Names may have placeholders too. One placeholder that ``+`` joins to itself stands for names in
    the order of their table; ``<turned X>`` stands for the names of X with their words reversed.
    """
    names = names | {f"turned {kind}": [turned(name) for name in names[kind]] for kind in names}
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
