"""The output of the command in 80 columns: usage, main outputs, and a table for the docs.

`outputs.txt` contains command lines, which begin with ``$ trajan-ai``, each with its output.
"""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from golden_games import GOLDEN

from trajan_ai import records
from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.main import main
from trajan_ai.mcts.settings import MAX_COUNT, Settings

FOLDER = Path(__file__).parent

PLAN = """\
game: trajan
bots: [random, greedy, {name: plain, extends: ismcts, iterations: 20}]
deals: 2
rating: {anchor: greedy}
"""

# Parts of the output that vary between runs, machines or versions.
VARYING = [
    (re.compile(r"\b\d+\.\d+ s\b"), "#.## s"),
    (re.compile(r"\([\d,]+/s\)"), "(#/s)"),
    (re.compile(r"(?m)\d\.\d{3}$"), "#.###"),
    (re.compile(r"engine [0-9a-f]{12}"), "engine " + "#" * 12),
    (re.compile(r"harness: \d+\.\d+ %"), "harness: #.# %"),
    (re.compile(r"\bhere \d+\b"), "here #"),
    (re.compile(r"trajan-ai \d+\.\d+\.\d+"), "trajan-ai #.#.#"),
]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command line in a folder with files and returns its output."""
    entry = records.read(GOLDEN / "trajan_2p.jsonl")[0]
    records.write(tmp_path / "golden.jsonl", [entry])
    forum = records.read(GOLDEN / "forum_trajanum_3p_options.jsonl")[1]
    records.write(tmp_path / "forum.jsonl", [forum])
    faults = [entry | {"x_legal": 5}, entry | {"x_legl": []}, entry | {"scores": [1, 2]}]
    (tmp_path / "faulty.jsonl").write_text(
        "{\n" + "\n".join(records.dumps(fault) for fault in faults)
    )
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def normalize(line):
        try:
            status = main(shlex.split(line))
        except SystemExit as left:
            status = left.code
        output = capsys.readouterr()
        text = output.out + output.err
        for pattern, replacement in VARYING:
            text = pattern.sub(replacement, text)
        return text, status

    return normalize


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="needs Python 3.11")
def test_usages(run, same_text):
    usages = []
    for words in ([], *([command] for command in COMMANDS)):
        text, status = run(shlex.join([*words, "--help"]))
        assert status == 0
        assert all(len(line) <= 80 for line in text.splitlines()), text
        usages.append(text.partition("\n\n")[0] + "\n")
    same_text(FOLDER / "usages.txt", "".join(usages))


@pytest.mark.slow
def test_what_is_printed(run, same_text):
    path, lines_of = FOLDER / "outputs.txt", []
    for line in re.findall(r"(?m)^\$ trajan-ai (.*)$", path.read_text(encoding="utf-8")):
        text, status = run(line)
        lines_of.append(f"$ trajan-ai {line}\n{text}(status {status})\n")
    same_text(path, "\n".join(lines_of))


def describe(entry):
    """Return a description of the values that a JSON schema allows."""
    if "anyOf" in entry:
        return " or ".join(describe(part) for part in entry["anyOf"])
    if "enum" in entry:
        return ", ".join(entry["enum"])
    if "$ref" in entry:
        return "weights"
    words = {"integer": "whole number", "number": "number", "boolean": "true or false"}
    words |= {"null": "null", "object": "numbers by name", "string": "path"}
    signs = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    bounds = [
        f"{sign} {entry[key]:g}"
        for key, sign in signs.items()
        if entry.get(key, MAX_COUNT) != MAX_COUNT
    ]
    return " ".join([words[entry["type"]], *bounds])


def settings_table():
    """Return the settings as a Markdown table, for docs/bots.md."""
    rows = ["| setting | allowed | default | what it does, and its source |", "|---|---|---|---|"]
    for name, entry in Settings.model_json_schema()["properties"].items():
        default = json.dumps(entry.get("default", {}))
        rows.append(f"| `{name}` | {describe(entry)} | `{default}` | {entry['description']} |")
    return "\n".join(rows) + "\n"


def test_the_settings_of_the_search_end_their_page(same_text):
    marker = "<!-- made from trajan_ai.mcts.settings -->"
    path = GOLDEN.parents[1] / "docs" / "bots.md"
    before, _, _ = path.read_text(encoding="utf-8").partition(marker)
    same_text(path, f"{before}{marker}\n\n{settings_table().rstrip()}\n")
