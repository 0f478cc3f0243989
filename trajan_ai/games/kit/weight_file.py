"""Weights of a game's knowledge in a YAML file, by name: read in the engine's order, renewed.

Sections with the same names may share a heading, such as ``evaluation_2, evaluation_3:``; then
each name has a list with what it is in each of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.whole import write_whole
from trajan_ai.core.yamlfile import Document, read_yaml
from trajan_ai.games.kit.reader import Reader

JOINT = ", "  # of sections in a heading, and of what a name is in them
PART = re.compile(r"\[[^][]*\]|[^][, ]+")  # what a name is in one of them
MOST = 1e30  # of a weight, either way; the engine's floats hold 3e38


def read_weights(path: str | os.PathLike[str], names: Iterable[str]) -> dict[str, float]:
    """Return the weights of a file by name, in the order of `names` and not of the file.

    A weight is called such as ``moves.card``, one of several parts ``evaluation.cards.now``: a
    list in the file. Raises TrajanError with every weight that is missing, unknown or no number,
    and its line.
    """
    return parse_weights(read_yaml(path), names)


def parse_weights(document: Document, names: Iterable[str]) -> dict[str, float]:
    """Return the weights of a document; see `read_weights`."""
    known, problems = _sections(names), list[Problem]()
    whole = Reader(document.data, problems=problems)
    headings = {one: heading for heading in whole.data for one in str(heading).split(JOINT)}
    Reader(headings, (), whole.problems).keys((), dict.fromkeys(known, "{..}"))
    weights: dict[str, float] = {}
    for section in filter(headings.__contains__, known):
        heading, entries = headings[section], known[section]
        right = {name: _right(full) for name, full in entries.items()}
        part = Reader(whole.data[heading], (section,), problems)
        part.keys((), right)
        sections = str(heading).split(JOINT)
        for name in filter(part.data.__contains__, entries):
            value = part.data[name]
            if len(sections) > 1:
                if not _is_list(value, len(sections)):
                    text = f"must be a list of {len(sections)}, one for each section"
                    problems.append(Problem(f"{text}, got {quoted(value)}", (heading, name)))
                    continue
                value = value[sections.index(section)]
            full = entries[name]
            numbers = value if _has_parts(full) else [value]
            if _is_list(numbers, len(full)) and all(map(_is_number, numbers)):
                weights |= zip(full, map(float, numbers), strict=True)
            else:
                part.complain(name, f"must be {right[name]}, got {quoted(value)}")
    if problems:
        raise TrajanError(*(_located(one, document, headings) for one in problems))
    return {full: weights[full] for names in known.values() for full in chain(*names.values())}


def format_weights(weights: Mapping[str, float]) -> str:
    """Return weights, by full name, as the sections of a file, to a thousandth."""
    lines = []
    for section, entries in _texts(weights).items():
        lines += [f"{section}:", *(f"  {name}: {text}" for name, text in entries.items()), ""]
    return "\n".join(lines)


def renew_weights(path: str | os.PathLike[str], weights: Mapping[str, float]) -> None:
    """Write some weights, by full name, to a file that has them; the rest of it stays as it is.

    The file is there as a whole, before and after. Raises TrajanError if it lacks one of them on
    a line of its own.
    """
    path = Path(path)
    texts = _texts(weights)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    sections: list[str] = []
    for number, line in enumerate(lines):
        if heading := re.match(r"(\w+(?:, \w+)*):", line):
            sections = heading[1].split(JOINT)
        found = re.match(r"  (\w+): *([^#\n]*?)(?=\s*(?:#|$))", line)
        if not found:
            continue
        old = [found[2]] if len(sections) == 1 else PART.findall(found[2][1:-1])
        if len(old) == len(sections):
            new = [
                texts.get(section, {}).pop(found[1], one)
                for section, one in zip(sections, old, strict=True)
            ]
            if new != old:
                text = new[0] if len(new) == 1 else f"[{JOINT.join(new)}]"
                lines[number] = f"  {found[1]}: {text}{line[found.end() :]}"
    missing = [f"{section}.{name}" for section, names in texts.items() for name in names]
    if missing:
        raise TrajanError(*(f"{path}: {name}: is not on a line of its own" for name in missing))
    write_whole(path, lines)


def _sections(names: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Return the full names of weights by section and by their name there."""
    sections: dict[str, dict[str, list[str]]] = {}
    for full in names:
        section, name = full.split(".")[:2]
        sections.setdefault(section, {}).setdefault(name, []).append(full)
    return sections


def _has_parts(full: Sequence[str]) -> bool:
    """Whether full names of one name in a section are those of parts, a list in the file."""
    return full[0].count(".") == 2


def _right(full: Sequence[str]) -> str:
    return f"{len(full)} numbers" if _has_parts(full) else "a number"


def _texts(weights: Mapping[str, float]) -> dict[str, dict[str, str]]:
    """Return what a file says of weights, by section and name."""
    return {
        section: {name: _text(weights, full) for name, full in names.items()}
        for section, names in _sections(weights).items()
    }


def _text(weights: Mapping[str, float], full: Sequence[str]) -> str:
    numbers = JOINT.join(f"{weights[one]:.3f}" for one in full)
    return f"[{numbers}]" if _has_parts(full) else numbers


def _located(problem: Problem, document: Document, headings: Mapping[str, str]) -> Problem:
    """Return a problem with its line: that below the heading that names its section."""
    section, *rest = problem.place or ("",)
    line = document.line((headings.get(str(section), section), *rest))
    return replace(problem, line=line if problem.place else None, source=document.name)


def _is_list(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -MOST <= value <= MOST
