"""Weights of a game's knowledge: read from a YAML file by name, in the order of the engine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajan_ai.core.errors import Problem, TrajanError, quoted
from trajan_ai.files.yamlfile import Document, read_yaml

MOST = 1e30  # of a weight, either way; the engine's floats hold 3e38


@dataclass(frozen=True)
class Group:
    """A section of a weights file: `names` in the engine's order.

    With `parts` each name has a list of that many numbers, such as (now, left); without, one
    number.
    """

    names: Sequence[str]
    parts: Sequence[str] = ()


def read_weights(path: str | os.PathLike[str], groups: Mapping[str, Group]) -> dict[str, float]:
    """Return the weights of a file by name, in the order of `groups` and not of the file.

    A weight is called such as ``moves.card``, one of several parts ``evaluation.cards.now``.
    Raises TrajanError with every weight that is missing, unknown or no number, and its line.
    """
    return parse_weights(read_yaml(path), groups)


def parse_weights(document: Document, groups: Mapping[str, Group]) -> dict[str, float]:
    """Return the weights of a document; see `read_weights`."""
    problems = _problems(document, groups)
    if problems:
        raise TrajanError(*problems)
    return {
        ".".join((section, name, *part)): float(number)
        for section, group in groups.items()
        for name in group.names
        for part, number in _numbers(document.data[section][name], group)
    }


def _numbers(value: Any, group: Group) -> list[tuple[tuple[str, ...], Any]]:
    if not group.parts:
        return [((), value)]
    return [((part,), number) for part, number in zip(group.parts, value, strict=True)]


def _problems(document: Document, groups: Mapping[str, Group]) -> list[Problem]:
    if not isinstance(document.data, dict):
        return [Problem(f"must be a mapping with {', '.join(groups)}", source=document.name)]
    found = [
        document.problem((section,), f"unknown section; sections are {', '.join(groups)}")
        for section in document.data
        if section not in groups
    ]
    for section, group in groups.items():
        weights = document.data.get(section)
        if not isinstance(weights, dict):
            found.append(document.problem((section,), "must be a mapping of weights by name"))
            continue
        found += [
            document.problem((section, name), "is missing")
            for name in group.names
            if name not in weights
        ]
        for name, value in weights.items():
            place = (section, name)
            if name not in group.names:
                found.append(document.problem(place, "unknown weight"))
            elif not _fits(value, group):
                right = f"{len(group.parts)} numbers" if group.parts else "a number"
                text = f"must be {right}, got {quoted(value)}"
                found.append(document.problem(place, text))
    return found


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
