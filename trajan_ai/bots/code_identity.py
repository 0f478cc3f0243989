"""The source code of a Python bot: finding the bot's files, and importing only these.

A bot consists of the module that defines its class and all modules that this one imports, directly
or indirectly, from the same place: the bot's folder or, for a module on the Python path, the same
top-level package. These modules may be compiled, except the one that defines the class. Other
packages, such as numpy, and trajan_ai itself are not part of the bot.
"""

import ast
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from trajan_ai.core.errors import TrajanError, short

OURS = "trajan_ai"  # covered by the play signature
SUFFIXES = importlib.machinery.all_suffixes()  # of modules; that of source files comes first


@dataclass(frozen=True)
class Code:
    """The files of a bot as they were when they were read. Imports use these texts, not the files.

    root     folder to which the paths are relative
    texts    text of every module in source form by path, such as ``mine.py``
    digests  hash of every file by path: modules, also compiled ones, and declared files
    """

    root: str
    texts: Mapping[str, str]
    digests: Mapping[str, str]


def find_code(reference: str, folder: str, files: Sequence[str]) -> Code:
    """Return the code of the class at ``module:Class`` without running it.

    The module is searched for in `folder`, then on the Python path. `files` are read from
    `folder`. Raises TrajanError if something is missing or is not valid Python.
    """
    module, _, attribute = reference.partition(":")
    top = module.partition(".")[0]
    beside = _module_file(Path(folder), module) is not None
    root = Path(folder) if beside else _root_on_path(module, folder)
    texts: dict[str, str] = {}
    compiled: set[str] = set()
    if root is not None and top != OURS:
        trees = _closure(root, module, None if beside else top, texts, compiled)
        _check_defined(trees[module], attribute, root, module)
    digests = {path: hash_data(text.encode()) for path, text in texts.items()}
    digests |= hash_files(str(root or ""), sorted(compiled)) | hash_files(folder, files)
    return Code(str(root or ""), texts, digests)


def hash_files(folder: str, names: Iterable[str]) -> dict[str, str]:
    """Return the hashes of files in a folder; raises TrajanError if one is missing."""
    digests = {}
    for name in names:
        try:
            digests[name] = hash_data(Path(folder, name).read_bytes())
        except OSError as error:
            raise TrajanError(f"file {short(name)}: {error.strerror} in {short(folder)}") from None
    return digests


def load_class(code: Code, reference: str) -> Any:
    """Import the module from the texts of `code`, which runs the module, and return the class."""
    module, _, attribute = reference.partition(":")
    if code.texts:
        _prefer(code, module)
    result = getattr(importlib.import_module(module), attribute, None)
    if result is None:
        raise TrajanError(f"class {reference} cannot be loaded: {module} has no {attribute}")
    return result


def find_packages(code: Code) -> list[str]:
    """Return the external modules that the code imports at the top level; do not run the code."""
    modules = (path for path in code.digests if path.endswith(tuple(SUFFIXES)))
    own = {path.partition("/")[0].partition(".")[0] for path in modules}
    names: dict[str, None] = {}
    for text in code.texts.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import):
                names |= dict.fromkeys(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names[node.module] = None
    return [name for name in names if name.partition(".")[0] not in own]


def hash_data(data: bytes) -> str:
    """Return a hash of twelve hex digits."""
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def _root_on_path(module: str, folder: str) -> Path | None:
    """Return the folder on the Python path that contains the module, or None without source."""
    top = module.partition(".")[0]
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise TrajanError(f"there is no module {module} in {short(folder)} or on the Python path")
    for location in spec.submodule_search_locations or ():
        if _module_file(Path(location).parent, module) is not None:
            return Path(location).parent
    if spec.origin is not None and spec.origin.endswith(".py"):
        root = Path(spec.origin).parent
        if _module_file(root, module) is not None:
            return root
        raise TrajanError(f"there is no module {module}: {spec.origin} does not contain it")
    return None


def _module_file(root: Path, name: str, suffixes: Sequence[str] = (".py",)) -> Path | None:
    base = root.joinpath(*name.split("."))
    for suffix in suffixes:
        for path in (base / f"__init__{suffix}", base.parent / f"{base.name}{suffix}"):
            if os.path.isfile(path):
                return path
    return None


def _closure(
    root: Path, module: str, package: str | None, texts: dict[str, str], compiled: set[str]
) -> dict[str, ast.Module]:
    """Read `module` and everything it imports from `root`; return the names and parsed modules.

    Adds their texts to `texts` by path, and the paths of modules without source to `compiled`. If
    `package` is not None, only modules of this package are read.
    """
    trees: dict[str, ast.Module] = {}
    pending = [module]
    while pending:
        name = pending.pop()
        top = name.partition(".")[0]
        if name.endswith(".*"):
            exporting = trees.get(name.removesuffix(".*"))  # None if it is not part of the bot
            pending += [name[:-1] + one for one in _list_exported(exporting)] if exporting else []
            continue
        path = _module_file(root, name, SUFFIXES)
        if name in trees or path is None or top == OURS or package not in (None, top):
            continue
        parent = name.rpartition(".")[0]
        pending += [parent] if parent else []
        if path.suffix != ".py":
            compiled.add(path.relative_to(root).as_posix())
            continue
        text = _read(path)
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None) or 1
            raise TrajanError(f"{path}:{line}: {getattr(error, 'msg', error)}") from None
        trees[name] = tree
        texts[path.relative_to(root).as_posix()] = text
        pending += _imported(tree, name if path.name == "__init__.py" else parent)
    return trees


def _read(path: Path) -> str:
    try:
        with tokenize.open(path) as file:  # respects an encoding declaration
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise TrajanError(f"{path}: cannot be read: {error}") from None


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield every imported name that may be a module, including imports within functions.

    The names imported from a module come before the module, which is therefore read first. For
    ``from package import *``, the name is ``package.*``.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) + 1 - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            yield from (f"{module}.{a.name}" if module else a.name for a in node.names)
            yield from ([module] if module else [])


def _list_exported(tree: ast.Module) -> list[str]:
    """Return the names in `__all__`, which may be modules that ``import *`` imports."""
    return [
        constant.value
        for node in _top_level(tree.body)
        if any(isinstance(one, ast.Name) and one.id == "__all__" for one in ast.walk(node))
        for constant in ast.walk(node)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    ]


def _check_defined(tree: ast.Module, attribute: str, root: Path, module: str) -> None:
    """Raise TrajanError if the module's text does not define the name `attribute`."""
    names: set[str] = set()
    for node in _top_level(tree.body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        else:
            names |= {sub.id for sub in ast.walk(node) if isinstance(sub, ast.Name)}
    if attribute not in names and not names & {"*", "__getattr__"}:
        classes = [node.name for node in _top_level(tree.body) if isinstance(node, ast.ClassDef)]
        has = f"; it has {', '.join(classes)}" if classes else ""
        raise TrajanError(f"{_module_file(root, module)} has no class {attribute}{has}")


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that an import may run, including those within `if` and `try`."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for block in ("body", "orelse", "finalbody"):
                yield from _top_level(getattr(node, block, []))
            for handler in getattr(node, "handlers", []):
                yield from _top_level(handler.body)


class _Snapshot(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):  # type: ignore[misc]
    """Imports modules from the texts of a Code. Tracebacks show the original files."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.modules: dict[str, str] = {}  # the file of each module, by the module's name
        self.texts: dict[str, str] = {}  # by file
        for path, text in code.texts.items():
            file = os.path.join(code.root, *path.split("/"))
            parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
            self.modules[".".join(parts)] = file
            self.texts[file] = text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the import spec of one of the bot's modules, or None for any other module."""
        if fullname not in self.modules:
            return None
        file = self.get_filename(fullname)
        package = file.endswith("__init__.py")
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=file, is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [os.path.dirname(file)]
        return spec

    def get_filename(self, fullname: str) -> str:
        """Return the path of a module's file."""
        return self.modules[fullname]

    def get_data(self, path: str | bytes) -> bytes:
        """Return the text of a module, or the bytes of another file."""
        text = self.texts.get(os.fsdecode(path))
        return Path(os.fsdecode(path)).read_bytes() if text is None else text.encode()


def _prefer(code: Code, module: str) -> None:
    """Make imports use the texts of the code instead of modules imported earlier."""
    earlier = (f for f in sys.meta_path if isinstance(f, _Snapshot) and f.code == code)
    snapshot = next(earlier, None) or _Snapshot(code)
    sys.meta_path[:] = [snapshot, *(f for f in sys.meta_path if f is not snapshot)]
    for name, file in snapshot.modules.items():
        loaded = sys.modules.get(name)
        loader = getattr(loaded, "__loader__", None)
        if loaded is None or loader is snapshot:
            continue
        if isinstance(loader, _Snapshot) or _same_file(loaded, file):
            del sys.modules[name]
        elif name == module:
            raise TrajanError(
                f"{file}: another module {name} is already loaded "
                f"({getattr(loaded, '__file__', 'part of Python')}); give the file another name"
            )
    if code.root not in sys.path:
        sys.path.append(code.root)  # for modules imported by a computed name


def _same_file(module: ModuleType, file: str) -> bool:
    path = getattr(module, "__file__", None)
    return path is not None and os.path.realpath(path) == os.path.realpath(file)
