"""YAML files with the weights of a game's knowledge: sections that map names to weights."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

import yaml

from trajan_ai.core.atomic_file import write_atomically
from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.core.yamlfile import Document, read_yaml
from trajan_ai.games.kit.reader import Reader

MAX_WEIGHT = 1e30  # absolute limit; the engine stores single precision, up to 3e38


def read_weights(path: str | os.PathLike[str], names: Iterable[str]) -> dict[str, float]:
    """Return the weights of a file by full name, in the order of `names`.

    A full name is ``section.name``, such as ``moves.card``. A weight with several parts has one
    full name per part, such as ``evaluation_2.cards.now``, and is a list in the file. Raises
    TrajanError with every missing, unknown or invalid weight and its line.
    """
    return parse_weights(read_yaml(path), names)


def parse_weights(document: Document, names: Iterable[str]) -> dict[str, float]:
    """Return the weights of a document; see `read_weights`."""
    sections, problems = _group_names(names), list[Problem]()
    file = Reader(document.data, problems=problems)
    file.keys((), dict.fromkeys(sections, "{..}"))
    weights: dict[str, float] = {}
    for section in filter(file.data.__contains__, sections):
        entries = sections[section]
        part = Reader(file.data[section], (section,), problems)
        part.keys((), {name: _expected_value(parts) for name, parts in entries.items()})
        for name in filter(part.data.__contains__, entries):
            value, parts = part.data[name], entries[name]
            numbers = value if _has_parts(parts) else [value]
            right_length = isinstance(numbers, list) and len(numbers) == len(parts)
            if right_length and all(map(_is_number, numbers)):
                weights |= zip(parts, map(float, numbers), strict=True)
            else:
                part.complain(name, f"must be {_expected_value(parts)}, got {quoted(value)}")
    if problems:
        raise TrajanError(*map(document.located, problems))
    return {
        full: weights[full] for entries in sections.values() for full in chain(*entries.values())
    }


def format_weights(weights: Mapping[str, float]) -> str:
    """Return weights, given by full name, as YAML sections with values rounded to a thousandth."""
    texts = []
    for section, entries in _group_names(weights).items():
        values: dict[str, Any] = {}
        for name, parts in entries.items():
            numbers = [round(weights[part], 3) + 0.0 for part in parts]  # + 0.0: no minus zero
            values[name] = numbers if _has_parts(parts) else numbers[0]
        # With None, PyYAML writes each list on one line, but also each section without lists.
        style = None if any(map(_has_parts, entries.values())) else False
        texts.append(yaml.safe_dump({section: values}, sort_keys=False, default_flow_style=style))
    return "\n".join(texts)


def update_weights(
    path: str | os.PathLike[str], names: Iterable[str], changes: Mapping[str, float]
) -> None:
    """Change some weights in a weight file; `names` lists all weights that it contains.

    Comments before the first section are kept, and others are lost. The file is replaced in one
    step. Raises TrajanError if the file is not a valid weight file.
    """
    path = Path(path)
    weights = read_weights(path, names)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    header = takewhile(lambda line: line.startswith("#"), lines)
    write_atomically(path, [*header, format_weights(weights | dict(changes))])


def _group_names(names: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Return full names, grouped by section and by the name within the section."""
    sections: dict[str, dict[str, list[str]]] = {}
    for full in names:
        section, name = full.split(".")[:2]
        sections.setdefault(section, {}).setdefault(name, []).append(full)
    return sections


def _has_parts(parts: Sequence[str]) -> bool:
    """Return whether a weight has several parts, and so is a list in the file."""
    return parts[0].count(".") == 2


def _expected_value(parts: Sequence[str]) -> str:
    return f"{len(parts)} numbers" if _has_parts(parts) else "a number"


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -MAX_WEIGHT <= value <= MAX_WEIGHT
