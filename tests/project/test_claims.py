"""The list of claims agrees with the pages, and the commands in the list exist."""

import fnmatch
import shlex
import sys
from importlib.util import find_spec

import pytest
import yaml
from calls import ROOT

from trajan_ai.cli.main import parser

sys.path.append(str(ROOT / "tests" / "experiments"))
from claims import CLAIMS, read_claims

FOLDERS = ("configs", "docs", "ext", "tests", "tournaments", "trajan_ai")  # commands add others
PAGES = ["README.md", *(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


def read_page(page):
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def list_missing(command):
    """Return the files, tests, modules and arguments in a command that do not exist."""
    missing = []
    for part in command.split(" && "):
        words = shlex.split(part)
        for word in words:
            path, _, function = word.partition("::")
            if path.partition("/")[0] in FOLDERS and "/" in path:
                files = list(ROOT.glob(path))
                if not files or (function and f"def {function}(" not in files[0].read_text()):
                    missing.append(word)
            elif word.startswith("trajan_ai.") and find_spec(word) is None:
                missing.append(word)
        if "trajan-ai" in words:
            arguments = words[words.index("trajan-ai") + 1 :]
            try:
                parser().parse_args(arguments)
            except SystemExit:
                missing.append(" ".join(arguments))
    return missing


@pytest.mark.parametrize("page", sorted({claim[0] for claim in read_claims()}))
def test_each_claim_occurs_once_in_its_page(page):
    text = read_page(page)
    words = [claim[1] for claim in read_claims() if claim[0] == page]
    assert [claim for claim in words if text.count(" ".join(claim.split())) != 1] == []


def test_every_page_has_claims_or_needs_none():
    data = yaml.safe_load(CLAIMS.read_text(encoding="utf-8"))
    records = [page for pattern in data["records"] for page in fnmatch.filter(PAGES, pattern)]
    claimed = {claim[0] for claim in read_claims()}
    assert sorted([*claimed, *data["definitions"], *records]) == sorted(PAGES)


def test_what_the_commands_name_exists():
    assert [name for claim in read_claims() for name in list_missing(claim[2])] == []


def test_what_a_command_names_and_is_missing_is_reported():
    test, module, file = "tests/cli/test_cli.py::test_no", "trajan_ai.lab.no", "configs/no.yaml"
    command = f"pytest {test} && time trajan-ai bench --all && python -m {module} && cat {file}"
    assert list_missing(command) == [test, "bench --all", module, file]
