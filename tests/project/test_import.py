"""The cost of importing the package, and the message if the package is not compiled."""

import importlib.util
import shutil

import pytest
from calls import ROOT, python


def test_sources_that_are_not_compiled_say_what_to_do(tmp_path):
    shutil.copytree(
        ROOT / "trajan_ai", tmp_path / "trajan_ai", ignore=shutil.ignore_patterns("*.so", "*.pyd")
    )
    done = python("-c", "import trajan_ai", folder=tmp_path, path=tmp_path)
    assert done.returncode == 1
    message = done.stderr.splitlines()[-1]
    assert message.startswith(f"ImportError: the sources in {tmp_path} are not compiled: run ")
    assert "During handling" not in done.stderr


def test_in_the_folder_above_a_clone_the_package_is_imported(tmp_path):
    (tmp_path / "trajan_ai" / "trajan_ai").mkdir(parents=True)
    done = python("-c", "import trajan_ai; trajan_ai.search", folder=tmp_path, path=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (["-c", "import trajan_ai"], "numpy pydantic yaml trajan_ai.games trajan_ai.bots"),
        (["-m", "trajan_ai", "--version"], "numpy pydantic yaml trajan_ai.games"),
        (["-m", "trajan_ai", "--help"], "numpy pydantic yaml trajan_ai.games"),
    ],
    ids=["import", "version", "help"],
)
def test_only_what_is_needed_is_loaded(arguments, spared):
    done = python("-X", "importtime", *arguments)
    assert done.returncode == 0
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "trajan_ai.core.version" in loaded
    assert not loaded & set(spared.split())


def test_help_loads_none_of_the_engine():
    """To declare the arguments of a subcommand, nothing that only its work needs is imported."""
    done = python(
        "-c",
        "import sys; from trajan_ai.cli.main import parser; parser(); print(*sys.modules)",
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "trajan_ai.cli.arguments" in loaded
    heavy = "numpy scipy pydantic yaml sqlite3 matplotlib starlette uvicorn asyncio jinja2 joblib"
    ours = "games bots mcts records positions page analysis.decision tournaments.plan_file"
    modules = [f"trajan_ai.{name}" for name in ours.split()]
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []
    assert not loaded & {*heavy.split(), *modules}


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_without_its_packages_the_page_says_how_to_get_them(package):
    done = python(
        "-c",
        f"import sys; sys.modules['{package}'] = None; from trajan_ai.cli.main import main\n"
        "sys.exit(main(['serve']))",
    )
    assert done.returncode == 2
    assert done.stderr == (
        f"trajan-ai serve: the page needs the package {package}; install it with pip install "
        "'trajan-ai[page]'\n"
    )


def test_a_module_that_is_missing_for_another_reason_is_named(tmp_path):
    shutil.copytree(ROOT / "trajan_ai", tmp_path / "trajan_ai")
    (tmp_path / "trajan_ai" / "core" / "__init__.py").write_text("import no_such_module\n")
    done = python("-c", "import trajan_ai", folder=tmp_path, path=tmp_path)
    assert done.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: No module named 'no_such_module'"
    )
