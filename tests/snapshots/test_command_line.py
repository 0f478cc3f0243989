"""What the command prints, on 80 columns: help, main outputs, complaints about wrong usage."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from trajan_ai import records
from trajan_ai.cli.arguments import COMMANDS
from trajan_ai.cli.main import main

FOLDER = Path(__file__).parent
GOLDEN = FOLDER.parent / "golden" / "trajan_2p.jsonl"

PLAN = """\
game: trajan
bots: [random, greedy, {name: plain, extends: ismcts, iterations: 20}]
deals: 2
rating: {anchor: greedy}
"""

OUTPUTS = [
    "tournament plan.yaml --jobs 1",
    "results results/plan",
    "results results/plan --games --bot plain",
    "results results/plan --failures",
    "results compare results/plan results/plan",
    "play trajan --bots random,greedy --games 2 --seed 7 --check --out games.jsonl",
    "replay games.jsonl --verify",
    "replay games.jsonl --game 2",
    "replay golden.jsonl --verify",
    "replay faulty.jsonl --verify",
    "suggest golden.jsonl --ply 40 --bot ismcts --iterations 300 --top 3",
    "suggest golden.jsonl --ply 40 --iterations 600 --top 3 --explain",
    "position golden.jsonl --ply 40 --out mine.yaml",
    "position mine.yaml",
    "--version",
]

COMPLAINTS = [
    "",
    "castle",
    "tournament",
    "tournament castle",
    "tournament wrong.yaml",
    "tournament plan.yaml --out empty --resume",
    "tournament plan.yaml --jobs 0",
    "results empty",
    "results results/plan --bot castle",
    "results game castle",
    "suggest golden.jsonl",
    "suggest golden.jsonl --ply 999",
    "suggest golden.jsonl --ply 40 --iterations 0",
    "suggest golden.jsonl --ply 40 --bot castle",
    "suggest wrong.yaml",
    "annotate castle.jsonl",
    "annotate golden.jsonl --iterations 0",
    "annotate golden.jsonl --time 1 --iterations 5",
    "profile --players 7",
    "play chess --bots random,random",
    "play trajan --bots random",
    "play trajan --bots random,random --option castle=1",
    "play trajan --bots random,random --option lap_length",
    "play trajan --bots random,random --option lap_length=--5",
    "play trajan --bots random,random --check",
    "replay castle.jsonl",
    "replay wrong.yaml",
    "replay golden.jsonl --game 2",
    "replay golden.jsonl --ply 40 --player 5",
    "position castle",
    "position golden.jsonl",
]

# What differs from run to run, from machine to machine or by version.
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
    """Run a command line in a folder with the files above; return what a terminal shows."""
    (entry,) = records.read(GOLDEN)[:1]
    records.write(tmp_path / "golden.jsonl", [entry])
    faults = [entry | {"x_legal": 5}, entry | {"x_legl": []}, entry | {"scores": [1, 2]}]
    (tmp_path / "faulty.jsonl").write_text(
        "{\n" + "\n".join(records.dumps(fault) for fault in faults)
    )
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "wrong.yaml").write_text("game: chess\nbots: [random, castle]\nrounds: 3\n")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def shown(line):
        try:
            status = main(shlex.split(line))
        except SystemExit as left:
            status = left.code
        output = capsys.readouterr()
        text = output.out + output.err
        for pattern, replacement in VARYING:
            text = pattern.sub(replacement, text)
        return f"$ trajan-ai {line}\n{text}(status {status})\n"

    return shown


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse's own words change")
def test_help(run, same_text):
    lines = ["--help", *(f"{command} --help" for command in COMMANDS)]
    text = "\n".join(run(line) for line in lines)
    assert all(len(line) <= 80 for line in text.splitlines())
    same_text(FOLDER / "help.txt", text)


@pytest.mark.slow
def test_outputs(run, same_text):
    same_text(FOLDER / "outputs.txt", "\n".join(run(line) for line in OUTPUTS))


@pytest.mark.slow
def test_complaints(run, same_text):
    run("tournament plan.yaml --jobs 1")
    same_text(FOLDER / "complaints.txt", "\n".join(run(line) for line in COMPLAINTS))
