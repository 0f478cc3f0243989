"""The plan of the packages (docs/architecture.md), checked against every import."""

import ast
import re
from collections import defaultdict
from functools import cache

import pytest
from calls import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
# The table on the page, which lists what each package may import besides its own modules.
ROWS = re.findall(r"^\| `(\w+)` \| (any|none|`[^|]*`) \| .* \|$", PAGE, re.M)
ALLOWED = {name: {*re.findall(r"`(\w+)`", imports)} for name, imports in ROWS}
MAX_PACKAGES, MAX_IMPORTS = 14, 7
GAME_PAGES = {
    game: (ROOT / "docs" / f"{game}.md").read_text(encoding="utf-8")
    for game in ("trajan", "forum_trajanum")
}
GAME_TABLES = PAGE.partition("## The files of a game")[2].split("\n| Cython, ")

# A text such as `trajan_ai.core.game` or `trajan_ai.core.game:Game`, which loads a module by name.
MODULE_NAME = re.compile(r"(trajan_ai(?:\.\w+)+)(?::\w+)?")
CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import\s+([^#\n]*)|c?import\s+([\w.]+))", re.M)


@cache
def sources():
    """Return every source file, relative to trajan_ai/, with the modules that it imports."""
    imports = {}
    for path in sorted((ROOT / "trajan_ai").rglob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            imports[path.relative_to(ROOT / "trajan_ai")] = set(imported(path))
    for path in sorted((ROOT / "ext" / "trajan_ai").rglob("*.p*")):
        imports[path.relative_to(ROOT / "ext" / "trajan_ai")] = set(cimported(path))
    return imports


def imported(path):
    """Yield the modules that a Python file imports, or names in a string to load them later."""
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
    """Yield the modules that a Cython file imports, in C or in Python."""
    for match in CIMPORT.finditer(path.read_text(encoding="utf-8")):
        module, names, plain = match.groups()
        if module == "trajan_ai":
            yield from (f"trajan_ai.{name.strip().split()[0]}" for name in names.split(","))
        else:
            assert not (module or plain).startswith("."), f"{path}: relative import"
            yield module or plain


def arrows():
    for path, names in sources().items():
        for name in names:
            parts = name.split(".")
            if (
                parts[0] == "trajan_ai"
                and len(path.parts) > 1 < len(parts)
                and parts[1:2] != [path.parts[0]]
            ):
                yield path, path.parts[0], parts[1]


def test_the_table_lists_all_packages_and_no_others():
    entries = {
        path.name
        for path in (ROOT / "trajan_ai").iterdir()
        if path.is_dir() and path.name != "__pycache__"
    }
    assert entries == set(ALLOWED)
    assert len(entries) <= MAX_PACKAGES
    compiled = {path.name for path in (ROOT / "ext" / "trajan_ai").iterdir()}
    assert compiled <= set(ALLOWED)


def test_packages_import_what_the_table_lists_and_nothing_else():
    wrong, unused = [], {(here, there) for here in ALLOWED for there in ALLOWED[here]}
    for path, here, there in arrows():
        unused.discard((here, there))
        if here != "cli" and there not in ALLOWED[here]:
            wrong.append(f"{path} imports {there}")
    assert not wrong, "\n".join(wrong)
    assert not unused


def test_a_package_imports_only_packages_above_it_and_at_most_seven():
    above = set()
    for name, imports in ALLOWED.items():
        assert imports <= above, name
        assert len(imports) <= MAX_IMPORTS, name
        above.add(name)


def test_cimports_and_names_of_modules_are_recognised(tmp_path):
    path = tmp_path / "file"
    path.write_text(
        "from trajan_ai.core.game cimport GameOps, \\\n    Position\n"
        "cimport trajan_ai.mcts.tree\n    from trajan_ai cimport records\n"
    )
    expected = ["trajan_ai.core.game", "trajan_ai.mcts.tree", "trajan_ai.records"]
    assert [*cimported(path)] == expected
    path.write_text("LATER = 'trajan_ai.games:GAMES'\n")
    assert [*imported(path)] == ["trajan_ai.games"]


def test_module_names_are_unique():
    """Only the files of games are exempt, because all games use the same names."""
    places = defaultdict(set)
    for path in sources():
        parts = path.with_suffix("").parts
        if not parts[-1].startswith("__") and parts[0] != "games":
            places[parts[-1]].add(parts[:-1])
    doubles = {name: folders for name, folders in places.items() if len(folders) > 1}
    assert not doubles


def test_public_class_names_are_unique():
    places = defaultdict(set)
    for path in sources():
        parallel = path.name == "components.py"  # all games have it, with the same class names
        if path.suffix == ".py" and not parallel:
            tree = ast.parse((ROOT / "trajan_ai" / path).read_text(encoding="utf-8"))
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].add(str(path))
    doubles = {name: folders for name, folders in places.items() if len(folders) > 1}
    assert not doubles


def list_table(table):
    """Return the names in the first column of a table."""
    return set(re.findall(r"`([\w.]+)`", "".join(re.findall(r"^\| (`[^|]*`) \|", table, re.M))))


def list_files(folder):
    """Return the names of the files in a folder, except `__init__` and `rules`.

    The names of source files are returned without their suffix.
    """
    names = [path.name for path in (ROOT / folder).iterdir() if path.is_file()]
    names = [name for name in names if not name.startswith(("__init__.", "rules."))]
    return {name.removesuffix(".py").removesuffix(".pxi") for name in names}


def test_the_tables_list_the_files_of_games():
    python, cython = map(list_table, GAME_TABLES)
    files = [list_files(f"trajan_ai/games/{game}") for game in GAME_PAGES]
    assert set.intersection(*files) == python
    for game, page in GAME_PAGES.items():
        own = list_table(page.partition("## Files")[2].partition("\n## ")[0])
        assert list_files(f"ext/trajan_ai/games/{game}") == cython | own, game


def test_every_compiled_module_has_a_stub_with_content():
    for path in sorted((ROOT / "ext").rglob("*.pyx")):
        stub = ROOT / path.relative_to(ROOT / "ext").with_suffix(".pyi")
        assert stub.read_text(encoding="utf-8").strip(), f"{stub} is empty"


def test_the_stable_name_of_position_files_has_all_of_their_names():
    import trajan_ai.positions
    from trajan_ai.records import position_files

    public = {
        name: value
        for name, value in vars(position_files).items()
        if name.isupper() or getattr(value, "__module__", None) == position_files.__name__
    }
    expected = {name: value for name, value in public.items() if not name.startswith("_")}
    assert {name: getattr(trajan_ai.positions, name) for name in expected} == expected
    assert set(trajan_ai.positions.__all__) == set(expected)


def test_the_subpackages_of_analysis_import_only_decision():
    wrong = [
        f"{path} imports {name}"
        for path, names in sources().items()
        for name in names
        if path.parts[0] == "analysis" and len(path.parts) > 2
        if re.match(r"trajan_ai\.analysis\.(annotation|decision|measurement)", name)
        if name.split(".")[2] not in ("decision", path.parts[1])
    ]
    assert not wrong, "\n".join(wrong)


def test_names_loaded_on_first_use_are_those_type_checkers_see():
    import trajan_ai

    tree = ast.parse((ROOT / "trajan_ai" / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and "not" not in ast.unparse(node.test)
    )
    typed_names = {name.asname or name.name for node in block.body for name in node.names}
    assert typed_names == set(trajan_ai._LOADED_ON_USE)
    assert typed_names < set(trajan_ai.__all__)
    assert all(getattr(trajan_ai, name) is not None for name in trajan_ai.__all__)
    with pytest.raises(AttributeError, match="no attribute 'castle'"):
        trajan_ai.castle  # noqa: B018
