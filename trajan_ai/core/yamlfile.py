"""Read YAML strictly: reject duplicate keys, and report every problem with file, line and key.

The dialect is the core schema of YAML 1.2 without anchors: ``no`` is a word, ``1e3`` a number.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from trajan_ai.core.errors import KeyPath, Problem, TrajanError, format_path, quoted
from trajan_ai.core.names import Names

_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # not allowed in paths and UTF-8 files
_NO_TEXT_MESSAGE = "contains a NUL character or an unpaired surrogate"
MAX_DEPTH = 100  # levels below the first; PyYAML's time grows with the square of the depth

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Document:
    """The plain data in a file, with the line of each key.

    Attributes:
        name: the name of the file in messages.
        data: the data.
        lines: the line of each key, from 1; empty for a document created in Python.
    """

    name: str
    data: Any
    lines: Mapping[KeyPath, int]

    def problem(self, path: KeyPath, text: str) -> Problem:
        """Return a problem at a key, with the line of the key or, if it is missing, of its
        parent."""
        return Problem(text, path, self.line(path), self.name)

    def located(self, problem: Problem) -> Problem:
        """Return a problem in the data of the document, with its line added.

        The keys of the problem and of the file are compared as text, regardless of case.
        """
        path: KeyPath = ()
        for part in problem.place:
            depth = len(path)
            beside = [one for one in self.lines if len(one) == depth + 1 and one[:depth] == path]
            alike = [one for one in beside if str(one[-1]).lower() == str(part).lower()]
            if not alike:
                break
            path = alike[0]
        line = self.lines.get(path) if problem.place else None
        return replace(problem, line=line, source=self.name)

    def line(self, path: KeyPath) -> int | None:
        """Return the line of a key, or of its nearest parent that exists."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def place(self, path: KeyPath) -> str:
        """Return ``file:line: key.path`` for a key, with the line of its parent if it is
        missing."""
        line = self.line(path)
        where = self.name if line is None else f"{self.name}:{line}"
        return f"{where}: {format_path(path)}" if path else where

    def value(self, path: KeyPath) -> Any:
        """Return the value at an existing `path`."""
        data = self.data
        for key in path:
            data = data[key]
        return data

    def replaced(self, at: KeyPath, data: Any) -> Document:
        """Return the document with `data` in place of the data at `at`, and with the same
        lines."""
        for depth in reversed(range(len(at))):
            outer = self.value(at[:depth])
            copy: Any = list(outer) if isinstance(outer, list) else dict(outer)
            copy[at[depth]] = data
            data = copy
        return replace(self, data=data)


def read_yaml(path: str | os.PathLike[str], *, named: bool = False) -> Document:
    """Read a YAML file; raise TrajanError if it is missing, unreadable, malformed or empty.

    If `named` is true, the key ``name`` defaults to the name of the file without its extension.
    """
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise TrajanError(Problem("there is no such file", source=name)) from None
    except OSError as error:
        raise TrajanError(Problem(f"cannot be read: {error.strerror}", source=name)) from None
    document = parse_yaml(decode(data, name), name)
    if document.data is None:
        raise TrajanError(Problem("the file is empty", source=name))
    if named and isinstance(document.data, dict):
        return document.replaced((), {"name": Path(path).stem} | document.data)
    return document


def decode(data: bytes, name: str) -> str:
    """Return the text of the UTF-8 file `name` without its byte-order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = f"not UTF-8 text (byte {error.start})"
        raise TrajanError(Problem(text, source=name)) from None


def parse_yaml(text: str, name: str) -> Document:
    """Parse the YAML text of the file `name`, or raise TrajanError, which lists all problems."""
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            keys = _Keys(loader, name)
            if node is None:
                keys.lines[()] = 1
            else:
                keys.visit(node)
            if keys.problems:
                raise TrajanError(*keys.problems)
            data = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        text = " ".join((error.problem or error.context or "malformed YAML").split())
        at = (mark.line + 1, mark.column + 1) if mark else (None, None)
        raise TrajanError(Problem(text, line=at[0], source=name, column=at[1])) from None
    except TrajanError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise TrajanError(Problem(" ".join(str(error).split()), source=name)) from None
    return Document(name, data, keys.lines)


def option_values(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of options that a user typed as YAML.

    Values are numbers, words, true, false, and lists such as ``[0, 2]``. Raises TrajanError with
    all problems.
    """
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, text in texts.items():
        try:
            values[name] = parse_yaml(text, f"option {name}").data
        except TrajanError as error:
            problems += error.problems
    if problems:
        raise TrajanError(*problems)
    return values


def validate(
    model: type[Model], document: Document, at: KeyPath = (), *, is_text: bool = False
) -> Model:
    """Return a `model` of the data at `at`, or raise TrajanError, which lists all problems.

    If `is_text` is true, every value is text, as in the query of a URL.
    """
    read = model.model_validate_strings if is_text else model.model_validate
    try:
        return read(document.value(at))
    except ValidationError as error:
        raise TrajanError(*model_problems(error, model, document, at)) from None
    except UnicodeEncodeError:  # pydantic encodes the message of a validator as UTF-8
        raise TrajanError(document.problem(at, _NO_TEXT_MESSAGE)) from None


def model_problems(
    error: ValidationError, model: type[BaseModel], document: Document, at: KeyPath = ()
) -> list[Problem]:
    """Return all problems of a pydantic error, each with its line and key path."""
    return [
        problem
        for details in _drop_other_types(error.errors(), document.value(at))
        for problem in _described(details, model, document, at)
    ]


def _drop_other_types(errors: Sequence[Any], data: Any) -> Iterator[Any]:
    """Yield the errors, except those about types other than the one that was meant.

    For a key that allows several types, pydantic reports an error for each type. If one of these
    errors is about something other than the type, the value has the type that belongs to it, so
    the errors about other types do not apply.
    """
    places = [
        (_existing(details["loc"], data), details["type"].endswith(("_type", "_parsing")))
        for details in errors
    ]
    for details, (path, of_type) in zip(errors, places, strict=True):
        has_better = any(
            other[: len(path)] == path and not (other == path and other_of_type)
            for other, other_of_type in places
        )
        if not (of_type and has_better):
            yield details


def _described(
    details: Any, model: type[BaseModel], document: Document, at: KeyPath
) -> list[Problem]:
    path = at + _existing(details["loc"], document.value(at))
    kind, context = details["type"], details.get("ctx", {})
    got = f"got {quoted(details['input'])}"
    if kind == "extra_forbidden":
        parent = _find_model(model, path[len(at) : -1])
        fields = parent.model_fields if parent else {}
        names = [field.alias or name for name, field in fields.items()]
        allowed = f"; keys are {', '.join(sorted(names))}" if names else ""
        text = f"unknown key{allowed}{Names(names).hint(str(path[-1]))}"
    elif kind == "missing":
        text = "is missing"
    elif kind in ("model_type", "model_attributes_type", "dict_type"):
        text = f"must be a mapping of keys to values, {got}"
    elif kind == "literal_error":
        text = f"must be {context['expected']}, {got}"
    elif kind in ("tuple_type", "list_type"):
        text = f"must be a list, {got}"
    elif kind == "too_short":
        least = context["min_length"]
        text = "must not be empty" if least == 1 else f"must have at least {least} entries, {got}"
    elif kind == "value_error" and isinstance(context["error"], TrajanError):
        problems = context["error"].problems  # these problems have places below this key
        return [document.problem(path + problem.place, problem.text) for problem in problems]
    elif kind == "value_error":
        text = str(context["error"])
    elif kind in ("int_type", "int_parsing", "int_parsing_size", "int_from_float"):
        text = f"must be a whole number, {got}"
        if isinstance(details["input"], float) and details["input"].is_integer():
            text += f"; write {int(details['input'])}"
    else:
        message = details["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        text = f"must be {message}, {got}"
    return [document.problem(path, text)]


def _find_model(model: type[BaseModel], path: KeyPath) -> type[BaseModel] | None:
    """Return the model of the mapping at `path` below `model`, or None if it is not unique."""
    models = [model]
    for key in path:
        if isinstance(key, int):  # an entry of a list
            continue
        if len(models) != 1:
            return None
        fields = models[0].model_fields.items()
        types = [field.annotation for name, field in fields if key == (field.alias or name)]
        models = [one for annotation in types for one in _iterate_models(annotation)]
    return models[0] if len(models) == 1 else None


def _iterate_models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a type such as ``list[Model] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _iterate_models(part)


def _existing(location: KeyPath, data: Any) -> KeyPath:
    """Return pydantic's location without the parts that name types instead of keys."""
    path: KeyPath = ()
    for depth, key in enumerate(location):
        in_list = isinstance(data, list) and isinstance(key, int) and key < len(data)
        if in_list or (isinstance(data, Mapping) and key in data):
            path, data = (*path, key), data[key]
        elif depth == len(location) - 1 and isinstance(data, Mapping):
            path = (*path, key)
    return path


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader with the scalars of YAML 1.2 and without aliases."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        alias = self.check_event(yaml.AliasEvent)
        if alias or self.depth > MAX_DEPTH:
            problem = "anchors and aliases are not supported" if alias else "nested too deeply"
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, problem, event.start_mark)
        self.depth += 1
        node: Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _construct_int(loader: _Loader, node: ScalarNode) -> int:
    return int(loader.construct_scalar(node), 10)


def _construct_float(loader: _Loader, node: ScalarNode) -> float:
    return float(loader.construct_scalar(node).replace(".inf", "inf").replace(".nan", "nan"))


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
        "-+.0123456789",
    ),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}",
        re.compile(rf"^(?:{_pattern})$"),
        [character.strip("\0") for character in _first],
    )
_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Loader.add_constructor("tag:yaml.org,2002:float", _construct_float)


class _Keys:
    """The keys of a document, their lines and their problems."""

    def __init__(self, loader: _Loader, name: str) -> None:
        self.loader = loader
        self.name = name
        self.lines: dict[KeyPath, int] = {}
        self.problems: list[Problem] = []

    def visit(self, node: Node, path: KeyPath = ()) -> None:
        """Store the line of every key below `node`, and collect problems."""
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if isinstance(node, ScalarNode) and _NO_TEXT.search(node.value):
            self.problems.append(Problem(_NO_TEXT_MESSAGE, path, line, self.name))
        elif isinstance(node, SequenceNode):
            for index, item in enumerate(node.value):
                self.visit(item, (*path, index))
        elif isinstance(node, MappingNode):
            for key_node, value_node in node.value:
                self._visit_entry(key_node, value_node, path)

    def _visit_entry(self, key_node: Node, value_node: Node, parent: KeyPath) -> None:
        line = key_node.start_mark.line + 1
        is_scalar = isinstance(key_node, ScalarNode)
        if is_scalar and _NO_TEXT.search(key_node.value):
            self.problems.append(Problem(_NO_TEXT_MESSAGE, parent, line, self.name))
            return
        key = self.loader.construct_object(key_node) if is_scalar else None
        if isinstance(key, bool) or not isinstance(key, str | int):
            text = "a key must be a word or a whole number"
            self.problems.append(Problem(text, (), line, self.name))
            return
        path = (*parent, key)
        if path in self.lines:
            text = f"duplicate key (first on line {self.lines[path]})"
            self.problems.append(Problem(text, path, line, self.name))
            return
        self.lines[path] = line
        self.visit(value_node, path)
