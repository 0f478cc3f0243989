"""The arrows between the packages: who may import whom (docs/architecture.md)."""

import ast
import re
from functools import cache

import pytest
from calls import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
# What a package, or a module beside them, may import of ours besides itself: the page's table.
ROWS = re.findall(r"^\| `(\w+)` \| (any|none|`[^|]*`) \| .* \|$", PAGE, re.M)
ALLOWED = {name.replace("trajan_ai", "__init__"): {*re.findall(r"`(\w+)`", t)} for name, t in ROWS}

# `trajan_ai.core.game`, or with the name of something in it, as text that loads it by name.
MODULE_NAME = re.compile(r"(trajan_ai(?:\.\w+)+)(?::\w+)?")
CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\s+([^#\n]*)|c?import\s+([\w.]+))", re.M)


def python_sources():
    """Paths as imported; the folder trajan_ai/tournaments is a link to the one at the top."""
    for folder in (ROOT / "trajan_ai", ROOT / "trajan_ai" / "tournaments"):
        for path in sorted(folder.rglob("*.py*")):
            if path.suffix in (".py", ".pyi"):
                yield path.relative_to(ROOT)


def cython_sources():
    for path in sorted((ROOT / "ext").rglob("*.p*")):
        if path.suffix in (".pyx", ".pxd", ".pxi"):
            yield path.relative_to(ROOT / "ext")


@cache
def sources():
    """Every source file with the names of the modules it imports."""
    found = {path: set(imported(ROOT / path)) for path in python_sources()}
    return found | {path: set(cimported(ROOT / "ext" / path)) for path in cython_sources()}


def imported(path):
    """Modules a Python file or stub imports, also those it names to load them later."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            if node.module == "trajan_ai":
                yield from (f"trajan_ai.{name.name}" for name in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            match = MODULE_NAME.fullmatch(node.value)
            if match:
                yield match[1]


def cimported(path):
    """Modules that a Cython file imports, in C or in Python."""
    for match in CIMPORT.finditer(path.read_text(encoding="utf-8")):
        module, names, plain = match.groups()
        if module == "trajan_ai":
            yield from (f"trajan_ai.{name.strip().split()[0]}" for name in names.split(","))
        else:
            assert not (module or plain).startswith("."), f"{path}: relative import"
            yield module or plain


def package(parts):
    """Return the package, or the module beside the packages, that a path or name lies in."""
    name = parts[1].partition(".")[0]
    return name if name in ALLOWED or len(parts) > 2 else "__init__"


def arrows():
    """Every import of ours across packages: source file, its package, the other package."""
    for path, names in sources().items():
        here = package(path.parts)
        for name in names:
            parts = name.split(".")
            if parts[0] == "trajan_ai" and len(parts) > 1 and package(parts) != here:
                yield path, here, package(parts)


@pytest.mark.slow
def test_every_source_belongs_to_a_package_of_the_table():
    for path in sources():
        assert package(path.parts) in ALLOWED, f"{path}: add its package to the page's table"


@pytest.mark.slow
def test_imports_go_one_way():
    wrong = [
        f"{path} imports {there}"
        for path, here, there in arrows()
        if here != "cli" and there not in ALLOWED[here]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_packages_import_each_other_in_no_circle():
    graph = {name: set() for name in ALLOWED}
    for _, here, there in arrows():
        graph[here].add(there)
    while free := [name for name, targets in graph.items() if not targets]:
        graph = {name: targets - set(free) for name, targets in graph.items() if targets}
    assert not graph, f"these packages import each other in a circle: {graph}"


FORMS = [
    (imported, "import trajan_ai.core.seeds", {"core.seeds"}),
    (imported, "from trajan_ai import records, search", {"records", "search"}),
    (imported, "if TYPE_CHECKING:\n    from trajan_ai.mcts import Result", {"mcts"}),
    (imported, "LATER = 'trajan_ai.games.trajan', 'trajan_ai.games:GAMES'", {"trajan", "games"}),
    (imported, "TEXT = 'see trajan_ai.bots for more'", set()),
    (cimported, "from trajan_ai.core.game cimport GameOps, \\\n    Position", {"core.game"}),
    (cimported, "from trajan_ai.core.rng cimport (\n    Rng,\n)", {"core.rng"}),
    (cimported, "cimport trajan_ai.mcts.tree", {"mcts.tree"}),
    (cimported, "from trajan_ai cimport records", {"records"}),
    (cimported, "    from trajan_ai.games.trajan import components", {"trajan"}),
]


@pytest.mark.parametrize(("seen", "text", "modules"), FORMS)
def test_the_arrows_are_seen(tmp_path, seen, text, modules):
    """Every form in which a file can import another."""
    path = tmp_path / "file"
    path.write_text(text)
    assert set(seen(path)) == {f"trajan_ai.{name}" for name in modules}
    assert package(("trajan_ai", "search")) == "__init__"


@pytest.mark.slow
def test_only_play_touches_the_engine():
    for path, names in sources().items():
        if package(path.parts) == "tournaments" and path.name != "play.py":
            engine = {"trajan_ai.bots.build", "trajan_ai.core.game", "trajan_ai.mcts"}
            assert not engine & names, f"{path} touches the engine"


def test_no_lazy_imports_hide_an_arrow():
    """Indented imports of ours are for type checkers, before the first class or function."""
    for path in python_sources():
        text = (ROOT / path).read_text(encoding="utf-8")
        code = re.search(r"^(?:async def|def|class) .*", text, re.M | re.S)
        lazy = re.findall(r"^ +(?:from|import) trajan_ai\b.*", code[0], re.M) if code else []
        assert not lazy, f"{path}: {lazy}"


def test_every_compiled_module_has_a_stub():
    for path in sorted((ROOT / "ext").rglob("*.pyx")):
        stub = ROOT / path.relative_to(ROOT / "ext").with_suffix(".pyi")
        assert stub.exists(), f"{stub} is missing"


def test_nothing_is_included_as_text():
    """An included file has no imports of its own, so no arrow of it could be seen."""
    for path in cython_sources():
        text = (ROOT / "ext" / path).read_text(encoding="utf-8")
        assert path.suffix != ".pxi", path
        assert not re.search(r"^\s*include\s+[\"']", text, re.M), path


def test_what_loads_on_use_is_what_type_checkers_see():
    import trajan_ai

    tree = ast.parse((ROOT / "trajan_ai" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and "not" not in ast.unparse(node.test)
    )
    seen = {name.name: node.module for node in block.body for name in node.names}
    assert seen == trajan_ai._LOADED_ON_USE
    assert set(seen) < set(trajan_ai.__all__)
    assert all(getattr(trajan_ai, name) is not None for name in trajan_ai.__all__)
    with pytest.raises(AttributeError, match="no attribute 'castle'"):
        trajan_ai.castle  # noqa: B018
