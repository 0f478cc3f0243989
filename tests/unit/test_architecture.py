"""The arrows between the rooms: who may import whom (docs/architecture.md)."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
GAMES = ("trajan", "forum_trajanum", "reference_games")

# What a room may import of ours, besides itself.
ALLOWED = {
    "core": set(),
    "trajan": {"core"},
    "forum_trajanum": {"core"},
    "reference_games": {"core"},
    "search": {"core"},
    "games": {"core", *GAMES},
    "version": set(),
    "records": {"core", "games"},
    "positions": {"core", "games", "records"},
    "bots": {"core", "games", "search"},
    "builtin_bots": set(),
    "analysis": {"core", "games", "records", "positions", "bots", "search", "version"},
    "__init__": {"core", "games", "records", "positions", "bots", "search", "analysis", "version"},
    "cli": {"*"},
    "tournaments": {"core", "games", "records", "bots", "version"},
}


def sources():
    for folder in ("trajan_ai", "tournaments"):
        for path in sorted((ROOT / folder).rglob("*.py*")):
            if path.suffix in (".py", ".pyi"):
                yield path.relative_to(ROOT), list(imported(path))
    for path in sorted((ROOT / "ext").rglob("*")):
        if path.suffix in (".pyx", ".pxd", ".pxi"):
            yield path.relative_to(ROOT / "ext"), list(cimported(path))


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module
            if node.module == "trajan_ai":
                yield from (f"trajan_ai.{name.name}" for name in node.names)


def cimported(path):
    pattern = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.MULTILINE)
    for match in pattern.finditer(path.read_text(encoding="utf-8")):
        yield match[1] or match[2]


def room(parts):
    if parts[0] == "tournaments":
        return "tournaments"
    return parts[1].removesuffix(".pyi").removesuffix(".py")


@pytest.mark.parametrize(("path", "names"), list(sources()), ids=str)
def test_imports_go_one_way(path, names):
    here = room(path.parts)
    allowed = ALLOWED[here]
    for name in names:
        parts = name.split(".")
        if parts[0] not in ("trajan_ai", "tournaments") or "*" in allowed:
            continue
        if parts == ["trajan_ai"]:  # its public names, checked one by one above
            continue
        there = room(parts)
        public = here == "tournaments" and len(parts) == 2 and there not in ALLOWED
        assert there == here or there in allowed or public, f"{path} imports {name}"


def test_only_play_touches_the_engine():
    for path, names in sources():
        if path.parts[0] == "tournaments" and path.name != "play.py":
            engine = {"trajan_ai.bots.build", "trajan_ai.core.game", "trajan_ai.search"}
            assert not engine & set(names), f"{path} touches the engine"


def test_no_lazy_imports_hide_an_arrow():
    for folder in ("trajan_ai", "tournaments"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    lazy = [
                        ast.unparse(node)
                        for node in ast.walk(function)
                        if isinstance(node, ast.Import | ast.ImportFrom)
                        and re.search(r"\b(trajan_ai|tournaments)\b", ast.unparse(node))
                    ]
                    assert not lazy, f"{path}: {function.name}: {lazy}"


def test_every_compiled_module_has_a_stub():
    for path in sorted((ROOT / "ext").rglob("*.pyx")):
        stub = ROOT / path.relative_to(ROOT / "ext").with_suffix(".pyi")
        assert stub.exists(), f"{stub} is missing"
