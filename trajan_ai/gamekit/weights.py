"""Weights of a game's knowledge in a YAML file, by name: read in the engine's order, renewed.

Sections with the same names may share a heading, such as ``evaluation_2, evaluation_3:``; then
each name has a list with what it is in each of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.whole import write_whole
from trajan_ai.files.yamlfile import Document, read_yaml
from trajan_ai.gamekit.reading import Reader

JOINT = ", "  # of sections in a heading, and of what a name is in them
PART = re.compile(r"\[[^][]*\]|[^][, ]+")  # what a name is in one of them
MOST = 1e30  # of a weight, either way; the engine's floats hold 3e38


@dataclass(frozen=True)
class Group:
    """A section of a weights file: `names` in the engine's order.

    With `parts` each name has a list of that many numbers, such as (now, left); without, one
    number.
    """

    names: Sequence[str]
    parts: Sequence[str] = ()


def groups_of(names: Iterable[str]) -> dict[str, Group]:
    """Return the sections of weights with these full names, in their order."""
    entries: dict[str, dict[str, list[str]]] = {}
    for full in names:
        section, name, *part = full.split(".")
        entries.setdefault(section, {}).setdefault(name, []).extend(part)
    return {
        section: Group(list(parts), next(iter(parts.values())))
        for section, parts in entries.items()
    }


def read_weights(path: str | os.PathLike[str], groups: Mapping[str, Group]) -> dict[str, float]:
    """Return the weights of a file by name, in the order of `groups` and not of the file.

    A weight is called such as ``moves.card``, one of several parts ``evaluation.cards.now``.
    Raises TrajanError with every weight that is missing, unknown or no number, and its line.
    """
    return parse_weights(read_yaml(path), groups)


def parse_weights(document: Document, groups: Mapping[str, Group]) -> dict[str, float]:
    """Return the weights of a document; see `read_weights`."""
    document, problems = _apart(document)
    problems = problems or _problems(document, groups)
    if problems:
        raise TrajanError(*problems)
    return {
        ".".join((section, name, *part)): float(number)
        for section, group in groups.items()
        for name in group.names
        for part, number in _numbers(document.data[section][name], group)
    }


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


def _apart(document: Document) -> tuple[Document, list[Problem]]:
    """Return a document with a heading for each section; and what is wrong with shared ones."""
    if not isinstance(document.data, dict):
        return document, []
    data: dict[str, Any] = {}
    lines = dict(document.lines)
    problems = []
    for heading, entries in document.data.items():
        sections = str(heading).split(JOINT)
        data |= dict.fromkeys(sections, entries)
        if len(sections) == 1 or not isinstance(entries, dict):
            continue
        data |= {section: {} for section in sections}
        for name, values in entries.items():
            if not isinstance(values, list) or len(values) != len(sections):
                right = f"must be a list of {len(sections)}, one for each section"
                text = f"{right}, got {quoted(values)}"
                problems.append(document.problem((heading, name), text))
                continue
            for section, value in zip(sections, values, strict=True):
                data[section][name] = value
                lines[section, name] = document.line((heading, name)) or 0
    return replace(document, data=data, lines=lines), problems


def _texts(weights: Mapping[str, float]) -> dict[str, dict[str, str]]:
    """Return what a file says of weights, by section and name."""
    return {
        section: {name: _text(weights, f"{section}.{name}", group.parts) for name in group.names}
        for section, group in groups_of(weights).items()
    }


def _text(weights: Mapping[str, float], full: str, parts: Sequence[str]) -> str:
    if not parts:
        return f"{weights[full]:.3f}"
    numbers = [f"{weights[f'{full}.{part}']:.3f}" for part in parts]
    return f"[{', '.join(numbers)}]"


def _numbers(value: Any, group: Group) -> list[tuple[tuple[str, ...], Any]]:
    if not group.parts:
        return [((), value)]
    return [((part,), number) for part, number in zip(group.parts, value, strict=True)]


def _problems(document: Document, groups: Mapping[str, Group]) -> list[Problem]:
    found: list[Problem] = []
    reader = Reader(document.data, problems=found)
    reader.keys((), dict.fromkeys(groups, "{..}"))
    for section, group in groups.items():
        if section not in reader.data:
            continue
        right = f"{len(group.parts)} numbers" if group.parts else "a number"
        weights = reader.part(section, (), dict.fromkeys(group.names, right))
        for name, value in weights.data.items():
            if name in group.names and not _fits(value, group):
                weights.complain(name, f"must be {right}, got {quoted(value)}")
    return [document.located(problem) for problem in found]


def _fits(value: Any, group: Group) -> bool:
    if not group.parts:
        return _is_number(value)
    return (
        isinstance(value, list)
        and len(value) == len(group.parts)
        and all(_is_number(number) for number in value)
    )


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -MOST <= value <= MOST
